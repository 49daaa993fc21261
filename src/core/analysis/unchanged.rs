//! Whether a use of a variable may change it, as far as the tokens around it tell.

use super::warp_words::is_warp_function;
use crate::syntax::{Document, LAUNCH_MACRO, TokenIdx, TokenKind, less_of, opening};

/// Whether the name at `idx` declares something else of that name, or may change the variable that
/// it names. Of a constant (`is_const`) only the former counts.
pub(super) fn may_change(document: &Document, idx: TokenIdx, is_const: bool) -> bool {
    if document.directive_of(idx).is_some() {
        // A macro may do anything where it is used.
        return !is_const;
    }
    let Some(before) = document.before(idx) else { return false };
    match document.token(before).map(|token| token.kind) {
        // A member, or a name of another scope.
        Some(TokenKind::Punct(b'.') | TokenKind::Arrow | TokenKind::PathSep) => return false,
        Some(TokenKind::Ident) if !precedes_value(document.token_text(before)) => return true,
        _ => {}
    }
    !is_const && (is_assigned(document, idx) || is_changed_in_front(document, before) || is_passed(document, idx))
}

/// Whether the variable at `idx`, or a member of it, is assigned to or counted.
pub(super) fn is_written(document: &Document, idx: TokenIdx) -> bool {
    let sign = document.before(idx).filter(|&sign| document.is(sign, b'+') || document.is(sign, b'-'));
    is_assigned(document, idx) || sign.is_some_and(|sign| is_changed_in_front(document, sign))
}

/// `a >> n`
pub(super) fn is_shift_count(document: &Document, idx: TokenIdx) -> bool {
    idx >= 2 && document.is(idx - 1, b'>') && document.is(idx - 2, b'>')
}

/// Whether an expression may follow a word.
fn precedes_value(word: &str) -> bool {
    matches!(word, "return" | "case" | "else" | "do" | "sizeof" | "throw" | "new" | "and" | "or" | "not" | "co_return")
}

/// The character at `idx`, if it is an operator, and whether the next one touches it.
fn operator(document: &Document, idx: TokenIdx) -> Option<(u8, bool)> {
    let TokenKind::Punct(byte) = document.kind(idx)? else { return None };
    Some((byte, document.touches_next(idx)))
}

/// `n = 1`, `n += 1`, `n <<= 1`, `n++`, `n.x = 1`
fn is_assigned(document: &Document, idx: TokenIdx) -> bool {
    let mut at = idx + 1;
    while document.is(at, b'.') {
        at += 2;
    }
    let Some((first, touches)) = operator(document, at) else { return false };
    let second = operator(document, at + 1).filter(|_| touches).map(|(byte, _)| byte);
    let third = operator(document, at + 2).map(|(byte, _)| byte);
    match (first, second) {
        (b'=', second) => second != Some(b'='),
        (b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^', Some(b'='))
        | (b'+', Some(b'+'))
        | (b'-', Some(b'-')) => true,
        (b'<', Some(b'<')) | (b'>', Some(b'>')) => third == Some(b'='),
        _ => false,
    }
}

/// `++n`, `--n`, `&n`, `stream >> n`
fn is_changed_in_front(document: &Document, before: TokenIdx) -> bool {
    let Some((last, _)) = operator(document, before) else { return false };
    let first = before.checked_sub(1).and_then(|idx| operator(document, idx));
    let doubled = first.is_some_and(|(byte, touches)| byte == last && touches);
    match last {
        b'+' | b'-' | b'>' => doubled,
        b'&' => !doubled,
        _ => false,
    }
}

/// Whether the variable as a whole is passed to a function that may take a reference. Kernels,
/// `dim3` and what prints take values.
fn is_passed(document: &Document, idx: TokenIdx) -> bool {
    let starts = idx.checked_sub(1).is_some_and(|before| document.is(before, b'(') || document.is(before, b','));
    let ends = document.is(idx + 1, b',') || document.is(idx + 1, b')');
    if !(starts && ends) {
        return false;
    }
    let Some(open) = opening(document, idx) else { return false };
    let Some(callee) = open.checked_sub(1).and_then(|idx| document.token(idx).map(|token| (idx, token.kind))) else {
        return false;
    };
    match callee {
        (name, TokenKind::Ident) => {
            let by_value = ["dim3", "printf", "fprintf", "min", "max", "if", "while", "switch", "return"];
            let declares_dim3 = name.checked_sub(1).is_some_and(|word| document.token_text(word) == "dim3");
            let callee = document.token_text(name);
            let takes_values = is_warp_function(callee) || callee.starts_with("atomic");
            !by_value.contains(&callee) && callee != LAUNCH_MACRO && !takes_values && !declares_dim3
        }
        // The arguments of a launch, or of a template, which takes nothing by reference to change it.
        (last, TokenKind::Punct(b'>')) => {
            let launches = open >= 3 && (open - 3..open).all(|idx| document.is(idx, b'>'));
            !launches && !converts_value(document, last)
        }
        (_, TokenKind::Punct(b')' | b']')) => true,
        _ => false,
    }
}

/// `static_cast<int>(n)`, but not `static_cast<int&>(n)`.
fn converts_value(document: &Document, greater: TokenIdx) -> bool {
    let Some(less) = less_of(document, greater) else { return false };
    let word = less.checked_sub(1).map_or("", |idx| document.token_text(idx));
    word == "static_cast" && !(less..greater).any(|idx| document.is(idx, b'&'))
}
