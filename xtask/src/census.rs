//! Asks of everything that CUDA's headers offer whether hipshift converts or reports it.
//!
//! What the headers offer is learned once from the wheels that NVIDIA publishes (`learn`) and committed as facts in
//! `tests/data/census`. A run writes a use of each fact, with arguments of the declared types, converts it, and compiles
//! the result with real HIP headers. What neither compiles nor has a finding fails in silence, and must not be.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a development task reports on the terminal")]

mod compile;
mod convert;
mod fact;
mod learn;
mod page;
mod silent;
mod uses;
mod verdict;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::{Args, Subcommand};
use hipshift::mapping::RocmVersion;

use self::fact::Library;
use self::verdict::Answer;
use crate::{program, repository_root};

/// Targets that are compiled for: one with waves of 64 lanes, one with waves of 32.
const TARGETS: [&str; 2] = ["gfx90a", "gfx1100"];

/// Options of `xtask census`.
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    step: Option<Step>,
    /// Releases of ROCm to convert for and of HIP to compile with
    #[arg(long, value_delimiter = ',', default_values = ["7.2", "6.4", "5.7"])]
    rocm: Vec<RocmVersion>,
    /// Only these libraries; the result is printed, not written
    #[arg(long, value_delimiter = ',')]
    library: Vec<String>,
    /// Write nothing, and fail if something fails in silence that `tests/data/census/silent.txt` does not list
    #[arg(long)]
    check: bool,
}

#[derive(Subcommand)]
enum Step {
    /// Read CUDA's headers anew, which are fetched
    Learn,
}

/// Learns the facts, or puts them to the test.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    if let Some(Step::Learn) = arguments.step {
        return learn::run().map(|()| ExitCode::SUCCESS);
    }
    let libraries = libraries(&arguments.library)?;
    let program = program::build("dev")?;
    let mut answers = Vec::new();
    for release in &arguments.rocm {
        eprintln!("ROCm {release}");
        answers.push((*release, of_release(&program, *release, &libraries)?));
    }
    print!("{}", page::totals(&answers));
    let is_whole = arguments.library.is_empty();
    if is_whole && !arguments.check {
        let path = repository_root().join("docs/census.md");
        fs::write(&path, page::markdown(&libraries, &answers)).context("writing `docs/census.md`")?;
        silent::write(&answers)?;
        return Ok(ExitCode::SUCCESS);
    }
    let unknown = silent::unknown(&answers)?;
    for line in &unknown {
        println!("fails in silence: {line}");
    }
    Ok(if unknown.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The libraries that are asked for, or all.
fn libraries(names: &[String]) -> Result<Vec<Library>> {
    let all = fact::read_all()?;
    for name in names {
        ensure!(all.iter().any(|library| library.name == *name), "`tests/data/census` has no library `{name}`");
    }
    Ok(all.into_iter().filter(|library| names.is_empty() || names.contains(&library.name)).collect())
}

/// What became of each fact of each library, in their order.
fn of_release(program: &Path, release: RocmVersion, libraries: &[Library]) -> Result<Vec<Vec<Answer>>> {
    let home = repository_root().join("target/census").join(release.to_string());
    uses::write_all(libraries, &home.join("cuda"))?;
    let told = convert::convert((program, release), &home, libraries)?;
    let compiled = compile::compile(release, &home.join("hip"), libraries)?;
    Ok(libraries
        .iter()
        .zip(told.iter().zip(&compiled))
        .map(|(library, (told, compiled))| verdict::of_library(library, told, compiled))
        .collect())
}
