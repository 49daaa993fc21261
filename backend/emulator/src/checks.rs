//! How much is checked while kernels run, beside what safety of the host needs.

use std::fmt;
use std::str::FromStr;

/// A level of checks. Bounds of memory are checked on every level, as [`Bounds`](crate::Bounds) says: guest addresses are host
/// addresses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Checks {
    /// What the hardware does.
    None,
    /// What a correct program never does: races in LDS, barriers that only a part of a wave comes to, blocks that wait
    /// forever.
    #[default]
    Default,
    /// What a correct program may do if it does not use what it gets, as libraries do: reads of LDS that was never
    /// written, lanes that read inactive ones. Also barriers after the end of a wave, and addresses that are not aligned.
    All,
}

impl Checks {
    /// The words that name the levels.
    pub const WORDS: [&'static str; 3] = ["none", "default", "all"];

    /// Whether what a correct program never does is looked for.
    #[inline]
    pub(crate) fn are_on(self) -> bool {
        self != Checks::None
    }

    /// Whether what is only unusual is looked for.
    #[inline]
    pub(crate) fn are_all(self) -> bool {
        self == Checks::All
    }
}

impl FromStr for Checks {
    type Err = UnknownChecks;

    fn from_str(word: &str) -> Result<Checks, UnknownChecks> {
        match word {
            "none" => Ok(Checks::None),
            "default" => Ok(Checks::Default),
            "all" => Ok(Checks::All),
            _ => Err(UnknownChecks(word.to_owned())),
        }
    }
}

/// A word that names no level of checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownChecks(String);

impl fmt::Display for UnknownChecks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}' is none of {}", self.0, Checks::WORDS.join(", "))
    }
}

impl std::error::Error for UnknownChecks {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_levels() {
        let levels = Checks::WORDS.map(|word| word.parse::<Checks>().unwrap());
        assert_eq!(levels, [Checks::None, Checks::Default, Checks::All]);
        assert_eq!("some".parse::<Checks>().unwrap_err().to_string(), "'some' is none of none, default, all");
    }
}
