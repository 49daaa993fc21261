//! `hipshift doctor`

use std::env;
use std::io::Write;
use std::path::{Path, PathBuf};

use camino::Utf8PathBuf;
use serde::Serialize;

use super::args::{Doctor, PlainFormatWord};
use super::exit::Exit;
use super::output::stdout;
use super::settings::builtin_table;
use crate::mapping::{RocmVersion, targets};
use crate::project::{UndoOptions, find_config, undo, undoable};
use crate::validate::find_program;

/// Programs that matter to a port, with what each is for.
const PROGRAMS: &[(&str, &str)] = &[
    ("hipcc", "HIP compiler driver"),
    ("amdclang++", "AMD's compiler"),
    ("clang++-22", "LLVM's compiler with AMD target"),
    ("clang++", "LLVM's compiler"),
    ("rocminfo", "lists AMD GPUs"),
    ("nvcc", "CUDA compiler, for reference results"),
    ("git", "guards changes in place"),
];

/// What is installed.
#[derive(Serialize)]
struct Findings {
    version: &'static str,
    table_lines: usize,
    call_rules: usize,
    oldest_rocm: String,
    newest_rocm: String,
    targets: usize,
    configuration: Option<Utf8PathBuf>,
    last_run: String,
    rocm: Vec<Installation>,
    programs: Vec<Program>,
}

#[derive(Serialize)]
struct Installation {
    path: PathBuf,
    version: Option<String>,
}

#[derive(Serialize)]
struct Program {
    name: &'static str,
    purpose: &'static str,
    path: Option<PathBuf>,
}

pub(super) fn run(arguments: &Doctor) -> anyhow::Result<Exit> {
    let mut out = stdout();
    let found = look()?;
    if arguments.format == PlainFormatWord::Json {
        serde_json::to_writer_pretty(&mut out, &found)?;
        writeln!(out)?;
    } else {
        write_text(&mut out, &found)?;
    }
    out.flush()?;
    Ok(Exit::Clean)
}

/// What `hipshift undo` would take back here.
fn last_run() -> String {
    let Ok(home) = undoable(".".into()) else { return "none to undo".to_owned() };
    match undo(&home, UndoOptions { dry_run: true, force: false }) {
        Ok(undone) if undone.cut_off => "cut off; `hipshift undo` takes it back, the next run completes it".to_owned(),
        Ok(undone) => format!("`hipshift {}`, which `hipshift undo` takes back", undone.command.unwrap_or_default()),
        Err(error) => error.to_string(),
    }
}

fn look() -> anyhow::Result<Findings> {
    let table = builtin_table()?;
    let installation = |path: PathBuf| {
        let version = std::fs::read_to_string(path.join(".info/version")).ok();
        Installation { version: version.map(|text| text.trim().to_owned()), path }
    };
    let program = |&(name, purpose): &(&'static str, &'static str)| Program { name, purpose, path: find_program(name) };
    Ok(Findings {
        version: env!("CARGO_PKG_VERSION"),
        table_lines: table.entries().len(),
        call_rules: table.calls().len(),
        oldest_rocm: RocmVersion::OLDEST.to_string(),
        newest_rocm: RocmVersion::NEWEST.to_string(),
        targets: targets().len(),
        configuration: find_config(".".into()),
        last_run: last_run(),
        rocm: rocm_roots().into_iter().map(installation).collect(),
        programs: PROGRAMS.iter().map(program).collect(),
    })
}

fn write_text(out: &mut dyn Write, found: &Findings) -> std::io::Result<()> {
    writeln!(out, "hipshift       {}", found.version)?;
    writeln!(out, "tables         {} lines, {} call rules", found.table_lines, found.call_rules)?;
    writeln!(out, "releases       ROCm {} to {}", found.oldest_rocm, found.newest_rocm)?;
    writeln!(out, "targets        {}", found.targets)?;
    let config = found.configuration.as_ref();
    writeln!(out, "configuration  {}", config.map_or("none (defaults)", |path| path.as_str()))?;
    writeln!(out, "last run       {}", found.last_run)?;
    for Installation { path, version } in &found.rocm {
        writeln!(out, "ROCm           {} ({})", path.display(), version.as_deref().unwrap_or("version unknown"))?;
    }
    for Program { name, purpose, path } in &found.programs {
        let path = path.as_ref().map_or_else(|| "not found".to_owned(), |path| path.display().to_string());
        writeln!(out, "{name:<14} {path} ({purpose})")?;
    }
    writeln!(out, "Conversion needs none of these programs; compiling the result needs one of the HIP compilers.")
}

fn rocm_roots() -> Vec<PathBuf> {
    let from_environment = ["ROCM_PATH", "HIP_PATH"].iter().filter_map(env::var_os).map(PathBuf::from);
    let mut roots: Vec<PathBuf> = from_environment.filter(|path| path.is_dir()).collect();
    if let Ok(entries) = Path::new("/opt").read_dir() {
        let named_rocm =
            |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("rocm"));
        roots.extend(entries.flatten().map(|entry| entry.path()).filter(named_rocm));
    }
    roots.sort();
    roots.dedup();
    roots
}
