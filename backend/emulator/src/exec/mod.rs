//! The executor.
//!
//! Its folders stand on each other in this order: numbers and their formats (`number`); races in LDS (`race`); the state
//! of waves and blocks (`state`); what the blocks of a launch share (`launch`); checks (`checks`); instructions (`alu`,
//! `memory`, `matrix`); programs made of these (`code`); blocks and their turns (`schedule`).

mod alu;
mod checks;
mod code;
mod launch;
mod matrix;
mod memory;
mod number;
mod race;
mod schedule;
mod state;

pub(crate) use code::program::Program;
pub(crate) use schedule::{Device, FreeBlocks, check, run};
