//! `hipshift validate`, `hipshift validate record` and `hipshift run`

mod args;
mod child;
mod command;
mod executable;
mod executors;
mod first_run;
mod folder;
mod given;
mod kernels;
mod layout;
mod machine;
mod options;
mod prepare;
mod record;
mod run;
mod targets;

pub(super) use args::{RunProgram, StartChild, Validate};
pub(super) use child::start_child;
pub(super) use command::run;
pub(super) use executors::{NO_LIBRARY, executors_here, library, targets};
pub(super) use folder::Folder;
pub(super) use run::run as run_program;
