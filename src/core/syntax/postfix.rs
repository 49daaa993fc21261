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
                first = start_of_call(document, open)?;
                if first == open {
                    return Some(open);
                }
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

/// The name in front of the parenthesis at `open`, with or without template arguments between, or `open` itself if it opens the
/// expression. `None` where the tokens do not tell.
fn start_of_call(document: &Document, open: TokenIdx) -> Option<TokenIdx> {
    let Some(before) = open.checked_sub(1) else { return Some(open) };
    let is_name = |idx: &TokenIdx| document.kind(*idx) == Some(TokenKind::Ident);
    let name = match document.kind(before)? {
        TokenKind::Ident => Some(before).filter(|&name| !is_keyword(document.token_text(name))),
        TokenKind::Punct(b')' | b']') => return None,
        TokenKind::Punct(b'>') => less_of(document, before).and_then(|less| less.checked_sub(1)).filter(is_name),
        _ => None,
    };
    Some(name.unwrap_or(open))
}
