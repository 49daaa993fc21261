//! Byte offsets as people and editors count them.

pub use line_index::{LineIndex, TextRange, TextSize};

/// A line and column, both counted from 1; the column counts characters, as compilers do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in Unicode characters, from 1.
    pub column: u32,
}

/// A range from two byte offsets. `end` below `start` gives an empty range at `start`.
pub fn range(start: usize, end: usize) -> TextRange {
    let offset = |at: usize| TextSize::new(u32::try_from(at).unwrap_or(u32::MAX));
    TextRange::new(offset(start), offset(end.max(start)))
}

/// Where `offset` lies in `text`, whose lines are indexed by `lines`.
pub fn position(text: &str, lines: &LineIndex, offset: TextSize) -> Position {
    let at = lines.line_col(offset);
    let line_start = usize::from(offset) - at.col as usize;
    let before = text.get(line_start..usize::from(offset)).unwrap_or_default();
    let column = before.trim_start_matches('\u{feff}').chars().count();
    Position { line: at.line + 1, column: u32::try_from(column).unwrap_or(u32::MAX) + 1 }
}
