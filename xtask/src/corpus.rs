//! Tries hipshift on real CUDA sources: fetches them, converts them, compiles the result.

mod cause;
mod compile;
mod convert;
mod fetch;
mod files;
mod kept;
mod manifest;
mod report;
mod sample;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};
use hipshift::mapping::RocmVersion;

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
    /// Draw findings at random for docs/precision.md
    Sample(sample::Arguments),
}

/// Runs one step.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let manifest = Manifest::read(&repository_root().join("tests/corpus/manifest.toml"))?;
    match &arguments.step {
        Step::Fetch => fetch::all(&manifest, &sources_dir()).map(|()| ExitCode::SUCCESS),
        Step::Compile(arguments) => compile::run(arguments, &manifest),
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

/// The name of what belongs to a release; the newest goes without saying.
fn file_name(stem: &str, release: RocmVersion) -> String {
    if release == RocmVersion::NEWEST { stem.to_owned() } else { format!("{stem}-{release}") }
}
