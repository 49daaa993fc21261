//! Finds out what is installed.

use std::path::PathBuf;

use camino::Utf8PathBuf;
use serde::Serialize;

use super::executors::{Executor, executors};
use super::missing::{Missing, Versions, missing};
use crate::cli::settings::builtin_table;
use crate::mapping::{RocmVersion, targets};
use crate::project::{UndoOptions, find_config, undo, undoable};
use crate::toolchain::{LIBRARY_SETS, Libraries, LibrarySet, RELEASES, Toolchain, Vendor, devices, find_program};

/// Programs that matter to a port, with what each is for.
const PROGRAMS: &[(&str, &str)] = &[
    ("hipcc", "HIP compiler driver"),
    ("amdclang++", "AMD's compiler"),
    ("clang++-22", "LLVM's compiler with AMD target"),
    ("clang++", "LLVM's compiler"),
    ("rocminfo", "lists AMD GPUs"),
    ("nvcc", "CUDA compiler, for reference results"),
    ("c++", "C++ library and linker of the host"),
    ("git", "guards changes in place"),
];

/// What is installed.
#[derive(Serialize)]
pub(super) struct Findings {
    pub(super) version: &'static str,
    pub(super) table_lines: usize,
    pub(super) call_rules: usize,
    pub(super) oldest_rocm: String,
    pub(super) newest_rocm: String,
    pub(super) targets: usize,
    pub(super) configuration: Option<Utf8PathBuf>,
    pub(super) last_run: String,
    pub(super) hip: Vec<Hip>,
    pub(super) gpus: Vec<Gpu>,
    pub(super) executors: Vec<Executor>,
    pub(super) libraries: Vec<Library>,
    pub(super) programs: Vec<Program>,
    pub(super) missing: Vec<Missing>,
}

/// A release of HIP that programs can be compiled for.
#[derive(Serialize)]
pub(super) struct Hip {
    pub(super) release: String,
    /// Release and patch level of the headers.
    pub(super) version: Option<String>,
    pub(super) path: PathBuf,
    /// How it was found.
    pub(super) origin: String,
    pub(super) compiler: PathBuf,
    pub(super) compiler_version: Option<String>,
    /// Where the device libraries are; nothing where the compiler finds them by itself, or where there are none.
    pub(super) device_libraries: Option<PathBuf>,
}

#[derive(Serialize)]
pub(super) struct Gpu {
    pub(super) name: String,
    pub(super) vendor: &'static str,
}

/// One of AMD's own libraries, which programs run with on the emulator.
#[derive(Serialize)]
pub(super) struct Library {
    pub(super) name: &'static str,
    /// Where it is; nothing if it was not fetched.
    pub(super) path: Option<PathBuf>,
    /// What fetches it.
    pub(super) command: String,
}

#[derive(Serialize)]
pub(super) struct Program {
    pub(super) name: &'static str,
    pub(super) purpose: &'static str,
    pub(super) path: Option<PathBuf>,
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

/// Looks at all of it.
pub(super) fn look() -> anyhow::Result<Findings> {
    let table = builtin_table()?;
    let program = |&(name, purpose): &(&'static str, &'static str)| Program { name, purpose, path: find_program(name) };
    let toolchains: Vec<Toolchain> =
        RELEASES.iter().filter_map(|release| Toolchain::find(None, *release).ok()).collect();
    let versions = compiler_versions(&toolchains);
    let executors = executors(&toolchains);
    let libraries = libraries(&toolchains);
    Ok(Findings {
        version: env!("CARGO_PKG_VERSION"),
        table_lines: table.entries().len(),
        call_rules: table.calls().len(),
        oldest_rocm: RocmVersion::OLDEST.to_string(),
        newest_rocm: RocmVersion::NEWEST.to_string(),
        targets: targets().len(),
        configuration: find_config(".".into()),
        last_run: last_run(),
        missing: missing(&toolchains, &versions, &executors),
        hip: toolchains.into_iter().map(|toolchain| hip(toolchain, &versions)).collect(),
        gpus: devices().into_iter().map(|device| Gpu { vendor: vendor(device.vendor), name: device.name }).collect(),
        executors,
        libraries,
        programs: PROGRAMS.iter().map(program).collect(),
    })
}

/// AMD's libraries, beside the toolchain or not.
fn libraries(toolchains: &[Toolchain]) -> Vec<Library> {
    let here: Vec<_> = toolchains.iter().find_map(Libraries::beside).iter().flat_map(Libraries::sets).collect();
    let path = |set: &LibrarySet| here.iter().find(|(known, _)| *known == set).map(|(_, folder)| folder.clone());
    LIBRARY_SETS.iter().map(|set| Library { name: set.name, path: path(set), command: set.command() }).collect()
}

/// What each compiler says of itself; several releases can have the same one.
fn compiler_versions(toolchains: &[Toolchain]) -> Versions {
    let mut versions = Versions::new();
    for toolchain in toolchains {
        let compiler = toolchain.compiler.clone();
        versions.entry(compiler).or_insert_with(|| toolchain.compiler_version());
    }
    versions
}

fn hip(toolchain: Toolchain, versions: &Versions) -> Hip {
    Hip {
        release: toolchain.release.to_string(),
        version: toolchain.header_version(),
        compiler_version: versions.get(&toolchain.compiler).cloned().flatten(),
        path: toolchain.rocm,
        origin: toolchain.origin,
        compiler: toolchain.compiler,
        device_libraries: toolchain.device_libraries,
    }
}

fn vendor(vendor: Vendor) -> &'static str {
    match vendor {
        Vendor::Amd => "AMD",
        Vendor::Nvidia => "NVIDIA",
    }
}
