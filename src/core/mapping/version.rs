//! ROCm versions and ranges of them.

use std::fmt;
use std::str::FromStr;

/// A ROCm release, `major.minor`. HIP releases carry the same numbers from 5.0 on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RocmVersion {
    /// Major number.
    pub major: u16,
    /// Minor number.
    pub minor: u16,
}

/// A version that is not `major.minor`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no ROCm version; write major and minor number, such as `7.2`")]
pub struct VersionError(String);

impl RocmVersion {
    /// The oldest release that hipshift converts to.
    pub const OLDEST: RocmVersion = RocmVersion::new(5, 7);
    /// The newest release that the tables were checked against.
    pub const NEWEST: RocmVersion = RocmVersion::new(7, 2);

    /// The release `major.minor`.
    pub const fn new(major: u16, minor: u16) -> RocmVersion {
        RocmVersion { major, minor }
    }

    /// The value of the macro `HIP_VERSION`, patch level 0 (HIP porting guide, "`HIP_VERSION`").
    pub fn hip_version_macro(self) -> u32 {
        u32::from(self.major) * 10_000_000 + u32::from(self.minor) * 100_000
    }
}

impl fmt::Display for RocmVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl FromStr for RocmVersion {
    type Err = VersionError;

    /// Reads `7.2`; a patch level as in `7.2.4` is accepted and dropped.
    fn from_str(text: &str) -> Result<RocmVersion, VersionError> {
        let error = || VersionError(text.to_owned());
        let mut numbers = text.split('.').map(|part| part.parse::<u16>().map_err(|_| error()));
        let major = numbers.next().ok_or_else(error)??;
        let minor = numbers.next().ok_or_else(error)??;
        let patch = numbers.next().transpose()?;
        if (patch.is_some() && numbers.next().is_some()) || minor > 99 {
            return Err(error());
        }
        Ok(RocmVersion { major, minor })
    }
}

/// An inclusive range of releases, open where a bound is missing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VersionRange {
    /// First release.
    pub since: Option<RocmVersion>,
    /// Last release.
    pub until: Option<RocmVersion>,
}

impl VersionRange {
    /// Whether `version` lies in the range.
    pub fn contains(&self, version: RocmVersion) -> bool {
        self.since.is_none_or(|since| since <= version) && self.until.is_none_or(|until| version <= until)
    }

    /// Whether it begins with the release that comes after the last one of `earlier`. A major number ends with any
    /// minor one.
    pub fn follows(&self, earlier: VersionRange) -> bool {
        let Some((until, since)) = earlier.until.zip(self.since) else { return false };
        since == RocmVersion::new(until.major, until.minor + 1) || since == RocmVersion::new(until.major + 1, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_parse_and_compare() {
        assert_eq!("7.2".parse(), Ok(RocmVersion::new(7, 2)));
        assert_eq!("6.4.3".parse(), Ok(RocmVersion::new(6, 4)));
        assert!("7.10".parse::<RocmVersion>().unwrap() > RocmVersion::NEWEST);
        for wrong in ["7", "", "7.", "seven", "7.2.1.1", "7.200"] {
            assert!(wrong.parse::<RocmVersion>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn ranges_include_their_bounds() {
        let range = VersionRange { since: Some(RocmVersion::new(6, 0)), until: Some(RocmVersion::new(6, 4)) };
        assert!(range.contains(RocmVersion::new(6, 0)) && range.contains(RocmVersion::new(6, 4)));
        assert!(!range.contains(RocmVersion::new(5, 7)) && !range.contains(RocmVersion::new(7, 0)));
        assert!(VersionRange::default().contains(RocmVersion::NEWEST));
    }

    #[test]
    fn a_range_follows_the_one_that_ends_before_it() {
        let range = |since: (u16, u16), until: (u16, u16)| {
            let version = |(major, minor)| Some(RocmVersion::new(major, minor));
            VersionRange { since: version(since), until: version(until) }
        };
        assert!(range((6, 1), (6, 4)).follows(range((5, 7), (6, 0))));
        assert!(range((7, 0), (7, 2)).follows(range((6, 0), (6, 4))));
        assert!(!range((7, 1), (7, 2)).follows(range((6, 0), (6, 4))));
        assert!(!VersionRange::default().follows(range((6, 0), (6, 4))));
    }

    #[test]
    fn version_macro_follows_hips_formula() {
        assert_eq!(RocmVersion::new(7, 2).hip_version_macro(), 70_200_000);
    }
}
