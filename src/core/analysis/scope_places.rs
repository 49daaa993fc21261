//! How far a declaration is visible, by the tokens around it: statements, parameters, what lambdas capture.

use std::ops::Range;

use super::heads::template_head_end;
use super::scope_reader::Scope;
use crate::syntax::{Document, TokenIdx, TokenKind, statement_start};

/// The token after the statement that starts at `start`, `else` and handlers of exceptions and all.
pub(super) fn end_of_statement(document: &Document, start: TokenIdx) -> TokenIdx {
    let end = document.tokens().len();
    let mut idx = start;
    while idx < end {
        match document.kind(idx) {
            Some(TokenKind::Punct(b'(' | b'[')) => {
                idx = document.partner(idx).filter(|&close| close > idx).unwrap_or(idx);
            }
            Some(TokenKind::Punct(b'{')) => {
                idx = document.partner(idx).filter(|&close| close > idx).unwrap_or(end);
                if !matches!(document.token_text(idx + 1), "else" | "catch") {
                    return (idx + 1).min(end);
                }
            }
            Some(TokenKind::Punct(b';')) if document.token_text(idx + 1) != "else" => return idx + 1,
            Some(TokenKind::Punct(b'}')) => return idx,
            _ => {}
        }
        idx += 1;
    }
    end
}

/// Where the name is visible that a lambda captures with a value of its own: `[x = 1](int a) { … }`.
pub(super) fn captured(document: &Document, idx: TokenIdx) -> Option<Range<TokenIdx>> {
    if !document.is(idx + 1, b'=') && !document.is(idx + 1, b'{') {
        return None;
    }
    let mut open = document.before(idx)?;
    while !document.is(open, b'[') {
        let is_end = matches!(document.kind(open)?, TokenKind::Punct(b'(' | b'{' | b';'));
        let closes = matches!(document.kind(open)?, TokenKind::Punct(b')' | b']' | b'}'));
        let at = if closes { document.partner(open).filter(|&at| at < open)? } else { open };
        open = document.before(at).filter(|_| !is_end)?;
    }
    let close = document.partner(open).filter(|&close| close > idx)?;
    let mut body = close + 1;
    while !document.is(body, b'{') {
        let skips = document.is(body, b'(');
        let ends = matches!(document.kind(body)?, TokenKind::Punct(b';' | b')' | b'}' | b'='));
        body = if skips { document.partner(body).filter(|&end| end > body)? } else { body } + 1;
        if ends {
            return None;
        }
    }
    Some(close..document.partner(body).filter(|&end| end > body)? + 1)
}

/// Whether the declaration at `idx` in the head of a scope is a parameter: in parentheses, or in those of a template.
pub(super) fn is_parameter(document: &Document, scope: &Scope, idx: TokenIdx) -> bool {
    if enclosing_parentheses(document, idx).is_some_and(|group| group.start >= scope.head.start) {
        return true;
    }
    let template = scope.head.clone().find(|&at| document.token_text(at) == "template" && document.is(at + 1, b'<'));
    template.is_some_and(|template| {
        let end = template_head_end(document, template + 1, scope.head.end);
        (template..end).contains(&idx)
    })
}

/// Whether the token stands in `template <…>` of a declaration without a body, or in `[]<…>` of a lambda.
pub(super) fn is_of_template(document: &Document, idx: TokenIdx) -> bool {
    if idx >= 2
        && matches!(document.token_text(idx - 1), "class" | "typename")
        && matches!(document.token_text(idx - 2), "<" | ",")
    {
        return true;
    }
    let start = statement_start(document, idx);
    document.token_text(start) == "template"
        && document.is(start + 1, b'<')
        && template_head_end(document, start + 1, document.tokens().len()) > idx
}

/// The parentheses around a token within its statement.
pub(super) fn enclosing_parentheses(document: &Document, idx: TokenIdx) -> Option<Range<TokenIdx>> {
    let mut at = idx;
    loop {
        at = document.before(at)?;
        match document.kind(at)? {
            TokenKind::Punct(b')' | b']' | b'}') => at = document.partner(at).filter(|&open| open < at)?,
            TokenKind::Punct(b'(') => {
                let close = document.partner(at).filter(|&close| close > at)?;
                return Some(at..close + 1);
            }
            TokenKind::Punct(b';' | b'{') => return None,
            _ => {}
        }
    }
}
