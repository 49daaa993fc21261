//! apt with a private state: the machine's own sources, another suite, nothing installed.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::error::InstallError;
use super::process::{run, said};
use super::sources::entries;
use super::stamp::Package;
use super::system::System;
use crate::regular_file::write_anew;

/// The state of apt that only one run uses.
pub(super) struct Apt {
    home: PathBuf,
    /// The machine's list of installed packages, or a shorter one.
    status: PathBuf,
}

impl Apt {
    /// A state that sees one suite only, through the machine's entry for its release.
    pub(super) fn for_suite(system: &System, dir: &Path, suite: &str) -> Result<Apt, InstallError> {
        let codename = system.distribution()?.codename;
        let entries = entries(&system.apt, &codename)?;
        let own = entries.iter().find(|entry| entry.suites.contains(&codename));
        let own =
            own.ok_or_else(|| InstallError::NotDebianLike(format!("apt has no entry for `{codename}` itself")))?;
        Apt::create(dir.join("apt").join(suite), &own.stanza(suite), "")
    }

    /// A state that sees the suites of the machine's own release, and what is installed, but for packages that are
    /// built from the source package `without`.
    pub(super) fn for_own_suites(system: &System, dir: &Path, without: Option<&str>) -> Result<Apt, InstallError> {
        let codename = system.distribution()?.codename;
        let entries = entries(&system.apt, &codename)?;
        let stanzas: Vec<_> = entries.iter().map(|entry| entry.stanza(&entry.suites.join(" "))).collect();
        let installed = fs::read_to_string(&system.status).map_err(InstallError::io(&system.status))?;
        Apt::create(dir.join("apt").join(codename), &stanzas.join("\n"), &without_source(&installed, without))
    }

    fn create(home: PathBuf, source: &str, installed: &str) -> Result<Apt, InstallError> {
        remove_links(&home.join("lists"))?;
        for folder in ["lists/partial", "cache/archives/partial", "parts"] {
            let folder = home.join(folder);
            fs::create_dir_all(&folder).map_err(InstallError::io(&folder))?;
        }
        let (file, status) = (home.join("source.sources"), home.join("status"));
        write_anew(&file, source.as_bytes()).map_err(InstallError::io(&file))?;
        write_anew(&status, installed.as_bytes()).map_err(InstallError::io(&status))?;
        let apt = Apt { home, status };
        apt.update()?;
        Ok(apt)
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("LC_ALL", "C");
        let places = [
            ("Dir::State::Lists", "lists"),
            ("Dir::Cache", "cache"),
            ("Dir::Etc::SourceParts", "parts"),
            ("Dir::Etc::PreferencesParts", "parts"),
            ("Dir::Etc::SourceList", "source.sources"),
        ];
        for (option, place) in places {
            command.arg("-o").arg(format!("{option}={}", self.home.join(place).display()));
        }
        command.arg("-o").arg(format!("Dir::State::Status={}", self.status.display()));
        // A mirror may serve a Release file past its date; without a sandbox user apt need not
        // be able to enter our folder as someone else.
        for option in [
            "Acquire::Check-Valid-Until=false",
            "APT::Sandbox::User=root",
            "APT::Update::Error-Mode=any",
            "Acquire::Languages=none",
            "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false",
        ] {
            command.args(["-o", option]);
        }
        command
    }

    fn update(&self) -> Result<(), InstallError> {
        let updated = run(self.command("apt-get").args(["-qq", "update"]));
        updated.map(drop).map_err(|error| InstallError::Lists(said(error)))
    }

    /// The version each of `names` has here; names that do not exist are left out.
    pub(super) fn versions(&self, names: &[&str]) -> Result<BTreeMap<String, String>, InstallError> {
        let output = run(self.command("apt-cache").arg("policy").args(names))?;
        let mut versions = BTreeMap::new();
        let mut name = "";
        for line in output.lines() {
            if let Some(header) = line.strip_suffix(':').filter(|line| !line.starts_with(' ')) {
                name = header;
            } else if let Some(version) = line.strip_prefix("  Candidate: ").filter(|version| *version != "(none)") {
                versions.insert(name.to_owned(), version.to_owned());
            }
        }
        Ok(versions)
    }

    /// Bytes that packages take to fetch, and when they are unpacked.
    pub(super) fn sizes(&self, packages: &[Package]) -> Result<(u64, u64), InstallError> {
        let names = packages.iter().map(|package| format!("{}={}", package.name, package.version));
        let output = run(self.command("apt-cache").arg("show").args(names))?;
        let sum = |field: &str| {
            let numbers = output.lines().filter_map(|line| line.strip_prefix(field)?.trim().parse::<u64>().ok());
            numbers.sum::<u64>()
        };
        // The second is counted in KiB.
        Ok((sum("Size:"), sum("Installed-Size:") * 1024))
    }

    /// `names` and all they depend on, less what counts as installed.
    pub(super) fn closure(&self, names: &[&str]) -> Result<Vec<Package>, InstallError> {
        let mut command = self.command("apt-get");
        let output = run(command.args(["--simulate", "--no-install-recommends", "install"]).args(names))?;
        Ok(output.lines().filter_map(simulated_install).collect())
    }

    /// Downloads `packages` into `folder`; a file that is there and whole is not fetched again.
    pub(super) fn download(&self, packages: &[Package], folder: &Path) -> Result<(), InstallError> {
        fs::create_dir_all(folder).map_err(InstallError::io(folder))?;
        let mut command = self.command("apt-get");
        command.current_dir(folder).args(["-qq", "download"]);
        command.args(packages.iter().map(|package| format!("{}={}", package.name, package.version)));
        run(&mut command).map(drop).map_err(|error| InstallError::Download(said(error)))
    }
}

/// Removes links in a folder of lists, and not what they lead to: apt makes its own anew, and writes through no other.
fn remove_links(lists: &Path) -> Result<(), InstallError> {
    let entries = match fs::read_dir(lists) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(InstallError::io(lists))?,
    };
    for entry in entries {
        let path = entry.map_err(InstallError::io(lists))?.path();
        if path.is_symlink() {
            fs::remove_file(&path).map_err(InstallError::io(&path))?;
        }
    }
    Ok(())
}

/// A list of installed packages without those built from one source package.
fn without_source(installed: &str, source: Option<&str>) -> String {
    let Some(source) = source else { return installed.to_owned() };
    let is_built_from_it = |paragraph: &&str| {
        let sources = paragraph.lines().filter_map(|line| line.strip_prefix("Source: "));
        sources.into_iter().any(|value| value.split(' ').next() == Some(source))
    };
    let kept: Vec<&str> = installed.split("\n\n").filter(|paragraph| !is_built_from_it(paragraph)).collect();
    kept.join("\n\n")
}

/// Reads `Inst NAME (VERSION …` of a simulated installation.
fn simulated_install(line: &str) -> Option<Package> {
    let (name, rest) = line.strip_prefix("Inst ")?.split_once(' ')?;
    // `Inst NAME [OLD] (NEW …` is an upgrade of a package the system has.
    let version = rest.strip_prefix('(')?.split(' ').next()?;
    Some(Package { name: name.to_owned(), version: version.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upgrades_of_the_system_are_left_alone() {
        let package = simulated_install("Inst libllvm22 (1:22.1.8-1 Debian:12 [amd64])").unwrap();
        assert_eq!((package.name.as_str(), package.version.as_str()), ("libllvm22", "1:22.1.8-1"));
        assert!(simulated_install("Inst libc6 [2.36-9] (2.36-10 Debian:12 [amd64])").is_none());
    }

    #[test]
    fn packages_of_one_source_can_count_as_missing() {
        let status = "Package: clang-22\nSource: llvm-toolchain-22 (1:22)\n\nPackage: libc6\nSource: glibc\n\n\
                      Package: zlib1g\n";
        let kept = without_source(status, Some("llvm-toolchain-22"));
        assert_eq!(kept, "Package: libc6\nSource: glibc\n\nPackage: zlib1g\n");
        assert_eq!(without_source(status, None), status);
    }
}
