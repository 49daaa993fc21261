//! What the report of a part of a run says of itself, so that the parts can be joined.

use serde::{Deserialize, Serialize};

use crate::project::Shard;

/// Which part of a run a report is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Which part.
    pub shard: Shard,
    /// The files or programs of the whole run.
    pub entries: usize,
    /// Where those of the report stand among them.
    pub positions: Vec<usize>,
}

/// A part as it is written.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PartWords {
    pub(super) number: u32,
    pub(super) of: u32,
    pub(super) entries: usize,
    pub(super) positions: Vec<usize>,
    /// Where what could not be read stands, in formats that list it by itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) unread: Vec<usize>,
}

/// The property of a test suite that says where it stands.
pub(super) const POSITION: &str = "position";

/// Between the name of a set of test suites and what part it is.
const PART: &str = ", shard ";

impl Part {
    pub(super) fn words(&self) -> PartWords {
        let Part { shard, entries, ref positions } = *self;
        PartWords { number: shard.number, of: shard.of, entries, positions: positions.clone(), unread: Vec::new() }
    }

    /// The part in the name of a set of test suites.
    pub(super) fn mark(part: Option<&Part>, name: &str) -> String {
        part.map_or_else(|| name.to_owned(), |part| format!("{name}{PART}{} of {}", part.shard, part.entries))
    }

    /// Takes such a name apart.
    pub(super) fn unmark(name: &str) -> Option<(&str, PartWords)> {
        let (name, part) = name.rsplit_once(PART)?;
        let (shard, entries) = part.split_once(" of ")?;
        let Shard { of, number } = shard.parse().ok()?;
        Some((
            name,
            PartWords { number, of, entries: entries.parse().ok()?, positions: Vec::new(), unread: Vec::new() },
        ))
    }

    /// Where the entry at `at` of the report stands in the whole.
    pub(super) fn position(&self, at: usize) -> usize {
        self.positions.get(at).copied().unwrap_or(self.entries)
    }
}
