//! Makes device code of the converted corpus, launches each kernel of it on the emulator, and writes what came of it.

mod arguments;
mod ending;
mod launch;
mod record;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Args;
use hipshift::mapping::RocmVersion;
use hipshift::toolchain::Toolchain;
use rayon::prelude::*;

pub(super) use self::arguments::{BUFFER, INTEGERS};
pub(super) use self::ending::{Class, Ending};
pub(super) use self::launch::{BUDGET, Launched};
use super::cause::Cause;
use super::compiled::compiled;
use super::manifest::Manifest;
use super::smoke_page::Page;
use super::unit::{self, Unit, converted, one_of_each};
use super::{convert, converted_dir, kept, report, sources_dir, toolchain, work_alone};

/// How much the compiler optimises: as little as makes code like that of a release build. Level 3 takes half as long again.
pub(super) const LEVEL: &str = "-O1";

/// Options of `xtask corpus smoke`.
#[derive(Args)]
pub(super) struct Arguments {
    /// Targets to compile for
    #[arg(long, value_delimiter = ',', default_value = report::TARGETS)]
    arch: Vec<String>,
    /// Only this crate; the result is printed, not written
    #[arg(long = "crate", value_name = "NAME")]
    only: Option<String>,
    /// Only the first files of each crate; the result is printed, not written
    #[arg(long)]
    limit: Option<usize>,
    /// Take the corpus as an earlier run converted it
    #[arg(long)]
    kept: bool,
    /// Minutes after which no further file is compiled; the page says what is left for a later run
    #[arg(long)]
    minutes: Option<u64>,
    /// Seconds after which the compiler is stopped
    #[arg(long, default_value_t = 300)]
    timeout: u32,
    /// Folder of the toolchain [default: target/toolchain]
    #[arg(long)]
    toolchain: Option<PathBuf>,
}

/// What became of a file.
pub(super) enum State {
    /// Its kernels were launched; there may be none.
    Launched(Launched),
    /// There is no code for the target.
    Failed(Cause),
    /// The time of the run was over before.
    Left,
}

/// What became of a file on one target.
pub(super) struct Outcome {
    pub(super) name: String,
    pub(super) arch: String,
    /// Relative to the folder of the crate.
    pub(super) source: PathBuf,
    pub(super) state: State,
}

/// What all units of a run share.
struct Run<'r> {
    arguments: &'r Arguments,
    toolchain: &'r Toolchain,
    key: String,
    end: Option<Instant>,
}

/// Converts, compiles, launches, and writes or prints the page.
#[expect(clippy::print_stdout, reason = "a partial result is printed")]
pub(super) fn run(arguments: &Arguments, manifest: &Manifest) -> Result<ExitCode> {
    let release = RocmVersion::NEWEST;
    let _alone = work_alone(release)?;
    let end = arguments.minutes.map(|minutes| Instant::now() + Duration::from_secs(60 * minutes));
    let toolchain = toolchain(arguments.toolchain.as_deref(), release)?;
    let crates = unit::selected(manifest, arguments.only.as_deref())?;
    if !arguments.kept {
        let flags = ["--rocm", &release.to_string(), "--emit", "hip"].map(str::to_owned);
        convert::all(&crates, &flags, (&sources_dir(), &converted_dir(release)))?;
    }
    let units = unit::units(&crates, &arguments.arch, arguments.limit)?;
    let run = Run { arguments, toolchain: &toolchain, key: record::key()?, end };
    run.forget_outdated(&units)?;
    let outcomes = run.all(&units)?;
    let page = Page { toolchain: &toolchain, outcomes: &outcomes };
    let is_complete =
        arguments.arch.join(",") == report::TARGETS && arguments.only.is_none() && arguments.limit.is_none();
    if is_complete {
        page.write()?;
    } else {
        println!("{}", page.results());
    }
    Ok(ExitCode::SUCCESS)
}

impl Run<'_> {
    fn forget_outdated(&self, units: &[Unit]) -> Result<()> {
        for unit in one_of_each(units) {
            let words = self.compiler(unit, Path::new("FILE"), Path::new("OBJECT"));
            kept::forget_outdated(&objects(unit), (self.toolchain, &words), &[&home(unit)])?;
        }
        Ok(())
    }

    /// What became of all units: the first target, then the next.
    fn all(&self, units: &[Unit]) -> Result<Vec<Outcome>> {
        let mut outcomes = Vec::new();
        for arch in &self.arguments.arch {
            let units: Vec<_> = units.iter().filter(|unit| unit.arch.name == *arch).collect();
            let done = AtomicUsize::new(0);
            let of_target = units.par_iter().with_max_len(1).map(|unit| {
                let outcome = self.outcome(unit);
                tell(arch, done.fetch_add(1, Ordering::Relaxed) + 1, units.len());
                outcome
            });
            outcomes.extend(of_target.collect::<Result<Vec<_>>>()?);
        }
        Ok(outcomes)
    }

    fn outcome(&self, unit: &Unit) -> Result<Outcome> {
        let state = self.state(unit)?;
        Ok(Outcome { name: unit.of.name.clone(), arch: unit.arch.name.clone(), source: unit.source.clone(), state })
    }

    fn state(&self, unit: &Unit) -> Result<State> {
        let home = home(unit);
        let Some(file) = converted(&unit.source, &home) else {
            return Ok(State::Failed(Cause::no_answer("the conversion wrote no such file", &unit.source)));
        };
        let log = objects(unit).join(&file).with_extension("log");
        if kept::kept_code(&log).is_none() && self.end.is_some_and(|end| Instant::now() >= end) {
            return Ok(State::Left);
        }
        let object = log.with_extension("co");
        let ended = compiled(&log, &self.compiler(unit, &file, &object), self.arguments.timeout, &home)?;
        match ended.failure(&file, self.toolchain) {
            Some(cause) => Ok(State::Failed(cause)),
            None => Ok(State::Launched(record::launched(&object, &unit.arch.name, &self.key)?)),
        }
    }

    fn compiler(&self, unit: &Unit, file: &Path, object: &Path) -> Command {
        let mut command = unit.compiler(self.toolchain);
        command.args([LEVEL, "-c", "--no-gpu-bundle-output", "-o"]).arg(object).arg(file);
        command
    }
}

#[expect(clippy::print_stderr, reason = "progress of a long run")]
fn tell(arch: &str, done: usize, all: usize) {
    if done.is_multiple_of(20) {
        eprintln!("{arch}: {done} of {all}");
    }
}

/// Where the converted crate lies.
fn home(unit: &Unit) -> PathBuf {
    converted_dir(RocmVersion::NEWEST).join(&unit.of.name)
}

/// Where its code objects lie, with what came of them.
fn objects(unit: &Unit) -> PathBuf {
    converted_dir(RocmVersion::NEWEST).join("objects").join(&unit.arch.name).join(&unit.of.name)
}
