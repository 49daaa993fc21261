//! Fetching AMD's own libraries beside a toolchain, and removing them.

use std::fs;
use std::path::Path;

use super::apt::Apt;
use super::error::InstallError;
use super::folder::unpack_all;
use super::run::{Part, prepare};
use super::stamp::{Package, Stamp};
use super::system::System;
use crate::toolchain::libraries::{BASE, BASE_FOLDER, LIBRARY_SETS, LibrarySet};

/// The suites of Debian that the libraries and their base lie in.
const SUITE: &str = "experimental";
const BASE_SUITE: &str = "sid";

/// Packages of one suite of Debian that are unpacked into one folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packages<'p> {
    /// What they are, for messages.
    pub what: &'p str,
    /// Their names, the one that gives the version first.
    pub names: &'p [&'p str],
    /// The suite that has them.
    pub suite: &'p str,
    /// The folder, below the one that an install fills.
    pub inside: &'p str,
}

impl<'p> Packages<'p> {
    /// The libraries of C and C++ that AMD's were built with.
    pub const fn base() -> Packages<'static> {
        Packages { what: "base of the libraries", names: BASE, suite: BASE_SUITE, inside: BASE_FOLDER }
    }

    /// Packages of the suite that AMD's libraries come from.
    pub fn beside_libraries(what: &'p str, names: &'p [&'p str], inside: &'p str) -> Packages<'p> {
        Packages { what, names, suite: SUITE, inside }
    }

    fn fetch(&self, system: &System, folder: &Path, refresh: bool, tell: &dyn Fn(&str)) -> Result<Part, InstallError> {
        let home = folder.join(self.inside);
        let here = Stamp::read(&home).filter(|stamp| !refresh && stamp.covers(self.names));
        let stamp = match here {
            Some(stamp) => stamp,
            None => fetch_packages(&Apt::for_suite(system, folder, self.suite)?, self.names, &home, &|size| {
                tell(&format!("{}: {size}", self.what));
            })?,
        };
        let version = self.names.iter().find_map(|name| stamp.version(name)).unwrap_or("?").to_owned();
        Ok(Part { name: self.what.to_owned(), version, path: home })
    }
}

/// Fetches packages that are missing, without what they depend on. `tell` is called with their size before.
///
/// Runs of the same folder exclude each other; one that was stopped goes on where it was.
pub fn install_packages(
    system: &System,
    folder: &Path,
    packages: &Packages<'_>,
    tell: &dyn Fn(&str),
) -> Result<Part, InstallError> {
    let _alone = prepare(folder)?;
    packages.fetch(system, folder, false, tell)
}

/// Fetches what is missing of libraries, each with what it needs, other libraries included. `tell` is called with each step, and its size.
///
/// Runs of the same folder exclude each other; one that was stopped goes on where it was.
pub fn install_libraries(
    system: &System,
    folder: &Path,
    sets: &[&'static LibrarySet],
    refresh: bool,
    tell: &dyn Fn(&str),
) -> Result<Vec<Part>, InstallError> {
    if sets.is_empty() {
        return Ok(Vec::new());
    }
    let _alone = prepare(folder)?;
    let mut parts = vec![Packages::base().fetch(system, folder, refresh, tell)?];
    for set in LibrarySet::with_needed(sets) {
        let (what, inside) = (format!("library {}", set.name), set.folder());
        let packages = Packages::beside_libraries(&what, set.packages, &inside);
        parts.push(packages.fetch(system, folder, refresh, tell)?);
    }
    Ok(parts)
}

/// Tells the size, and unpacks packages, all of which have to be there.
fn fetch_packages(apt: &Apt, names: &[&str], home: &Path, tell: &dyn Fn(&str)) -> Result<Stamp, InstallError> {
    let versions = apt.versions(names)?;
    let mut packages = Vec::new();
    for name in names {
        let version = versions.get(*name).ok_or_else(|| InstallError::NoPackage((*name).to_owned()))?;
        packages.push(Package { name: (*name).to_owned(), version: version.clone() });
    }
    let (fetched, unpacked) = apt.sizes(&packages)?;
    tell(&format!("{} MB to fetch, {} MB on the disk", megabytes(fetched), megabytes(unpacked)));
    unpack_all(apt, packages, home)
}

fn megabytes(bytes: u64) -> u64 {
    bytes.div_ceil(1_000_000)
}

/// Removes libraries from a folder, and those that need them; with the last one goes their base. Gives the names of those that were there.
pub fn remove_libraries(folder: &Path, sets: &[&'static LibrarySet]) -> Result<Vec<&'static str>, InstallError> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let _alone = prepare(folder)?;
    let mut removed = Vec::new();
    let is_here = |inside: &str| Stamp::read(&folder.join(inside)).is_some();
    for set in LibrarySet::with_dependent(sets).into_iter().filter(|set| is_here(&set.folder())) {
        remove(&folder.join(set.folder()))?;
        removed.push(set.name);
    }
    if is_here(BASE_FOLDER) && !LIBRARY_SETS.iter().any(|set| is_here(&set.folder())) {
        remove(&folder.join(BASE_FOLDER))?;
    }
    Ok(removed)
}

/// Removes a folder that an install has filled. One that is half removed has another name, and counts for nothing.
fn remove(folder: &Path) -> Result<(), InstallError> {
    let aside = folder.with_extension("removed");
    if aside.exists() {
        fs::remove_dir_all(&aside).map_err(InstallError::io(&aside))?;
    }
    fs::rename(folder, &aside).map_err(InstallError::io(folder))?;
    fs::remove_dir_all(&aside).map_err(InstallError::io(&aside))
}
