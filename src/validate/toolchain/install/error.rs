//! Why a toolchain could not be fetched.

use std::io;
use std::path::{Path, PathBuf};

use crate::mapping::RocmVersion;

/// Why a toolchain could not be fetched. What was fetched before stays usable in each case.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// There is no apt, or it has no sources that are understood.
    #[error(
        "{0}: packages can only be fetched on Debian and its like; elsewhere install ROCm with the distribution's package manager, or name a folder with `--toolchain`"
    )]
    NotDebianLike(String),
    /// apt could not read the lists of packages.
    #[error(
        "the lists of packages could not be fetched, which needs the network: {0}; parts that are there stay usable"
    )]
    Lists(String),
    /// apt could not fetch a package, or it is not what the lists say.
    #[error("packages could not be fetched: {0}; run the command again to go on where it stopped")]
    Download(String),
    /// No suite has this release.
    #[error("none of the suites {} carries HIP {version}", suites.join(", "))]
    NoSuite {
        /// The release.
        version: RocmVersion,
        /// Where it was looked for.
        suites: Vec<String>,
    },
    /// No package can be had of this release.
    #[error("HIP {0} is not packaged; there are 5.7, 6.4 and 7.2")]
    NoRelease(RocmVersion),
    /// No suite has this package.
    #[error("apt has no package `{0}`")]
    NoPackage(String),
    /// A program of the system failed.
    #[error("`{program}` failed: {text}")]
    Program {
        /// Its name.
        program: String,
        /// What it said.
        text: String,
    },
    /// The disk did not do as it was told.
    #[error("{path}: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A link leads out of the folder.
    #[error("{0} is a link, and nothing is written through one; remove it, or choose another folder")]
    Link(PathBuf),
    /// Another run works in the same folder.
    #[error("another run fills {0}; wait for it to end")]
    Busy(PathBuf),
    /// The parts are there and do not work together.
    #[error(
        "the compiler does not take a small kernel (the host needs a C++ standard library: `apt-get install g++`): {0}"
    )]
    Check(String),
}

impl InstallError {
    /// An error of the disk at `path`.
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> InstallError + use<> {
        let path = path.to_owned();
        move |source| InstallError::Io { path, source }
    }
}
