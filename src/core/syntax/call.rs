//! Calls and argument lists, by bracket matching on tokens.

use std::ops::Range;

use super::document::Document;
use super::template_lists::Step;
use super::token::{TokenIdx, TokenKind};
use crate::source::TextRange;

/// A call `name(arguments)` as the tokens show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The name before the parenthesis.
    pub name: TokenIdx,
    /// The opening parenthesis.
    pub open: TokenIdx,
    /// The closing parenthesis.
    pub close: TokenIdx,
    /// The arguments, without white space and comments around them.
    pub arguments: Vec<TextRange>,
}

impl Call {
    /// The call whose name is the token at `name`, if an argument list follows it; template
    /// arguments may stand between.
    pub fn at(document: &Document, name: TokenIdx) -> Option<Call> {
        let mut open = name + 1;
        if document.is(open, b'<') {
            open = template_end(document, open, document.tokens().len())? + 1;
        }
        if !document.is(open, b'(') {
            return None;
        }
        let close = document.partner(open)?;
        Some(Call { name, open, close, arguments: arguments(document, open)? })
    }

    /// The call among whose arguments the token at `idx` stands, if no other bracket lies between.
    pub fn around(document: &Document, idx: TokenIdx) -> Option<Call> {
        let open = opening(document, idx)?;
        let name = open.checked_sub(1).filter(|&name| document.kind(name) == Some(TokenKind::Ident))?;
        Call::at(document, name).filter(|call| call.open == open)
    }

    /// The whole call, from its name to the closing parenthesis.
    pub fn range(&self, document: &Document) -> TextRange {
        document.range_of(self.name..self.close + 1)
    }
}

/// Where the value that starts at `start` ends: before the `;` or `,` behind it, or the bracket around it.
pub fn end_of_value(document: &Document, start: TokenIdx) -> TokenIdx {
    let mut end = start;
    while document.token(end).is_some() && !matches!(document.token_text(end), ";" | "," | ")" | "}") {
        end = document.after_brackets(end);
    }
    end
}

/// The `(` around `idx`, if no other bracket lies between.
pub fn opening(document: &Document, idx: TokenIdx) -> Option<TokenIdx> {
    let mut at = idx;
    loop {
        at = at.checked_sub(1)?;
        match document.token(at)?.kind {
            TokenKind::Punct(b')' | b']' | b'}') => at = document.partner(at).filter(|&open| open < at)?,
            TokenKind::Punct(b'(') => return Some(at),
            TokenKind::Punct(b'{' | b'[' | b';') => return None,
            _ => {}
        }
    }
}

/// The arguments between the parenthesis at `open` and its partner.
pub fn arguments(document: &Document, open: TokenIdx) -> Option<Vec<TextRange>> {
    let close = document.partner(open)?;
    let parts = split_arguments(document, open + 1..close);
    Some(parts.into_iter().map(|tokens| document.range_of(tokens)).collect())
}

/// Splits tokens at the commas of the top level, those of template argument lists excepted.
/// An empty list has no arguments; an empty argument between commas has an empty range.
pub fn split_arguments(document: &Document, tokens: Range<TokenIdx>) -> Vec<Range<TokenIdx>> {
    let mut parts = Vec::new();
    let mut start = tokens.start;
    let mut idx = tokens.start;
    while idx < tokens.end {
        if document.is(idx, b',') {
            parts.push(start..idx);
            start = idx + 1;
        }
        idx = skip(document, idx, tokens.end);
    }
    if start < tokens.end || !parts.is_empty() {
        parts.push(start..tokens.end);
    }
    parts
}

/// The token after the one at `idx`, or after the bracket, template argument list or directive
/// that starts there.
pub(super) fn skip(document: &Document, idx: TokenIdx, end: TokenIdx) -> TokenIdx {
    let Some(token) = document.token(idx) else { return end };
    match token.kind {
        TokenKind::Punct(b'(' | b'[' | b'{') => match document.partner(idx) {
            Some(close) if close > idx && close < end => close + 1,
            _ => idx + 1,
        },
        TokenKind::Punct(b'<') => template_end(document, idx, end).map_or(idx + 1, |close| close + 1),
        TokenKind::Hash => document.directive_of(idx).map_or(idx + 1, |directive| directive.tokens.end),
        _ => idx + 1,
    }
}

/// The `>` that closes the template argument list opened at `open`, if this `<` opens one: only
/// what may stand in such a list is inside, and what follows is no operand of a comparison.
pub fn template_end(document: &Document, open: TokenIdx, end: TokenIdx) -> Option<TokenIdx> {
    let follows_name = open > 0 && document.token(open - 1)?.kind == TokenKind::Ident;
    if !follows_name || document.is(open + 1, b'<') || document.is(open + 1, b'=') {
        return None;
    }
    let close = angle_partner(document, open).filter(|&close| close < end)?;
    closes_template(document, close + 1, end).then_some(close)
}

/// The `>` that belongs to the `<` at `open`.
fn angle_partner(document: &Document, open: TokenIdx) -> Option<TokenIdx> {
    /// Nearly all lists are shorter; the ends of others are looked up.
    const MOST_STEPS: usize = 64;
    let mut depth = 1;
    let mut idx = open + 1;
    for _ in 0..MOST_STEPS {
        let step = document.template_step(idx);
        depth = match step {
            Step::Opens => depth + 1,
            Step::Closes if depth == 1 => return Some(idx),
            Step::Closes => depth - 1,
            Step::EndsInner if depth > 1 => depth,
            Step::Ends | Step::EndsInner => return None,
            Step::GoesOn(_) => depth,
        };
        idx = if let Step::GoesOn(next) = step { next } else { idx + 1 };
    }
    document.template_lists().close_of(open)
}

fn closes_template(document: &Document, next: TokenIdx, end: TokenIdx) -> bool {
    if next >= end {
        return true;
    }
    let Some(token) = document.token(next) else { return true };
    match token.kind {
        TokenKind::PathSep => true,
        TokenKind::Punct(byte) => {
            matches!(byte, b'(' | b'{' | b',' | b')' | b'>' | b';' | b'<' | b'*' | b'&' | b'.' | b'}')
        }
        _ => false,
    }
}

/// Whether the tokens have a comma that a macro would split at.
pub fn has_bare_comma(document: &Document, tokens: Range<TokenIdx>) -> bool {
    let mut idx = tokens.start;
    while idx < tokens.end {
        match document.token(idx).map(|token| token.kind) {
            Some(TokenKind::Punct(b',')) => return true,
            Some(TokenKind::Punct(b'(')) => idx = document.partner(idx).filter(|&close| close > idx).unwrap_or(idx),
            _ => {}
        }
        idx += 1;
    }
    false
}
