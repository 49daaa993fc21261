//! What this group tells the others.

use super::{emulated, foreign_attribute, unreliable_clock};
use crate::rules::context::Context;
use crate::rules::query::Name;
use crate::source::TextRange;
use crate::syntax::Document;

/// Whether a rule of this group reports `name`, so that the rules about names need not.
pub(in crate::rules) fn reports(name: &Name<'_>, cx: &Context<'_>) -> bool {
    foreign_attribute::is_foreign(&name.text)
        || emulated(name, cx).is_some()
        || unreliable_clock::is_unreliable(name, cx)
}

/// The start and the end of the lines of a definition, if nothing else stands on them but a comment.
pub(super) fn own_lines(document: &Document, range: TextRange) -> Option<(TextRange, TextRange)> {
    let text = document.text();
    let (start, end) = (usize::from(range.start()), usize::from(range.end()));
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let rest = text[end..].find(['\r', '\n']).map_or(text.len(), |at| end + at);
    let behind = text[end..rest].trim();
    let is_alone = text[line_start..start].trim().is_empty() && (behind.is_empty() || behind.starts_with("//"));
    let at = |offset: usize| crate::source::range(offset, offset);
    is_alone.then(|| (at(line_start), at(rest)))
}
