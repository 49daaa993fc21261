//! `hipshift validate record`: what CUDA programs print and kernels compute on an NVIDIA GPU.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use camino::{Utf8Path, Utf8PathBuf};

use super::args::Record;
use super::first_run::FirstRun;
use super::folder::Folder;
use super::given::give;
use super::kernels::{kernels, note_left_out};
use crate::cli::args::{RuleOptions, TargetOptions};
use crate::cli::convert::{Wanted, look_for_files};
use crate::cli::exit::Exit;
use crate::cli::left_out::warn_left_out;
use crate::cli::output::{screen, stdout};
use crate::cli::settings::resolve;
use crate::cli::trust;
use crate::project::{Doors, KernelConfig, ProgramConfig, Staging, read};
use crate::toolchain::find_program;
use crate::validate::{Given, Kernel, Program, Recorder, Recording, Unit, defines_main, is_unit, programs};

pub(super) fn run(arguments: &Record) -> anyhow::Result<Exit> {
    let Input { sources, kernels: configs, given, left_out } = find(arguments)?;
    let mut units = units(&sources)?;
    let mut programs = programs(&units);
    for kernel in kernels(&configs)? {
        let is_it = |path: &&Utf8PathBuf| path.canonicalize_utf8().is_ok_and(|path| path == kernel.source);
        let Some(source) = sources.iter().find(is_it) else {
            note_left_out(&kernel);
            continue;
        };
        units.push(Unit { source: source.clone(), output: source.clone(), has_main: true, flags: Vec::new() });
        let kernel = Kernel { source: source.clone(), ..kernel };
        programs.push(Program {
            name: kernel.name.clone(),
            units: vec![units.len() - 1],
            kernel: Some(kernel),
            libraries: Vec::new(),
            given: Given::default(),
        });
    }
    if programs.is_empty() {
        bail!("no file has a `main`, and no kernel is in `hipshift.toml`: there is nothing to run");
    }
    arguments.given.check()?;
    give(&mut programs, &given, &arguments.given)?;
    let folder = Folder::new(None, &[])?;
    let folders = arguments.include_dir.iter().map(|folder| format!("-I{folder}"));
    let flags: Vec<String> =
        ["-std=c++17".to_owned()].into_iter().chain(folders).chain(arguments.flag.clone()).collect();
    let nvcc = arguments.nvcc.clone().map(PathBuf::from).or_else(|| find_program("nvcc"));
    let recorder = Recorder {
        nvcc: nvcc.as_deref().unwrap_or("nvcc".as_ref()),
        flags: &flags,
        units: &units,
        setting: arguments.given.setting(None),
        folder: &folder.path,
    };
    if let Some(script) = &arguments.script {
        return write_script((script, &arguments.paths), &recorder.script(&programs)?);
    }
    let Some(nvcc) = &nvcc else {
        bail!("nvcc is not on PATH; `--nvcc FILE` names it, and `--script FILE` writes what to run where it is");
    };
    let (paths, compiler) = (arguments.paths.as_slice(), nvcc.display().to_string());
    let executors = ["an NVIDIA GPU of this machine".to_owned()];
    let instead = "`--script` writes what would run";
    FirstRun { paths, programs: &programs, compiler: &compiler, executors: &executors, instead }.tell()?;
    Ok(warn_left_out(&left_out, record_all(&recorder, &programs)?))
}

/// What is recorded.
struct Input {
    sources: Vec<Utf8PathBuf>,
    /// What the configuration describes.
    kernels: Vec<KernelConfig>,
    /// What it gives programs.
    given: Vec<ProgramConfig>,
    /// What could not be read, and why.
    left_out: Vec<String>,
}

/// All sources, and the kernels that their configuration describes.
fn find(arguments: &Record) -> anyhow::Result<Input> {
    let (mut sources, mut kernels, mut given, mut left_out) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for path in &arguments.paths {
        let resolved = resolve(path, &arguments.selection, &TargetOptions::default(), &RuleOptions::default())?;
        if let Some((file, _)) = &resolved.found {
            trust::require(file, &resolved.validate.input_powers(file), None)?;
        }
        let found = look_for_files(
            std::slice::from_ref(path),
            &resolved,
            None,
            Wanted { builds: false, copies: false, links: false },
        )?;
        sources.extend(found.sources.into_iter().map(|source| source.path));
        left_out.extend(found.left_out);
        for program in resolved.validate.program {
            if !given.contains(&program) {
                given.push(program);
            }
        }
        for kernel in resolved.validate.kernel {
            if !kernels.contains(&kernel) {
                kernels.push(kernel);
            }
        }
    }
    if sources.is_empty() {
        bail!(left_out.join("; "));
    }
    sources.sort();
    sources.dedup();
    Ok(Input { sources, kernels, given, left_out })
}

/// The files that nvcc is started on; it hands C to the compiler for the host.
fn units(sources: &[Utf8PathBuf]) -> anyhow::Result<Vec<Unit>> {
    let is_for_nvcc = |source: &&Utf8PathBuf| is_unit(source) && source.extension() != Some("hip");
    let units = sources.iter().filter(is_for_nvcc);
    units.cloned().map(unit).collect()
}

fn unit(source: Utf8PathBuf) -> anyhow::Result<Unit> {
    let bytes = read(&source).with_context(|| format!("reading {source}"))?;
    let has_main = defines_main(&source, bytes);
    Ok(Unit { output: source.clone(), source, has_main, flags: Vec::new() })
}

fn write_script((path, inputs): (&Utf8Path, &[Utf8PathBuf]), script: &str) -> anyhow::Result<Exit> {
    if path == "-" {
        stdout().write_all(script.as_bytes())?;
    } else {
        let staging = Staging::to(Doors::output(path, inputs)?);
        staging.write(path, script.as_bytes(), path)?;
        staging.commit()?;
    }
    Ok(Exit::Clean)
}

fn record_all(recorder: &Recorder<'_>, programs: &[Program]) -> anyhow::Result<Exit> {
    let mut out = screen();
    let mut exit = Exit::Clean;
    for program in programs {
        let name = &program.name;
        for recording in recorder.record(program).with_context(|| format!("recording {name}"))? {
            if !tell(&mut out, name, &recording)? {
                exit = Exit::Findings;
            }
        }
    }
    out.flush()?;
    Ok(exit)
}

/// Tells what became of a program, and returns whether it was recorded.
fn tell(out: &mut dyn Write, name: &str, recording: &Recording) -> std::io::Result<bool> {
    match recording {
        Recording::Written(path) => writeln!(out, "{name}: recorded in {path}")?,
        Recording::Same(path) => writeln!(out, "{name}: as in {path}")?,
        Recording::NotCompiled(words) => writeln!(out, "{name}: not compiled\n{}", words.trim_end())?,
        Recording::Failed(ending) => writeln!(out, "{name}: {ending}, not recorded")?,
    }
    Ok(matches!(recording, Recording::Written(_) | Recording::Same(_)))
}
