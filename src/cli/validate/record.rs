//! `hipshift validate record`: what CUDA programs print on an NVIDIA GPU.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use camino::{Utf8Path, Utf8PathBuf};

use super::args::Record;
use super::command::Folder;
use crate::cli::args::{RuleOptions, TargetOptions};
use crate::cli::convert::find_files;
use crate::cli::exit::Exit;
use crate::cli::output::stdout;
use crate::cli::settings::resolve;
use crate::toolchain::find_program;
use crate::validate::{Program, Recorder, Recording, Unit, defines_main, is_unit, programs};

pub(super) fn run(arguments: &Record) -> anyhow::Result<Exit> {
    let units = units(arguments)?;
    let programs = programs(&units);
    if programs.is_empty() {
        bail!("no file has a `main`: there is nothing to run");
    }
    arguments.given.check()?;
    let folder = Folder::new(None)?;
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
        return write_script(script, &recorder.script(&programs)?);
    }
    if nvcc.is_none() {
        bail!("nvcc is not on PATH; `--nvcc FILE` names it, and `--script FILE` writes what to run where it is");
    }
    record_all(&recorder, &programs)
}

/// The files that nvcc is started on.
fn units(arguments: &Record) -> anyhow::Result<Vec<Unit>> {
    let mut units = Vec::new();
    for path in &arguments.paths {
        let resolved = resolve(path, &arguments.selection, &TargetOptions::default(), &RuleOptions::default())?;
        let found = find_files(std::slice::from_ref(path), &resolved, None, false)?;
        for source in found.sources.into_iter().map(|source| source.path) {
            if is_unit(&source) && source.extension() != Some("hip") {
                units.push(unit(source)?);
            }
        }
    }
    units.sort_by(|a, b| a.source.cmp(&b.source));
    units.dedup_by(|a, b| a.source == b.source);
    Ok(units)
}

fn unit(source: Utf8PathBuf) -> anyhow::Result<Unit> {
    let bytes = std::fs::read(&source).with_context(|| format!("reading {source}"))?;
    let has_main = defines_main(&source, bytes);
    Ok(Unit { output: source.clone(), source, has_main, flags: Vec::new() })
}

fn write_script(path: &Utf8Path, script: &str) -> anyhow::Result<Exit> {
    if path == "-" {
        stdout().write_all(script.as_bytes())?;
    } else {
        std::fs::write(path, script).with_context(|| format!("writing {path}"))?;
    }
    Ok(Exit::Clean)
}

fn record_all(recorder: &Recorder<'_>, programs: &[Program]) -> anyhow::Result<Exit> {
    let mut out = stdout();
    let mut exit = Exit::Clean;
    for program in programs {
        let name = &program.name;
        match recorder.record(program).with_context(|| format!("recording {name}"))? {
            Recording::Written(path) => writeln!(out, "{name}: recorded in {path}")?,
            Recording::Same(path) => writeln!(out, "{name}: as in {path}")?,
            Recording::NotCompiled(words) => {
                writeln!(out, "{name}: not compiled\n{}", words.trim_end())?;
                exit = Exit::Findings;
            }
            Recording::Failed(ending) => {
                writeln!(out, "{name}: {ending}, not recorded")?;
                exit = Exit::Findings;
            }
        }
    }
    out.flush()?;
    Ok(exit)
}
