//! Compiles converted programs with nvcc.

use std::io;
use std::process::Command;
use std::sync::LazyLock;

use camino::Utf8Path;
use rayon::prelude::*;

use super::super::compile::{Built, Outcome, said};
use super::super::program::{Program, Unit, is_c};
use crate::mapping::Target;
use crate::search::Search;

/// Stands for NVIDIA GPUs where a target is named.
static NVIDIA: LazyLock<Target> = LazyLock::new(|| Target {
    name: "nvidia".to_owned(),
    family: "NVIDIA GPU".to_owned(),
    wave_size: 32,
    lds: 48 << 10,
    execution_units: 4,
    max_waves: 16,
    vgprs: 512,
    images: true,
    extended_images: true,
});

/// What stands for NVIDIA GPUs in a list of targets.
pub fn nvidia_target() -> &'static Target {
    &NVIDIA
}

/// How programs are compiled with nvcc.
#[derive(Debug, Clone)]
pub struct NvidiaBuild<'b> {
    /// The compiler.
    pub nvcc: &'b Utf8Path,
    /// Where HIP's names stand for CUDA's: searched for included files before all others.
    pub aliases: &'b Utf8Path,
    /// Where included files are looked for.
    pub search: &'b Search,
    /// What the user adds, as clang takes it.
    pub flags: &'b [String],
    /// Where executables go; it exists.
    pub folder: &'b Utf8Path,
}

impl NvidiaBuild<'_> {
    /// Compiles all programs, in parallel. Fails if nvcc cannot be started.
    pub fn programs(&self, programs: &[Program], units: &[Unit]) -> io::Result<Vec<Built>> {
        let program = |(number, program): (usize, &Program)| self.program(number, program, units);
        programs.par_iter().enumerate().map(program).collect()
    }

    fn program(&self, number: usize, program: &Program, units: &[Unit]) -> io::Result<Built> {
        let executable = self.folder.join(format!("program-{number}"));
        // One call takes all for one language.
        let parts = || program.units.iter().map(|at| &units[*at]).filter(|unit| !is_c(&unit.output));
        let mut command = Command::new(self.nvcc);
        command.args(["-x", "cu", "-O2", "-arch=native", "-lineinfo"]);
        command.arg(format!("-I{}", self.aliases));
        command.args(self.search.folders.iter().map(|folder| format!("-I{folder}")));
        command.args(options(parts().flat_map(|unit| &unit.flags).chain(self.flags)));
        command.args(self.search.last.iter().map(|folder| format!("-I{folder}")));
        command.args(parts().map(|unit| unit.output.as_str())).arg("-o").arg(&executable);
        let messages = said(&Outcome::of(&command.output()?));
        let built = Built { executable: None, messages, link_failed: false, resources: Vec::new() };
        let executable = built.is_compiled().then_some(executable);
        Ok(Built { executable, ..built })
    }
}

/// Options of clang that nvcc takes: macros, folders of headers, and the last language standard.
fn options<'f>(flags: impl Iterator<Item = &'f String>) -> Vec<String> {
    let mut taken: Vec<String> = Vec::new();
    let mut standard = "-std=c++17";
    let mut takes_next = false;
    for flag in flags {
        if std::mem::replace(&mut takes_next, matches!(flag.as_str(), "-I" | "-isystem" | "-D" | "-U")) {
            taken.push(flag.clone());
        } else if flag.starts_with("-std=") {
            standard = flag;
        } else if takes_next || ["-I", "-D", "-U"].iter().any(|start| flag.starts_with(start)) {
            taken.push(flag.clone());
        }
    }
    taken.push(standard.to_owned());
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nvcc_gets_macros_folders_and_one_standard() {
        let flags = "-O3 -I a -isystem b -DN=4 -std=c++14 -Xarch_device -ffast-math -Ic -std=c++20";
        let flags: Vec<String> = flags.split(' ').map(str::to_owned).collect();
        assert_eq!(options(flags.iter()), ["-I", "a", "-isystem", "b", "-DN=4", "-Ic", "-std=c++20"]);
        assert_eq!(options([].iter()), ["-std=c++17"]);
    }
}
