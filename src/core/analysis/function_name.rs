//! The names of functions, among the tokens in front of their parameters.

use std::ops::Range;

use super::heads::{behind_directive, template_head_end};
use crate::syntax::{Document, TokenIdx, TokenKind};

/// The name of the function that the tokens `head` declare, with or without a body behind them.
pub fn function_name(document: &Document, head: Range<TokenIdx>) -> Option<TokenIdx> {
    let mut found: Option<Candidate> = None;
    let (mut idx, mut start) = (head.start, head.start);
    while idx < head.end {
        if let Some(next) = behind_directive(document, idx) {
            idx = next;
            continue;
        }
        match document.token_text(idx) {
            "template" if document.is(idx + 1, b'<') => {
                idx = template_head_end(document, idx + 1, head.end);
                pass_template(&mut found, &mut start, idx + 1);
            }
            "(" => {
                let named = conversion_before(document, idx, head.start).or_else(|| idx.checked_sub(1));
                let named = named.filter(|&name| is_function_name(document, name, head.start));
                let close = document.partner(idx).filter(|&close| close > idx);
                if let Some(name) = named.filter(|&named| found.is_none_or(|found| goes_before(document, found, named)))
                {
                    found = Some(Candidate { name, end: close.unwrap_or(idx) + 1, is_first: name == start });
                }
                let Some(close) = close else { break };
                idx = close;
            }
            _ => {}
        }
        idx += 1;
    }
    found.map(|found| found.name)
}

/// A template head ends in front of `next`: what follows a macro that stands before it starts there.
pub(super) fn pass_template(found: &mut Option<Candidate>, start: &mut TokenIdx, next: TokenIdx) {
    match found {
        Some(found) => found.end = next,
        None => *start = next,
    }
}

/// Where the name of a function can stand whose parameters start at `open`: `f(`, `f<float>(`, `operator T*(`.
pub(super) fn name_before(document: &Document, open: TokenIdx, head: TokenIdx) -> Option<TokenIdx> {
    if let Some(conversion) = conversion_before(document, open, head) {
        return Some(conversion);
    }
    let last = open.checked_sub(1)?;
    if !document.is(last, b'>') || operator_before(document, last, head) {
        return Some(last);
    }
    let mut depth = 0;
    for idx in (head..=last).rev() {
        match document.token(idx)?.kind {
            TokenKind::Punct(b'>') => depth += 1,
            TokenKind::Punct(b'<') => depth -= 1,
            TokenKind::Punct(b')' | b'(') => return None,
            _ => {}
        }
        if depth == 0 {
            return idx.checked_sub(1).filter(|&name| document.token_text(name) != "template");
        }
    }
    None
}

pub(super) fn is_function_name(document: &Document, idx: TokenIdx, head: TokenIdx) -> bool {
    const NO_NAMES: &[&str] = &[
        "__launch_bounds__",
        "__attribute__",
        "__declspec",
        "alignas",
        "__align__",
        "decltype",
        "__cluster_dims__",
        "__maxnreg__",
        "if",
        "for",
        "while",
        "switch",
        "catch",
        "noexcept",
        "requires",
        "explicit",
    ];
    let token = document.token(idx).filter(|_| idx >= head);
    token.is_some_and(|token| token.kind == TokenKind::Ident) && !NO_NAMES.contains(&document.token_text(idx))
        || token.is_some_and(|token| matches!(token.kind, TokenKind::Punct(_))) && operator_before(document, idx, head)
}

/// The `operator` of a conversion whose parameters start at `open`: what follows it is a type, not a name.
fn conversion_before(document: &Document, open: TokenIdx, head: TokenIdx) -> Option<TokenIdx> {
    let is_of_type = |idx: &TokenIdx| match document.token(*idx).map(|token| token.kind) {
        Some(TokenKind::Ident) => document.token_text(*idx) != "operator",
        Some(TokenKind::Number) => true,
        Some(TokenKind::Punct(kind)) => matches!(kind, b'*' | b'&' | b':' | b'<' | b'>' | b','),
        _ => false,
    };
    let first = (head..open).rev().take_while(is_of_type).last()?;
    let operator = first.checked_sub(1).filter(|&idx| idx >= head && document.token_text(idx) == "operator")?;
    let starts_type = document.token(first)?.kind == TokenKind::Ident || document.is(first, b':');
    let is_function = matches!(document.token_text(first), "new" | "delete" | "co_await");
    (starts_type && !is_function).then_some(operator)
}

/// `operator+(`, `operator()(`
pub(super) fn operator_before(document: &Document, idx: TokenIdx, head: TokenIdx) -> bool {
    (head.max(idx.saturating_sub(3))..=idx).any(|at| document.token_text(at) == "operator")
}

/// What may be the name of a function, in front of parentheses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) name: TokenIdx,
    /// Where what follows the parentheses starts, or the template head behind them.
    pub(super) end: TokenIdx,
    /// Whether no type stands in front of it: it is a constructor, or a macro in front of a declaration.
    pub(super) is_first: bool,
}

/// More tokens than a type has.
const FAR: usize = 32;

/// Whether `named`, in front of other parentheses, is the name of the function, and what seemed to be it a macro in front of the
/// declaration: `DEFINE(x) int main()`, `void BOUNDS(256) k()`. Behind the parameters of a function may stand macros, too.
pub(super) fn goes_before(document: &Document, before: Candidate, named: TokenIdx) -> bool {
    let has_small = |idx: TokenIdx| document.token_text(idx).bytes().any(|byte| byte.is_ascii_lowercase());
    let is_word = |idx: TokenIdx| document.kind(idx) == Some(TokenKind::Ident);
    if named < before.end || named - before.end > FAR || !is_word(before.end) || !is_word(named) {
        return false;
    }
    let is_macro = || !has_small(before.name) && has_small(named) && has_values(document, before);
    if named == before.end {
        return is_macro();
    }
    let follows_type = !document.is(named - 1, b')') && (has_small(named) || has_small(named - 1));
    follows_type && (before.is_first || is_macro()) && are_types(document, before.end..named)
}

/// Whether what stands in the parentheses behind a name are values, and no parameters with types.
fn has_values(document: &Document, candidate: Candidate) -> bool {
    let is_value =
        |idx: TokenIdx| matches!(document.kind(idx), Some(TokenKind::Number | TokenKind::Ident | TokenKind::Punct(_)));
    let are_apart = |idx: TokenIdx| [idx, idx + 1].iter().any(|&idx| document.kind(idx) != Some(TokenKind::Ident));
    let open = candidate.name + 1;
    let close = document.partner(open).unwrap_or(open).min(open + FAR);
    (open..close).all(|idx| is_value(idx) && are_apart(idx) && !document.is(idx, b'*') && !document.is(idx, b'&'))
}

/// Whether some tokens can be specifiers and a type, or macros with arguments.
fn are_types(document: &Document, tokens: Range<TokenIdx>) -> bool {
    const BEHIND_PARAMETERS: &[&str] = &[
        "const", "volatile", "noexcept", "override", "final", "mutable", "try", "throw", "requires", "asm", "__asm__",
    ];
    if BEHIND_PARAMETERS.contains(&document.token_text(tokens.start)) {
        return false;
    }
    let mut idx = tokens.start;
    while idx < tokens.end {
        match document.token(idx).map(|token| token.kind) {
            Some(
                TokenKind::Ident
                | TokenKind::Number
                | TokenKind::Str
                | TokenKind::PathSep
                | TokenKind::Punct(b'*' | b'&' | b'<' | b'>'),
            ) => {}
            Some(TokenKind::Punct(b'(')) => {
                idx = document.partner(idx).filter(|&close| close > idx).unwrap_or(tokens.end);
            }
            _ => return false,
        }
        idx += 1;
    }
    idx == tokens.end
}
