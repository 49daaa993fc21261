//! The only door to the rules. Does no I/O: no files, environment, clock, processes, printing.

mod check;
mod convert;
mod embedded;
mod prefilter;

pub use check::{Input, check};
pub use convert::{Outcome, convert, reconcile};
pub use prefilter::may_hold_cuda;

/// What is known about all rules, in the order of the registry.
pub fn rules() -> impl Iterator<Item = &'static crate::diagnostic::RuleInfo> {
    crate::rules::RULES.iter().map(|rule| rule.info)
}
