//! Schedules: how the blocks of a launch become waves that take turns on threads.

mod block;
mod device;
mod dispatch;
mod free_blocks;
mod hidden_arguments;
mod progress;
pub(super) mod random;
mod runner;
mod setup;

pub(crate) use device::Device;
pub(crate) use dispatch::{check, run};
pub(crate) use free_blocks::FreeBlocks;
