//! A program that one under `hipshift run` starts: the runtime library hands such programs over to hipshift.

use std::ffi::OsStr;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use anyhow::{Context as _, bail};

use super::args::StartChild;
use super::run::{library_start, own_folders, toolchain};
use crate::cli::exit::Exit;
use crate::toolchain::Libraries;

/// Becomes the program, which keeps its environment. If it asks for libraries of AMD's that were fetched, it starts with these.
pub(in crate::cli) fn start_child(arguments: &StartChild) -> anyhow::Result<Exit> {
    let [name, rest @ ..] = arguments.words.as_slice() else { bail!("name the program") };
    let program = &arguments.program;
    let folders = own_folders();
    let libraries = toolchain().as_ref().and_then(Libraries::beside);
    let mut command = if let Some(start) = library_start(program, &folders, libraries.as_ref())? {
        let mut command = Command::new(&start.loader);
        command.args([OsStr::new("--argv0"), name]).args(start.words(&folders, program));
        command.envs(start.environment);
        command
    } else {
        let mut command = Command::new(program);
        command.arg0(name);
        command
    };
    Err(command.args(rest).exec()).with_context(|| format!("starting {}", program.display()))
}
