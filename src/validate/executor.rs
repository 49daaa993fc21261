//! What runs programs, and how much a run on it proves.

use std::path::Path;

use camino::{Utf8Path, Utf8PathBuf};

use super::backend::{Emulation, environment};
use super::execute::{Ending, Execution};
use super::nvidia;
use super::outcome::Evidence;
use crate::mapping::Target;
use crate::toolchain::Libraries;

/// Targets that hipshift's emulator knows.
const EMULATED: &[&str] = &[
    "gfx906", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1031", "gfx1032", "gfx1100", "gfx1101", "gfx1102",
    "gfx1103", "gfx1200", "gfx1201",
];

/// What runs programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Executor {
    /// hipshift's own emulator.
    Emulator {
        /// The folder of its library, under all names.
        library: Utf8PathBuf,
        /// How it runs them.
        emulation: Emulation,
    },
    /// GPUs of AMD, through ROCm.
    Gpu {
        /// The folder of ROCm's library.
        library: Utf8PathBuf,
        /// The targets of the GPUs, as HIP counts them.
        devices: Vec<String>,
    },
    /// AMD's emulation toolkit.
    Rocjitsu {
        /// The folder of ROCm's library.
        library: Utf8PathBuf,
        /// The command.
        command: Utf8PathBuf,
    },
    /// A GPU of NVIDIA, for what nvcc made of the converted code.
    Nvidia {
        /// compute-sanitizer, if programs are also run with it.
        sanitizer: Option<Utf8PathBuf>,
    },
}

/// How a program is started on an executor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Way {
    /// What is started instead, with the program among its arguments.
    pub(super) wrapper: Option<(Utf8PathBuf, Vec<String>)>,
    /// Variables.
    pub(super) environment: Vec<(String, String)>,
}

impl Executor {
    /// What a run on it proves.
    pub fn evidence(&self) -> Evidence {
        match self {
            Executor::Emulator { .. } | Executor::Rocjitsu { .. } => Evidence::Emulated,
            Executor::Gpu { .. } => Evidence::Amd,
            Executor::Nvidia { .. } => Evidence::Nvidia,
        }
    }

    /// What it is, for people.
    pub fn description(&self) -> String {
        match self {
            Executor::Emulator { .. } => "hipshift's emulator".to_owned(),
            Executor::Gpu { devices, .. } => format!("GPUs of this machine ({})", devices.join(", ")),
            Executor::Rocjitsu { command, .. } => command.to_string(),
            Executor::Nvidia { .. } => "an NVIDIA GPU of this machine".to_owned(),
        }
    }

    /// The folder of the `libamdhip64.so` that programs are linked with, if they are.
    pub fn library(&self) -> Option<&Utf8Path> {
        match self {
            Executor::Emulator { library, .. } | Executor::Gpu { library, .. } | Executor::Rocjitsu { library, .. } => {
                Some(library)
            }
            Executor::Nvidia { .. } => None,
        }
    }

    /// Why it cannot run code for a target, if it cannot.
    pub(super) fn refuses(&self, target: &Target) -> Option<String> {
        match self {
            Executor::Emulator { .. } if !EMULATED.contains(&target.name.as_str()) => {
                Some(format!("the emulator does not know {}", target.name))
            }
            Executor::Gpu { devices, .. } if !devices.contains(&target.name) => {
                Some(format!("there is no {} here", target.name))
            }
            _ => None,
        }
    }

    /// The seeds to run with; one run without a seed where none is given.
    pub(super) fn seeds(&self) -> Vec<Option<u64>> {
        match self {
            Executor::Emulator { emulation, .. } if !emulation.seeds.is_empty() => {
                emulation.seeds.iter().copied().map(Some).collect()
            }
            _ => vec![None],
        }
    }

    /// How a program is started. `findings` is a file for what checks find.
    pub(super) fn start(&self, program: &Utf8Path, target: &Target, seed: Option<u64>, findings: &Utf8Path) -> Way {
        let variable = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let load = |library: &Utf8Path| variable("LD_LIBRARY_PATH", library.as_str());
        match self {
            Executor::Emulator { library, emulation } => {
                let mut environment = environment(library, target, emulation, seed);
                environment.push(variable("HIPSHIFT_FINDINGS", findings.as_str()));
                let libraries = emulation.toolchain.as_ref().and_then(Libraries::beside);
                let start = libraries.and_then(|libraries| libraries.start(program.as_std_path(), &[]));
                let loader = start.as_ref().and_then(|start| Utf8PathBuf::try_from(start.loader.clone()).ok());
                let wrapper = start.as_ref().zip(loader).map(|(start, loader)| {
                    (loader, start.words(&[library.as_std_path().to_owned()], program.as_std_path()))
                });
                environment.extend(start.into_iter().flat_map(|start| start.environment));
                Way { wrapper, environment }
            }
            Executor::Gpu { library, devices } => {
                let number = devices.iter().position(|name| *name == target.name).unwrap_or_default();
                let device = variable("HIP_VISIBLE_DEVICES", &number.to_string());
                Way { wrapper: None, environment: vec![load(library), device] }
            }
            Executor::Rocjitsu { library, command } => {
                let words = ["run", "--in-process", "--", program.as_str()].map(str::to_owned).to_vec();
                Way { wrapper: Some((command.clone(), words)), environment: vec![load(library)] }
            }
            Executor::Nvidia { .. } => Way { wrapper: None, environment: Vec::new() },
        }
    }

    /// What a program that ended well is run with once more, to find what it did not notice itself; its errors go to `log`.
    pub(super) fn sanitize(
        &self,
        program: &Utf8Path,
        log: &Utf8Path,
        run: &Execution,
    ) -> Option<(Utf8PathBuf, Vec<String>)> {
        match self {
            Executor::Nvidia { sanitizer: Some(command) } if run.ending == Ending::Code(0) => {
                Some((command.clone(), nvidia::words(program, log)))
            }
            _ => None,
        }
    }

    /// What the file for findings says.
    pub(super) fn findings(&self, text: &str) -> Vec<String> {
        match self {
            Executor::Nvidia { .. } => nvidia::findings(text),
            _ => text.lines().map(str::to_owned).collect(),
        }
    }

    /// Variables with which a run that failed is done once more, to see what the runtime was asked for.
    pub(super) fn log_variables(&self) -> Option<[(String, String); 1]> {
        // HIP documentation, "Logging HIP activity": 3 shows errors, warnings, and the calls of the API.
        matches!(self, Executor::Gpu { .. }).then(|| [("AMD_LOG_LEVEL".to_owned(), "3".to_owned())])
    }
}

/// The folder with ROCm's library below a root of ROCm.
pub fn rocm_library(root: &Path) -> Option<Utf8PathBuf> {
    let folders = ["lib", "lib64", "lib/x86_64-linux-gnu"].map(|name| root.join(name));
    let found = folders.into_iter().find(|folder| folder.join("libamdhip64.so").exists())?;
    Utf8PathBuf::try_from(found).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(name: &str) -> &'static Target {
        Target::find(name).unwrap()
    }

    #[test]
    fn a_gpu_runs_only_its_own_target() {
        let devices = vec!["gfx90a".to_owned(), "gfx1100".to_owned()];
        let gpu = Executor::Gpu { library: "/opt/rocm/lib".into(), devices };
        assert_eq!(gpu.refuses(target("gfx1100")), None);
        assert_eq!(gpu.refuses(target("gfx942")).unwrap(), "there is no gfx942 here");
        let start = gpu.start("p".into(), target("gfx1100"), None, "f".into());
        assert_eq!(start.environment[1], ("HIP_VISIBLE_DEVICES".to_owned(), "1".to_owned()));
        assert_eq!(gpu.evidence(), Evidence::Amd);
    }

    #[test]
    fn the_emulator_knows_its_targets() {
        let emulation = Emulation { checks: "default", seeds: vec![3, 4], ..Emulation::default() };
        let emulator = Executor::Emulator { library: "/l".into(), emulation };
        assert!(EMULATED.iter().all(|name| emulator.refuses(target(name)).is_none()));
        assert!(emulator.refuses(target("gfx900")).is_some());
        assert_eq!(emulator.seeds(), [Some(3), Some(4)]);
    }
}
