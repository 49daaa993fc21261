//! Which packages make up each part, and how they get into its folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::apt::Apt;
use super::stamp::{Package, Stamp};
use super::{Part, Release, locate};
use crate::process::run;

const HIP: &str = "libamdhip64-dev";

/// Headers of the GPU libraries: taken where a suite has them.
const LIBRARIES: &[&str] = &[
    "libhipblas-common-dev",
    "libhipblas-dev",
    "libhipblaslt-dev",
    "libhipcub-dev",
    "libhipfft-dev",
    "libhiprand-dev",
    "libhipsolver-dev",
    "libhipsparse-dev",
    "libhipsparselt-dev",
    "libmiopen-dev",
    "librccl-dev",
    "librocblas-dev",
    "librocfft-dev",
    "librocprim-dev",
    "librocrand-dev",
    "librocsolver-dev",
    "librocsparse-dev",
    "librocthrust-dev",
    "librocwmma-dev",
    "libroctracer-dev",
    "libroctx-dev",
];

/// Taken even if it is newer than the release: hipBLAS includes it whatever its number is.
const ANY_VERSION: &[&str] = &["libhipblas-common-dev"];

const COMPILER: &[&str] = &["clang-22", "clang-tools-22", "lld-22", "llvm-22"];

/// Makes sure that the headers of one HIP release are there.
pub(super) fn release(release: &Release, dir: &Path, refresh: bool) -> Result<Vec<Part>> {
    let home = dir.join(format!("hip-{}", release.version));
    let mut wanted = vec![HIP];
    wanted.extend(release.device_libraries);
    wanted.extend(LIBRARIES);
    let stamp = match Stamp::read(&home).filter(|stamp| !refresh && stamp.covers(&wanted)) {
        Some(stamp) => stamp,
        None => fetch_release(release, &wanted, dir, &home)
            .with_context(|| format!("fetching the headers of HIP {}", release.version))?,
    };
    Ok(release_parts(release, &stamp, &home))
}

fn fetch_release(release: &Release, wanted: &[&str], dir: &Path, home: &Path) -> Result<Stamp> {
    for suite in release.suites {
        let apt = Apt::for_suite(dir, suite)?;
        let versions = apt.versions(wanted)?;
        let is_release = versions.get(HIP).is_some_and(|version| number(version) == number(release.version));
        let has_device_libraries = release.device_libraries.is_none_or(|name| versions.contains_key(name));
        if is_release && has_device_libraries {
            let packages = wanted.iter().map(|name| Package {
                name: (*name).to_owned(),
                version: versions
                    .get(*name)
                    .filter(|version| fits(name, version, release))
                    .map_or("-", String::as_str)
                    .to_owned(),
            });
            return install(&apt, packages.collect(), home);
        }
    }
    bail!("none of the Debian suites {} carries it", release.suites.join(", "))
}

/// Whether a library may stand for a release: newer headers would show names it never had.
fn fits(name: &str, version: &str, release: &Release) -> bool {
    ANY_VERSION.contains(&name) || number(version) <= number(release.version) || release.device_libraries == Some(name)
}

/// The first two numbers of a version, its epoch left out.
fn number(version: &str) -> Option<(u32, u32)> {
    let version = version.split_once(':').map_or(version, |(_epoch, rest)| rest);
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

fn release_parts(release: &Release, stamp: &Stamp, home: &Path) -> Vec<Part> {
    let n_libraries = LIBRARIES.iter().filter(|name| stamp.version(name).is_some()).count();
    let mut parts = vec![Part {
        name: format!("HIP {} headers", release.version),
        version: format!("{} and {n_libraries} libraries", stamp.version(HIP).unwrap_or("?")),
        path: home.join("usr"),
    }];
    if let Some(version) = release.device_libraries.and_then(|name| stamp.version(name)) {
        parts.push(Part { name: "device libraries".into(), version: version.to_owned(), path: locate::bitcode(home) });
    }
    parts
}

/// Makes sure that a compiler and the tools beside it are there: those installed, or our own.
pub(super) fn compiler(dir: &Path, refresh: bool) -> Result<Part> {
    let home = dir.join("llvm");
    let installed = locate::installed_compiler();
    if installed.is_none() || locate::installed(locate::APPLY_REPLACEMENTS).is_none() {
        if refresh || !Stamp::read(&home).is_some_and(|stamp| stamp.covers(COMPILER)) {
            fetch_with_dependencies(dir, &home, COMPILER).context("fetching clang 22")?;
        }
        locate::write_wrappers(dir)?;
    }
    compiler_part(installed.unwrap_or_else(|| locate::own_compiler(dir)))
}

/// Makes sure that `names` and all they depend on are unpacked in `dir/folder`, and returns that folder.
/// What the system has is left out.
pub(crate) fn with_dependencies(dir: &Path, folder: &str, names: &[&str]) -> Result<PathBuf> {
    let home = dir.join(folder);
    if !Stamp::read(&home).is_some_and(|stamp| stamp.covers(names)) {
        fetch_with_dependencies(dir, &home, names)?;
    }
    Ok(home)
}

fn fetch_with_dependencies(dir: &Path, home: &Path, names: &[&str]) -> Result<()> {
    let apt = Apt::for_own_suites(dir)?;
    let mut packages = apt.closure(names)?;
    let installed = names.iter().filter(|name| packages.iter().all(|package| package.name != **name));
    let installed = installed.map(|name| Package { name: (*name).to_owned(), version: "-".to_owned() });
    packages.extend(installed.collect::<Vec<_>>());
    install(&apt, packages, home).map(drop)
}

fn compiler_part(path: PathBuf) -> Result<Part> {
    let version = locate::compiler_version(&path)?;
    Ok(Part { name: "clang".into(), version, path })
}

/// Downloads and unpacks; the folder appears when it is complete.
fn install(apt: &Apt, mut packages: Vec<Package>, home: &Path) -> Result<Stamp> {
    packages.sort_by(|a, b| a.name.cmp(&b.name));
    let staging = home.with_extension("part");
    let archives = home.with_extension("debs");
    remove_folder(&staging)?;
    let stamp = Stamp { packages };
    let present: Vec<_> = stamp.packages.iter().filter(|package| package.version != "-").cloned().collect();
    fs::create_dir_all(&staging).with_context(|| format!("creating `{}`", staging.display()))?;
    if !present.is_empty() {
        apt.download(&present, &archives)?;
    }
    for package in &present {
        unpack(package, &archives, &staging)?;
    }
    stamp.write(&staging)?;
    remove_folder(home)?;
    fs::rename(&staging, home).with_context(|| format!("renaming `{}`", staging.display()))?;
    remove_folder(&archives)?;
    Ok(stamp)
}

fn unpack(package: &Package, archives: &Path, into: &Path) -> Result<()> {
    // apt writes `:` of an epoch as `%3a`.
    let stem = format!("{}_{}_", package.name, package.version.replace(':', "%3a"));
    let archive = ["amd64", "arm64", "all"]
        .iter()
        .map(|arch| archives.join(format!("{stem}{arch}.deb")))
        .find(|file| file.is_file());
    let archive = archive.with_context(|| format!("apt left no archive of `{}`", package.name))?;
    run(Command::new("dpkg").arg("-x").arg(&archive).arg(into)).map(drop)
}

fn remove_folder(folder: &Path) -> Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    fs::remove_dir_all(folder).with_context(|| format!("removing `{}`", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_their_first_two_numbers() {
        assert_eq!(number("1:22.1.8-1~deb12u1"), Some((22, 1)));
        assert!(number("5.5.1+dfsg-7") <= number("5.7"));
        assert!(number("6.1.2-3") > number("5.7"));
        assert!(number("10.0-1") > number("7.2"));
    }
}
