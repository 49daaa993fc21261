//! Checks of kernels while they run, and reports of what these find.

pub(super) mod barrier_checks;
pub(super) mod lane_checks;
pub(super) mod lds_checks;
pub(super) mod report;
pub(super) mod written_checks;
