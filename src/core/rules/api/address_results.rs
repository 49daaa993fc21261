//! Where an expression of integers becomes an address of the driver's interface.

use std::ops::Range;

use super::address_numbers::is_in_lambda;
use super::device_pointers::{AddressUse, TYPE};
use crate::rules::context::Context;
use crate::syntax::{Call, Document, TokenIdx, TokenKind, end_of_value, is_keyword, opening, path_start};

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
            "(" if is_call(document, before) => is_place(document, before, at),
            "," => opening(document, before).is_some_and(|open| is_place(document, open, at)),
            ";" | "{" | "}" | "?" | ":" | "[" => return None,
            ")" | "]" => {
                at = document.partner(before).filter(|&open| open < before)?;
                continue;
            }
            _ => {
                at = before;
                continue;
            }
        };
        let value = at..if is_made { end_of_value(document, at) } else { at };
        let directive = |idx: TokenIdx| document.directive_of(idx).map(|directive| directive.tokens.start);
        let is_whole = is_made && value.clone().all(|idx| directive(idx) == directive(used.start));
        return is_whole.then_some(value);
    }
    None
}

/// Whether the `=` at `equals` sets an address.
pub(super) fn is_address_before(document: &Document, equals: TokenIdx, addresses: &[AddressUse]) -> bool {
    let is_declared = equals.checked_sub(2).is_some_and(|kind| document.token_text(kind) == TYPE);
    let behind = addresses.partition_point(|address| address.tokens.start < equals);
    let last = behind.checked_sub(1).map(|last| &addresses[last]);
    let is_set = last.is_some_and(|last| last.tokens.end == equals && last.is_certain && last.kind == TYPE);
    !document.is(equals + 1, b'=') && (is_declared || is_set)
}

/// Whether what is returned at `idx` is an address.
pub(super) fn gives_address(cx: &Context<'_>, idx: TokenIdx) -> bool {
    let Some(function) = cx.facts.functions.around(idx) else { return false };
    let kind = function.name.and_then(|name| path_start(cx.document, name).checked_sub(1));
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

/// Functions by the starts of their names, with the number of an argument that is an address of the GPU's memory (CUDA Driver API,
/// "Memory Management" and "Unified Addressing").
const PLACES: &[(&str, usize)] = &[
    ("cuMemAdvise", 0),
    ("cuMemFree", 0),
    ("cuMemPrefetchAsync", 0),
    ("cuMemcpyDtoD", 0),
    ("cuMemcpyDtoD", 1),
    ("cuMemcpyDtoH", 1),
    ("cuMemcpyHtoD", 0),
    ("cuMemsetD", 0),
];

/// Whether the argument at `start` of the call that `open` opens is an address.
fn is_place(document: &Document, open: TokenIdx, start: TokenIdx) -> bool {
    let Some(call) = open.checked_sub(1).and_then(|name| Call::at(document, name)) else { return false };
    let offset = document.range_of(start..start + 1).start();
    let number = call.arguments.iter().position(|argument| argument.start() == offset);
    let name = document.token_text(call.name);
    PLACES.iter().any(|(function, at)| name.starts_with(function) && number == Some(*at))
}
