//! Definitions that compilers for HIP leave out.

use crate::analysis::Function;
use crate::source::{Edit, TextRange};
use crate::syntax::Document;

/// The edits that leave a function out for HIP, if nothing else stands on its lines but a comment.
pub(super) fn leave_out(function: &Function, document: &Document) -> Option<Vec<Edit>> {
    let (start, end) = own_lines(document, document.range_of(function.head.start..function.body.end))?;
    let newline = document.file().newline.as_str();
    Some(vec![
        Edit::insert(start.start(), format!("#if !defined(__HIPCC__){newline}")),
        Edit::insert(end.end(), format!("{newline}#endif")),
    ])
}

/// The start and the end of the lines of a definition, if nothing else stands on them but a comment.
fn own_lines(document: &Document, range: TextRange) -> Option<(TextRange, TextRange)> {
    let text = document.text();
    let (start, end) = (usize::from(range.start()), usize::from(range.end()));
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let rest = text[end..].find(['\r', '\n']).map_or(text.len(), |at| end + at);
    let behind = text[end..rest].trim();
    let is_alone = text[line_start..start].trim().is_empty() && (behind.is_empty() || behind.starts_with("//"));
    let at = |offset: usize| crate::source::range(offset, offset);
    is_alone.then(|| (at(line_start), at(rest)))
}
