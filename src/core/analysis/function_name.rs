//! The names of functions, among the tokens in front of their parameters.

use std::ops::Range;

use super::heads::{behind_directive, template_head_end};
use crate::syntax::{Document, TokenIdx, TokenKind};

/// The name of the function that the tokens `head` declare, with or without a body behind them.
pub fn function_name(document: &Document, head: Range<TokenIdx>) -> Option<TokenIdx> {
    let (mut name, mut named_to) = (None, head.start);
    let mut idx = head.start;
    while idx < head.end {
        if let Some(next) = behind_directive(document, idx) {
            idx = next;
            continue;
        }
        match document.token_text(idx) {
            "template" if document.is(idx + 1, b'<') => idx = template_head_end(document, idx + 1, head.end),
            "(" => {
                let named = conversion_before(document, idx, head.start).or_else(|| idx.checked_sub(1));
                let named = named.filter(|&name| is_function_name(document, name, head.start));
                let Some(close) = document.partner(idx).filter(|&close| close > idx) else { return name.or(named) };
                if is_name_behind(document, name, named_to, named) {
                    (name, named_to) = (named, close + 1);
                }
                idx = close;
            }
            _ => {}
        }
        idx += 1;
    }
    name
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

/// Whether `named`, in front of parentheses, is the name of a function whose name seemed to be `before`, in front of those that end
/// at `named_to`: that one is a macro in front of a declaration then, `DEFINE(x) int main()` and `void BOUNDS(256) k()`.
pub(super) fn is_name_behind(
    document: &Document,
    before: Option<TokenIdx>,
    named_to: TokenIdx,
    named: Option<TokenIdx>,
) -> bool {
    const BEHIND_PARAMETERS: &[&str] = &[
        "const", "volatile", "noexcept", "override", "final", "mutable", "try", "throw", "requires", "asm", "__asm__",
    ];
    let Some((before, named)) = before.zip(named) else { return before.is_none() };
    let is_word = |idx: TokenIdx| document.kind(idx) == Some(TokenKind::Ident);
    if named < named_to || !is_word(named_to) || BEHIND_PARAMETERS.contains(&document.token_text(named_to)) {
        return false;
    }
    if named_to == named {
        let has_small = |idx: TokenIdx| document.token_text(idx).bytes().any(|byte| byte.is_ascii_lowercase());
        // `S() REQUIRES(lock)` and `DEFINE(a) DEFINE(b)`
        let has_arguments = !document.is(named_to - 2, b'(');
        return !has_small(before) && (has_small(named) || has_arguments);
    }
    let is_of_type = |idx: TokenIdx| match document.token(idx).map(|token| token.kind) {
        Some(TokenKind::Ident | TokenKind::Number | TokenKind::Str | TokenKind::PathSep) => true,
        Some(TokenKind::Punct(punct)) => matches!(punct, b'*' | b'&' | b'<' | b'>' | b'(' | b')' | b'[' | b']'),
        _ => false,
    };
    (named_to..named).all(is_of_type)
}
