//! What programs can run on.

use std::path::PathBuf;

use serde::Serialize;

use crate::cli::validate::library;
use crate::toolchain::{Toolchain, Vendor, devices, find_program};
use crate::validate::{Library, rocm_library};

/// Something that programs run on, by the name that `validate --executor` has for it.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Executor {
    pub(super) name: &'static str,
    /// Where it is; nothing if a run on it is not possible.
    pub(super) path: Option<PathBuf>,
    /// What it is, or what it lacks.
    pub(super) about: &'static str,
}

/// What is said of an AMD GPU that programs cannot use.
pub(super) const NO_RUNTIME: &str = "an AMD GPU without libamdhip64.so of ROCm";

/// All executors, with those that are not here.
pub(super) fn executors(toolchains: &[Toolchain]) -> Vec<Executor> {
    let gpus = devices();
    let has = |vendor: Vendor| gpus.iter().any(|gpu| gpu.vendor == vendor);
    let rocm = toolchains.iter().find_map(|toolchain| rocm_library(&toolchain.rocm)).map(PathBuf::from);
    let gpu = match (has(Vendor::Amd), &rocm) {
        (true, Some(_)) => "AMD GPUs through ROCm",
        (true, None) => NO_RUNTIME,
        (false, _) => "no AMD GPU",
    };
    let nvcc = find_program("nvcc");
    let nvidia = match (has(Vendor::Nvidia), &nvcc) {
        (true, Some(_)) => "converted code on an NVIDIA GPU, compiled by nvcc",
        (true, None) => "an NVIDIA GPU without nvcc",
        (false, _) => "no NVIDIA GPU",
    };
    let (emulator, about) = match library() {
        Some(Library::File(path)) => (Some(path), "hipshift's own"),
        Some(Library::Bundled(_)) => (std::env::current_exe().ok(), "hipshift's own, in the program"),
        None => (None, "hipshift's own"),
    };
    vec![
        Executor { name: "gpu", path: rocm.filter(|_| has(Vendor::Amd)), about: gpu },
        Executor { name: "emulator", path: emulator, about },
        Executor { name: "rocjitsu", path: find_program("rocjitsu"), about: "AMD's emulation toolkit" },
        Executor { name: "nvidia", path: nvcc.filter(|_| has(Vendor::Nvidia)), about: nvidia },
    ]
}
