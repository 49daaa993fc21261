//! The only door to the rules. Does no I/O: no files, environment, clock, processes, printing.

mod check;
mod convert;
mod prefilter;

pub use check::{Input, check};
pub use convert::{Applied, Outcome, convert};
pub use prefilter::may_hold_cuda;
