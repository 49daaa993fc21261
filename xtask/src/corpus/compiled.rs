//! Runs the compiler with a time limit, unless its result is kept.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use hipshift::toolchain::Toolchain;

use super::cause::Cause;
use super::kept;

/// How a compilation ended.
pub(super) enum Compiled {
    /// Well.
    Well,
    /// It was stopped.
    TimeLimit,
    /// With an error; what the compiler printed.
    Refused(String),
}

impl Compiled {
    /// Why `file` failed.
    pub(super) fn failure(&self, file: &Path, toolchain: &Toolchain) -> Option<Cause> {
        match self {
            Compiled::Well => None,
            Compiled::TimeLimit => Some(Cause::no_answer("the time limit was reached", file)),
            Compiled::Refused(text) => Some(Cause::of_output(text, file, toolchain)),
        }
    }
}

/// Runs `compiler` in `home` for `timeout` seconds at most, or tells how it ended before. What it says goes into `log`.
pub(super) fn compiled(log: &Path, compiler: &Command, timeout: u32, home: &Path) -> Result<Compiled> {
    let code = match kept::kept_code(log) {
        Some(code) => Some(code),
        None => run(log, compiler, timeout, home)?,
    };
    let text = || fs::read(log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ok(match code {
        Some(0) => Compiled::Well,
        Some(124 | 137) => Compiled::TimeLimit,
        Some(125..=127) => bail!("the compiler could not be started: {}", text()?.trim()),
        _ => Compiled::Refused(text()?),
    })
}

/// The exit code.
fn run(log: &Path, compiler: &Command, timeout: u32, home: &Path) -> Result<Option<i32>> {
    let folder = log.parent().unwrap_or(home);
    fs::create_dir_all(folder).with_context(|| format!("creating `{}`", folder.display()))?;
    let output = File::create(log).with_context(|| format!("writing `{}`", log.display()))?;
    let mut command = Command::new("timeout");
    command.arg("--kill-after=5").arg(timeout.to_string());
    command.arg(compiler.get_program()).args(compiler.get_args());
    command.current_dir(home).stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
    let status = command.status().context("starting `timeout`, which ends a compiler that runs too long")?;
    if !matches!(status.code(), Some(124..=127 | 137)) {
        kept::keep_code(log, status.code())?;
    }
    Ok(status.code())
}
