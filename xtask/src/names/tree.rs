//! The unpacked headers of one release.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::library::{self, CLANG, LIBRARIES, Library};
use super::release::Release;
use super::scan;

/// How the release of a package relates to the release it is looked at for. Debian does not have
/// every library at every release, but a neighbour still answers half of the question.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Age {
    /// A name that is missing may have been added later.
    Older,
    Same,
    /// A name that is there may have been added later.
    Newer,
}

/// Names of one library.
pub(super) struct Names {
    identifiers: BTreeSet<String>,
    pub(super) age: Age,
    /// Version of the package, if the folder says so.
    pub(super) version: Option<String>,
}

/// Headers of one release.
pub(super) struct Tree {
    pub(super) release: Release,
    libraries: HashMap<&'static str, Names>,
    files: BTreeSet<String>,
}

impl Tree {
    /// Reads the release from a folder that holds one subfolder per release.
    pub(super) fn find(folder: &Path, release: Release) -> Result<Option<Self>> {
        let candidates = [format!("hip-{release}"), release.to_string()];
        let root = candidates.iter().map(|name| folder.join(name));
        let Some(root) = root.into_iter().find(|root| root.join("usr/include/hip").is_dir()) else {
            return Ok(None);
        };
        let mut tree = Self { release, libraries: HashMap::new(), files: BTreeSet::new() };
        for library in LIBRARIES {
            tree.read_library(library, folder, &root)
                .with_context(|| format!("reading headers of {} {release}", library.name))?;
        }
        Ok(Some(tree))
    }

    pub(super) fn library(&self, name: &str) -> Option<&Names> {
        self.libraries.get(name)
    }

    /// Whether the release has a header; none if the library is not there at its release.
    pub(super) fn has_file(&self, path: &str) -> Option<bool> {
        let folder = path.split('/').next().unwrap_or_default();
        let library = LIBRARIES.iter().find(|library| library.folders.contains(&folder))?;
        let names = self.library(library.name)?;
        names.age.judge(self.files.contains(path))
    }

    fn read_library(&mut self, library: &Library, folder: &Path, root: &Path) -> Result<()> {
        let files = if library.name == CLANG {
            wrapper_headers(folder, root)?
        } else {
            let include = root.join("usr/include");
            let files = headers_below(&include, library.folders)?;
            self.files.extend(files.iter().filter_map(|file| relative(file, &include)));
            files
        };
        if files.is_empty() {
            return Ok(());
        }
        let version = package_version(root, library.package);
        let names = Names {
            identifiers: identifiers_of(&files)?,
            age: version.as_deref().map_or(Age::Same, |version| age(version, self.release)),
            version,
        };
        self.libraries.insert(library.name, names);
        Ok(())
    }
}

impl Names {
    /// Whether the library has a name at the release; none if its headers cannot tell.
    pub(super) fn has(&self, name: &str) -> Option<bool> {
        self.age.judge(self.identifiers.contains(name))
    }
}

impl Age {
    fn judge(self, found: bool) -> Option<bool> {
        match (self, found) {
            (Self::Older, false) | (Self::Newer, true) => None,
            (_, found) => Some(found),
        }
    }
}

fn age(version: &str, release: Release) -> Age {
    match version.parse::<Release>() {
        Ok(package) if package < release => Age::Older,
        Ok(package) if package > release => Age::Newer,
        _ => Age::Same,
    }
}

/// Looks a package up in the list that `hipshift toolchain install` leaves beside the headers.
fn package_version(root: &Path, package: &str) -> Option<String> {
    let list = fs::read_to_string(root.join("packages.txt")).ok()?;
    let mut packages = list.lines().filter_map(|line| line.split_once(' '));
    let (_, version) = packages.find(|(name, _)| *name == package)?;
    Some(version.to_owned())
}

fn headers_below(include: &Path, folders: &[&str]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for folder in folders {
        let folder = include.join(folder);
        if folder.is_dir() {
            collect(&folder, &mut files)?;
        }
    }
    Ok(files)
}

/// The headers that clang includes before every HIP file, from the release's own clang if it is
/// there, else from the one clang that serves all releases.
fn wrapper_headers(folder: &Path, root: &Path) -> Result<Vec<PathBuf>> {
    for place in [root.join("usr/lib"), folder.join("llvm/usr/lib")] {
        let mut files = Vec::new();
        if place.is_dir() {
            collect(&place, &mut files)?;
        }
        files.retain(|file| {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("__clang_hip") || name == "__clang_cuda_math_forward_declares.h"
        });
        if !files.is_empty() {
            return Ok(files);
        }
    }
    Ok(Vec::new())
}

/// Lists the files of a folder and its subfolders; links to folders are not followed.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("listing `{}`", folder.display()))? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), files)?;
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}

fn relative(file: &Path, include: &Path) -> Option<String> {
    let path = file.strip_prefix(include).ok()?.to_str()?;
    library::counts(&format!("/{path}")).then(|| path.to_owned())
}

fn identifiers_of(files: &[PathBuf]) -> Result<BTreeSet<String>> {
    let mut identifiers = BTreeSet::new();
    for file in files.iter().filter(|file| library::counts(&file.to_string_lossy())) {
        if !file.is_file() {
            continue;
        }
        let bytes = fs::read(file).with_context(|| format!("reading `{}`", file.display()))?;
        scan::identifiers(&String::from_utf8_lossy(&bytes), |name| {
            if !identifiers.contains(name) {
                identifiers.insert(name.to_owned());
            }
        });
    }
    Ok(identifiers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_a_neighbouring_release_answer_half_of_the_question() {
        let release: Release = "6.4".parse().unwrap();
        let older = age("5.5.1-4", release);
        assert_eq!((older.judge(true), older.judge(false)), (Some(true), None));
        let same = age("6.4.3+dfsg-1", release);
        assert_eq!((same.judge(true), same.judge(false)), (Some(true), Some(false)));
        let newer = age("7.1.0-1", release);
        assert_eq!((newer.judge(true), newer.judge(false)), (None, Some(false)));
    }
}
