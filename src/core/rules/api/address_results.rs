//! Where an expression of integers becomes an address of the driver's interface.

use std::ops::Range;

use super::address_numbers::is_in_lambda;
use super::device_pointers::{AddressUse, TYPE};
use crate::rules::context::Context;
use crate::syntax::{Call, Document, TokenIdx, TokenKind, is_keyword};

/// Tokens of an expression before an operand; sums of addresses are short.
const FAR: usize = 64;

/// The expression around an operand whose value becomes an address: `address = …`, `CUdeviceptr address = …`, `return …` where the
/// function gives one, and the address that a function of the driver works at.
pub(super) fn address_made(
    cx: &Context<'_>,
    used: &Range<TokenIdx>,
    addresses: &[AddressUse],
) -> Option<Range<TokenIdx>> {
    let document = cx.document;
    let mut at = used.start;
    for _ in 0..FAR {
        let before = at.checked_sub(1)?;
        let is_made = match document.token_text(before) {
            "=" => is_address_before(document, before, addresses),
            "return" => gives_address(cx, before),
            "(" if is_call(document, before) => is_place(document, before),
            "," | ";" | "{" | "}" | "?" | ":" | "[" => return None,
            ")" | "]" => {
                at = document.partner(before).filter(|&open| open < before)?;
                continue;
            }
            _ => {
                at = before;
                continue;
            }
        };
        return is_made.then(|| at..end_of_value(document, at));
    }
    None
}

/// Whether the `=` at `equals` sets an address.
fn is_address_before(document: &Document, equals: TokenIdx, addresses: &[AddressUse]) -> bool {
    let is_declared = equals.checked_sub(2).is_some_and(|kind| document.token_text(kind) == TYPE);
    let behind = addresses.partition_point(|address| address.tokens.start < equals);
    let last = behind.checked_sub(1).map(|last| &addresses[last]);
    let is_set = last.is_some_and(|last| last.tokens.end == equals && last.is_certain && last.kind == TYPE);
    !document.is(equals + 1, b'=') && (is_declared || is_set)
}

/// Whether what is returned at `idx` is an address.
fn gives_address(cx: &Context<'_>, idx: TokenIdx) -> bool {
    let Some(function) = cx.facts.functions.around(idx) else { return false };
    let kind = function.name.and_then(|name| name.checked_sub(1));
    kind.is_some_and(|kind| cx.document.token_text(kind) == TYPE) && !is_in_lambda(cx, function, idx)
}

/// Whether a parenthesis opens arguments.
fn is_call(document: &Document, open: TokenIdx) -> bool {
    let name = open.checked_sub(1);
    name.is_some_and(|name| {
        document.kind(name) == Some(TokenKind::Ident) && !is_keyword(document.token_text(name))
            || document.is(name, b'>')
    })
}

/// Whether the first argument of a call is an address of the GPU's memory (CUDA Driver API, "Memory Management").
fn is_place(document: &Document, open: TokenIdx) -> bool {
    const STARTS: &[&str] = &["cuMemcpyHtoD", "cuMemcpyDtoD", "cuMemsetD", "cuMemFree"];
    let call = open.checked_sub(1).and_then(|name| Call::at(document, name));
    call.is_some_and(|call| STARTS.iter().any(|start| document.token_text(call.name).starts_with(start)))
}

/// Where the value that starts at `start` ends.
fn end_of_value(document: &Document, start: TokenIdx) -> TokenIdx {
    let mut end = start;
    while document.token(end).is_some() && !matches!(document.token_text(end), ";" | "," | ")" | "}") {
        end = document.partner(end).filter(|&close| close > end).unwrap_or(end) + 1;
    }
    end
}
