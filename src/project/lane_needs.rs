//! What functions, macros and classes need lanes for, followed from file to file: whoever calls a function of a header in one branch
//! only comes to what that calls.

use aho_corasick::AhoCorasick;

use super::learning::{Asked, FileSaid, Reading, Said, follow as follow_said};
use crate::analysis::LaneNeeds;
use crate::engine::lane_needs;
use crate::mapping::Table;
use crate::source::is_wide;
use crate::syntax::Document;

/// What is known of a file, for as long as it does not change.
pub(super) type FileNeeds = FileSaid<LaneNeeds>;

impl Said for LaneNeeds {
    fn beyond(self, known: &LaneNeeds) -> LaneNeeds {
        self.beyond(known)
    }

    fn about(&self, is_meant: impl Fn(&str) -> bool) -> LaneNeeds {
        self.about(is_meant)
    }

    fn add(&mut self, more: LaneNeeds) {
        self.extend(more);
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.named.keys().chain(self.objects.keys()).map(String::as_str)
    }
}

/// Whether a file with these bytes may have one of some names.
pub(super) fn may_have(bytes: &[u8], names: &AhoCorasick) -> bool {
    is_wide(bytes) || names.is_match(bytes)
}

/// Follows what is needed until no file adds anything; each comes with whether it may need lanes by itself.
pub(super) fn follow<'f, F: Sync + Send>(
    files: impl Iterator<Item = (F, &'f mut FileNeeds, bool)>,
    reading: &Reading<impl Fn(&F) -> Option<Document> + Sync, impl Fn(&F, &AhoCorasick) -> bool + Sync>,
    table: &Table,
) -> LaneNeeds {
    let asked = files.map(|(file, said, begins)| Asked { file, said, begins });
    follow_said(asked, reading, |document, known| lane_needs(document, known, table))
}
