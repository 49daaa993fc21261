//! The only door to the rules. Does no I/O: no files, environment, clock, processes, printing.

mod assembly;
mod carried;
mod check;
mod compat;
mod convert;
mod decide;
mod embedded;
mod fixed_lines;
mod guard_lines;
mod guarded;
mod input;
mod lane_needs;
mod language;
mod lint;
mod own_names;
mod prefilter;
mod run_rules;
mod suppress;
mod switched;
mod warp_width;

pub use carried::{Carried, carried};
pub use check::{Checked, check};
pub use compat::{
    HEADER, HeaderFile, HeaderPlan, Needs, Planned, Refusal, SeenThrough, header_files, is_header_file, look,
    see_through,
};
pub use convert::{Outcome, convert, convert_with, fix, reconcile};
pub use decide::{Decided, Known, Outdated, Stale, Standing, by_hand, decide};
pub use fixed_lines::{FixedLines, inserts_elsewhere, lines_of};
pub use guarded::guarded;
pub use input::Input;
pub use lane_needs::{lane_needs, may_need_lanes};
pub use language::{Language, language};
pub use lint::lint;
pub use own_names::own_names;
pub use prefilter::{is_worth_reading, may_hold_cuda};
pub use suppress::Suppressed;
pub use switched::switched;
pub use warp_width::judged_units;

pub use crate::build::{BUILD_FILE_EXTENSIONS, BUILD_FILE_NAMES, build_kind_of, is_build_file};

/// What is known about all rules, in the order of the registry.
pub fn rules() -> impl Iterator<Item = &'static crate::diagnostic::RuleInfo> {
    crate::rules::RULES.iter().map(|rule| rule.info)
}
