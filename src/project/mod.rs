//! A tree of files: finding, reading and writing them. All file access of a conversion is here.

mod author;
mod baseline;
mod build_files;
mod changes;
mod compat;
mod compile_commands;
mod config;
mod convert;
mod decisions;
mod decisions_toml;
mod digest;
mod effort;
mod file_diff;
mod file_report;
mod fix_groups;
mod git;
mod home;
mod index;
mod journal;
mod kernel_config;
mod layout;
mod ledger;
mod lint;
mod mail;
mod manifest;
mod names;
mod proposal;
mod read;
mod recover;
mod renames;
mod review;
mod run_journal;
mod series;
mod spool;
mod staged;
mod step;
mod survey;
mod undo;
mod update;
mod update_file;
mod walk;
mod write;

pub use author::author;
pub use baseline::{Baseline, BaselineError};
pub use build_files::{check_build_document, check_build_files};
pub use changes::Changes;
pub use compat::{HeaderError, needs_of, report_beside_header, write_headers};
pub use compile_commands::{CompileCommand, compile_commands, find_compile_commands};
pub use config::{
    BoundsWord, Config, ConfigError, ExtensionWord, LaunchWord, ValidateConfig, WaveWord, check_rules, find_config,
    parse_rocm, parse_targets,
};
pub use convert::{Converted, NoGuards, Observer, Run, Source, convert_files, text_after};
pub use decisions::{Decisions, DecisionsError};
pub use effort::{Effort, EffortCounts};
pub use file_diff::{FileDiff, hunk_line};
pub use file_report::{FileReport, Finding, Hidden, Status, Why};
pub use fix_groups::{ByteReplacement, FixGroup, NotUtf8, fix_groups};
pub use git::{GitError, is_dirty};
pub use home::{Home, resolved};
pub use index::{FileFacts, ProjectIndex, ReadDocument};
pub use journal::JournalError;
pub use kernel_config::{ArgumentConfig, KernelConfig, NanWord, NumberConfig, RandomConfig, Size, ToleranceConfig};
pub use layout::{Destination, LayoutError, place};
pub use ledger::{Ledger, NamedRoot};
pub use lint::{LintRun, LintSource, Linted, fix_document, lint_document, lint_files, lint_text};
pub use manifest::{Base as ManifestBase, MANIFEST, Manifest, ManifestError, Root};
pub use names::{Base, NameError, Names};
pub use proposal::{Hunk, Proposal, Replacement};
pub use read::{ReadError, read, read_stdin};
pub use recover::Recovered;
pub use review::{Part, ReviewFile};
pub use series::{Member, Share, SplitBy, Topic, shares};
pub use spool::{Spool, Spooled};
pub use staged::{Staged, staged, tracked};
pub use survey::{Looked, Survey, WaveDecision, WaveSpot, WaveSpots, survey, survey_of};
pub use undo::{
    UndoAction, UndoError, UndoOptions, Undone, UndoneFile, describe_recovered, is_cut_off, undo, undoable,
};
pub use update::{Update, UpdateError, Updated};
pub use update_file::{UpdateAction, UpdatedFile};
pub use walk::{EXTENSIONS, Selection, WalkError, Walked, is_reached, is_wanted, walk};
pub use write::{Staging, WriteError};
