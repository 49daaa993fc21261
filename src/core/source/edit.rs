//! The atom of every change: one range of the original text and what stands there instead.

use super::{TextRange, TextSize};

/// One part of an edit's new text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Piece {
    /// New text.
    Text(String),
    /// A part of the original text, which other edits may change.
    Keep(TextRange),
}

/// Replaces `range` of the original text by `pieces`. An empty range inserts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Edit {
    /// Bytes of the original text.
    pub range: TextRange,
    /// What stands there afterwards. Kept ranges lie within `range`.
    pub pieces: Vec<Piece>,
}

impl Edit {
    /// Replaces a range by new text.
    pub fn replace(range: TextRange, text: impl Into<String>) -> Edit {
        Edit { range, pieces: vec![Piece::Text(text.into())] }
    }

    /// Inserts new text.
    pub fn insert(at: TextSize, text: impl Into<String>) -> Edit {
        Edit::replace(TextRange::empty(at), text)
    }

    /// Removes a range.
    pub fn delete(range: TextRange) -> Edit {
        Edit { range, pieces: Vec::new() }
    }

    /// Whether the edit inserts whole lines. Such an insertion comes before any other at its place.
    pub fn inserts_lines(&self) -> bool {
        self.range.is_empty() && ends_line(&self.pieces)
    }

    /// Whether `inner` lies wholly in one kept part of this edit, so that both can be applied.
    pub(super) fn keeps(&self, inner: TextRange) -> bool {
        keeps(&self.pieces, inner)
    }
}

/// Whether what `pieces` put together ends with new text and a line end.
pub(super) fn ends_line(pieces: &[Piece]) -> bool {
    matches!(pieces.last(), Some(Piece::Text(text)) if text.ends_with('\n'))
}

/// Whether `inner` lies wholly in one part that `pieces` keep.
pub(super) fn keeps(pieces: &[Piece], inner: TextRange) -> bool {
    pieces.iter().any(|piece| matches!(piece, Piece::Keep(kept) if kept.contains_range(inner)))
}
