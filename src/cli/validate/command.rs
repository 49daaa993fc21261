//! `hipshift validate`: what is asked for becomes a plan, and its results a report.

use std::io::Write as _;

use anyhow::{Context as _, bail};
use camino::{Utf8Path, Utf8PathBuf};
use regex_lite::Regex;
use rustc_hash::FxHashSet;

use super::args::{ExecutorWord, ResultFormat, StageWord, Validate, ValidateCommand, VaryWord};
use super::first_run::FirstRun;
use super::folder::Folder;
use super::given::give;
use super::kernels::kernels;
use super::layout::Layout;
use super::machine::Machine;
use super::options::Options;
use super::prepare::{Prepared, followed, prepare};
use super::record;
use super::targets::Targets;
use crate::cli::exit::Exit;
use crate::cli::left_out::warn_left_out;
use crate::cli::output::stdout_for;
use crate::cli::settings::resolve;
use crate::cli::workers::{in_pool, progress_bar};
use crate::report::{
    Part, write_validation, write_validation_html, write_validation_json, write_validation_junit,
    write_validation_sarif,
};
use crate::validate::{
    Executor, Expected, Plan, Program, ProgramResult, Search, Stage, Tolerance, single_units, validate, write_overlay,
};

pub(in crate::cli) fn run(arguments: &Validate) -> anyhow::Result<Exit> {
    if let Some(ValidateCommand::Record(arguments)) = &arguments.command {
        return record::run(arguments);
    }
    let [first, ..] = arguments.paths.as_slice() else { bail!("name a file or directory") };
    let resolved = resolve(first, &arguments.selection, &arguments.target, &arguments.rules)?;
    let folder = Folder::new(arguments.keep.as_deref(), &arguments.paths)?;
    let mut options = Options::new(arguments, &resolved)?;
    let targets = Targets::find(arguments, &resolved)?;
    let searched = searched(arguments, &[options.folders(), targets.folders()].concat());
    let followed = followed(arguments, &resolved, &searched)?;
    let threads = arguments.selection.threads;
    let stage = stage(arguments.stage);
    let executor = if stage == Stage::Link { arguments.executor } else { ExecutorWord::None };
    let machine = Machine::find(executor, arguments, &resolved, &folder.path)?;
    let layout = Layout::new(&arguments.paths, followed, &folder.path, machine.takes_overlay());
    let kernels = kernels(&resolved.validate.kernel)?;
    let mut prepared = in_pool(threads, || prepare(arguments, &resolved, &layout, &mut options))??;
    targets.without_included(&mut prepared.units);
    let mut programs = match stage {
        Stage::Link => {
            let mut programs = targets.programs(&mut prepared, &mut options, &layout);
            programs.extend(prepared.drivers(kernels, &layout, &mut options)?);
            programs
        }
        Stage::Syntax | Stage::Device => single_units(&prepared.units),
    };
    options.tell();
    if stage == Stage::Link {
        give(&mut programs, &resolved.validate.program, &arguments.given)?;
    }
    let (programs, part) = part_of(arguments, programs);
    if part.as_ref().is_some_and(|part| part.entries > 0 && programs.is_empty()) {
        write(arguments, &[], part.as_ref())?;
        return Ok(warn_left_out(&prepared.left_out, Exit::Clean));
    }
    if programs.is_empty() {
        bail!("there is no `main` in `{first}`, and no kernel of `hipshift.toml`: nothing to compile and run");
    }
    arguments.given.check()?;
    let expected = expected(arguments)?;
    let search = search(arguments, &prepared, (&layout, &searched), &folder.path)?;
    let plan = Plan {
        build: machine.builder(&search, &options.typed, stage, &folder.path),
        units: &prepared.units,
        programs: &programs,
        origins: &prepared.origins,
        setting: arguments.given.setting(arguments.memory.map(|mebibytes| mebibytes << 20)),
        expected: &expected,
        executors: &machine.executors,
        vary_block: arguments.vary == Some(VaryWord::Block),
    };
    tell_first_run(arguments, &programs, &machine)?;
    let progress = progress_bar(programs.len(), arguments.format != ResultFormat::Text);
    let results = in_pool(threads, || validate(&plan, || progress.inc(1)))?;
    progress.finish_and_clear();
    let results = results.with_context(|| format!("running {}", machine.compiler()))?;
    machine.keep(&results);
    write(arguments, &results, part.as_ref())?;
    Ok(warn_left_out(&prepared.left_out, exit_of(&results)))
}

/// Says what will run, where something will.
fn tell_first_run(arguments: &Validate, programs: &[Program], machine: &Machine) -> anyhow::Result<()> {
    if machine.executors.is_empty() {
        return Ok(());
    }
    let executors: Vec<String> = machine.executors.iter().map(Executor::description).collect();
    let (paths, compiler) = (arguments.paths.as_slice(), machine.compiler());
    let instead = "`--executor none` and `--stage syntax` run nothing";
    Ok(FirstRun { paths, programs, compiler: &compiler, executors: &executors, instead }.tell()?)
}

fn stage(word: StageWord) -> Stage {
    match word {
        StageWord::Syntax => Stage::Syntax,
        StageWord::Device => Stage::Device,
        StageWord::Link => Stage::Link,
    }
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

/// All folders that are searched for headers, each once: the typed ones, then `others`.
fn searched(arguments: &Validate, others: &[Utf8PathBuf]) -> Vec<Utf8PathBuf> {
    let typed = arguments.include_dir.iter().filter_map(|folder| folder.canonicalize_utf8().ok());
    let mut seen = FxHashSet::default();
    typed.chain(others.iter().cloned()).filter(|path| seen.insert(path.clone())).collect()
}

/// The typed folders; last the converted trees, as files may include each other from there. Where the compiler would find files of the
/// user in folders of which some are converted, it reads the converted ones.
fn search(
    arguments: &Validate,
    prepared: &Prepared,
    (layout, searched): (&Layout, &[Utf8PathBuf]),
    folder: &Utf8Path,
) -> anyhow::Result<Search> {
    let whole = |folder: &Utf8PathBuf| folder.canonicalize_utf8().unwrap_or_else(|_| folder.clone());
    let typed = arguments.include_dir.iter().map(whole).flat_map(|folder| layout.header_folders(&folder));
    let mut search = Search { folders: typed.collect(), last: prepared.roots.clone(), overlay: None };
    let parts: Vec<&Utf8PathBuf> = searched.iter().filter(|folder| !layout.is_whole(folder)).collect();
    let found = prepared.places.iter().filter_map(|(source, output)| Some((source.canonicalize_utf8().ok()?, output)));
    let is_found = |source: &Utf8Path| parts.iter().any(|folder| source.starts_with(folder));
    let pairs: Vec<_> =
        found.filter(|(source, _)| is_found(source)).map(|(source, output)| (source, output.clone())).collect();
    if !pairs.is_empty() {
        let path = folder.join("overlay.json");
        write_overlay(&path, &pairs).with_context(|| format!("writing {path}"))?;
        search.overlay = Some(path);
    }
    Ok(search)
}

/// The programs that are compiled here, by their names, and which part of all they are.
fn part_of(arguments: &Validate, mut programs: Vec<Program>) -> (Vec<Program>, Option<Part>) {
    let Some(share) = arguments.part.share(&arguments.paths) else { return (programs, None) };
    // Some are called by the path of a file.
    let takes = |program: &Program| share.takes(Utf8Path::new(&program.name));
    let part = arguments.part.part(&programs, takes);
    programs.retain(takes);
    (programs, part)
}

fn write(arguments: &Validate, results: &[ProgramResult], part: Option<&Part>) -> anyhow::Result<()> {
    let mut out = stdout_for(matches!(arguments.format, ResultFormat::Text | ResultFormat::Html));
    match arguments.format {
        ResultFormat::Text => write_validation(&mut out, results, arguments.resources)?,
        ResultFormat::Json => write_validation_json(&mut out, results, part)?,
        ResultFormat::Sarif => write_validation_sarif(&mut out, results, part)?,
        ResultFormat::Junit => write_validation_junit(&mut out, results, part)?,
        ResultFormat::Html => write_validation_html(&mut out, results)?,
    }
    out.flush()?;
    Ok(())
}

/// Clean only if every program ran well on every target. What was not run is no success, and no failure if it was not
/// asked for.
fn exit_of(results: &[ProgramResult]) -> Exit {
    let mut targets = results.iter().flat_map(|result| &result.targets);
    let differs = results.iter().any(|result| result.wave_difference.is_some());
    let all_well = targets.all(|result| !result.verdict.is_failure());
    if all_well && !differs { Exit::Clean } else { Exit::Findings }
}
