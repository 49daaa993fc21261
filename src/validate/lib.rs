//! Compiles converted programs with the compiler for AMD GPUs, runs them, and compares what they print.
//!
//! [`Toolchain`](crate::toolchain::Toolchain) finds the compiler, [`programs`] says what is linked together, [`Build`] compiles, [`execute()`] runs,
//! [`compare()`] compares, and [`validate`] does all of it in order. Nothing here converts.
#![forbid(unsafe_code)]

mod backend;
mod builder;
mod cache;
mod case;
mod compare;
mod compile;
mod crash;
mod execute;
mod executor;
mod expected;
mod given;
mod kernel;
mod library;
mod machine;
mod measured;
mod message;
mod mismatch;
mod nvidia;
mod origin;
mod outcome;
mod precompiled;
mod program;
mod reach;
mod record;
mod resources;
mod run;
mod said;
mod search;
mod trap;

pub mod private_folder;
pub mod regular_file;
pub mod toolchain;

pub use backend::{Emulation, Streams, environment, link_names, seeds};
pub use builder::Builder;
pub use cache::Cache;
pub use compare::{Difference, Tolerance, compare};
pub use compile::{Build, Built, Stage};
pub use execute::{Call, Ending, Execution, Limits, Setting, execute};
pub use executor::{Executor, rocm_library};
pub use expected::Expected;
pub use given::Given;
pub use kernel::{
    Argument, Array, ArrayDifference, ArrayTolerance, Dialect, Element, Fill, Kernel, Launch, NanRule, Number, Output,
    Scalar, driver,
};
pub use library::{Bundle, Library};
pub use measured::{Measured, keep_measured};
pub use message::{Cause, Gravity, Message, Place};
pub use mismatch::Mismatch;
pub use nvidia::{NvidiaBuild, nvidia_target, write_aliases};
pub use origin::Origins;
pub use outcome::{
    Evidence, LIBRARY_NOTE, Made, ProgramResult, ScheduleDifference, TargetResult, Verdict, WaveDifference, WaveFinding,
};
pub use program::{Program, Unit, defines_main, is_unit, programs, single_units};
pub use record::{Recorder, Recording};
pub use regular_file::write_anew;
pub use resources::{Registers, Resources, demangled};
pub use run::{Plan, validate};
pub use search::{Search, write_overlay};

// Written as modules of this crate below.
use hipshift_core::{analysis, diagnostic, engine, mapping, source, syntax};
pub use trap::Explanation;
