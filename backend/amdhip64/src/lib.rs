//! `libamdhip64`: the HIP runtime API for unmodified HIP programs, on hipshift's emulator.
//!
//! Programs that clang compiled for HIP load this library in place of AMD's, register their code objects
//! ([`registry`]) and launch kernels ([`launch`]), which `hipshift-emulator` runs on the CPU. Memory of the GPU is
//! memory of the process, with the same addresses on both sides. Work of streams is done beside the program ([`schedule`]).
//!
//! Functions keep the version nodes of AMD's library, so that executables linked with that one start. `unsafe` stands
//! where C's callers hand over addresses; HIP's contract for each is what makes it sound.
#![allow(non_snake_case, reason = "the names are those of HIP")]

mod abi;
mod allocation;
mod array;
mod array_copy;
mod awaited;
mod c_streams;
mod call;
mod capture;
mod capture_api;
mod channel;
mod children;
mod context;
mod copy;
mod default_stream;
mod descriptor_copy;
mod device;
mod error;
mod event;
mod fill;
mod functions;
mod graph_api;
mod graph_nodes;
mod handles;
mod held_output;
mod hint_list;
mod hints;
mod host_memory;
mod host_state;
mod kernel_launch;
mod launch;
mod lines;
mod loaded;
mod lock;
mod markers;
mod memory;
mod messages;
mod misuse;
mod module;
mod names;
mod neighbours;
mod occupancy;
mod operation;
mod own_libraries;
mod pointer;
mod pool;
mod pool_usage;
mod program_end;
mod properties;
mod readable;
mod region;
mod registry;
mod release;
mod rtc;
mod rtc_compiler;
mod runtime;
mod schedule;
mod stream;
mod symbol;
mod texture;
mod texture_driver;
mod texture_reference;
mod timestamp;
mod unsupported;
mod waiting;
