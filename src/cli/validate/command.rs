//! `hipshift validate`: what is asked for becomes a plan, and its results a report.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use camino::{Utf8Path, Utf8PathBuf};
use regex_lite::Regex;

use super::args::{ExecutorWord, ResultFormat, StageWord, Validate, ValidateCommand};
use super::layout::Layout;
use super::options::Options;
use super::prepare::{Prepared, prepare};
use super::record;
use super::run::user_cache;
use crate::cli::exit::Exit;
use crate::cli::output::{note, stdout};
use crate::cli::settings::resolve;
use crate::cli::workers::{in_pool, progress_bar};
use crate::mapping::Target;
use crate::report::{write_validation, write_validation_json, write_validation_junit, write_validation_sarif};
use crate::toolchain::Toolchain;
use crate::validate::{
    Build, Cache, Evidence, Expected, Plan, ProgramResult, Stage, Tolerance, find_library, link_names, programs,
    single_units, validate,
};

/// Targets that programs are compiled for if none is named: one with waves of 64 lanes, one with waves of 32.
const DEFAULT_TARGETS: &[&str] = &["gfx90a", "gfx1100"];

/// Targets that the emulator runs.
const EMULATED: &[&str] = &[
    "gfx906", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1031", "gfx1032", "gfx1100", "gfx1101", "gfx1102",
    "gfx1103", "gfx1200", "gfx1201",
];

pub(in crate::cli) fn run(arguments: &Validate) -> anyhow::Result<Exit> {
    if let Some(ValidateCommand::Record(arguments)) = &arguments.command {
        return record::run(arguments);
    }
    let [first, ..] = arguments.paths.as_slice() else { bail!("name a file or directory") };
    let resolved = resolve(first, &arguments.selection, &arguments.target, &arguments.rules)?;
    let named = arguments.toolchain.as_deref().or(resolved.validate.toolchain.as_deref());
    let toolchain = Toolchain::find(named.map(Utf8Path::as_std_path), resolved.settings.rocm)
        .context("`hipshift doctor` shows what is installed")?;
    let folder = Folder::new(arguments.keep.as_deref())?;
    let layout = Layout::new(&arguments.paths, &folder.path);
    let mut options = Options::new(arguments, &resolved, &layout)?;
    let threads = arguments.selection.threads;
    let prepared = in_pool(threads, || prepare(arguments, &resolved, &layout, &mut options))??;
    options.tell();
    let stage = stage(arguments.stage);
    let programs = if stage == Stage::Link { programs(&prepared.units) } else { single_units(&prepared.units) };
    if programs.is_empty() {
        bail!("there is no `main` in `{first}`: nothing to compile and run");
    }
    let executor = if stage == Stage::Link { arguments.executor } else { ExecutorWord::None };
    let runtime = runtime(executor, &folder.path)?;
    let targets = targets(arguments)?;
    arguments.given.check()?;
    let expected = expected(arguments)?;
    let include = include_folders(arguments, &prepared, &layout);
    let cache = cache_folder().filter(|_| !arguments.no_cache).map(|folder| Cache::new(folder, &toolchain));
    let plan = Plan {
        build: Build {
            toolchain: &toolchain,
            targets: &targets,
            include: &include,
            flags: &options.typed,
            stage,
            folder: &folder.path,
            runtime: runtime.as_deref(),
            cache: cache.as_ref(),
        },
        units: &prepared.units,
        programs: &programs,
        origins: &prepared.origins,
        setting: arguments.given.setting(arguments.memory.map(|mebibytes| mebibytes << 20)),
        expected: &expected,
        emulated: EMULATED,
        emulation: &arguments.emulation.emulation(),
    };
    let progress = progress_bar(programs.len(), arguments.format != ResultFormat::Text);
    let results = in_pool(threads, || validate(&plan, || progress.inc(1)))?;
    progress.finish_and_clear();
    let results = results.with_context(|| format!("running {}", toolchain.compiler.display()))?;
    if let Some(cache) = &cache {
        cache.trim();
    }
    write(arguments, &results)?;
    Ok(exit_of(&results))
}

/// The folder that everything is written to: the user's, or one that goes away in the end.
pub(super) struct Folder {
    pub(super) path: Utf8PathBuf,
    _temporary: Option<tempfile::TempDir>,
}

impl Folder {
    pub(super) fn new(kept: Option<&Utf8Path>) -> anyhow::Result<Folder> {
        if let Some(kept) = kept {
            std::fs::create_dir_all(kept).with_context(|| format!("making {kept}"))?;
            return Ok(Folder { path: kept.canonicalize_utf8()?, _temporary: None });
        }
        let temporary =
            tempfile::Builder::new().prefix("hipshift-").tempdir().context("making a folder to build in")?;
        let path = Utf8PathBuf::try_from(temporary.path().to_owned())?;
        Ok(Folder { path, _temporary: Some(temporary) })
    }
}

fn stage(word: StageWord) -> Stage {
    match word {
        StageWord::Syntax => Stage::Syntax,
        StageWord::Device => Stage::Device,
        StageWord::Link => Stage::Link,
    }
}

/// Where compiled units are kept.
fn cache_folder() -> Option<PathBuf> {
    Some(user_cache()?.join("hipshift/compile"))
}

/// The folder of the runtime library, if programs are to be run.
fn runtime(executor: ExecutorWord, folder: &Utf8Path) -> anyhow::Result<Option<Utf8PathBuf>> {
    const ADVICE: &str = "`cargo build --release` makes it beside hipshift";
    let library = match executor {
        ExecutorWord::None => None,
        ExecutorWord::Auto => {
            let library = find_library();
            if library.is_none() {
                note(&format!("the emulator's library was not found, so programs are only compiled; {ADVICE}"));
            }
            library
        }
        ExecutorWord::Emulator => {
            Some(find_library().with_context(|| format!("the emulator's library was not found; {ADVICE}"))?)
        }
    };
    let linked = library.map(|library| link_names(&library, folder)).transpose();
    linked.with_context(|| format!("preparing {folder}"))
}

fn targets(arguments: &Validate) -> anyhow::Result<Vec<&'static Target>> {
    let typed = arguments.target.arch.iter().map(String::as_str);
    let names: Vec<&str> = if arguments.target.arch.is_empty() { DEFAULT_TARGETS.to_vec() } else { typed.collect() };
    Ok(names.into_iter().map(Target::find).collect::<Result<_, _>>()?)
}

fn expected(arguments: &Validate) -> anyhow::Result<Expected> {
    let output =
        arguments.expect.as_ref().map(|path| std::fs::read_to_string(path).with_context(|| format!("reading {path}")));
    let pattern = |text: &String| Regex::new(text).with_context(|| format!("`{text}` is no regular expression"));
    Ok(Expected {
        output: output.transpose()?,
        tolerance: Tolerance {
            relative: arguments.relative,
            absolute: arguments.absolute,
            ignored: arguments.ignore_lines.iter().map(pattern).collect::<anyhow::Result<_>>()?,
        },
    })
}

/// The user's folders, and those of the converted trees: files include each other from there.
fn include_folders(arguments: &Validate, prepared: &Prepared, layout: &Layout) -> Vec<Utf8PathBuf> {
    let whole = |folder: &Utf8PathBuf| folder.canonicalize_utf8().unwrap_or_else(|_| folder.clone());
    let typed = arguments.include_dir.iter().map(whole).map(|folder| layout.converted(&folder).unwrap_or(folder));
    prepared.roots.iter().cloned().chain(typed).collect()
}

fn write(arguments: &Validate, results: &[ProgramResult]) -> anyhow::Result<()> {
    let mut out = stdout();
    match arguments.format {
        ResultFormat::Text => write_validation(&mut out, results, arguments.resources)?,
        ResultFormat::Json => write_validation_json(&mut out, results)?,
        ResultFormat::Sarif => write_validation_sarif(&mut out, results)?,
        ResultFormat::Junit => write_validation_junit(&mut out, results)?,
    }
    out.flush()?;
    Ok(())
}

/// Clean only if every program ran well on every target. What was not run is no success, and no failure if it was not
/// asked for.
fn exit_of(results: &[ProgramResult]) -> Exit {
    let mut targets = results.iter().flat_map(|result| &result.targets);
    let differs = results.iter().any(|result| result.wave_difference.is_some());
    let all_well = targets.all(|result| result.verdict.is_success() || result.evidence == Evidence::Compiled);
    if all_well && !differs { Exit::Clean } else { Exit::Findings }
}
