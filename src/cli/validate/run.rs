//! `hipshift run`: any executable that was built for HIP, on the emulator.

use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, bail};
use camino::Utf8PathBuf;

use super::args::RunProgram;
use crate::cli::exit::Exit;
use crate::mapping::Target;
use crate::validate::{environment, find_library, link_names};

/// Becomes the program: its input, output, exit code and signals are its own.
pub(in crate::cli) fn run(arguments: &RunProgram) -> anyhow::Result<Exit> {
    let [program, rest @ ..] = arguments.command.as_slice() else { bail!("name a program") };
    let target = Target::find(&arguments.arch)?;
    let library = find_library().context("the emulator's library was not found; `cargo build --release` makes it")?;
    let folder = runtime_folder()?;
    let runtime = link_names(&library, &folder).with_context(|| format!("preparing {folder}"))?;
    let mut command = Command::new(program);
    command.args(rest).envs(environment(&runtime, target));
    // Only an error returns.
    let error = command.exec();
    Err(error).with_context(|| format!("starting {}", program.to_string_lossy()))
}

/// A folder for the names of the library. It stays, as the program runs in place of hipshift, and serves all runs of
/// this version.
fn runtime_folder() -> anyhow::Result<Utf8PathBuf> {
    let base = user_cache().unwrap_or_else(std::env::temp_dir);
    let folder = base.join("hipshift").join(env!("CARGO_PKG_VERSION"));
    Ok(Utf8PathBuf::try_from(folder)?)
}

/// Where programs keep what they can make again: `XDG_CACHE_HOME`, or `.cache` in the home.
pub(super) fn user_cache() -> Option<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache"));
    cache.or_else(home)
}
