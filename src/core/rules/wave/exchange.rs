//! Exchanges between lanes whose partners are the same on waves of any size.

use crate::analysis::Function;
use crate::rules::api::visible_call;
use crate::rules::context::Context;
use crate::source::TextRange;
use crate::syntax::{TokenIdx, TokenKind};

use super::lane_function::takes_mask;

/// The greatest distance over which a `__shfl_xor` exchanges, if that is known. Below 32 both lanes are in the same row of 32,
/// whatever the width of the shuffle is.
pub(super) fn exchanged_over(name: TokenIdx, cx: &Context<'_>) -> Option<i64> {
    let distance = argument(name, 1, cx)?;
    let tokens = cx.document.tokens_in(distance);
    let numbers = cx.thread_numbers();
    if let Some(distance) = numbers.constant(tokens.clone()) {
        return (distance >= 0).then_some(distance);
    }
    let function = cx.facts.functions.around(name)?;
    let variable = tokens.start;
    if tokens.len() != 1 || cx.document.kind(variable) != Some(TokenKind::Ident) {
        return None;
    }
    let first = numbers.constant(numbers.first_value(variable, function)?.tokens)?;
    (first >= 0 && only_shrinks(variable, function, cx)).then_some(first)
}

/// The width of a `__shfl_xor` that changes nothing: no width parts a lane from its partner.
pub(super) fn idle_width(name: TokenIdx, cx: &Context<'_>) -> Option<TextRange> {
    // From a distance of 16 on it may be the first step of a reduction, which gets one more on whole waves.
    exchanged_over(name, cx).filter(|&distance| distance < 16)?;
    argument(name, 2, cx)
}

/// An argument of `__shfl_xor`, not counting the mask.
fn argument(name: TokenIdx, number: usize, cx: &Context<'_>) -> Option<TextRange> {
    let text = cx.document.token_text(name);
    let call = visible_call(cx.document, name).filter(|_| text.starts_with("__shfl_xor"))?;
    call.arguments.get(number + usize::from(takes_mask(text))).copied()
}

/// Whether a variable is only divided or shifted down, as long as its name means it.
fn only_shrinks(variable: TokenIdx, function: &Function, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let numbers = cx.thread_numbers();
    let known = numbers.known_as(variable, function);
    let changes = numbers.changes_of(document.token_text(variable), function);
    let is_at = |idx: TokenIdx, sign: &str| sign.bytes().zip(idx..).all(|(part, idx)| document.is(idx, part));
    changes.iter().filter(|idx| known.contains(idx)).all(|&idx| is_at(idx + 1, ">>=") || is_at(idx + 1, "/="))
}
