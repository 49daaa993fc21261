//! The suites of AMD's compiled tests that are run, and where Debian has them.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use hipshift::toolchain::{
    Libraries, LibrarySet, LibraryStart, Packages, Part, System, install_libraries, install_packages,
};

/// A suite.
pub(super) struct Suite {
    /// The word that names it.
    pub(super) name: &'static str,
    /// Debian's packages, that with the programs first.
    packages: &'static [&'static str],
    /// Sets of AMD's libraries that the programs load.
    sets: &'static [&'static str],
    /// Which tests are run, as googletest takes it.
    pub(super) filter: &'static str,
    /// Tests of a process at most.
    pub(super) at_once: usize,
    /// A file that the programs read, as they cannot find it beside themselves: they are started by a loader, and look beside that.
    data: Option<&'static str>,
}

/// Tests of a process that takes minutes to read its data first. Their names fit into a command.
const AFTER_DATA: usize = 500;

/// All that are offered. Tests of rocPRIM, rocThrust, rocFFT, rocSPARSE and rocSOLVER are not: they stay unseen by who works here.
pub(super) const SUITES: &[Suite] = &[
    Suite { name: "hipcub", packages: &["libhipcub-tests"], sets: &[], filter: "*", at_once: 50, data: None },
    Suite { name: "rocrand", packages: &["librocrand1-tests"], sets: &["rand"], filter: "*", at_once: 50, data: None },
    Suite { name: "hiprand", packages: &["libhiprand1-tests"], sets: &["rand"], filter: "*", at_once: 50, data: None },
    Suite {
        name: "rocblas",
        packages: &["librocblas5-tests", "librocblas5-tests-data", "librocm-smi64-7"],
        sets: &["blas"],
        filter: "*quick*",
        at_once: AFTER_DATA,
        data: Some("rocblas_gtest.data"),
    },
    Suite {
        name: "hipblas",
        packages: &["libhipblas3-tests", "libhipblas3-tests-data"],
        sets: &["blas"],
        filter: "*quick*",
        at_once: AFTER_DATA,
        data: Some("hipblas_gtest.data"),
    },
];

/// A suite that was fetched.
pub(super) struct Fetched {
    /// Of its packages.
    pub(super) version: String,
    /// Its test programs, by name.
    pub(super) programs: Vec<PathBuf>,
    /// How they start.
    pub(super) start: LibraryStart,
    /// Words that each program is given.
    pub(super) words: Vec<String>,
}

impl Suite {
    /// The suite of a name.
    pub(super) fn find(name: &str) -> Option<&'static Suite> {
        SUITES.iter().find(|suite| suite.name == name)
    }

    /// Fetches the suite with what it needs into a folder, as far as it is not there. The sizes are told before.
    pub(super) fn fetch(&self, folder: &Path, tell: &dyn Fn(&str)) -> Result<Fetched> {
        let system = System::default();
        let inside = format!("tests-{}", self.name);
        let what = format!("tests of {}", self.name);
        install_packages(&system, folder, &Packages::base(), tell)?;
        let sets: Vec<_> = self.sets.iter().filter_map(|name| LibrarySet::find(name)).collect();
        install_libraries(&system, folder, &sets, false, tell)?;
        let packages = Packages::beside_libraries(&what, self.packages, &inside);
        let Part { version, path, .. } = install_packages(&system, folder, &packages, tell)?;
        let mut start = Libraries::in_folder(folder).start_with_base(&[]);
        start.folders.push(path.join("usr/lib/x86_64-linux-gnu"));
        // The clients of the BLAS libraries leave out lines of tests that pass, which tell how far a process came.
        start.environment.push(("GTEST_LISTENER".to_owned(), "PASS_LINE_IN_LOG".to_owned()));
        let files = files_below(&path)?;
        let data = self.data.and_then(|name| files.iter().find(|file| file.ends_with(name)));
        let words = data.map(|file| vec!["--data".to_owned(), file.display().to_string()]).unwrap_or_default();
        let mut programs: Vec<PathBuf> = files.into_iter().filter(|file| is_program(file)).collect();
        programs.sort();
        Ok(Fetched { version, programs, start, words })
    }
}

/// The files below a folder, without links.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("listing `{}`", folder.display()))? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            files.extend(files_below(&entry.path())?);
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    Ok(files)
}

/// Whether a file of a package is a test program: an executable where Debian puts those of ROCm.
fn is_program(file: &Path) -> bool {
    let lies_there = file.components().any(|part| part.as_os_str() == "libexec");
    let is_library = file.file_name().is_some_and(|name| name.to_string_lossy().contains(".so"));
    let is_executable = || fs::metadata(file).is_ok_and(|about| about.permissions().mode() & 0o111 != 0);
    let is_machine_code = || {
        let mut head = [0; 4];
        let read = fs::File::open(file).and_then(|mut file| std::io::Read::read_exact(&mut file, &mut head));
        read.is_ok() && head == *b"\x7fELF"
    };
    lies_there && !is_library && is_executable() && is_machine_code()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suites_that_must_stay_unseen_are_not_offered() {
        let unseen = ["rocprim", "rocthrust", "rocfft", "hipfft", "rocsparse", "hipsparse", "rocsolver", "hipsolver"];
        for suite in SUITES {
            let names = suite.packages.iter().copied().chain([suite.name]);
            let mut wrong = names.filter(|name| unseen.iter().any(|word| name.contains(word)));
            assert_eq!(wrong.next(), None, "{}", suite.name);
            assert!(suite.sets.iter().all(|name| LibrarySet::find(name).is_some()), "{}", suite.name);
        }
        assert!(Suite::find("hipcub").is_some() && Suite::find("rocprim").is_none());
    }

    #[test]
    fn programs_are_executables_and_no_scripts() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("usr/libexec/rocm/some");
        fs::create_dir_all(&folder).unwrap();
        for (name, text, mode) in [
            ("test_a", &b"\x7fELF.."[..], 0o755),
            ("run.sh", b"#!/bin/sh", 0o755),
            ("libx.so.1", b"\x7fELF..", 0o755),
            ("object.o", b"\x7fELF..", 0o644),
        ] {
            fs::write(folder.join(name), text).unwrap();
            fs::set_permissions(folder.join(name), fs::Permissions::from_mode(mode)).unwrap();
        }
        let mut programs = files_below(root.path()).unwrap();
        programs.retain(|file| is_program(file));
        assert_eq!(programs, [folder.join("test_a")]);
    }
}
