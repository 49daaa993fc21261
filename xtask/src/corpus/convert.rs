//! Runs hipshift over fetched crates.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;
use std::{env, fs};

use anyhow::{Context, Result, ensure};

use super::manifest::Crate;
use crate::repository_root;

/// Converts each crate into a folder of its name below `output`.
#[expect(clippy::print_stderr, reason = "progress of a long run")]
pub(super) fn all(crates: &[&Crate], sources: &Path, output: &Path) -> Result<()> {
    build()?;
    for one in crates {
        let started = Instant::now();
        convert(&sources.join(&one.name), &output.join(&one.name))
            .with_context(|| format!("converting `{}`", one.name))?;
        eprintln!(
            "converted {} in {:.1} s",
            one.name,
            started.elapsed().as_secs_f32()
        );
    }
    Ok(())
}

fn build() -> Result<()> {
    let status = cargo()
        .args(["build", "--quiet", "--release", "--package", "hipshift"])
        .status();
    ensure!(
        status.context("starting cargo")?.success(),
        "hipshift does not build"
    );
    Ok(())
}

fn convert(from: &Path, to: &Path) -> Result<()> {
    ensure!(
        from.is_dir(),
        "it is not there; run `cargo run -p xtask -- corpus fetch` first"
    );
    if to.exists() {
        fs::remove_dir_all(to).with_context(|| format!("removing `{}`", to.display()))?;
    }
    fs::create_dir_all(to).with_context(|| format!("creating `{}`", to.display()))?;
    let log = to.with_extension("log");
    let log = fs::File::create(&log).with_context(|| format!("writing `{}`", log.display()))?;
    let mut command = cargo();
    command.args([
        "run",
        "--quiet",
        "--release",
        "--package",
        "hipshift",
        "--",
        "convert",
    ]);
    command.arg(from).arg("-o").arg(to);
    let status = command
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .status()
        .context("starting cargo")?;
    // 1 says that findings remain, which is what a corpus is for.
    ensure!(
        matches!(status.code(), Some(0 | 1)),
        "hipshift ended with {status}; see the log next to its output"
    );
    Ok(())
}

fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(repository_root());
    command
}
