//! What is missing, with the command that gets it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use super::executors::{Executor, NO_RUNTIME};
use crate::toolchain::{RELEASES, Toolchain, compiler_packages, find_program, install_command};

/// Something that is not there.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Missing {
    /// What it is, and what it is good for.
    pub(super) what: String,
    /// The command that gets it.
    pub(super) command: String,
}

impl Missing {
    fn new(what: impl Into<String>, command: impl Into<String>) -> Missing {
        Missing { what: what.into(), command: command.into() }
    }
}

/// What compilers say of themselves; nothing of one that does not start.
pub(super) type Versions = BTreeMap<PathBuf, Option<String>>;

/// What programs need in order to be compiled and run, as far as it is not there.
pub(super) fn missing(toolchains: &[Toolchain], versions: &Versions, executors: &[Executor]) -> Vec<Missing> {
    let mut missing = Vec::new();
    for release in RELEASES {
        if toolchains.iter().all(|toolchain| toolchain.release != release) {
            let what = format!("compiler and headers of HIP {release}, for `validate --rocm {release}`");
            missing.push(Missing::new(what, install_command(release)));
        }
    }
    for (compiler, _) in versions.iter().filter(|(_, version)| version.is_none()) {
        let what = format!("a compiler that starts, in place of {}", compiler.display());
        missing.push(Missing::new(what, format!("apt-get install {}", compiler_packages().join(" "))));
    }
    if ["c++", "g++", "clang++"].iter().all(|name| find_program(name).is_none()) {
        missing
            .push(Missing::new("a C++ library of the host, which every program is linked with", "apt-get install g++"));
    }
    missing.extend(executors.iter().filter_map(of_executor));
    if find_program("git").is_none() {
        missing.push(Missing::new("git, which guards changes in place", "apt-get install git"));
    }
    if find_program("nvcc").is_none() {
        let what = "nvcc, for reference results on a machine with an NVIDIA GPU; in Debian's suites part of non-free";
        missing.push(Missing::new(what, "apt-get install nvidia-cuda-toolkit"));
    }
    missing
}

/// What an executor lacks, if that can be installed.
fn of_executor(executor: &Executor) -> Option<Missing> {
    match (executor.name, executor.about) {
        _ if executor.path.is_some() => None,
        ("emulator", _) => Some(Missing::new(
            "the emulator's library, which programs run on where there is no AMD GPU",
            "cargo build --release",
        )),
        ("gpu", NO_RUNTIME) => {
            Some(Missing::new("libamdhip64.so, for programs on the AMD GPU", "apt-get install libamdhip64-dev"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::RocmVersion;

    #[test]
    fn each_release_has_its_own_command() {
        let toolchain = Toolchain {
            compiler: "/nowhere/clang++-22".into(),
            rocm: "/nowhere".into(),
            device_libraries: None,
            release: RocmVersion::NEWEST,
            origin: "given".to_owned(),
        };
        let executor = |name, about, is_there: bool| {
            let path = is_there.then(|| "/here".into());
            Executor { name, path, about }
        };
        let versions = Versions::from([(toolchain.compiler.clone(), None)]);
        let executors = [executor("gpu", NO_RUNTIME, false), executor("emulator", "", false)];
        let found = missing(&[toolchain], &versions, &executors);
        let commands: Vec<&str> = found.iter().map(|missing| missing.command.as_str()).collect();
        assert_eq!(
            commands[..3],
            [
                "hipshift toolchain install --hip 6.4",
                "hipshift toolchain install --hip 5.7",
                "apt-get install clang-22 clang-tools-22 lld-22 llvm-22"
            ]
        );
        assert!(commands.contains(&"cargo build --release"));
        assert!(commands.contains(&"apt-get install libamdhip64-dev"));
        let executors = [executor("gpu", "no AMD GPU", false), executor("emulator", "", true)];
        let found = missing(&[], &Versions::new(), &executors);
        assert!(!found.iter().any(|missing| missing.command.contains("libamdhip64")));
        assert!(!found.iter().any(|missing| missing.what.contains("emulator")));
    }
}
