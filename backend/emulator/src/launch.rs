//! What a launch is asked to do, how kernels run, and what came of it.

use std::sync::Arc;

use crate::bounds::Bounds;
use crate::checks::Checks;
use crate::neighbours::Neighbours;

/// How kernels run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Threads that run blocks; 0 takes as many as the machine has.
    pub threads: usize,
    /// Changes the order in which blocks and waves take turns, and how long turns are; with one thread, the same seed
    /// gives the same run. `None` is the order of their numbers.
    pub schedule_seed: Option<u64>,
    /// Instructions that the waves of one block may execute together; `None` for no limit.
    pub step_limit: Option<u64>,
    /// What is checked beside what has to be.
    pub checks: Checks,
    /// What becomes of accesses past the end of memory.
    pub bounds: Bounds,
}

/// A kernel launch.
#[derive(Clone)]
pub struct Launch<'a> {
    /// Blocks in each dimension.
    pub grid: [u32; 3],
    /// Threads of a block in each dimension.
    pub block: [u32; 3],
    /// Bytes of LDS beside what the kernel declares.
    pub dynamic_lds: u32,
    /// The explicit arguments, laid out as [`Kernel::args`](crate::object::Kernel::args) says. Hidden arguments are filled in.
    pub arguments: &'a [u8],
    /// All blocks run together, so that they can wait for each other.
    pub cooperative: bool,
    /// What else may change memory meanwhile: [`Alone`](crate::Alone) if nothing does.
    pub neighbours: Arc<dyn Neighbours>,
}

/// What a launch did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Waves that ran.
    pub waves: u64,
    /// Instructions that they executed, one for all lanes of a wave.
    pub instructions: u64,
}
