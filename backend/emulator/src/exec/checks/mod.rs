//! Checks of kernels while they run, and reports of what these find.

pub(super) mod barrier_checks;
mod flow;
pub(crate) mod guessing;
pub(super) mod heap_calls;
pub(super) mod lane_checks;
pub(super) mod lds_checks;
mod polling;
pub(super) mod report;
mod uses;
pub(super) mod written_checks;
