//! Runs hipshift over fetched crates.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use super::manifest::Crate;
use crate::program;

/// Converts each crate into a folder of its name below `output`.
#[expect(clippy::print_stderr, reason = "progress of a long run")]
pub(super) fn all(crates: &[&Crate], flags: &[String], (sources, output): (&Path, &Path)) -> Result<()> {
    let hipshift = program::build("release")?;
    for one in crates {
        let started = Instant::now();
        let mut command = Command::new(&hipshift);
        command.arg("convert").args(flags);
        convert(command, &sources.join(&one.name), &output.join(&one.name))
            .with_context(|| format!("converting `{}`", one.name))?;
        eprintln!("converted {} in {:.2} s", one.name, started.elapsed().as_secs_f32());
    }
    Ok(())
}

fn convert(mut command: Command, from: &Path, to: &Path) -> Result<()> {
    ensure!(from.is_dir(), "it is not there; run `cargo run -p xtask -- corpus fetch` first");
    if to.exists() {
        fs::remove_dir_all(to).with_context(|| format!("removing `{}`", to.display()))?;
    }
    fs::create_dir_all(to).with_context(|| format!("creating `{}`", to.display()))?;
    let log = to.with_extension("log");
    let log = fs::File::create(&log).with_context(|| format!("writing `{}`", log.display()))?;
    command.arg(from).arg("-o").arg(to);
    let status = command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).status();
    let status = status.context("starting hipshift")?;
    // 1 says that findings remain, which is what a corpus is for.
    ensure!(matches!(status.code(), Some(0 | 1)), "hipshift ended with {status}; see the log next to its output");
    Ok(())
}
