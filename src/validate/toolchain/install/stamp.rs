//! The file that says which packages a folder holds, so that a second run has nothing to do.

use std::fs;
use std::path::Path;

use super::error::InstallError;

const FILE_NAME: &str = "packages.txt";

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
    /// Reads the stamp of a folder; none if the folder was not completed.
    pub(super) fn read(folder: &Path) -> Option<Self> {
        let text = fs::read_to_string(folder.join(FILE_NAME)).ok()?;
        let packages = text.lines().filter_map(|line| {
            let (name, version) = line.split_once(' ')?;
            Some(Package { name: name.to_owned(), version: version.to_owned() })
        });
        Some(Self { packages: packages.collect() })
    }

    /// Writes the stamp, one package per line.
    pub(super) fn write(&self, folder: &Path) -> Result<(), InstallError> {
        let lines = self.packages.iter().map(|package| format!("{} {}\n", package.name, package.version));
        let file = folder.join(FILE_NAME);
        fs::write(&file, lines.collect::<String>()).map_err(InstallError::io(&file))
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
