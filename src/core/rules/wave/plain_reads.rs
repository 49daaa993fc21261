//! Whether a number may stand in place of an object's member: nothing refers to that, writes to it, or is called on the way.

use std::ops::Range;

use crate::syntax::{Call, Document, TokenIdx, TokenKind, statement_start};

/// Functions that keep or change what they are given.
const REFERRING: &[&str] =
    &["addressof", "as_const", "cref", "exchange", "forward", "move", "offsetof", "ref", "swap", "tie"];

/// Whether the expression of these tokens is read as a value alone.
pub(super) fn is_plain_read(document: &Document, tokens: Range<TokenIdx>) -> bool {
    let calls =
        |at: TokenIdx| document.is(at, b'(') && at.checked_sub(1).is_some_and(|name| ends_operand(document, name));
    // What a macro is used for, its text does not tell.
    let is_in_macro = document.directive_of(tokens.start).is_some();
    if is_in_macro || tokens.clone().any(|at| calls(at) || steps(document, at)) {
        return false;
    }
    let whole = with_parentheses(document, tokens);
    let before = |back: usize| whole.start.checked_sub(back);
    let is_before = |back: usize, sign: u8| before(back).is_some_and(|at| document.is(at, sign));
    let is_unary = |sign: u8| is_before(1, sign) && !before(2).is_some_and(|at| ends_operand(document, at));
    let is_stepped =
        before(2).is_some_and(|at| steps(document, at)) && !before(3).is_some_and(|at| ends_operand(document, at));
    let is_extracted = is_before(1, b'>') && is_before(2, b'>');
    let is_changed = assigns(document, whole.end) || steps(document, whole.end);
    !(is_unary(b'&') || is_stepped || is_extracted || is_changed || is_bound(document, whole.start))
}

/// An expression with the parentheses that stand around nothing else.
fn with_parentheses(document: &Document, tokens: Range<TokenIdx>) -> Range<TokenIdx> {
    let mut whole = tokens;
    while let Some(open) = whole.start.checked_sub(1).filter(|&open| document.is(open, b'(')) {
        let is_call = open.checked_sub(1).is_some_and(|name| ends_operand(document, name));
        if is_call || document.partner(open) != Some(whole.end) {
            break;
        }
        whole = open..whole.end + 1;
    }
    whole
}

fn ends_operand(document: &Document, at: TokenIdx) -> bool {
    let is_value =
        matches!(document.kind(at), Some(TokenKind::Ident | TokenKind::Number | TokenKind::Punct(b')' | b']')));
    is_value
        && !matches!(document.token_text(at), "return" | "case" | "else" | "if" | "while" | "for" | "switch" | "sizeof")
}

/// `++` or `--`
fn steps(document: &Document, at: TokenIdx) -> bool {
    [b'+', b'-'].iter().any(|&sign| document.is(at, sign) && document.is(at + 1, sign))
}

/// `=`, `+=`, `<<=` and the like
pub(super) fn assigns(document: &Document, at: TokenIdx) -> bool {
    let is_sign = |at: TokenIdx, signs: &[u8]| signs.iter().any(|&sign| document.is(at, sign));
    let is_shift =
        (document.is(at, b'<') && document.is(at + 1, b'<')) || (document.is(at, b'>') && document.is(at + 1, b'>'));
    let sign = match () {
        () if is_shift => at + 2,
        () if is_sign(at, b"+-*/%&|^") => at + 1,
        () => at,
    };
    document.is(sign, b'=') && !document.is(sign + 1, b'=')
}

/// Whether a reference may be bound to the expression that starts at `start`: `int& n = …`, `auto& n{…}`, `return …` of a function
/// that returns one, an argument of `std::swap` and the like.
fn is_bound(document: &Document, start: TokenIdx) -> bool {
    let Some(before) = start.checked_sub(1) else { return false };
    let first = statement_start(document, start);
    let refers = |mut tokens: Range<TokenIdx>| tokens.any(|at| document.is(at, b'&'));
    match document.token_text(before) {
        "=" => refers(first..before),
        "{" => before.checked_sub(1).is_some_and(|name| document.kind(name) == Some(TokenKind::Ident)),
        "return" => returns_reference(document, before),
        "(" | "," => {
            let open = if document.is(before, b'(') { Some(before) } else { around(document, start) };
            let name = open.and_then(|open| open.checked_sub(1));
            name.is_some_and(|name| {
                let text = document.token_text(name);
                REFERRING.contains(&text) || is_initialiser(document, name)
            })
        }
        _ => false,
    }
}

/// Whether a member or base is initialised: `: size(…)`, `, size(…)` behind the head of a constructor.
fn is_initialiser(document: &Document, name: TokenIdx) -> bool {
    let Some(before) = name.checked_sub(1) else { return false };
    let first = statement_start(document, name);
    document.is(before, b':') || document.is(before, b',') && (first..before).any(|at| document.is(at, b':'))
}

/// The parenthesis around a token.
fn around(document: &Document, idx: TokenIdx) -> Option<TokenIdx> {
    let mut at = idx;
    loop {
        at = at.checked_sub(1)?;
        match document.kind(at)? {
            TokenKind::Punct(b')' | b']' | b'}') => at = document.partner(at).filter(|&open| open < at)?,
            TokenKind::Punct(b'(') => return Some(at),
            TokenKind::Punct(b';' | b'{') => return None,
            _ => {}
        }
    }
}

/// Whether the function that a `return` ends may return a reference: a `&` stands in front of its name, or it is a lambda that says so.
fn returns_reference(document: &Document, keyword: TokenIdx) -> bool {
    let mut open = keyword;
    while let Some(at) = open.checked_sub(1) {
        open = at;
        match document.kind(at) {
            Some(TokenKind::Punct(b'}')) => open = document.partner(at).filter(|&partner| partner < at).unwrap_or(at),
            Some(TokenKind::Punct(b'{')) => {
                let head = statement_start(document, at)..at;
                let name = head.clone().find(|&idx| Call::at(document, idx).is_some());
                let is_control =
                    matches!(document.token_text(head.start), "if" | "for" | "while" | "else" | "do" | "switch");
                let Some(name) = name.filter(|_| !is_control) else { continue };
                let result = document.partner(name + 1).map_or(0..0, |close| close..at);
                return (head.start..name).chain(result).any(|idx| document.is(idx, b'&'));
            }
            _ => {}
        }
    }
    false
}
