//! Starts programs of the system and turns their failures into errors.

use std::process::{Command, Stdio};

use super::error::InstallError;

/// Runs a command and returns its output; an error carries what it printed.
pub(super) fn run(command: &mut Command) -> Result<String, InstallError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let failed = |text: String| InstallError::Program { program: program.clone(), text };
    let output = command.stdin(Stdio::null()).output().map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// What a failed program said, without its name.
pub(super) fn said(error: InstallError) -> String {
    match error {
        InstallError::Program { text, .. } => text,
        other => other.to_string(),
    }
}
