//! Where something stands in a function, as its tokens tell.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::Function;
use crate::rules::context::Context;
use crate::syntax::{Document, TokenIdx, TokenKind};

/// The tokens of the statement around the token `idx`, or of the head of the block it opens.
pub(super) fn statement(document: &Document, idx: TokenIdx) -> Range<TokenIdx> {
    let ends = |at: TokenIdx| matches!(document.token_text(at), ";" | "{" | "}") || document.directive_of(at).is_some();
    let start = (0..idx).rev().find(|&at| ends(at)).map_or(0, |at| at + 1);
    let end = (idx..document.tokens().len()).find(|&at| ends(at)).unwrap_or(document.tokens().len());
    start..end
}

/// The names of parameters and variables of functions, read once for each function.
#[derive(Default)]
pub(super) struct OwnWords<'d> {
    of_functions: FxHashMap<TokenIdx, FxHashSet<&'d str>>,
}

impl<'d> OwnWords<'d> {
    /// Whether a parameter or variable of the function has this name: the word before it is no
    /// operator of a statement, so it is a type.
    pub(super) fn declares(&mut self, document: &'d Document, function: &Function, name: &str) -> bool {
        let words = || {
            let tokens = function.head.start..function.body.end;
            tokens.filter(|&idx| follows_type(document, idx)).map(|idx| document.token_text(idx)).collect()
        };
        self.of_functions.entry(function.head.start).or_insert_with(words).contains(name)
    }
}

fn follows_type(document: &Document, idx: TokenIdx) -> bool {
    let before = idx.checked_sub(1).and_then(|before| Some((before, document.token(before)?.kind)));
    match before {
        Some((before, TokenKind::Ident)) => {
            !matches!(document.token_text(before), "return" | "else" | "case" | "throw")
        }
        // `T& name =` and `T* name =` are declarations, `a * name` and `a & name` are values.
        Some((before, TokenKind::Punct(b'*' | b'&'))) => {
            let word = before
                .checked_sub(1)
                .is_some_and(|word| document.token(word).is_some_and(|t| t.kind == TokenKind::Ident));
            word && matches!(document.token_text(idx + 1), "=" | ";" | "," | ")" | "[")
        }
        Some((_, TokenKind::Punct(b'>'))) => true,
        _ => false,
    }
}

/// Whether the variable at `idx`, or an element of it, is assigned to.
pub(super) fn writes(document: &Document, idx: TokenIdx) -> bool {
    let mut next = idx + 1;
    loop {
        match document.token_text(next) {
            "[" => match document.partner(next) {
                Some(close) => next = close + 1,
                None => return false,
            },
            "." => next += 2,
            _ => break,
        }
    }
    let (sign, second) = (document.token_text(next), document.token_text(next + 1));
    let touches = document.touches_next(next);
    let updates = matches!(sign, "+" | "-" | "*" | "/" | "|" | "&" | "^" | "%") && touches && second == "=";
    let counts = matches!(sign, "+" | "-") && touches && second == sign;
    sign == "=" && second != "=" || updates || counts
}

/// Whether the variable at `idx` goes one on or back: `name++`, `--name`.
pub(super) fn steps(document: &Document, idx: TokenIdx) -> bool {
    let doubled = |first: TokenIdx| {
        let sign = document.token_text(first);
        matches!(sign, "+" | "-") && document.token_text(first + 1) == sign
    };
    doubled(idx + 1) || idx.checked_sub(2).is_some_and(doubled)
}

/// The names of the calls around the token `idx`, innermost first.
pub(super) fn enclosing_calls(document: &Document, idx: TokenIdx) -> Vec<&str> {
    let mut calls = Vec::new();
    let mut at = idx;
    while let Some(before) = at.checked_sub(1) {
        at = before;
        match document.token(at).map(|token| token.kind) {
            Some(TokenKind::Punct(b')' | b']')) => at = document.partner(at).filter(|&open| open < at).unwrap_or(at),
            Some(TokenKind::Punct(b'(')) => {
                let name =
                    at.checked_sub(1).filter(|&name| document.token(name).is_some_and(|t| t.kind == TokenKind::Ident));
                calls.extend(name.map(|name| document.token_text(name)));
            }
            Some(TokenKind::Punct(b';' | b'{' | b'}')) | None => break,
            _ => {}
        }
    }
    calls
}

/// The word for the type that the pointer expression `tokens` points to, where a cast in front of it
/// says so, or the declaration of its first name in the same function.
pub(super) fn pointee<'d>(document: &'d Document, function: &Function, tokens: Range<TokenIdx>) -> Option<&'d str> {
    let first = tokens.start;
    let cast = match document.token_text(first) {
        "(" => Some(first + 1),
        "reinterpret_cast" | "static_cast" if document.is(first + 1, b'<') => Some(first + 2),
        _ => None,
    };
    if let Some(start) = cast {
        let star = (start..tokens.end).find(|&idx| document.is(idx, b'*'))?;
        return last_type_word(document, start..star);
    }
    let is_address = document.is(first, b'&');
    let base = first + usize::from(is_address);
    let name = document.token_text(base);
    let is_name = document.token(base)?.kind == TokenKind::Ident && !document.is(base + 1, b'(');
    let declared = (function.head.start..function.body.end).find(|&idx| document.token_text(idx) == name)?;
    let is_array = document.is(declared + 1, b'[');
    let before = (function.head.start..declared)
        .rev()
        .find(|&idx| !matches!(document.token_text(idx), "*" | "__restrict__" | "const" | "volatile" | "__restrict"))?;
    let has_star = (before..declared).any(|idx| document.is(idx, b'*'));
    let is_type = document.token(before)?.kind == TokenKind::Ident && declared != base;
    let is_whole = is_address && base + 1 == tokens.end;
    (is_name && is_type && (is_whole != (has_star || is_array))).then(|| document.token_text(before))
}

fn last_type_word(document: &Document, tokens: Range<TokenIdx>) -> Option<&str> {
    let is_word = |idx: &TokenIdx| {
        document.token(*idx).is_some_and(|token| token.kind == TokenKind::Ident)
            && !matches!(document.token_text(*idx), "const" | "volatile")
    };
    tokens.rev().find(is_word).map(|idx| document.token_text(idx))
}

/// The variables that a declaration with the type at `name` declares: `__half2_raw a, *b;`
pub(super) fn declared(document: &Document, name: TokenIdx) -> Vec<TokenIdx> {
    let mut variables = Vec::new();
    let mut idx = name + 1;
    loop {
        while document.is(idx, b'*') || document.is(idx, b'&') || document.token_text(idx) == "const" {
            idx += 1;
        }
        if document.token(idx).is_none_or(|token| token.kind != TokenKind::Ident) {
            return variables;
        }
        variables.push(idx);
        let after = document.token(idx + 3).map(|token| token.kind);
        let lists_more =
            document.is(idx + 1, b',') && matches!(after, Some(TokenKind::Punct(b',' | b';' | b'=' | b'{')));
        if !lists_more {
            return variables;
        }
        idx += 2;
    }
}

/// Where the scope of the variable or parameter at `variable` ends.
pub(super) fn scope_end(variable: TokenIdx, cx: &Context<'_>) -> Option<TokenIdx> {
    let document = cx.document;
    if cx.facts.functions.around(variable).is_none() {
        let function = cx.facts.functions.iter().find(|function| function.head.contains(&variable))?;
        return Some(function.body.end);
    }
    let mut at = variable;
    loop {
        let before = at.checked_sub(1)?;
        let partner = document.partner(before);
        at = match partner.filter(|&open| open < before) {
            Some(open) => open,
            None if document.is(before, b'{') => return partner,
            None => before,
        };
    }
}
