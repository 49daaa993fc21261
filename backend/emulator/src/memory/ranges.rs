//! Ranges of bytes by where they begin.

use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

/// Ranges that do not overlap.
#[derive(Debug, Default)]
pub(super) struct Ranges(RwLock<BTreeMap<u64, u64>>);

impl Ranges {
    /// The last range that begins at an address or before: its start and its bytes.
    pub(super) fn before(&self, address: u64) -> Option<(u64, u64)> {
        let ranges = self.0.read().unwrap_or_else(PoisonError::into_inner);
        ranges.range(..=address).next_back().map(|(start, bytes)| (*start, *bytes))
    }

    /// The range that holds an address.
    pub(super) fn holding(&self, address: u64) -> Option<(u64, u64)> {
        self.before(address).filter(|(start, bytes)| address - start < *bytes)
    }

    pub(super) fn insert(&self, start: u64, bytes: u64) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(start, bytes);
    }

    pub(super) fn remove(&self, start: u64) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).remove(&start);
    }
}
