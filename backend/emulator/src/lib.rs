//! Runs code objects of AMD GPUs on the CPU: functional, lane by lane, not cycle-accurate.
//!
//! [`object`] reads what the compiler made, [`memory`] holds what kernels may touch, [`Device`] loads and launches.
//! [`isa`] turns machine words into instructions and text; the executor runs them.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::float_cmp,
    reason = "registers are bits: cutting, reinterpreting and comparing them exactly is what instructions do"
)]
#![allow(
    clippy::inline_always,
    reason = "loops over lanes are compiled for several instruction sets, whole or not at all"
)]
#![allow(clippy::precedence, reason = "shifts and masks of bit fields are read from left to right")]
#![allow(clippy::many_single_char_names, reason = "operands are called a, b, c and d by the tables of instructions")]

mod bounds;
mod checks;
mod device;
mod exec;
mod fault;
pub mod image;
pub mod isa;
mod launch;
mod lines;
pub mod memory;
mod neighbours;
pub mod object;
mod services;
mod target;

pub use bounds::{Bounds, UnknownBounds};
pub use checks::{Checks, UnknownChecks};
pub use device::{Device, LoadError, Module, THREAD};
pub use fault::{Fault, FaultKind, LaunchError, Other, Refusal, Space};
pub use launch::{Launch, Options, Statistics};
pub use neighbours::{Alone, Neighbours};
pub use services::{HostServices, Silent, Stream};
pub use target::{Generation, Processor, Target, TargetError};
