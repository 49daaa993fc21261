//! A tree of files: finding, reading and writing them. All file access of a conversion is here.

mod config;
mod convert;
mod file_report;
mod git;
mod layout;
mod read;
mod survey;
mod walk;
mod write;

pub use config::{Config, ConfigError, check_rules, find_config, parse_rocm, parse_targets};
pub use convert::{Converted, Observer, Run, Source, convert_files};
pub use file_report::{FileReport, Finding, Status};
pub use git::{GitError, is_dirty};
pub use layout::{Destination, LayoutError, place};
pub use read::{ReadError, read, read_stdin};
pub use survey::{Survey, WaveDecision, WaveSpot, WaveSpots, survey};
pub use walk::{Selection, WalkError, Walked, walk};
pub use write::{Staging, WriteError};
