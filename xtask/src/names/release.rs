//! `ROCm` releases as the tables write them: `major.minor`.

use std::fmt;
use std::str::FromStr;

use anyhow::{Context, Error};

/// A `ROCm` release.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Release {
    major: u32,
    minor: u32,
}

/// The releases whose headers are looked at, oldest first. They bound every change we know of:
/// what differs between two of them is dated by change logs.
pub(super) const CHECKED: [Release; 3] =
    [Release { major: 5, minor: 7 }, Release { major: 6, minor: 4 }, Release { major: 7, minor: 2 }];

impl fmt::Display for Release {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}", self.major, self.minor)
    }
}

impl FromStr for Release {
    type Err = Error;

    /// Reads the first two numbers of a version such as `6.4.3-1`.
    fn from_str(text: &str) -> Result<Self, Error> {
        let mut numbers = text.split(|character: char| !character.is_ascii_digit()).map(str::parse::<u32>);
        let mut next = || {
            let number = numbers.next().and_then(Result::ok);
            number.with_context(|| format!("`{text}` is not a version"))
        };
        Ok(Self { major: next()?, minor: next()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn package_versions_are_cut_to_the_release() {
        let release: Release = "6.4.3+dfsg-1".parse().unwrap();
        assert_eq!(release.to_string(), "6.4");
        assert!("-".parse::<Release>().is_err());
    }
}
