//! The blanks around what a fix takes out.

use crate::source::{TextRange, TextSize};
use crate::syntax::Document;

/// A range with the blanks that follow it, or with those before it where its line ends.
pub(in crate::rules) fn with_blanks(document: &Document, range: TextRange) -> TextRange {
    let size = |bytes: usize| TextSize::try_from(bytes).unwrap_or_default();
    let (before, after) = document.text().split_at(usize::from(range.end()));
    let blanks = after.len() - after.trim_start_matches(' ').len();
    if !after[blanks..].starts_with(['\r', '\n']) {
        return TextRange::new(range.start(), range.end() + size(blanks));
    }
    let before = &before[..usize::from(range.start())];
    let blanks = before.len() - before.trim_end_matches(' ').len();
    TextRange::new(range.start() - size(blanks), range.end())
}
