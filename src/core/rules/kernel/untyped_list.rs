//! Lists in braces for vectors whose type stands elsewhere: what a function returns, and what is assigned to one of its variables.

use std::ops::Range;

use crate::analysis::Function;
use crate::rules::context::Context;
use crate::syntax::{Document, TokenIdx, TokenKind};

/// The type of what the list at a brace makes, if the text of the function around it tells: `return {1, 2};`, `value = {1};`,
/// `values[i] = {1};`.
pub(super) fn kind_of_list(cx: &Context<'_>, open: TokenIdx) -> Option<String> {
    let document = cx.document;
    let before = open.checked_sub(1)?;
    let is_meant = matches!(document.token_text(before), "return" | "=");
    let function = cx.facts.functions.around(open).filter(|_| is_meant)?;
    if document.token_text(before) == "return" {
        return if is_own_return(cx, function, before) { result(document, function) } else { None };
    }
    let place = assigned(document, before)?;
    cx.variable_types().of_argument(function, place)
}

/// The variable, or the element of one, that a statement gives a value by the `=` at `sign`.
fn assigned(document: &Document, sign: TokenIdx) -> Option<Range<TokenIdx>> {
    let last = sign.checked_sub(1)?;
    let name = if document.is(last, b']') { document.partner(last)?.checked_sub(1)? } else { last };
    let front = name.checked_sub(1).map_or("", |front| document.token_text(front));
    let begins = matches!(front, ";" | "{" | "}" | ")" | "else" | "do");
    (begins && document.kind(name) == Some(TokenKind::Ident)).then_some(name..sign)
}

/// The name of the type in front of a function's own, or behind the arrow that ends its head: `float4 f()`, `auto f() -> float4`.
fn result(document: &Document, function: &Function) -> Option<String> {
    let name = function.name?;
    let named = name - usize::from(document.token_text(name - 1) == "operator");
    let before = named.checked_sub(1).filter(|before| function.head.contains(before))?;
    let last = function.body.start.checked_sub(1)?;
    let is_behind_arrow = last > 1 && document.kind(last - 1) == Some(TokenKind::Arrow);
    let kind = if is_behind_arrow { last } else { before };
    let is_qualified = document.kind(kind.checked_sub(1)?) == Some(TokenKind::PathSep);
    let is_name = document.kind(kind) == Some(TokenKind::Ident) && !is_qualified;
    is_name.then(|| document.token_text(kind).to_owned())
}

/// Words in front of the parenthesis behind which a block of the same function begins.
const HEADS: &[&str] = &["if", "for", "while", "switch", "catch", "constexpr"];

/// Whether a `return` is that of the function, and none of a lambda or a class in it.
fn is_own_return(cx: &Context<'_>, function: &Function, idx: TokenIdx) -> bool {
    let document = cx.document;
    let blocks = cx.facts.blocks(document);
    let is_plain = |open: TokenIdx| {
        let before = open - 1;
        let head =
            document.partner(before).filter(|_| document.is(before, b')')).and_then(|first| first.checked_sub(1));
        match head {
            Some(word) => HEADS.contains(&document.token_text(word)),
            None => matches!(document.token_text(before), "else" | "do" | "try" | ";" | "{" | "}" | ":"),
        }
    };
    let around = std::iter::successors(blocks.around(idx), |open| blocks.around(*open));
    around.take_while(|open| *open > function.body.start).all(is_plain)
}
