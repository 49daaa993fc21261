//! Looks at everything that a port needs, best done first.

use camino::Utf8Path;

use super::check::{Check, State};
use super::program::{Converted, SOURCE};
use crate::cli::validate::{Folder, NO_LIBRARY, executors_here, library};
use crate::mapping::RocmVersion;
use crate::toolchain::{Toolchain, Vendor, devices, find_program};
use crate::validate::{Emulation, Executor, Library};

/// All checks, in the order in which they are shown.
pub(super) fn look(named: Option<&Utf8Path>) -> anyhow::Result<Vec<Check>> {
    let converted = Converted::new(SOURCE)?;
    let mut checks = vec![converted.check(), git(), emulator()];
    let toolchain = Toolchain::find(named.map(Utf8Path::as_std_path), RocmVersion::NEWEST);
    let toolchain = match toolchain {
        Ok(toolchain) => toolchain,
        Err(error) => {
            let about = format!("none with headers of HIP {}", error.wanted);
            checks.push(Check::other("compiler", State::Missing, about, error.to_string()));
            checks.push(gpu(&[]));
            return Ok(checks);
        }
    };
    let folder = Folder::new(None, &[])?;
    let executors = executors_here(Emulation { checks: "default", ..Emulation::default() }, &toolchain, &folder.path)?;
    let compiler = compiler(&toolchain);
    let starts = compiler.state == State::Ok;
    checks.extend([compiler, gpu(&executors)]);
    if starts {
        checks.extend(converted.run(&toolchain, &executors, &folder.path)?);
    }
    Ok(checks)
}

fn git() -> Check {
    let Some(path) = find_program("git") else {
        let advice = "`apt-get install git`; without it, nothing guards uncommitted changes from `--in-place`";
        return Check::other("git", State::None, "not on PATH", advice);
    };
    Check::ok("git", path.display().to_string())
}

fn emulator() -> Check {
    match library() {
        Some(Library::File(path)) => Check::ok("emulator", path.display().to_string()),
        Some(Library::Bundled(_)) => Check::ok("emulator", "in this program"),
        None => Check::other("emulator", State::Missing, "not found", NO_LIBRARY),
    }
}

fn compiler(toolchain: &Toolchain) -> Check {
    let headers = toolchain.header_version().unwrap_or_else(|| toolchain.release.to_string());
    let path = toolchain.compiler.display();
    let Some(version) = toolchain.compiler_version() else {
        let advice = "`hipshift toolchain install` fetches one, without root";
        return Check::other("compiler", State::Failed, format!("{path} does not start"), advice);
    };
    Check::ok("compiler", format!("{path} ({version}) with headers of HIP {headers}"))
}

/// What AMD GPUs are here, and whether programs can use them.
fn gpu(executors: &[Executor]) -> Check {
    const NAME: &str = "AMD GPU";
    let usable = executors.iter().find(|executor| matches!(executor, Executor::Gpu { .. }));
    if let Some(gpu) = usable {
        return Check::ok(NAME, gpu.description());
    }
    if devices().iter().any(|device| device.vendor == Vendor::Amd) {
        let advice = "`apt-get install libamdhip64-dev`, or name a ROCm with `--toolchain`";
        return Check::other(NAME, State::None, "there is one, but no libamdhip64.so of ROCm", advice);
    }
    Check::other(NAME, State::None, "no driver lists one", "programs run on the emulator instead")
}
