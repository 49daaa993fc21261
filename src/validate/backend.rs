//! hipshift's own executor: what programs need in order to load its runtime library.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use camino::{Utf8Path, Utf8PathBuf};

use super::compile::ALIGNED;
use super::library::LIBRARY;
use crate::mapping::Target;
use crate::toolchain::{Libraries, Toolchain};

/// The names that programs ask for: ROCm 7, 6 and 5, and the linker. HIP RTC is part of the library.
const NAMES: &[&str] = &[
    "libamdhip64.so.7",
    "libamdhip64.so.6",
    "libamdhip64.so.5",
    LIBRARY,
    "libhiprtc.so.7",
    "libhiprtc.so.6",
    "libhiprtc.so.5",
    "libhiprtc.so",
];

/// Fills a folder with the library under all its names.
pub fn link_names(library: &Path, folder: &Utf8Path) -> io::Result<Utf8PathBuf> {
    let folder = folder.join("runtime");
    std::fs::create_dir_all(&folder)?;
    let library = std::fs::canonicalize(library)?;
    for name in NAMES {
        link(&library, &folder.join(name))?;
    }
    Ok(folder)
}

/// Has `name` lead to the library. What an earlier run made may lead elsewhere, and another run may do the same now.
fn link(library: &Path, name: &Utf8Path) -> io::Result<()> {
    if std::fs::read_link(name).is_ok_and(|known| known == library) {
        return Ok(());
    }
    let new = name.with_extension(std::process::id().to_string());
    std::os::unix::fs::symlink(library, &new)?;
    std::fs::rename(&new, name)
}

/// When the work of streams is done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Streams {
    /// Beside the host and beside that of other streams, as on a GPU.
    #[default]
    Beside,
    /// When it is submitted, by the thread that submits it.
    AtOnce,
}

/// How the emulator runs programs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Emulation {
    /// Level of checks, as `HIPSHIFT_CHECKS` takes it.
    pub checks: &'static str,
    /// Accesses past the end of memory that hardware lets pass are findings, and the kernel goes on; else it is stopped.
    pub granules: bool,
    /// When the work of streams is done.
    pub streams: Streams,
    /// Each call of HIP that ends with an error is a finding.
    pub api_errors: bool,
    /// Memory that is never freed is a finding.
    pub leaks: bool,
    /// Instructions after which a block is stopped.
    pub step_limit: Option<u64>,
    /// Seeds of schedules; a program runs once with each. Without any it runs once, in the order of blocks and waves.
    pub seeds: Vec<u64>,
    /// The version of the headers that programs are compiled with; `None` where that is not known.
    pub headers: Option<String>,
    /// What compiles kernels that a program has as text.
    pub toolchain: Option<Toolchain>,
    /// What starts the programs that a program starts, with the libraries of AMD's that lie beside the toolchain: hipshift.
    pub starter: Option<PathBuf>,
}

/// Seeds from a first one on; none where no schedule is asked for.
pub fn seeds(first: Option<u64>, count: Option<u64>) -> Vec<u64> {
    let count = count.unwrap_or(u64::from(first.is_some()));
    (0..count).map(|number| first.unwrap_or(0).wrapping_add(number)).collect()
}

/// The variables that have a program load the library and emulate a target.
pub fn environment(
    folder: &Utf8Path,
    target: &Target,
    emulation: &Emulation,
    seed: Option<u64>,
) -> Vec<(String, String)> {
    let variable = |name: &str, value: &dyn Display| (name.to_owned(), value.to_string());
    let mut variables = vec![
        variable("LD_LIBRARY_PATH", &folder),
        variable("HIPSHIFT_ARCH", &target.name),
        variable("HIPSHIFT_CHECKS", &emulation.checks),
        variable("HIPSHIFT_BOUNDS", &if emulation.granules { "granule" } else { "exact" }),
    ];
    let switches = [
        ("HIPSHIFT_API_ERRORS", emulation.api_errors),
        ("HIPSHIFT_LEAKS", emulation.leaks),
        ("HIPSHIFT_SYNC", emulation.streams == Streams::AtOnce),
    ];
    for (name, is_wanted) in switches {
        variables.extend(is_wanted.then(|| variable(name, &1)));
    }
    variables.extend(emulation.step_limit.map(|limit| variable("HIPSHIFT_STEP_LIMIT", &limit)));
    variables.extend(emulation.headers.iter().map(|version| variable("HIPSHIFT_ROCM", version)));
    let compiler = emulation.toolchain.as_ref().map(|toolchain| {
        let mut command = toolchain.command(&[target]);
        command.args(ALIGNED.iter().filter(|_| emulation.checks == "all"));
        lines(&command)
    });
    variables.extend(compiler.map(|compiler| variable("HIPSHIFT_COMPILER", &compiler)));
    variables.extend(seed.map(|seed| variable("HIPSHIFT_SCHEDULE_SEED", &seed)));
    variables.extend(for_children(folder, emulation));
    variables
}

/// The variables that have programs started by hipshift which a program starts; none where no library of AMD's was fetched.
fn for_children(folder: &Utf8Path, emulation: &Emulation) -> Vec<(String, String)> {
    let libraries = emulation.toolchain.as_ref().and_then(Libraries::beside);
    let has_some = libraries.is_some_and(|libraries| libraries.sets().next().is_some());
    // The loader takes these characters for the end of a path (`ld.so(8)`, `LD_PRELOAD`).
    let is_path = !folder.as_str().contains([' ', ':']);
    let Some(starter) = emulation.starter.as_ref().filter(|_| has_some && is_path) else { return Vec::new() };
    let own = std::env::var("LD_PRELOAD").unwrap_or_default();
    let preload = [folder.join("libamdhip64.so.7").into_string(), own].join(":");
    let starter = starter.display().to_string();
    vec![("LD_PRELOAD".to_owned(), preload.trim_end_matches(':').to_owned()), ("HIPSHIFT_STARTER".to_owned(), starter)]
}

/// A command with its arguments, one word a line.
fn lines(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_earlier_runs_lead_to_the_library_of_this_one() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(folder.path()).unwrap();
        for library in ["gone.so", "library.so", "library.so"] {
            let library = folder.join(library);
            std::fs::write(&library, "").unwrap();
            let names = link_names(library.as_std_path(), folder).unwrap();
            let expected = std::fs::canonicalize(&library).unwrap();
            assert_eq!(std::fs::canonicalize(names.join("libamdhip64.so.6")).unwrap(), expected);
            std::fs::remove_file(&library).unwrap();
        }
    }

    #[test]
    fn schedules_count_from_the_seed() {
        assert_eq!(seeds(None, None), [] as [u64; 0]);
        assert_eq!(seeds(Some(7), None), [7]);
        assert_eq!(seeds(None, Some(3)), [0, 1, 2]);
        assert_eq!(seeds(Some(7), Some(2)), [7, 8]);
    }
}
