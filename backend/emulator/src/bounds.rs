//! What becomes of accesses past the end of an allocation or of a block's LDS.

use std::fmt;
use std::str::FromStr;

/// What becomes of an access past the end of an allocation or of a block's LDS. It is a finding in either case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Bounds {
    /// The kernel is stopped.
    #[default]
    Exact,
    /// The kernel goes on where hardware lets it: memory is given out in granules, and what lies behind an allocation in its
    /// last one can be read and written. LDS past the granules of a block reads as zero and is not written. Past the granules
    /// of an allocation, and in no allocation at all, the kernel is stopped.
    Granule,
}

impl Bounds {
    /// The words that name the values.
    pub const WORDS: [&'static str; 2] = ["exact", "granule"];

    /// Bytes of global memory that allocations take up multiples of: GPUs of AMD map pages of 4 KiB at least.
    pub(crate) fn memory_granule(self) -> u64 {
        match self {
            Bounds::Exact => 1,
            Bounds::Granule => 4096,
        }
    }

    /// Bytes of LDS that a block has which uses `bytes`, where hardware gives it out in pieces of `granule` bytes.
    pub(crate) fn granted_lds(self, bytes: u32, granule: u32) -> u32 {
        match self {
            Bounds::Exact => bytes,
            Bounds::Granule => bytes.div_ceil(granule).saturating_mul(granule),
        }
    }
}

impl FromStr for Bounds {
    type Err = UnknownBounds;

    fn from_str(word: &str) -> Result<Bounds, UnknownBounds> {
        match word {
            "exact" => Ok(Bounds::Exact),
            "granule" => Ok(Bounds::Granule),
            _ => Err(UnknownBounds(word.to_owned())),
        }
    }
}

/// A word that names no bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownBounds(String);

impl fmt::Display for UnknownBounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}' is none of {}", self.0, Bounds::WORDS.join(", "))
    }
}

impl std::error::Error for UnknownBounds {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_bounds() {
        let found = Bounds::WORDS.map(|word| word.parse::<Bounds>().unwrap());
        assert_eq!(found, [Bounds::Exact, Bounds::Granule]);
        assert_eq!("page".parse::<Bounds>().unwrap_err().to_string(), "'page' is none of exact, granule");
    }

    #[test]
    fn lds_is_granted_in_whole_granules() {
        let granted = [0, 1, 512, 513].map(|bytes| Bounds::Granule.granted_lds(bytes, 512));
        assert_eq!(granted, [0, 512, 512, 1024]);
        assert_eq!(Bounds::Exact.granted_lds(513, 512), 513);
    }
}
