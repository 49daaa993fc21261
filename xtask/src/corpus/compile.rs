//! Compiles the converted corpus for each target and reports what failed and why.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use hipshift::mapping::RocmVersion;
use hipshift::toolchain::Toolchain;

use super::cause::{Cause, is_about_lanes};
use super::compiled::{self, Compiled};
use super::manifest::Manifest;
use super::report::{self, Report};
use super::unit::{self, Unit, converted, one_of_each};
use super::{convert, converted_dir, hipified_dir, hipify, kept, sources_dir, toolchain, work_alone};

/// Options of `xtask corpus compile`.
#[derive(Args)]
pub(super) struct Arguments {
    /// Targets to compile for
    #[arg(long, value_delimiter = ',', default_value = report::TARGETS)]
    arch: Vec<String>,
    /// Release of ROCm to convert for and of HIP to compile with
    #[arg(long, default_value = "7.2")]
    rocm: RocmVersion,
    /// Only this crate; the result is printed, not written
    #[arg(long = "crate", value_name = "NAME")]
    only: Option<String>,
    /// Only the first files of each crate; the result is printed, not written
    #[arg(long)]
    limit: Option<usize>,
    /// Generate code instead of checking the syntax; the result is printed, not written
    #[arg(long)]
    full: bool,
    /// Further flags for the compiler; the result is printed, not written
    #[arg(long = "flag", allow_hyphen_values = true)]
    flags: Vec<String>,
    /// Further flags for `hipshift convert`; the result is printed, not written
    #[arg(long = "convert-flag", allow_hyphen_values = true)]
    convert_flags: Vec<String>,
    /// What to compile; anything but `fresh` and `kept` is printed, not written
    #[arg(long, value_enum, default_value = "fresh")]
    input: Input,
    /// hipify-perl, for `--input hipify`
    #[arg(long, value_name = "FILE", required_if_eq("input", "hipify"))]
    hipify_perl: Option<PathBuf>,
    /// Fail if fewer files compile than docs/corpus.md says
    #[arg(long, conflicts_with_all = ["limit", "full", "flags", "convert_flags"])]
    check: bool,
    /// Files to compile at the same time
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Seconds after which the compiler is stopped
    #[arg(long, default_value_t = 300)]
    timeout: u32,
    /// Folder of the toolchain [default: target/toolchain]
    #[arg(long)]
    toolchain: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Input {
    /// The corpus, converted now
    Fresh,
    /// The corpus as an earlier run converted it
    Kept,
    /// The corpus as fetched, for ports to HIP that it brings itself
    Original,
    /// The corpus as hipify-perl converts it now
    Hipify,
    /// The corpus as fetched, behind a compatibility header that is written now
    Header,
}

impl Arguments {
    /// Whether the result is the one that the documentation holds.
    fn is_complete(&self) -> bool {
        let is_default = self.arch.join(",") == report::TARGETS
            && self.flags.is_empty()
            && self.convert_flags.is_empty()
            && !self.full;
        is_default && matches!(self.input, Input::Fresh | Input::Kept) && self.only.is_none() && self.limit.is_none()
    }
}

/// What became of a unit.
pub(super) struct Outcome {
    pub(super) name: String,
    pub(super) arch: String,
    pub(super) failure: Option<Cause>,
    /// Whether one of its errors, up to the compiler's limit of 20, is about lanes.
    pub(super) about_lanes: bool,
}

/// Converts, compiles, and writes or compares the report.
#[expect(clippy::print_stdout, reason = "a partial result is printed")]
pub(super) fn run(arguments: &Arguments, manifest: &Manifest) -> Result<ExitCode> {
    let _alone = work_alone(arguments.rocm)?;
    let toolchain = toolchain(arguments.toolchain.as_deref(), arguments.rocm)?;
    let crates = unit::selected(manifest, arguments.only.as_deref())?;
    if matches!(arguments.input, Input::Fresh | Input::Header) {
        let emit = if arguments.input == Input::Header { "compat-header" } else { "hip" };
        let options = ["--rocm", &arguments.rocm.to_string(), "--emit", emit].map(str::to_owned);
        let flags = [&options[..], &arguments.convert_flags].concat();
        convert::all(&crates, &flags, (&sources_dir(), &converted_dir(arguments.rocm)))?;
    }
    if let (Input::Hipify, Some(program)) = (arguments.input, &arguments.hipify_perl) {
        hipify::all(program, &crates, (&sources_dir(), &hipified_dir()))?;
    }
    let units = unit::units(&crates, &arguments.arch, arguments.limit)?;
    forget_outdated(&units, arguments, &toolchain)?;
    let outcomes = compile_all(&units, arguments, &toolchain)?;
    let report = Report { manifest, toolchain: &toolchain, outcomes: &outcomes };
    if arguments.check {
        return report.compare();
    }
    if arguments.is_complete() {
        report.write()?;
    } else {
        println!("{}", report.results());
    }
    Ok(ExitCode::SUCCESS)
}

fn compile_all(units: &[Unit], arguments: &Arguments, toolchain: &Toolchain) -> Result<Vec<Outcome>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut outcomes = Vec::new();
        while let Some((index, unit)) = take(&next, units) {
            outcomes.push((index, compile(unit, arguments, toolchain)?));
        }
        Ok::<_, anyhow::Error>(outcomes)
    };
    let mut outcomes = Vec::new();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..arguments.jobs.max(1)).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            let Ok(result) = worker.join() else { bail!("a worker stopped; please report this as a bug") };
            outcomes.extend(result?);
        }
        Ok(())
    })?;
    outcomes.sort_by_key(|(index, _)| *index);
    Ok(outcomes.into_iter().map(|(_, outcome)| outcome).collect())
}

#[expect(clippy::print_stderr, reason = "progress of a long run")]
fn take<'u, 'm>(next: &AtomicUsize, units: &'u [Unit<'m>]) -> Option<(usize, &'u Unit<'m>)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    if index > 0 && index.is_multiple_of(50) && index < units.len() {
        eprintln!("compiled {index} of {}", units.len());
    }
    units.get(index).map(|unit| (index, unit))
}

/// Drops the results of earlier runs that do not hold any more.
fn forget_outdated(units: &[Unit], arguments: &Arguments, toolchain: &Toolchain) -> Result<()> {
    for unit in one_of_each(units) {
        let (home, headers) = (home(unit, arguments), converted_dir(arguments.rocm).join(&unit.of.name));
        let words = compiler(Path::new("FILE"), Path::new("OBJECT"), unit, arguments, toolchain);
        let folders: &[&Path] = if arguments.input == Input::Header { &[&home, &headers] } else { &[&home] };
        kept::forget_outdated(&logs(unit, arguments), (toolchain, &words), folders)?;
    }
    Ok(())
}

/// Where the files lie that a unit is compiled with.
fn home(unit: &Unit, arguments: &Arguments) -> PathBuf {
    let base = match arguments.input {
        Input::Original | Input::Header => sources_dir(),
        Input::Hipify => hipified_dir(),
        Input::Fresh | Input::Kept => converted_dir(arguments.rocm),
    };
    base.join(&unit.of.name)
}

/// Where results about the units of one crate and target lie. Whoever compiles something else of the crate gets other ones.
fn logs(unit: &Unit, arguments: &Arguments) -> PathBuf {
    let input = match arguments.input {
        Input::Fresh | Input::Kept => "converted",
        Input::Original => "original",
        Input::Header => "header",
        Input::Hipify => "hipify",
    };
    converted_dir(arguments.rocm).join("logs").join(input).join(&unit.arch.name).join(&unit.of.name)
}

fn compile(unit: &Unit, arguments: &Arguments, toolchain: &Toolchain) -> Result<Outcome> {
    let home = home(unit, arguments);
    let (failure, about_lanes) = match converted(&unit.source, &home) {
        Some(file) => compile_file(&file, &home, unit, arguments, toolchain)?,
        None => (Some(Cause::no_answer("the conversion wrote no such file", &unit.source)), false),
    };
    Ok(Outcome { name: unit.of.name.clone(), arch: unit.arch.name.clone(), failure, about_lanes })
}

/// Why a file failed, and whether any of its errors is about lanes.
fn compile_file(
    file: &Path,
    home: &Path,
    unit: &Unit,
    arguments: &Arguments,
    toolchain: &Toolchain,
) -> Result<(Option<Cause>, bool)> {
    let log = logs(unit, arguments).join(file).with_extension("log");
    let object = log.with_extension("co");
    let command = compiler(file, &object, unit, arguments, toolchain);
    let ended = compiled::compiled(&log, &command, arguments.timeout, home)?;
    // It is there with `--full` only, and nobody needs it.
    fs::remove_file(object).ok();
    let about_lanes = matches!(&ended, Compiled::Refused(text) if is_about_lanes(text));
    Ok((ended.failure(file, toolchain), about_lanes))
}

fn compiler(file: &Path, object: &Path, unit: &Unit, arguments: &Arguments, toolchain: &Toolchain) -> Command {
    let mut command = unit.compiler(toolchain);
    if arguments.input == Input::Header {
        let headers = converted_dir(arguments.rocm).join(&unit.of.name);
        command.arg("-I").arg(&headers).args(["-include", "hipshift_compat.h"]);
    }
    command.args(&arguments.flags);
    if arguments.full {
        command.args(["-O2", "-c", "--no-gpu-bundle-output", "-o"]).arg(object);
    } else {
        command.arg("-fsyntax-only");
    }
    command.arg(file);
    command
}
