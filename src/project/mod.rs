//! A tree of files: finding, reading and writing them. All file access of a conversion is here.

mod author;
mod config;
mod convert;
mod file_diff;
mod file_report;
mod git;
mod layout;
mod mail;
mod names;
mod read;
mod series;
mod spool;
mod survey;
mod walk;
mod write;

pub use author::author;
pub use config::{Config, ConfigError, check_rules, find_config, parse_rocm, parse_targets};
pub use convert::{Converted, Observer, Run, Source, convert_files};
pub use file_diff::{FileDiff, hunk_line};
pub use file_report::{FileReport, Finding, Status};
pub use git::{GitError, is_dirty};
pub use layout::{Destination, LayoutError, place};
pub use names::{Base, NameError, Names};
pub use read::{ReadError, read, read_stdin};
pub use series::{Member, Share, SplitBy, Topic, shares};
pub use spool::{Spool, Spooled};
pub use survey::{Survey, WaveDecision, WaveSpot, WaveSpots, survey};
pub use walk::{Selection, WalkError, Walked, walk};
pub use write::{Staging, WriteError};
