//! What is missing, with the command that gets it.

use serde::Serialize;

use crate::toolchain::{RELEASES, Toolchain, compiler_packages, find_program, install_command};

/// Something that is not there.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Missing {
    /// What it is, and what it is good for.
    pub(super) what: String,
    /// The command that gets it; without one it has to come from its maker.
    pub(super) command: Option<String>,
}

impl Missing {
    fn new(what: impl Into<String>, command: impl Into<String>) -> Missing {
        Missing { what: what.into(), command: Some(command.into()) }
    }
}

/// What programs need in order to be compiled and run, as far as it is not there.
pub(super) fn missing(toolchains: &[Toolchain], has_runtime: bool) -> Vec<Missing> {
    let mut missing = Vec::new();
    for release in RELEASES {
        if toolchains.iter().all(|toolchain| toolchain.release != release) {
            let what = format!("compiler and headers of HIP {release}, for `validate --rocm {release}`");
            missing.push(Missing::new(what, install_command(release)));
        }
    }
    for toolchain in toolchains.iter().filter(|toolchain| toolchain.compiler_version().is_none()) {
        let what = format!("a compiler that starts, in place of {}", toolchain.compiler.display());
        missing.push(Missing::new(what, format!("apt-get install {}", compiler_packages().join(" "))));
    }
    if ["c++", "g++", "clang++"].iter().all(|name| find_program(name).is_none()) {
        missing
            .push(Missing::new("a C++ library of the host, which every program is linked with", "apt-get install g++"));
    }
    if !has_runtime {
        let what = "the emulator's library, which programs run on where there is no AMD GPU";
        missing.push(Missing::new(what, "cargo build --release"));
    }
    if find_program("git").is_none() {
        missing.push(Missing::new("git, which guards changes in place", "apt-get install git"));
    }
    if find_program("nvcc").is_none() {
        let what = "nvcc, for reference results on a machine with an NVIDIA GPU; it comes with NVIDIA's CUDA toolkit";
        missing.push(Missing { what: what.to_owned(), command: None });
    }
    missing
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
        let found = missing(&[toolchain], false);
        let commands: Vec<&str> = found.iter().filter_map(|missing| missing.command.as_deref()).collect();
        assert_eq!(
            commands[..3],
            [
                "hipshift toolchain install --hip 6.4",
                "hipshift toolchain install --hip 5.7",
                "apt-get install clang-22 clang-tools-22 lld-22 llvm-22"
            ]
        );
        assert!(commands.contains(&"cargo build --release"));
        assert!(!missing(&[], true).iter().any(|missing| missing.what.contains("emulator")));
    }
}
