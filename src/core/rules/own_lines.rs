//! The lines of a definition.

use crate::source::{Edit, TextRange, range};
use crate::syntax::Document;

/// The start and the end of the lines of a definition, if nothing else stands on them but a comment.
pub(super) fn own_lines(document: &Document, definition: TextRange) -> Option<(TextRange, TextRange)> {
    let text = document.text();
    let (start, end) = (usize::from(definition.start()), usize::from(definition.end()));
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let rest = text[end..].find(['\r', '\n']).map_or(text.len(), |at| end + at);
    let behind = text[end..rest].trim();
    let is_alone = text[line_start..start].trim().is_empty() && (behind.is_empty() || behind.starts_with("//"));
    let at = |offset: usize| range(offset, offset);
    is_alone.then(|| (at(line_start), at(rest)))
}

/// The whole lines of a definition with the end of the last one, if nothing else stands on them but a comment.
pub(super) fn whole_lines(document: &Document, definition: TextRange) -> Option<TextRange> {
    let (start, end) = own_lines(document, definition)?;
    let behind = &document.text()[usize::from(end.end())..];
    let newline = behind.find('\n').map_or(0, |at| at + 1);
    Some(range(start.start().into(), usize::from(end.end()) + newline))
}

/// Puts text in front of whole lines and behind them, each on lines of its own.
pub(super) fn enclosed(document: &Document, lines: TextRange, first: &str, last: &str) -> Vec<Edit> {
    let newline = document.file().newline.as_str();
    let is_ended = document.slice(lines).ends_with('\n');
    let last = if is_ended { format!("{last}{newline}") } else { format!("{newline}{last}") };
    vec![Edit::insert(lines.start(), format!("{first}{newline}")), Edit::insert(lines.end(), last)]
}
