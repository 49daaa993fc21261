//! What this group tells the others.

use super::{emulated, foreign_attribute, unreliable_clock};
use crate::rules::context::Context;
use crate::rules::query::Name;
use crate::source::{TextRange, TextSize};
use crate::syntax::Document;

/// Whether a rule of this group reports `name`, so that the rules about names need not.
pub(in crate::rules) fn reports(name: &Name<'_>, cx: &Context<'_>) -> bool {
    foreign_attribute::is_foreign(&name.text) || emulated(name).is_some() || unreliable_clock::is_unreliable(name, cx)
}

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
