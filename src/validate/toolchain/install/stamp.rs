//! The file that says which packages a folder holds, so that a second run has nothing to do.

use std::path::Path;

use super::error::InstallError;
use crate::regular_file::{read_regular, write_anew};

const FILE_NAME: &str = "packages.txt";

/// Bytes; the longest list has some hundred lines.
const LONGEST: u64 = 1 << 20;

/// A package of a suite.
#[derive(Clone)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) version: String,
}

/// What was asked for and what came: packages the suite does not have are listed with version `-`.
pub(super) struct Stamp {
    pub(super) packages: Vec<Package>,
}

impl Stamp {
    /// Reads the stamp of a folder; none if the folder was not completed, or its file is not one that [`Self::write`] wrote.
    pub(super) fn read(folder: &Path) -> Option<Self> {
        let file = folder.join(FILE_NAME);
        if !file.symlink_metadata().ok()?.is_file() {
            return None;
        }
        let text = String::from_utf8(read_regular(&file, LONGEST).ok()?).ok()?;
        let packages: Option<Vec<Package>> = text.lines().map(read_line).collect();
        packages.filter(|packages| !packages.is_empty()).map(|packages| Self { packages })
    }

    /// Writes the stamp, one package per line.
    pub(super) fn write(&self, folder: &Path) -> Result<(), InstallError> {
        let lines = self.packages.iter().map(|package| format!("{} {}\n", package.name, package.version));
        let file = folder.join(FILE_NAME);
        write_anew(&file, lines.collect::<String>().as_bytes()).map_err(InstallError::io(&file))
    }

    /// Whether all of `names` were asked for when the folder was filled.
    pub(super) fn covers(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.packages.iter().any(|package| package.name == *name))
    }

    /// The version of one package, if it is there.
    pub(super) fn version(&self, name: &str) -> Option<&str> {
        let package = self.packages.iter().find(|package| package.name == name)?;
        (package.version != "-").then_some(package.version.as_str())
    }
}

/// Reads `NAME VERSION`. Source of the characters: Debian Policy, sections 5.6.7 and 5.6.12.
fn read_line(line: &str) -> Option<Package> {
    let (name, version) = line.split_once(' ')?;
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "+-.".contains(c);
    let is_version = |c: char| c.is_ascii_alphanumeric() || "+-.:~".contains(c);
    let fits = !name.is_empty() && !version.is_empty() && name.chars().all(is_name) && version.chars().all(is_version);
    fits.then(|| Package { name: name.to_owned(), version: version.to_owned() })
}
