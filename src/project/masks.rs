//! Lane masks, followed from file to file: a function hands a mask on without any word that tells of lanes.

use aho_corasick::AhoCorasick;

use super::learning::{Asked, FileSaid, Reading, Said, follow as follow_said};
use crate::analysis::{Functions, MaskFunctions, MaskUses};
use crate::syntax::Document;

/// What is known of a file, for as long as it does not change.
pub(super) type FileMasks = FileSaid<MaskFunctions>;

impl Said for MaskFunctions {
    fn beyond(mut self, known: &MaskFunctions) -> MaskFunctions {
        self.returned.retain(|name| !known.returned.contains(name));
        self.parameters.retain(|parameter| !known.parameters.contains(parameter));
        self
    }

    fn about(&self, is_meant: impl Fn(&str) -> bool) -> MaskFunctions {
        MaskFunctions {
            returned: self.returned.iter().filter(|name| is_meant(name)).cloned().collect(),
            parameters: self.parameters.iter().filter(|(name, _)| is_meant(name)).cloned().collect(),
        }
    }

    fn add(&mut self, more: MaskFunctions) {
        self.extend(more);
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.returned.iter().chain(self.parameters.iter().map(|(name, _)| name)).map(String::as_str)
    }
}

/// Follows lane masks until no file adds any. `read` gives the document of a file.
pub(super) fn follow<'f, F: Sync + Send>(
    files: impl Iterator<Item = (F, &'f mut FileMasks)>,
    read: impl Fn(&F) -> Option<Document> + Sync,
) -> MaskFunctions {
    let asked = files.map(|(file, said)| Asked { file, said, begins: true });
    // All of them are read at once.
    follow_said(asked, &Reading { read, may_have: |_: &F, _: &AhoCorasick| true }, masks_in)
}

/// The functions of a file that return lane masks or take them.
fn masks_in(document: &Document, known: &MaskFunctions) -> MaskFunctions {
    MaskUses::of(document, &Functions::of(document), known, false).functions
}
