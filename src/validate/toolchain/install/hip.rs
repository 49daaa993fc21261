//! The packages of each HIP release.

use std::path::{Path, PathBuf};

use super::apt::Apt;
use super::error::InstallError;
use super::folder::unpack_all;
use super::stamp::{Package, Stamp};
use super::system::System;
use crate::mapping::RocmVersion;

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

/// One HIP release and where its headers come from.
pub(super) struct Release {
    pub(super) version: RocmVersion,
    /// Debian suites that carry it, best first: what a suite holds changes with time.
    suites: &'static [&'static str],
    /// Only the newest set of device libraries is needed: clang 22 uses it with every release.
    device_libraries: Option<&'static str>,
}

pub(super) const PACKAGED: &[Release] = &[
    Release {
        version: RocmVersion::new(7, 2),
        suites: &["experimental", "sid"],
        device_libraries: Some("rocm-device-libs-22"),
    },
    Release { version: RocmVersion::new(6, 4), suites: &["sid", "forky"], device_libraries: None },
    Release { version: RocmVersion::new(5, 7), suites: &["trixie"], device_libraries: None },
];

/// What of a release is there.
pub(super) struct Fetched {
    /// Version of the package of HIP itself, and the number of libraries with headers.
    pub(super) version: String,
    /// Version of the device libraries, where they belong to this release.
    pub(super) device_libraries: Option<String>,
    /// The folder with `include/hip`.
    pub(super) folder: PathBuf,
}

impl Release {
    /// The release of a number, if it is packaged.
    pub(super) fn find(version: RocmVersion) -> Result<&'static Release, InstallError> {
        PACKAGED.iter().find(|release| release.version == version).ok_or(InstallError::NoRelease(version))
    }

    /// Makes sure that the headers are in `dir`.
    pub(super) fn fetch(&self, system: &System, dir: &Path, refresh: bool) -> Result<Fetched, InstallError> {
        let home = dir.join(format!("hip-{}", self.version));
        let wanted: Vec<&str> =
            [HIP].into_iter().chain(self.device_libraries).chain(LIBRARIES.iter().copied()).collect();
        let stamp = match Stamp::read(&home).filter(|stamp| !refresh && stamp.covers(&wanted)) {
            Some(stamp) => stamp,
            None => self.fetch_packages(system, &wanted, dir, &home)?,
        };
        let n_libraries = LIBRARIES.iter().filter(|name| stamp.version(name).is_some()).count();
        Ok(Fetched {
            version: format!("{} and {n_libraries} libraries", stamp.version(HIP).unwrap_or("?")),
            device_libraries: self.device_libraries.and_then(|name| stamp.version(name)).map(str::to_owned),
            folder: home.join("usr"),
        })
    }

    /// Takes the first suite that has the release: on Debian one of those known to carry it, elsewhere the machine's own.
    fn fetch_packages(&self, system: &System, wanted: &[&str], dir: &Path, home: &Path) -> Result<Stamp, InstallError> {
        let distribution = system.distribution()?;
        let own = [distribution.codename.as_str()];
        let suites: &[&str] = if distribution.is_debian { self.suites } else { &own };
        for suite in suites {
            let apt = Apt::for_suite(system, dir, suite)?;
            let versions = apt.versions(wanted)?;
            let is_release = versions.get(HIP).is_some_and(|version| number(version) == Some(self.number()));
            let has_device_libraries = self.device_libraries.is_none_or(|name| versions.contains_key(name));
            if is_release && has_device_libraries {
                let package = |name: &&str| {
                    let version = versions.get(*name).filter(|version| self.takes(name, version));
                    Package { name: (*name).to_owned(), version: version.map_or("-", String::as_str).to_owned() }
                };
                return unpack_all(&apt, wanted.iter().map(package).collect(), home);
            }
        }
        let suites = suites.iter().map(|suite| (*suite).to_owned()).collect();
        Err(InstallError::NoSuite { version: self.version, suites })
    }

    fn number(&self) -> (u16, u16) {
        (self.version.major, self.version.minor)
    }

    /// Whether a library may stand for the release: newer headers would show names it never had.
    fn takes(&self, name: &str, version: &str) -> bool {
        let is_old_enough = number(version).is_some_and(|number| number <= self.number());
        is_old_enough || ANY_VERSION.contains(&name) || self.device_libraries == Some(name)
    }
}

/// The first two numbers of a version, its epoch left out.
fn number(version: &str) -> Option<(u16, u16)> {
    let version = version.split_once(':').map_or(version, |(_epoch, rest)| rest);
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_not_newer_than_the_release() {
        let old = Release::find(RocmVersion::new(5, 7)).unwrap();
        assert!(old.takes("librocprim-dev", "5.5.1+dfsg-7"));
        assert!(!old.takes("librocprim-dev", "6.1.2-3"));
        assert!(old.takes("libhipblas-common-dev", "6.1.2-3"));
        let new = Release::find(RocmVersion::NEWEST).unwrap();
        assert!(!new.takes("librocprim-dev", "10.0-1"));
        assert_eq!(number("1:22.1.8-1~deb12u1"), Some((22, 1)));
    }

    #[test]
    fn other_releases_are_not_packaged() {
        let error = Release::find(RocmVersion::new(6, 0)).err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), Some("HIP 6.0 is not packaged; there are 5.7, 6.4 and 7.2"));
    }
}
