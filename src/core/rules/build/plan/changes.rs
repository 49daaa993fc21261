//! The changes of a build file so far, and which of their edits stand at a place.

use std::collections::BTreeMap;

use super::change::Change;
use crate::source::{Edit, TextRange};

/// Bytes of text whose edits are looked at together: a file has as many changes as lines, and each looks for those beside it.
const BLOCK: usize = 1024;

/// An edit: the numbers of its change and within that.
type EditNumber = (usize, usize);

/// Changes in the order in which they came.
#[derive(Default)]
pub(super) struct Changes {
    list: Vec<Change>,
    /// The edits that stand in each block of the text or end at it.
    blocks: BTreeMap<usize, Vec<EditNumber>>,
}

impl Changes {
    pub(super) fn as_slice(&self) -> &[Change] {
        &self.list
    }

    pub(super) fn into_vec(self) -> Vec<Change> {
        self.list
    }

    pub(super) fn push(&mut self, change: Change) {
        for (number, edit) in change.edits.iter().enumerate() {
            note(&mut self.blocks, edit.range, (self.list.len(), number));
        }
        self.list.push(change);
    }

    /// The edits that may touch a part of the text, and a few more, in the order in which they came.
    pub(super) fn edits_near(&self, part: TextRange) -> impl Iterator<Item = &Edit> + Clone {
        self.numbers_near(part).into_iter().map(|(change, edit)| &self.list[change].edits[edit])
    }

    /// The first edit of exactly this part, and what its change is about.
    pub(super) fn edit_of(&self, part: TextRange) -> Option<(EditNumber, TextRange)> {
        let mut near = self.numbers_near(part).into_iter();
        let number = near.find(|(change, edit)| self.list[*change].edits[*edit].range == part)?;
        Some((number, self.list[number.0].range))
    }

    /// Changes an edit.
    pub(super) fn alter(&mut self, number: EditNumber, alter: impl FnOnce(&mut Edit)) {
        let edit = &mut self.list[number.0].edits[number.1];
        for block in blocks(edit.range) {
            if let Some(numbers) = self.blocks.get_mut(&block) {
                numbers.retain(|other| *other != number);
            }
        }
        alter(edit);
        note(&mut self.blocks, edit.range, number);
    }

    fn numbers_near(&self, part: TextRange) -> Vec<EditNumber> {
        let mut near: Vec<EditNumber> =
            self.blocks.range(blocks(part)).flat_map(|(_, numbers)| numbers).copied().collect();
        near.sort_unstable();
        near.dedup();
        near
    }
}

fn note(blocks_of_text: &mut BTreeMap<usize, Vec<EditNumber>>, part: TextRange, number: EditNumber) {
    for block in blocks(part) {
        blocks_of_text.entry(block).or_default().push(number);
    }
}

/// The blocks that a part of the text stands in or ends at.
fn blocks(part: TextRange) -> std::ops::RangeInclusive<usize> {
    usize::from(part.start()) / BLOCK..=usize::from(part.end()) / BLOCK
}
