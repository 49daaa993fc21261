//! `hipshift run`: any executable that was built for HIP, on the emulator.

use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, iter};

use anyhow::{Context as _, bail};
use camino::Utf8PathBuf;

use super::args::RunProgram;
use super::executable::executable;
use super::executors::{NO_LIBRARY, library};
use crate::cli::exit::Exit;
use crate::cli::output::note;
use crate::mapping::{RocmVersion, Target};
use crate::toolchain::{Libraries, LibraryStart, Toolchain, make_cache_folder};
use crate::validate::{Emulation, environment, link_names};

/// Where the loader looks for libraries.
const LIBRARY_PATH: &str = "LD_LIBRARY_PATH";

/// Becomes the program: its input, output, exit code and signals are its own. With several schedules it runs the program
/// for each.
pub(in crate::cli) fn run(arguments: &RunProgram) -> anyhow::Result<Exit> {
    let [program, rest @ ..] = arguments.command.as_slice() else { bail!("name a program") };
    let target = Target::find(&arguments.arch)?;
    let file = executable(program)?;
    let library = library().context(NO_LIBRARY)?;
    // It stays, as the program runs in place of hipshift, and serves all runs of this version.
    let folder =
        make_cache_folder(env!("CARGO_PKG_VERSION")).context("preparing a folder for the emulator's library")?;
    let folder = Utf8PathBuf::try_from(folder)?;
    let library = library.file().context("preparing the emulator's library")?;
    let runtime = link_names(&library, &folder).with_context(|| format!("preparing {folder}"))?;
    let emulation = Emulation { toolchain: toolchain(), ..arguments.emulation.emulation() };
    // The emulator's library comes first, and the program's own are found as ever.
    let folders: Vec<PathBuf> = iter::once(runtime.clone().into()).chain(own_folders()).collect();
    let libraries = emulation.toolchain.as_ref().and_then(Libraries::beside);
    let start = library_start(&file, &folders, libraries.as_ref())?;
    let command = |seed: Option<u64>| {
        let mut command = Command::new(start.as_ref().map_or(&file, |start| &start.loader));
        if let Some(start) = &start {
            command.args(start.words(&folders, &file)).envs(start.environment.iter().cloned());
        } else {
            command.arg0(program);
        }
        command.args(rest).envs(environment(&runtime, target, &emulation, seed));
        command.envs(env::join_paths(&folders).ok().map(|folders| (LIBRARY_PATH, folders)));
        command.envs(arguments.error_exitcode.map(|code| ("HIPSHIFT_ERROR_EXITCODE", code.to_string())));
        command
    };
    let starting = || format!("starting {}", program.to_string_lossy());
    match emulation.seeds.as_slice() {
        [] => Err(command(None).exec()).with_context(starting),
        [seed] => Err(command(Some(*seed)).exec()).with_context(starting),
        seeds => run_all(seeds, |seed| command(Some(seed)).output()).with_context(starting),
    }
}

/// The toolchain whose libraries a program finds, and which compiles kernels that it has as text.
pub(super) fn toolchain() -> Option<Toolchain> {
    Toolchain::find(None, RocmVersion::NEWEST).ok().map(|toolchain| toolchain.absolute())
}

/// The folders in which the user has the loader look for libraries.
pub(super) fn own_folders() -> Vec<PathBuf> {
    let own = env::var_os(LIBRARY_PATH).unwrap_or_default();
    env::split_paths(&own).filter(|folder| !folder.as_os_str().is_empty()).collect()
}

/// How a program starts that asks for libraries of AMD's; tells the command that fetches those that are not here.
pub(super) fn library_start(
    program: &Path,
    folders: &[PathBuf],
    libraries: Option<&Libraries>,
) -> anyhow::Result<Option<LibraryStart>> {
    let needed = Libraries::needed(program, folders).with_context(|| format!("reading {}", program.display()))?;
    let here: Vec<_> = libraries.into_iter().flat_map(Libraries::sets).map(|(set, _)| set).collect();
    for set in needed.iter().filter(|set| !here.contains(set)) {
        note(&format!("the program asks for AMD's library `{}`, which `{}` fetches", set.name, set.command()));
    }
    Ok(libraries.and_then(|libraries| libraries.start_with(&needed)))
}

/// Whether two runs did the same. The system gives memory other addresses in each, which findings name.
fn is_same(one: &Output, other: &Output) -> bool {
    let without_addresses = |text: &[u8]| -> Vec<u8> {
        let (mut shown, mut rest) = (Vec::new(), text);
        while let Some(at) = memchr::memmem::find(rest, b"0x") {
            let digits = rest[at + 2..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
            shown.extend_from_slice(&rest[..at + 2]);
            // Shorter ones are values.
            shown.extend_from_slice(if digits < ADDRESS_DIGITS { &rest[at + 2..at + 2 + digits] } else { b"" });
            rest = &rest[at + 2 + digits..];
        }
        shown.extend_from_slice(rest);
        shown
    };
    one.status == other.status
        && one.stdout == other.stdout
        && without_addresses(&one.stderr) == without_addresses(&other.stderr)
}

/// Hexadecimal digits that an address of memory has at least.
const ADDRESS_DIGITS: usize = 9;

/// Runs a program once for each seed, shows what each run wrote that no earlier one did, and compares.
fn run_all(seeds: &[u64], run: impl Fn(u64) -> io::Result<Output>) -> anyhow::Result<Exit> {
    let mut kinds: Vec<(Output, Vec<u64>)> = Vec::new();
    for &seed in seeds {
        let output = run(seed)?;
        if let Some((_, seeds)) = kinds.iter_mut().find(|(known, _)| is_same(known, &output)) {
            seeds.push(seed);
            continue;
        }
        io::stdout().write_all(&output.stdout)?;
        io::stderr().write_all(&output.stderr)?;
        note(&format!("schedule {seed}: {}", output.status));
        kinds.push((output, vec![seed]));
    }
    let [(only, _)] = kinds.as_slice() else {
        let list = kinds.iter().map(|(_, seeds)| {
            let shown: Vec<String> = seeds.iter().map(u64::to_string).collect();
            format!("  schedules {}", shown.join(", "))
        });
        let list: Vec<String> = list.collect();
        note(&format!("{} different results of {} schedules:\n{}", kinds.len(), seeds.len(), list.join("\n")));
        return Ok(Exit::Findings);
    };
    note(&format!("{} schedules, all with the same result", seeds.len()));
    Ok(if only.status.success() { Exit::Clean } else { Exit::Findings })
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::ExitStatus;

    use super::*;

    #[test]
    fn addresses_make_no_difference_between_runs() {
        let run = |stdout: &str, stderr: &str| Output {
            status: ExitStatus::from_raw(0),
            stdout: stdout.as_bytes().to_vec(),
            stderr: stderr.as_bytes().to_vec(),
        };
        let one = run("1", "a write past 0x7f00deadbeef, value 0x10\n");
        assert!(is_same(&one, &run("1", "a write past 0x7fffcafe0000, value 0x10\n")));
        assert!(!is_same(&one, &run("1", "a write past 0x7fffcafe0000, value 0x11\n")));
        assert!(!is_same(&one, &run("2", "a write past 0x7f00deadbeef, value 0x10\n")));
    }
}
