//! A tree of files: finding, reading and writing them. All file access of a conversion is here.

mod author;
mod baseline;
mod build_files;
mod changes;
mod config;
mod convert;
mod digest;
mod effort;
mod file_diff;
mod file_report;
mod git;
mod home;
mod journal;
mod layout;
mod lint;
mod mail;
mod names;
mod proposal;
mod read;
mod recover;
mod run_journal;
mod series;
mod spool;
mod staged;
mod step;
mod survey;
mod undo;
mod walk;
mod write;

pub use author::author;
pub use baseline::{Baseline, BaselineError};
pub use build_files::check_build_files;
pub use changes::Changes;
pub use config::{Config, ConfigError, check_rules, find_config, parse_rocm, parse_targets};
pub use convert::{Converted, Observer, Run, Source, convert_files};
pub use effort::{Effort, EffortCounts};
pub use file_diff::{FileDiff, hunk_line};
pub use file_report::{FileReport, Finding, Hidden, Status, Why};
pub use git::{GitError, is_dirty};
pub use home::Home;
pub use journal::JournalError;
pub use layout::{Destination, LayoutError, place};
pub use lint::{LintRun, LintSource, Linted, lint_files, lint_text};
pub use names::{Base, NameError, Names};
pub use proposal::{Hunk, Proposal, Replacement};
pub use read::{ReadError, read, read_stdin};
pub use recover::Recovered;
pub use series::{Member, Share, SplitBy, Topic, shares};
pub use spool::{Spool, Spooled};
pub use staged::{Staged, staged};
pub use survey::{Survey, WaveDecision, WaveSpot, WaveSpots, survey};
pub use undo::{
    UndoAction, UndoError, UndoOptions, Undone, UndoneFile, describe_recovered, is_cut_off, undo, undoable,
};
pub use walk::{Selection, WalkError, Walked, walk};
pub use write::{Staging, WriteError};
