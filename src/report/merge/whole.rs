//! Whether parts make a whole.

use std::collections::BTreeMap;

use super::error::MergeError;
use crate::report::part::PartWords;

/// Fails unless each part of one run is there once.
pub(super) fn check_complete(names: &[&str], words: &[PartWords]) -> Result<(), MergeError> {
    let (Some(first), Some(first_name)) = (words.first(), names.first()) else { return Err(MergeError::Uneven) };
    // By number: a report may claim to be one of billions.
    let mut seen: BTreeMap<u32, &str> = BTreeMap::new();
    for (words, name) in words.iter().zip(names) {
        let different = |what: &str| MergeError::Different {
            first: (*first_name).to_owned(),
            second: (*name).to_owned(),
            what: what.to_owned(),
        };
        if words.of != first.of {
            return Err(different("the number of shards"));
        }
        if words.entries != first.entries {
            return Err(different("the number of files or programs"));
        }
        if !(1..=words.of).contains(&words.number) {
            return Err(MergeError::Uneven);
        }
        if let Some(before) = seen.insert(words.number, name) {
            let shard = format!("{}/{}", words.number, words.of);
            return Err(MergeError::Twice { first: before.to_owned(), second: (*name).to_owned(), shard });
        }
    }
    let of = first.of;
    match (1..=of).find(|number| !seen.contains_key(number)) {
        Some(number) => Err(MergeError::Missing(format!("{number}/{of}"))),
        None => Ok(()),
    }
}

/// Fails unless the positions of all parts are those of all entries.
pub(super) fn check_each_once(positions: &[&[usize]], entries: usize) -> Result<(), MergeError> {
    let mut all: Vec<usize> = positions.iter().flat_map(|positions| positions.iter().copied()).collect();
    all.sort_unstable();
    if all.into_iter().eq(0..entries) { Ok(()) } else { Err(MergeError::Uneven) }
}
