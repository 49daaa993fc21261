//! Folders that packages are unpacked into.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::apt::Apt;
use super::error::InstallError;
use super::process::run;
use super::stamp::{Package, Stamp};
use super::system::System;

/// Makes sure that `names` and all they depend on are unpacked in `dir/folder`, and returns that folder.
/// What the system has is left out.
pub fn with_dependencies(system: &System, dir: &Path, folder: &str, names: &[&str]) -> Result<PathBuf, InstallError> {
    let home = dir.join(folder);
    if !Stamp::read(&home).is_some_and(|stamp| stamp.covers(names)) {
        fetch_closure(&Apt::for_own_suites(system, dir, None)?, &home, names)?;
    }
    Ok(home)
}

/// Unpacks `names` and all they depend on, less what counts as installed.
pub(super) fn fetch_closure(apt: &Apt, home: &Path, names: &[&str]) -> Result<(), InstallError> {
    let mut packages = apt.closure(names)?;
    let installed = names.iter().filter(|name| packages.iter().all(|package| package.name != **name));
    let installed = installed.map(|name| Package { name: (*name).to_owned(), version: "-".to_owned() });
    packages.extend(installed.collect::<Vec<_>>());
    unpack_all(apt, packages, home).map(drop)
}

/// Downloads and unpacks; the folder appears when it is complete. What a run that was stopped has fetched is kept.
pub(super) fn unpack_all(apt: &Apt, mut packages: Vec<Package>, home: &Path) -> Result<Stamp, InstallError> {
    packages.sort_by(|a, b| a.name.cmp(&b.name));
    // A version has dots: these are no extensions.
    let beside = |end: &str| {
        let mut name = home.file_name().unwrap_or_default().to_owned();
        name.push(end);
        home.with_file_name(name)
    };
    let (staging, archives) = (beside(".part"), beside(".debs"));
    remove_folder(&staging)?;
    let stamp = Stamp { packages };
    let present: Vec<_> = stamp.packages.iter().filter(|package| package.version != "-").cloned().collect();
    fs::create_dir_all(&staging).map_err(InstallError::io(&staging))?;
    if !present.is_empty() {
        apt.download(&present, &archives)?;
    }
    let architecture = System::architecture()?;
    for package in &present {
        unpack(package, &architecture, &archives, &staging)?;
    }
    stamp.write(&staging)?;
    remove_folder(home)?;
    fs::rename(&staging, home).map_err(InstallError::io(home))?;
    remove_folder(&archives)?;
    Ok(stamp)
}

fn unpack(package: &Package, architecture: &str, archives: &Path, into: &Path) -> Result<(), InstallError> {
    // apt writes `:` of an epoch as `%3a`.
    let stem = format!("{}_{}_", package.name, package.version.replace(':', "%3a"));
    let names = [architecture, "all"].map(|suffix| archives.join(format!("{stem}{suffix}.deb")));
    let archive = names.iter().find(|file| file.is_file());
    let archive =
        archive.ok_or_else(|| InstallError::Download(format!("apt left no archive of `{}`", package.name)))?;
    run(Command::new("dpkg").arg("-x").arg(archive).arg(into)).map(drop)
}

fn remove_folder(folder: &Path) -> Result<(), InstallError> {
    if folder.exists() { fs::remove_dir_all(folder).map_err(InstallError::io(folder)) } else { Ok(()) }
}
