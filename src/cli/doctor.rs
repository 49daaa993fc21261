//! `hipshift doctor`

use std::env;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::exit::Exit;
use super::output::stdout;
use super::settings::builtin_table;
use crate::mapping::{RocmVersion, targets};
use crate::project::{UndoOptions, find_config, undo, undoable};

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

pub(super) fn run() -> anyhow::Result<Exit> {
    let mut out = stdout();
    let table = builtin_table()?;
    writeln!(out, "hipshift       {}", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "tables         {} lines, {} call rules", table.entries().len(), table.calls().len())?;
    writeln!(out, "releases       ROCm {} to {}", RocmVersion::OLDEST, RocmVersion::NEWEST)?;
    writeln!(out, "targets        {}", targets().len())?;
    let config = find_config(".".into());
    writeln!(out, "configuration  {}", config.map_or_else(|| "none (defaults)".to_owned(), |path| path.to_string()))?;
    writeln!(out, "last run       {}", last_run())?;
    for root in rocm_roots() {
        let version = std::fs::read_to_string(root.join(".info/version"));
        let version = version.map_or_else(|_| "version unknown".to_owned(), |text| text.trim().to_owned());
        writeln!(out, "ROCm           {} ({version})", root.display())?;
    }
    for (program, purpose) in PROGRAMS {
        let found = find_program(program);
        let found = found.map_or_else(|| "not found".to_owned(), |path| path.display().to_string());
        writeln!(out, "{program:<14} {found} ({purpose})")?;
    }
    writeln!(out, "Conversion needs none of these programs; compiling the result needs one of the HIP compilers.")?;
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

fn find_program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|directory| directory.join(name)).find(|file| file.is_file())
}
