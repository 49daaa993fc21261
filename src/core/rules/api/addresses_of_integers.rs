//! Addresses of the driver's interface that are made of integers alone.

use std::ops::Range;

use super::address_numbers::is_wide_integer;
use super::address_results::{gives_address, is_address_before};
use super::device_pointers::{AddressUse, TYPE};
use crate::rules::context::Context;
use crate::syntax::{Document, TokenIdx, TokenKind, end_of_value, words};

/// The expressions of integers that become addresses where these are set, declared or returned: `address = number + 4;`.
pub(super) fn made_of_integers(addresses: &[AddressUse], cx: &Context<'_>) -> Vec<Range<TokenIdx>> {
    let document: &Document = cx.document;
    let declared = words(document, TYPE).map(|kind| kind + 2);
    let set = addresses.iter().map(|address| address.tokens.end);
    let equals = declared.chain(set).filter(|&at| document.is(at, b'='));
    let equals = equals.filter(|&equals| is_address_before(document, equals, addresses));
    let returns = words(document, "return").filter(|&at| gives_address(cx, at));
    let mut starts: Vec<TokenIdx> = equals.chain(returns).map(|before| before + 1).collect();
    starts.sort_unstable();
    starts.dedup();
    let values = starts.into_iter().map(|start| start..end_of_value(document, start));
    values.filter(|value| is_of_integers(value.clone(), cx)).collect()
}

/// Whether an expression is made of wide integers that the function declares, and of numbers: at least one that is not plainly 0.
fn is_of_integers(value: Range<TokenIdx>, cx: &Context<'_>) -> bool {
    let document: &Document = cx.document;
    let Some(function) = cx.facts.functions.around(value.start) else { return false };
    let is_integer = |idx: TokenIdx| {
        let is_whole = !matches!(document.token_text(idx + 1), "(" | "[" | "." | "->" | "::");
        let kind = cx.variable_types().of_argument(function, idx..idx + 1);
        is_whole && kind.is_some_and(|kind| is_wide_integer(&kind) || kind == "int" || kind == "unsigned int")
    };
    let mut counts = false;
    for idx in value.clone() {
        let is_part = match document.kind(idx) {
            Some(TokenKind::Ident) => is_integer(idx),
            Some(TokenKind::Number) => true,
            Some(TokenKind::Punct(sign)) => b"+-*/%()&|<>".contains(&sign),
            _ => false,
        };
        if !is_part {
            return false;
        }
        counts |= !document.is(idx, b'(') && !document.is(idx, b')') && document.token_text(idx) != "0";
    }
    counts
}
