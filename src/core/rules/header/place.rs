//! Where a file takes new lines.

use crate::analysis::{include_guard, regions};
use crate::diagnostic::{Scope, suppressions};
use crate::source::{Edit, Piece, TextRange, TextSize};
use crate::syntax::{Directive, DirectiveKind, Document, Include, TokenIdx, TokenKind};

/// Where an include goes that the token `user` and all other includes may rely on: the start of a
/// line.
pub(in crate::rules) fn for_first_include(document: &Document, user: TokenIdx) -> TextSize {
    let guard = include_guard(document).map(|(_, define)| define);
    let first = free_includes(document, guard, user).into_iter().find(|found| found.kind == DirectiveKind::Include);
    let at =
        first.map_or_else(|| behind_opening(document, guard), |include| line_start(document, include.range.start()));
    above_suppressions(document, at)
}

/// Inserts lines that the token `user` needs and that may rely on the includes before it. Fits an
/// include that is put into the same file.
pub(in crate::rules) fn insert_definitions(document: &Document, user: TokenIdx, lines: &str) -> Edit {
    let lines = for_file(document, lines);
    let guard = include_guard(document).map(|(_, define)| define);
    if let Some(include) = free_includes(document, guard, user).last() {
        // No insertion, since other rules may put definitions of theirs at the same place.
        let start = line_start(document, include.range.start());
        let line = TextRange::new(start, next_line(document, include.range.end()));
        return Edit { range: line, pieces: vec![Piece::Keep(line), Piece::Text(lines)] };
    }
    // An include may be inserted at the same place, and has to stand first. So this is no
    // insertion, but replaces the line there by the new lines and itself.
    let at = above_suppressions(document, behind_opening(document, guard));
    let line = TextRange::new(at, next_line(document, at));
    Edit { range: line, pieces: vec![Piece::Text(lines), Piece::Keep(line)] }
}

/// Inserts lines behind the line of an include, for all that follows.
pub(in crate::rules) fn insert_behind(document: &Document, include: &Include<'_>, lines: &str) -> Edit {
    let mut lines = for_file(document, lines);
    let at = next_line(document, include.path_range.end());
    let is_open = usize::from(at) == document.text().len() && !document.text().ends_with('\n');
    if is_open {
        lines.insert_str(0, document.file().newline.as_str());
    }
    Edit::insert(at, lines)
}

/// Lines that end as those of the file do.
fn for_file(document: &Document, lines: &str) -> String {
    lines.replace('\n', document.file().newline.as_str())
}

/// The includes before the token `user` that stand outside of all brackets and conditions, and the
/// ends of conditions with includes in them.
fn free_includes<'d>(document: &'d Document, guard: Option<&Directive>, user: TokenIdx) -> Vec<&'d Directive> {
    let depth = usize::from(guard.is_some());
    let end = first_need(document, user);
    let mut free = Vec::new();
    let mut chain_includes = false;
    let (mut at, mut brackets_end, mut last_code) = (0, 0, None);
    let directives = document.directives().iter().zip(regions(document));
    for (directive, region) in directives.take_while(|(directive, _)| directive.tokens.start < end) {
        let code = at..directive.tokens.start;
        last_code = code.clone().last().or(last_code);
        brackets_end =
            code.filter_map(|token| document.partner(token)).fold(brackets_end, |end, closer| end.max(closer + 1));
        at = directive.tokens.end;
        let is_include = directive.kind == DirectiveKind::Include;
        chain_includes |= is_include;
        if region.depth > depth {
            continue;
        }
        let brings_includes = is_include || (directive.kind == DirectiveKind::Endif && chain_includes);
        let stands_free = directive.tokens.start >= brackets_end && ends_declaration(document, last_code);
        if brings_includes && stands_free {
            free.push(directive);
        }
        chain_includes = false;
    }
    free
}

/// What `user` needs must stand before this token. A macro is needed where it is used, which is
/// in the first braces at the earliest.
fn first_need(document: &Document, user: TokenIdx) -> TokenIdx {
    let is_code = |token: TokenIdx| document.directive_of(token).is_none();
    if is_code(user) {
        return user;
    }
    let count = document.tokens().len();
    (0..count).find(|&token| document.is(token, b'{') && is_code(token)).unwrap_or(count)
}

/// Whether the code up to the token `last` is complete, so that a declaration may follow.
pub(super) fn ends_declaration(document: &Document, last: Option<TokenIdx>) -> bool {
    let last = last.and_then(|last| document.token(last));
    last.is_none_or(|token| matches!(token.kind, TokenKind::Punct(b';' | b'}')))
}

/// Behind the include guard or `#pragma once`, else behind the comments that open the file.
fn behind_opening(document: &Document, guard: Option<&Directive>) -> TextSize {
    let pragma = || document.directives().iter().find(|directive| is_pragma_once(document, directive));
    match guard.or_else(pragma) {
        Some(directive) => next_line(document, directive.range.end()),
        None => after_opening_comments(document),
    }
}

/// A comment that switches findings off must stay in front of the line that it speaks for.
fn above_suppressions(document: &Document, at: TextSize) -> TextSize {
    let mut at = at;
    for suppression in suppressions(document.text(), document.comments()).suppressions.iter().rev() {
        let speaks_for_next = matches!(suppression.scope, Scope::Lines(lines) if at <= lines.start());
        if speaks_for_next && suppression.comment.start() < at {
            at = line_start(document, suppression.comment.start());
        }
    }
    at
}

fn is_pragma_once(document: &Document, directive: &Directive) -> bool {
    directive.kind == DirectiveKind::Pragma && document.token_text(directive.tokens.start + 2) == "once"
}

pub(super) fn line_start(document: &Document, at: TextSize) -> TextSize {
    let before = &document.text()[..usize::from(at)];
    let start = before.rfind('\n').map_or(bom_len(document), |newline| newline + 1);
    TextSize::try_from(start).unwrap_or(at)
}

/// The start of the next line that does not start in a comment.
fn next_line(document: &Document, at: TextSize) -> TextSize {
    let text = document.text();
    let from = usize::from(at);
    let next = text[from..].find('\n').map_or(text.len(), |newline| from + newline + 1);
    let next = TextSize::try_from(next).unwrap_or(at);
    let around = document.comments().iter().find(|comment| comment.start() < next && next < comment.end());
    around.map_or(next, |comment| next_line(document, comment.end()))
}

fn bom_len(document: &Document) -> usize {
    if document.text().starts_with('\u{feff}') { 3 } else { 0 }
}

/// Behind the comments that open the file, a blank line at the most between them.
fn after_opening_comments(document: &Document) -> TextSize {
    let text = document.text();
    let mut end = bom_len(document);
    let mut last_comment = TextSize::default();
    for comment in document.comments() {
        let gap = &text[end..usize::from(comment.start())];
        if !gap.trim().is_empty() || (end > 0 && gap.matches('\n').count() > 1) {
            break;
        }
        end = usize::from(comment.end());
        last_comment = comment.start();
    }
    if end == bom_len(document) {
        return TextSize::try_from(end).unwrap_or_default();
    }
    let line_end = text[end..].find('\n').map_or(text.len(), |newline| end + newline);
    let shares_line = !text[end..line_end].trim().is_empty();
    if shares_line {
        return line_start(document, last_comment);
    }
    next_line(document, TextSize::try_from(end).unwrap_or_default())
}
