//! What the rules about includes share.

use crate::mapping::{Entry, Resolution};
use crate::rules::conditional::is_for_hip;
use crate::rules::context::Context;
use crate::source::TextRange;
use crate::syntax::{Directive, Document, Include};

/// The HIP header that stands for an include, if it is one of CUDA's.
pub(in crate::rules) fn hip_header<'d>(include: &Include<'_>, cx: &Context<'d>) -> Option<(&'d str, &'d Entry)> {
    match cx.resolve_header(include.path) {
        _ if is_beside(include, cx) => None,
        Some(Resolution::Name(to, entry)) => Some((to, entry)),
        _ => None,
    }
}

/// Whether a file of the project stands beside this one under the quoted name, which the compiler takes first.
fn is_beside(include: &Include<'_>, cx: &Context<'_>) -> bool {
    let folder = cx.document.file().path.parent();
    let beside = folder.filter(|_| include.quoted).map(|folder| folder.join(include.path));
    beside.is_some_and(|path| cx.project.own_headers.contains(&path))
}

/// Whether the project has a file of this name somewhere, which is converted like the rest.
pub(super) fn is_of_project(include: &Include<'_>, cx: &Context<'_>) -> bool {
    cx.project.own_headers.iter().any(|own| own.ends_with(include.path))
}

/// Whether all of the file is HIP already: a file for both may include HIP's headers in a branch
/// for HIP only.
pub(in crate::rules) fn is_hip_file(cx: &Context<'_>) -> bool {
    let mut hip = cx.document.includes().filter(|include| include.path.starts_with("hip/")).peekable();
    cx.facts.is_hip && (hip.peek().is_none() || hip.any(|include| !is_for_hip(include.directive.tokens.start, cx)))
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
