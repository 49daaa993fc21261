//! Compiles the converted uses with real HIP headers, and finds the use that each error belongs to.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use hipshift::mapping::{RocmVersion, Target};
use hipshift::toolchain::Toolchain;
use rayon::prelude::*;

use super::TARGETS;
use super::fact::Library;
use super::uses::facts_of_lines;

/// The first error of each fact; those without a fact stand outside of all uses.
pub(super) type Errors = BTreeMap<Option<usize>, String>;

/// What the compiler says of the uses of a library.
pub(super) struct Compiled {
    pub(super) errors: Errors,
    /// Headers that are not there.
    pub(super) missing: Vec<String>,
    /// Whether the headers are those of an older release, as there is no package of this one.
    pub(super) is_older: bool,
}

/// The packages with the headers of libraries that Debian has for some releases in an older version only.
const PACKAGES: &[(&str, &str)] =
    &[("cublas", "libhipblas-dev"), ("cusolver", "libhipsolver-dev"), ("nccl", "librccl-dev")];

/// Compiles the file of each library in `folder`, for all targets.
pub(super) fn compile(release: RocmVersion, folder: &Path, libraries: &[Library]) -> Result<Vec<Compiled>> {
    let home = crate::repository_root().join("target/toolchain");
    let toolchain = Toolchain::find(Some(&home), release)?;
    let packages = home.join(format!("hip-{release}")).join("packages.txt");
    let packages = fs::read_to_string(&packages).with_context(|| format!("reading `{}`", packages.display()))?;
    let targets = TARGETS.iter().map(|name| Target::find(name)).collect::<Result<Vec<_>, _>>()?;
    libraries
        .par_iter()
        .map(|library| {
            let file = converted(folder, &library.name)?;
            // Headers that HIP lacks are reported where they are included; empty ones let the compiler see the rest.
            let stubs = folder.join("missing").join(&library.name);
            let mut all_missing = Vec::new();
            loop {
                let mut command = toolchain.command(&targets);
                command.args(["-std=c++17", "-fsyntax-only", "-I"]).arg(&stubs);
                let errors = of_command(command, &file)?;
                let missing = errors.get(&None).and_then(|error| missing_header(error)).map(str::to_owned);
                let Some(missing) = missing else {
                    let is_older = is_older(&packages, &library.name, release);
                    return Ok(Compiled { errors, missing: all_missing, is_older });
                };
                write_empty(&stubs.join(&missing))?;
                all_missing.push(missing);
            }
        })
        .collect()
}

/// Whether the list of packages, each with its version, has an older one for a library than the release.
fn is_older(packages: &str, library: &str, release: RocmVersion) -> bool {
    let Some((_, package)) = PACKAGES.iter().find(|(name, _)| *name == library) else { return false };
    let version = packages.lines().find_map(|line| line.strip_prefix(package)?.strip_prefix(' '));
    let numbers = version.and_then(|version| version.match_indices('.').nth(1).map(|(second, _)| &version[..second]));
    numbers.and_then(|numbers| numbers.parse::<RocmVersion>().ok()).is_some_and(|version| version < release)
}

/// The header that an error says is missing.
fn missing_header(error: &str) -> Option<&str> {
    error.strip_prefix('\'')?.strip_suffix("' file not found")
}

fn write_empty(path: &Path) -> Result<()> {
    ensure!(!path.exists(), "`{}` is not found where it is", path.display());
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    fs::write(path, "").with_context(|| format!("writing `{}`", path.display()))
}

/// Compiles a file, and finds the fact that each error belongs to.
pub(super) fn of_command(mut command: Command, file: &Path) -> Result<Errors> {
    command.args(["-w", "-ferror-limit=0", "-fno-caret-diagnostics", "-fno-color-diagnostics"]).arg(file);
    let output = command.stdin(Stdio::null()).output().context("starting the compiler")?;
    let text = fs::read_to_string(file).with_context(|| format!("reading `{}`", file.display()))?;
    let facts = facts_of_lines(&text);
    Ok(read(&String::from_utf8_lossy(&output.stderr), &file.to_string_lossy(), &facts))
}

/// The name that conversion has given to the file of a library.
fn converted(folder: &Path, library: &str) -> Result<PathBuf> {
    let names = ["hip", "cu", "cu.hip", "hip.cpp"].map(|extension| folder.join(format!("{library}.{extension}")));
    names.into_iter().find(|path| path.is_file()).with_context(|| format!("`{library}` was not converted"))
}

/// Reads what the compiler wrote: an error belongs to the line of the file that it, or the first note behind it, names.
fn read(text: &str, file: &str, facts: &[Option<usize>]) -> Errors {
    let mut errors = Errors::new();
    let mut open: Option<&str> = None;
    for line in text.lines() {
        if let Some((_, message)) = line.split_once(" error: ")
            && let Some(message) = open.replace(message)
        {
            errors.entry(None).or_insert_with(|| message.to_owned());
        }
        let Some(message) = open else { continue };
        let Some(number) = place(line, file) else { continue };
        let fact = number.checked_sub(1).and_then(|at| *facts.get(at)?);
        errors.entry(fact).or_insert_with(|| message.to_owned());
        open = None;
    }
    if let Some(message) = open {
        errors.entry(None).or_insert_with(|| message.to_owned());
    }
    errors
}

/// The number of the line of `file` that a message speaks of, from 1.
fn place(line: &str, file: &str) -> Option<usize> {
    line.strip_prefix(file)?.strip_prefix(':')?.split(':').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_tell_how_old_headers_are() {
        let packages = "libhipblas-dev 6.4.4-1\nlibhipsolver-dev -\nlibrccl-dev 5.4.3-3+b1\n";
        let release = "6.4".parse().unwrap();
        let older = ["nccl", "cublas", "cusolver", "runtime"].map(|library| is_older(packages, library, release));
        assert_eq!(older, [true, false, false, false]);
    }

    #[test]
    fn errors_in_headers_belong_to_the_line_that_their_note_names() {
        let facts = [None, Some(4), Some(5)];
        let text = "a.hip:2:9: error: one\n/usr/h.h:7:1: error: two\na.hip:3:4: note: in instantiation\n/usr/h.h:8:1: error: three\n";
        let errors = read(text, "a.hip", &facts);
        let expected = [(None, "three"), (Some(4), "one"), (Some(5), "two")];
        assert!(errors.iter().map(|(fact, message)| (*fact, message.as_str())).eq(expected));
    }
}
