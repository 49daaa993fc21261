//! What runs the programs of a validation, and the targets that they are compiled for.

use anyhow::{Context as _, bail};
use camino::{Utf8Path, Utf8PathBuf};

use super::args::{ExecutorWord, Validate};
use crate::cli::output::note;
use crate::mapping::Target;
use crate::toolchain::{Toolchain, Vendor, devices, find_program};
use crate::validate::{Bundle, Emulation, Executor, Library, link_names, rocm_library};

/// Targets that programs are compiled for if none is named: one with waves of 64 lanes, one with waves of 32.
const DEFAULT_TARGETS: &[&str] = &["gfx90a", "gfx1100"];

/// What a program without the library is told to do about it.
pub(in crate::cli) const NO_LIBRARY: &str =
    "this build of hipshift has no emulator in it, and none lies beside it; `cargo build --release` makes one that has";

/// The emulator's library, in this program or around it.
pub(in crate::cli) fn library() -> Option<Library> {
    Library::find(hipshift_bundle::EMULATOR.map(|(bytes, digest)| Bundle { bytes, digest }))
}

/// What runs programs that were compiled for AMD GPUs, best first: each target is run by the first that can.
pub(super) fn executors(
    word: ExecutorWord,
    arguments: &Validate,
    toolchain: &Toolchain,
    folder: &Utf8Path,
) -> anyhow::Result<Vec<Executor>> {
    Ok(match word {
        ExecutorWord::None | ExecutorWord::Nvidia => Vec::new(),
        ExecutorWord::Auto => auto(arguments.emulation.emulation(), toolchain, folder)?,
        ExecutorWord::Emulator => {
            vec![emulator(arguments.emulation.emulation(), toolchain, folder)?.context(NO_LIBRARY)?]
        }
        ExecutorWord::Gpu => {
            let Some(gpu) = gpu(toolchain) else { bail!("{}", missing_gpu()) };
            vec![gpu]
        }
        ExecutorWord::Rocjitsu => vec![rocjitsu(arguments, toolchain)?],
    })
}

/// GPUs if there are any, and the emulator for all other targets; a note where nothing is.
fn auto(emulation: Emulation, toolchain: &Toolchain, folder: &Utf8Path) -> anyhow::Result<Vec<Executor>> {
    let found = executors_here(emulation, toolchain, folder)?;
    if found.is_empty() {
        note(&format!("programs are only compiled: {NO_LIBRARY}"));
    }
    Ok(found)
}

/// GPUs if there are any, and the emulator for all other targets.
pub(in crate::cli) fn executors_here(
    emulation: Emulation,
    toolchain: &Toolchain,
    folder: &Utf8Path,
) -> anyhow::Result<Vec<Executor>> {
    Ok(gpu(toolchain).into_iter().chain(emulator(emulation, toolchain, folder)?).collect())
}

fn emulator(emulation: Emulation, toolchain: &Toolchain, folder: &Utf8Path) -> anyhow::Result<Option<Executor>> {
    let Some(library) = library() else { return Ok(None) };
    let library = library.file_for_run(folder.as_std_path()).and_then(|library| link_names(&library, folder));
    let library = library.with_context(|| format!("preparing {folder}"))?;
    let (headers, toolchain) = (toolchain.header_version(), Some(toolchain.absolute()));
    Ok(Some(Executor::Emulator { library, emulation: Emulation { headers, toolchain, ..emulation } }))
}

/// The folder of a library to link with where nothing runs: that of ROCm, or the emulator's.
pub(super) fn library_to_link(toolchain: &Toolchain, folder: &Utf8Path) -> anyhow::Result<Option<Utf8PathBuf>> {
    if let Some(library) = rocm_library(&toolchain.rocm) {
        return Ok(Some(library));
    }
    let emulator = emulator(Emulation::default(), toolchain, folder)?;
    Ok(emulator.as_ref().and_then(Executor::library).map(Utf8Path::to_owned))
}

/// The GPUs of AMD, if ROCm is there to use them.
fn gpu(toolchain: &Toolchain) -> Option<Executor> {
    let devices = amd_devices();
    let library = rocm_library(&toolchain.rocm).filter(|_| !devices.is_empty())?;
    Some(Executor::Gpu { library, devices })
}

fn missing_gpu() -> &'static str {
    if amd_devices().is_empty() {
        "there is no AMD GPU here that the kernel's driver knows"
    } else {
        "there is an AMD GPU, but no libamdhip64.so of ROCm beside the headers; `--toolchain /opt/rocm` names a ROCm with both"
    }
}

fn amd_devices() -> Vec<String> {
    devices().into_iter().filter(|device| device.vendor == Vendor::Amd).map(|device| device.name).collect()
}

fn rocjitsu(arguments: &Validate, toolchain: &Toolchain) -> anyhow::Result<Executor> {
    let command = Utf8PathBuf::try_from(find_program("rocjitsu").context("rocjitsu is not on PATH")?)?;
    let library = rocm_library(&toolchain.rocm)
        .with_context(|| format!("there is no libamdhip64.so below {}", toolchain.rocm.display()))?;
    if arguments.target.arch.len() != 1 {
        bail!("rocjitsu emulates the GPU that it is set up for: name that with `--arch`");
    }
    Ok(Executor::Rocjitsu { library, command })
}

/// The targets of a run: those that are named, or those of the GPUs that run it and one of each width of waves.
pub(in crate::cli) fn targets(typed: &[String], executors: &[Executor]) -> anyhow::Result<Vec<&'static Target>> {
    if !typed.is_empty() {
        return Ok(typed.iter().map(|name| Target::find(name)).collect::<Result<_, _>>()?);
    }
    let mut targets = Vec::new();
    for executor in executors {
        if let Executor::Gpu { devices, .. } = executor {
            targets.extend(devices.iter().filter_map(|name| Target::find(name).ok()));
        }
    }
    targets.dedup();
    if matches!(executors, [Executor::Gpu { .. }]) && !targets.is_empty() {
        return Ok(targets);
    }
    for name in DEFAULT_TARGETS {
        let usual = Target::find(name)?;
        if targets.iter().all(|target| target.wave_size != usual.wave_size) {
            targets.push(usual);
        }
    }
    Ok(targets)
}
