//! Development tasks of hipshift, run as `cargo run -p xtask -- TASK`.
//!
//! Exit status: 0 done, 1 a comparison failed, 2 the task could not run.
#![forbid(unsafe_code)]
#![expect(clippy::print_stderr, reason = "a command-line program reports its errors on stderr")]

mod amd_tests;
mod census;
mod corpus;
mod dist;
mod installs;
mod names;
mod process;
mod program;
mod tools;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Development tasks of hipshift.
#[derive(Parser)]
#[command(name = "xtask", bin_name = "cargo run -p xtask --")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Fetch the programs that tests talk to: a browser and pre-commit
    Tools,
    /// Install hipshift in each way that README names, and use it there
    Installs(installs::Arguments),
    /// Make what is handed out: an archive and a package for Debian
    Dist(dist::Arguments),
    /// Compare the mapping tables with real HIP headers
    Names(names::Arguments),
    /// Use everything that CUDA's headers offer, and see whether it is converted or reported
    Census(census::Arguments),
    /// Run AMD's own compiled tests of its libraries on the emulator
    AmdTests(amd_tests::Arguments),
    /// Try hipshift on real CUDA sources
    Corpus(corpus::Arguments),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().task {
        Task::Tools => tools::run(),
        Task::Installs(arguments) => installs::run(&arguments),
        Task::Dist(arguments) => dist::run(&arguments),
        Task::Names(arguments) => names::run(&arguments),
        Task::Census(arguments) => census::run(&arguments),
        Task::AmdTests(arguments) => amd_tests::run(&arguments),
        Task::Corpus(arguments) => corpus::run(&arguments),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::from(2)
    })
}

/// The root of the repository, which all default paths hang from.
pub(crate) fn repository_root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}
