//! What the rules about includes share.

use crate::mapping::{Entry, Resolution};
use crate::rules::conditional::is_for_hip;
use crate::rules::context::Context;
use crate::source::TextRange;
use crate::syntax::{Directive, Document, Include};

/// The HIP header that stands for an include, if it is one of CUDA's.
pub(super) fn hip_header<'d>(include: &Include<'_>, cx: &Context<'d>) -> Option<(&'d str, &'d Entry)> {
    match cx.resolve_header(include.path) {
        Some(Resolution::Name(to, entry)) => Some((to, entry)),
        _ => None,
    }
}

/// Whether the file is HIP already: it includes headers of HIP's outside of branches for HIP, and
/// none of CUDA's.
pub(in crate::rules) fn is_hip_file(cx: &Context<'_>) -> bool {
    let is_cuda = |include: &Include<'_>| hip_header(include, cx).is_some_and(|(to, _)| to != include.path);
    let is_hip =
        |include: &Include<'_>| include.path.starts_with("hip/") && !is_for_hip(include.directive.tokens.start, cx);
    cx.document.includes().any(|include| is_hip(&include)) && !cx.document.includes().any(|include| is_cuda(&include))
}

/// What has to go so that a directive goes: its line, or itself alone if a comment shares the line.
pub(super) fn removable_range(document: &Document, directive: &Directive) -> TextRange {
    let text = document.text();
    let own = document.range_of(directive.tokens.clone());
    let (start, end) = (usize::from(own.start()), usize::from(own.end()));
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
    let alone = text[line_start..start].trim().is_empty() && text[end..line_end].trim().is_empty();
    if alone { crate::source::range(line_start, line_end) } else { own }
}
