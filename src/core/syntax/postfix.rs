//! Expressions made of names, members, calls and indices, from their end.

use super::document::Document;
use super::keywords::{is_keyword, less_of, path_start};
use super::token::{TokenIdx, TokenKind};

/// Where the expression starts that ends with the token `last`: names, with members, scopes, calls and indices, or parentheses
/// where it starts with those. `None` where the tokens do not tell.
pub fn start_of_postfix(document: &Document, last: TokenIdx) -> Option<TokenIdx> {
    let mut first = last;
    loop {
        match document.kind(first)? {
            TokenKind::Punct(b']') => {
                first = document.partner(first)?.checked_sub(1)?;
                continue;
            }
            TokenKind::Punct(b')') => {
                let open = document.partner(first)?;
                let Some(callee) = callee(document, open)? else { return Some(open) };
                first = callee;
            }
            TokenKind::Ident => {}
            _ => return None,
        }
        first = path_start(document, first);
        let Some(sign) = first.checked_sub(1) else { return Some(first) };
        if document.kind(first) == Some(TokenKind::PathSep) && document.is(sign, b'>') {
            first = less_of(document, sign)?.checked_sub(1)?;
            continue;
        }
        if !document.is(sign, b'.') && document.kind(sign) != Some(TokenKind::Arrow) {
            return Some(first);
        }
        first = sign.checked_sub(1)?;
    }
}

/// The name in front of the parenthesis at `open`, with or without template arguments between. None of either if the parenthesis
/// opens the expression, and nothing if that cannot be said.
fn callee(document: &Document, open: TokenIdx) -> Option<Option<TokenIdx>> {
    let Some(before) = open.checked_sub(1) else { return Some(None) };
    let is_name = |idx: &TokenIdx| document.kind(*idx) == Some(TokenKind::Ident);
    match document.kind(before)? {
        TokenKind::Ident => Some(Some(before).filter(|&name| !is_keyword(document.token_text(name)))),
        TokenKind::Punct(b')' | b']') => None,
        TokenKind::Punct(b'>') => Some(less_of(document, before).and_then(|less| less.checked_sub(1)).filter(is_name)),
        _ => Some(None),
    }
}
