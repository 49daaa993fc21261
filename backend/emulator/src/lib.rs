//! Runs code objects of AMD GPUs on the CPU: functional, lane by lane, not cycle-accurate.
//!
//! [`object`] reads what the compiler made, [`memory`] holds what kernels may touch, [`Device`] loads and launches.
//! [`isa`] turns machine words into instructions and text; the executor runs them.

mod device;
mod exec;
mod fault;
pub mod isa;
mod lines;
pub mod memory;
pub mod object;
mod services;
mod target;

pub use device::{Checks, Device, Launch, LoadError, Module, Options, Statistics};
pub use fault::{Fault, FaultKind, LaunchError, Space};
pub use services::{HostServices, Silent, Stream};
pub use target::{Generation, Processor, Target, TargetError};
