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
    let fetch = |names: &[&str], suite: &str, inside: &str, what: &str| {
        let home = folder.join(inside);
        let here = Stamp::read(&home).filter(|stamp| !refresh && stamp.covers(names));
        let stamp = match here {
            Some(stamp) => stamp,
            None => fetch_packages(&Apt::for_suite(system, folder, suite)?, names, &home, &|size| {
                tell(&format!("{what}: {size}"));
            })?,
        };
        let version = names.iter().find_map(|name| stamp.version(name)).unwrap_or("?").to_owned();
        Ok(Part { name: what.to_owned(), version, path: home })
    };
    let mut parts = vec![fetch(BASE, BASE_SUITE, BASE_FOLDER, "base of the libraries")?];
    for set in LibrarySet::with_needed(sets) {
        parts.push(fetch(set.packages, SUITE, &set.folder(), &format!("library {}", set.name))?);
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
