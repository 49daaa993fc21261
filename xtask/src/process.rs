//! Starts other programs and turns their failures into errors.

use std::io::Write as _;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Runs a command and returns its output; an error carries what it printed.
pub(crate) fn run(command: &mut Command) -> Result<String> {
    run_with_input(command, "")
}

/// As [`run`], with a text to read.
pub(crate) fn run_with_input(command: &mut Command, input: &str) -> Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("starting `{program}`"))?;
    // Dropping the pipe ends the input. A program that does not read it is fine.
    if let Some(mut pipe) = child.stdin.take() {
        pipe.write_all(input.as_bytes()).ok();
    }
    let output = child.wait_with_output().with_context(|| format!("waiting for `{program}`"))?;
    if !output.status.success() {
        bail!("`{program}` failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
