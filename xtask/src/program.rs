//! Builds the program that tasks put to the test.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::{process, repository_root};

/// Builds hipshift with a profile of cargo's and returns the program: where cargo puts it is up to its settings.
pub(crate) fn build(profile: &str) -> Result<PathBuf> {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["build", "--quiet", "--profile", profile, "--package", "hipshift", "--bin", "hipshift"]);
    command.arg("--message-format=json").current_dir(repository_root());
    let messages = process::run(&mut command).context("building hipshift")?;
    let mut programs = messages.lines().filter_map(|line| line.split_once(r#""executable":""#)?.1.split_once('"'));
    let (program, _rest) = programs.next_back().context("cargo did not say where hipshift is")?;
    Ok(program.into())
}
