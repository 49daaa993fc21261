//! Compiles the converted corpus for each target and reports what failed and why.

use std::collections::HashSet;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, ValueEnum};
use hipshift::mapping::{RocmVersion, Target};
use hipshift::toolchain::Toolchain;

use super::cause::{Cause, is_about_lanes};
use super::manifest::{Compile, Crate, Manifest};
use super::report::{self, Report};
use super::{convert, converted_dir, file_name, files, kept, sources_dir};
use crate::repository_root;

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

/// One file to compile for one target.
struct Unit<'m> {
    of: &'m Crate,
    compile: &'m Compile,
    arch: &'m Target,
    /// Relative to the folder of the crate, as it was before conversion.
    source: PathBuf,
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
    let folder = arguments.toolchain.clone().unwrap_or_else(|| repository_root().join("target/toolchain"));
    let folder = std::path::absolute(&folder).with_context(|| format!("resolving `{}`", folder.display()))?;
    let toolchain = Toolchain::find(Some(&folder), arguments.rocm)?;
    let crates = selected(manifest, arguments.only.as_deref())?;
    if matches!(arguments.input, Input::Fresh | Input::Header) {
        let emit = if arguments.input == Input::Header { "compat-header" } else { "hip" };
        let options = ["--rocm", &arguments.rocm.to_string(), "--emit", emit].map(str::to_owned);
        let flags = [&options[..], &arguments.convert_flags].concat();
        convert::all(&crates, &flags, (&sources_dir(), &converted_dir(arguments.rocm)))?;
    }
    let units = units(&crates, arguments)?;
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

/// Holds off other runs as long as the file is open: two would write the same folders.
fn work_alone(release: RocmVersion) -> Result<File> {
    let path = repository_root().join("target").join(file_name("corpus-hip", release) + ".lock");
    fs::create_dir_all(path.parent().unwrap_or(&path)).context("creating the target folder")?;
    let lock = File::create(&path).with_context(|| format!("writing `{}`", path.display()))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => bail!("another run of `corpus compile` is at work; wait for it to end"),
        Err(TryLockError::Error(error)) => Err(error).with_context(|| format!("locking `{}`", path.display())),
    }
}

fn selected<'m>(manifest: &'m Manifest, only: Option<&str>) -> Result<Vec<&'m Crate>> {
    let crates: Vec<_> = manifest.crates.iter().filter(|one| only.is_none_or(|only| one.name == only)).collect();
    ensure!(!crates.is_empty(), "the manifest has no crate `{}`", only.unwrap_or_default());
    Ok(crates)
}

fn units<'m>(crates: &[&'m Crate], arguments: &'m Arguments) -> Result<Vec<Unit<'m>>> {
    let targets = arguments.arch.iter().map(|name| Target::find(name)).collect::<Result<Vec<_>, _>>()?;
    let mut units = Vec::new();
    for &of in crates {
        let Some(compile) = &of.compile else { continue };
        let folder = Path::new(&compile.sources);
        let here = files::below(&sources_dir().join(&of.name).join(folder));
        let here =
            here.with_context(|| format!("listing `{}`; run `cargo run -p xtask -- corpus fetch` first", of.name))?;
        let limit = arguments.limit.unwrap_or(usize::MAX);
        for file in files::with_extension(here, &["cu"]).into_iter().take(limit) {
            let source = folder.join(file);
            units.extend(targets.iter().map(|arch| Unit { of, compile, arch, source: source.clone() }));
        }
    }
    Ok(units)
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
    let mut seen = HashSet::new();
    for unit in units.iter().filter(|unit| seen.insert((&unit.of.name, &unit.arch.name))) {
        let (home, headers) = (home(unit, arguments), converted_dir(arguments.rocm).join(&unit.of.name));
        let words = compiler(Path::new("FILE"), Path::new("OBJECT"), unit, arguments, toolchain);
        let folders: &[&Path] = if arguments.input == Input::Header { &[&home, &headers] } else { &[&home] };
        kept::forget_outdated(&logs(unit, arguments), (toolchain, &words), folders)?;
    }
    Ok(())
}

/// Where the files lie that a unit is compiled with.
fn home(unit: &Unit, arguments: &Arguments) -> PathBuf {
    let is_as_fetched = matches!(arguments.input, Input::Original | Input::Header);
    let base = if is_as_fetched { sources_dir() } else { converted_dir(arguments.rocm) };
    base.join(&unit.of.name)
}

/// Where results about the units of one crate and target lie. Whoever compiles something else of the crate gets other ones.
fn logs(unit: &Unit, arguments: &Arguments) -> PathBuf {
    let input = match arguments.input {
        Input::Fresh | Input::Kept => "converted",
        Input::Original => "original",
        Input::Header => "header",
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

/// The file that a source became.
fn converted(source: &Path, home: &Path) -> Option<PathBuf> {
    let names = ["hip", "cu.hip", "hip.cpp", "cpp", "cu"];
    let mut candidates = names.iter().map(|extension| source.with_extension(extension));
    candidates.find(|candidate| home.join(candidate).is_file())
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
    let folder = log.parent().unwrap_or(home);
    fs::create_dir_all(folder).with_context(|| format!("creating `{}`", folder.display()))?;
    let code = match kept::kept_code(&log) {
        Some(code) => Some(code),
        None => {
            run_compiler(&log, &compiler(file, &log.with_extension("co"), unit, arguments, toolchain), arguments, home)?
        }
    };
    let text = || fs::read(&log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ok(match code {
        Some(0) => (None, false),
        Some(124 | 137) => (Some(Cause::no_answer("the time limit was reached", file)), false),
        Some(125..=127) => bail!("the compiler could not be started: {}", text()?.trim()),
        _ => {
            let text = text()?;
            (Some(Cause::of_output(&text, file, toolchain)), is_about_lanes(&text))
        }
    })
}

/// The exit code; what the compiler says goes into `log`.
fn run_compiler(log: &Path, compiler: &Command, arguments: &Arguments, home: &Path) -> Result<Option<i32>> {
    let output = File::create(log).with_context(|| format!("writing `{}`", log.display()))?;
    let mut command = Command::new("timeout");
    command.arg("--kill-after=5").arg(arguments.timeout.to_string());
    command.arg(compiler.get_program()).args(compiler.get_args());
    command.current_dir(home).stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
    let status = command.status().context("starting `timeout`, which ends a compiler that runs too long")?;
    // It is there with `--full` only, and nobody needs it.
    fs::remove_file(log.with_extension("co")).ok();
    if !matches!(status.code(), Some(124..=127 | 137)) {
        kept::keep_code(log, status.code())?;
    }
    Ok(status.code())
}

fn compiler(file: &Path, object: &Path, unit: &Unit, arguments: &Arguments, toolchain: &Toolchain) -> Command {
    let mut command = toolchain.command(&[unit.arch]);
    command.args(["-std=c++17", "--cuda-device-only"]);
    // Warnings are hipshift's business only where they are errors.
    command.args(["-w", "-fno-caret-diagnostics", "-fno-color-diagnostics", "-fno-crash-diagnostics"]);
    if arguments.input == Input::Header {
        let headers = converted_dir(arguments.rocm).join(&unit.of.name);
        command.arg("-I").arg(&headers).args(["-include", "hipshift_compat.h"]);
    }
    command.args(&unit.compile.flags).args(&arguments.flags);
    command.args(unit.compile.include.iter().flat_map(|folder| ["-I", folder]));
    if arguments.full {
        command.args(["-O2", "-c", "--no-gpu-bundle-output", "-o"]).arg(object);
    } else {
        command.arg("-fsyntax-only");
    }
    command.arg(file);
    command
}
