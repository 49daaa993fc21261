//! What the changes of a build file deal with, word by word.

use std::collections::BTreeSet;

use super::change::Change;
use crate::source::{Edit, Piece, TextRange, TextSize};

/// The parts of a text that changes rewrite, tell, or are about.
pub(super) struct Touched {
    /// Parts that are rewritten, in order, with the names that stand in their place.
    rewritten: Vec<(TextRange, BTreeSet<String>)>,
    /// Parts that a person is told about, in order and joined.
    told: Vec<TextRange>,
    /// Parts that changes are about or edit, in order and joined.
    about: Vec<TextRange>,
}

impl Touched {
    /// What some changes deal with.
    pub(super) fn of(changes: &[Change]) -> Touched {
        let mut rewritten: Vec<_> = changes.iter().flat_map(|change| &change.edits).flat_map(parts).collect();
        rewritten.sort_by_key(|(part, _)| part.start());
        let told = changes.iter().filter(|change| change.edits.is_empty()).map(|change| change.range);
        let edits = changes.iter().flat_map(|change| change.edits.iter().map(|edit| edit.range));
        let about = changes.iter().map(|change| change.range).chain(edits).map(|part| {
            let least = part.start() + TextSize::from(1);
            TextRange::new(part.start(), part.end().max(least))
        });
        Touched { told: joined(told.collect()), about: joined(about.collect()), rewritten }
    }

    /// Whether a word goes, or a person is told about it.
    pub(super) fn deals_with(&self, place: TextRange, word: &str) -> bool {
        let behind = self.rewritten.partition_point(|(part, _)| part.start() < place.end());
        let around = behind.checked_sub(1).map(|at| &self.rewritten[at]);
        let goes = around.is_some_and(|(part, new)| part.end() > place.start() && !new.contains(word));
        goes || meets(&self.told, place)
    }

    /// Whether a change is about something in a part of the text.
    pub(super) fn is_about(&self, part: TextRange) -> bool {
        meets(&self.about, part)
    }
}

/// The parts of an edit that are not kept, each with the names that the edit writes.
fn parts(edit: &Edit) -> Vec<(TextRange, BTreeSet<String>)> {
    let text = |piece: &Piece| if let Piece::Text(text) = piece { Some(text.clone()) } else { None };
    let new: String = edit.pieces.iter().filter_map(text).collect::<Vec<_>>().join(" ");
    let names: BTreeSet<String> =
        new.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').map(str::to_owned).collect();
    let mut found = Vec::new();
    let mut at = edit.range.start();
    for piece in &edit.pieces {
        if let Piece::Keep(kept) = piece {
            found.push((TextRange::new(at, kept.start().max(at)), names.clone()));
            at = kept.end().max(at);
        }
    }
    found.push((TextRange::new(at, edit.range.end().max(at)), names));
    found.retain(|(part, _)| !part.is_empty());
    found
}

/// Parts in order, those that meet made one.
fn joined(mut parts: Vec<TextRange>) -> Vec<TextRange> {
    parts.sort_by_key(|part| part.start());
    let mut found: Vec<TextRange> = Vec::new();
    for part in parts {
        match found.last_mut() {
            Some(last) if last.end() >= part.start() => *last = last.cover(part),
            _ => found.push(part),
        }
    }
    found
}

/// Whether a part meets one of some that are in order and apart.
fn meets(parts: &[TextRange], part: TextRange) -> bool {
    let behind = parts.partition_point(|other| other.start() < part.end());
    behind.checked_sub(1).is_some_and(|at| parts[at].end() > part.start())
}

/// Whether one of some parts that are in order and apart holds another one.
pub(super) fn holds(parts: &[TextRange], part: TextRange) -> bool {
    let behind = parts.partition_point(|other| other.start() <= part.start());
    behind.checked_sub(1).is_some_and(|at| parts[at].contains_range(part))
}
