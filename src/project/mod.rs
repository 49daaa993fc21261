//! A tree of files: finding, reading and writing them. All file access of a conversion is here.

mod baseline;
mod changes;
mod config;
mod convert;
mod effort;
mod file_report;
mod git;
mod layout;
mod lint;
mod proposal;
mod read;
mod staged;
mod survey;
mod walk;
mod write;

pub use baseline::{Baseline, BaselineError};
pub use changes::Changes;
pub use config::{Config, ConfigError, check_rules, find_config, parse_rocm, parse_targets};
pub use convert::{Converted, Observer, Run, Source, convert_files};
pub use effort::{Effort, EffortCounts};
pub use file_report::{FileReport, Finding, Hidden, Status, Why};
pub use git::{GitError, is_dirty};
pub use layout::{Destination, LayoutError, place};
pub use lint::{LintRun, LintSource, Linted, lint_files, lint_text};
pub use proposal::{Hunk, Proposal, Replacement};
pub use read::{ReadError, read, read_stdin};
pub use staged::{Staged, staged};
pub use survey::{Survey, WaveDecision, WaveSpot, WaveSpots, survey};
pub use walk::{Selection, WalkError, Walked, walk};
pub use write::{Staging, WriteError};
