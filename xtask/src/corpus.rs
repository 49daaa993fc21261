//! Tries hipshift on real CUDA sources: fetches them, converts them, compiles the result.

mod cause;
mod compile;
mod compiled;
mod convert;
mod fetch;
mod files;
mod hipify;
mod kept;
mod manifest;
mod report;
mod sample;
mod smoke;
mod smoke_counts;
mod smoke_names;
mod smoke_page;
mod unit;

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use hipshift::mapping::RocmVersion;
use hipshift::toolchain::Toolchain;

use self::manifest::Manifest;
use crate::repository_root;

/// Options of `xtask corpus`.
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    step: Step,
}

#[derive(Subcommand)]
enum Step {
    /// Fetch the crates named in tests/corpus/manifest.toml into target/corpus
    Fetch,
    /// Convert the corpus, compile what came out and write docs/corpus.md, or a page beside it for another release
    Compile(compile::Arguments),
    /// Launch each kernel of the converted corpus on the emulator and write docs/corpus-smoke.md
    Smoke(smoke::Arguments),
    /// Draw findings at random for docs/precision.md
    Sample(sample::Arguments),
}

/// Runs one step.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let manifest = Manifest::read(&repository_root().join("tests/corpus/manifest.toml"))?;
    match &arguments.step {
        Step::Fetch => fetch::all(&manifest, &sources_dir()).map(|()| ExitCode::SUCCESS),
        Step::Compile(arguments) => compile::run(arguments, &manifest),
        Step::Smoke(arguments) => smoke::run(arguments, &manifest),
        Step::Sample(arguments) => sample::run(arguments),
    }
}

/// Where the fetched crates lie.
fn sources_dir() -> PathBuf {
    repository_root().join("target/corpus")
}

/// Where their converted form lies, for a release of ROCm.
fn converted_dir(release: RocmVersion) -> PathBuf {
    repository_root().join("target").join(file_name("corpus-hip", release))
}

/// Where their form lies that hipify-perl makes of them.
fn hipified_dir() -> PathBuf {
    repository_root().join("target/corpus-hipify")
}

/// The name of what belongs to a release; the newest goes without saying.
fn file_name(stem: &str, release: RocmVersion) -> String {
    if release == RocmVersion::NEWEST { stem.to_owned() } else { format!("{stem}-{release}") }
}

/// The toolchain in `folder`, or where `toolchain install` is told to put it.
fn toolchain(folder: Option<&Path>, release: RocmVersion) -> Result<Toolchain> {
    let folder = folder.map_or_else(|| repository_root().join("target/toolchain"), Path::to_path_buf);
    let folder = std::path::absolute(&folder).with_context(|| format!("resolving `{}`", folder.display()))?;
    Ok(Toolchain::find(Some(&folder), release)?)
}

/// Holds off other runs as long as the file is open: two would write the same folders.
fn work_alone(release: RocmVersion) -> Result<File> {
    let path = repository_root().join("target").join(file_name("corpus-hip", release) + ".lock");
    fs::create_dir_all(path.parent().unwrap_or(&path)).context("creating the target folder")?;
    let lock = File::create(&path).with_context(|| format!("writing `{}`", path.display()))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => bail!("another run is at work on the converted corpus; wait for it to end"),
        Err(TryLockError::Error(error)) => Err(error).with_context(|| format!("locking `{}`", path.display())),
    }
}
