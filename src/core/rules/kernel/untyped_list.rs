//! Lists in braces for vectors whose type stands elsewhere: what a function returns, and what is assigned to one of its variables.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::whole_coordinate::enclosing_parenthesis;
use crate::analysis::Function;
use crate::rules::context::Context;
use crate::syntax::{Document, TokenIdx, TokenKind, is_keyword, words_in};

/// The type of what the list at a brace makes, if the text of the function around it tells: `return {1, 2};`, `value = {1};`,
/// `values[i] = {1};`. Nothing within lambdas and classes of a function, which have results and variables of their own.
pub(super) fn kind_of_list<'d>(cx: &Context<'d>, open: TokenIdx, variables: &mut SoleVariables<'d>) -> Option<String> {
    let document = cx.document;
    let before = open.checked_sub(1)?;
    let is_meant = matches!(document.token_text(before), "return" | "=");
    let function = cx.facts.functions.around(open).filter(|_| is_meant)?;
    if !is_in_own_block(cx, function, before) {
        return None;
    }
    if document.token_text(before) == "return" {
        return result(document, function);
    }
    let place = assigned(document, before)?;
    let kind = cx.variable_types().of_argument(function, place.clone())?;
    is_sole_variable(cx, function, place.start, variables).then_some(kind)
}

/// The variables that functions declare under one name alone, by where a function begins and the name: where each is named first.
pub(super) type SoleVariables<'d> = FxHashMap<(TokenIdx, &'d str), Option<TokenIdx>>;

/// Whether the function declares one variable by the name at `used` alone, as a parameter or in a block around: no other scope, structured
/// binding or handler has a say.
fn is_sole_variable<'d>(
    cx: &Context<'d>,
    function: &Function,
    used: TokenIdx,
    variables: &mut SoleVariables<'d>,
) -> bool {
    let name = cx.document.token_text(used);
    let look = || sole_variable(cx.document, function, name);
    let Some(declared) = *variables.entry((function.head.start, name)).or_insert_with(look) else { return false };
    if function.head.contains(&declared) {
        return true;
    }
    let blocks = cx.facts.blocks(cx.document);
    let block = blocks.around(declared);
    let mut around = std::iter::successors(blocks.around(used), |open| blocks.around(*open));
    enclosing_parenthesis(cx.document, declared).is_none() && around.any(|open| Some(open) == block)
}

/// Where a function names something first that it declares nowhere else: `Other value`, `auto& [value, other]`, `catch (Other& value)`.
fn sole_variable(document: &Document, function: &Function, name: &str) -> Option<TokenIdx> {
    let mut places = words_in(document, name, function.head.start..function.body.end);
    let declared = places.next()?;
    let is_declared = |idx: TokenIdx| match document.kind(idx - 1) {
        Some(TokenKind::Ident) => !is_keyword(document.token_text(idx - 1)) || document.token_text(idx - 1) == "auto",
        Some(TokenKind::Punct(b'&' | b'*')) => document.kind(idx - 2) == Some(TokenKind::Ident),
        Some(TokenKind::Punct(b'[' | b',')) => document.is(idx + 1, b',') || document.is(idx + 1, b']'),
        _ => false,
    };
    (!places.any(is_declared)).then_some(declared)
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

/// Whether a place belongs to the function itself, and to no lambda or class in it.
fn is_in_own_block(cx: &Context<'_>, function: &Function, idx: TokenIdx) -> bool {
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
