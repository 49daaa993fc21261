//! A program that one under `hipshift run` starts: the runtime library hands such programs over to hipshift.

use std::env;
use std::ffi::OsStr;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, bail};

use super::args::StartChild;
use super::run::{LIBRARY_PATH, library_start};
use crate::cli::exit::Exit;
use crate::mapping::RocmVersion;
use crate::toolchain::{Libraries, Toolchain};

/// Becomes the program, which keeps its environment. If it asks for libraries of AMD's that were fetched, it starts with these.
pub(in crate::cli) fn start_child(arguments: &StartChild) -> anyhow::Result<Exit> {
    let [name, rest @ ..] = arguments.words.as_slice() else { bail!("name the program") };
    let program = &arguments.program;
    let own = env::var_os(LIBRARY_PATH).unwrap_or_default();
    let folders: Vec<PathBuf> = env::split_paths(&own).filter(|folder| !folder.as_os_str().is_empty()).collect();
    let toolchain = Toolchain::find(None, RocmVersion::NEWEST).ok().map(|toolchain| toolchain.absolute());
    let libraries = toolchain.as_ref().and_then(Libraries::beside);
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
