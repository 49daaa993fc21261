//! What may count the lanes of a warp in functions that use them, though nothing tells.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::lane_function::LaneFunction;
use crate::analysis::{Function, SizePurpose, WAVE_SIZE, WarpCut};
use crate::rules::conditional::is_for_one_width;
use crate::rules::context::Context;
use crate::syntax::{Document, TokenIdx, TokenKind, opening, statement_start};

/// The numbers 32 and 31 of device functions with calls about lanes that no rule knows the purpose of, and what threads are cut by
/// without a known value, in the order of the functions.
pub(super) fn open_sizes(cx: &Context<'_>) -> Vec<Range<TokenIdx>> {
    let document = cx.document;
    let lanes: Vec<TokenIdx> =
        cx.names.iter().filter(|name| LaneFunction::of(name).is_some()).map(|name| name.token).collect();
    let numbers = cx.thread_numbers();
    // Or it calls a function that does, and has lanes to tell it of.
    let uses_lanes = |function: &&Function| {
        let after = lanes.partition_point(|&idx| idx < function.body.start);
        let calls = lanes.get(after).is_some_and(|idx| function.body.contains(idx));
        function.runs_on_device() && (calls || !lanes.is_empty() && !numbers.cuts(function).is_empty())
    };
    let known: FxHashSet<TokenIdx> =
        cx.facts.wave.fixed.iter().map(|found| document.token_at(found.range.start())).collect();
    let mut open = Vec::new();
    for function in cx.facts.functions.iter().filter(uses_lanes) {
        let strides =
            |cut: &&WarpCut| cut.purpose != SizePurpose::LaneStride || ends_loop(cx, function, cut.tokens.start);
        let cuts: FxHashSet<TokenIdx> =
            numbers.cuts(function).iter().filter(strides).map(|cut| cut.tokens.start).collect();
        let all = function.body.clone().filter(|&idx| counts_32(document, idx) && !has_own_rule(document, idx));
        let unknown = all.filter(|idx| !known.contains(idx) && !cuts.contains(idx));
        open.extend(unknown.map(|idx| idx..idx + 1));
        open.extend(numbers.open_cuts(function).into_iter().filter(|cut| may_be_lanes(document, cut)));
    }
    open.retain(|tokens| !is_for_one_width(tokens.start, cx));
    open
}

/// Whether the variable that goes on by the number at `stride` is what the loop around it asks for: `for (c = lane; c < n; c += 32)`.
pub(super) fn ends_loop(cx: &Context<'_>, function: &Function, stride: TokenIdx) -> bool {
    let document = cx.document;
    let Some(variable) = stride.checked_sub(3) else { return false };
    let flow = cx.control_flow(function);
    let around = flow.loops.iter().rev().find(|looped| looped.repeats(stride));
    around.is_some_and(|looped| {
        looped.condition.clone().any(|idx| document.token_text(idx) == document.token_text(variable))
    })
}

/// Whether a token is 32 or 31, and no number of bits: those of shifts are.
fn counts_32(document: &Document, idx: TokenIdx) -> bool {
    let text = document.token_text(idx).to_ascii_lowercase();
    let before = |count: usize| idx.checked_sub(count).map_or("", |before| document.token_text(before));
    let is_shifted = matches!(before(1), "<" | ">") && before(1) == before(2);
    document.kind(idx) == Some(TokenKind::Number)
        && matches!(text.trim_end_matches(['u', 'l']), "32" | "31" | "0x20" | "0x1f")
        && !is_shifted
}

/// Whether other rules look at a number: an argument of a function about lanes, a place in a mask (`31 - __clz(votes)`), and the size of an
/// array in shared memory, of which more than are needed do no harm.
fn has_own_rule(document: &Document, idx: TokenIdx) -> bool {
    let call = opening(document, idx).and_then(|open| open.checked_sub(1)).map_or("", |name| document.token_text(name));
    let is_place = document.is(idx + 1, b'-') && matches!(document.token_text(idx + 2), "__clz" | "__ffs");
    let start = statement_start(document, idx);
    LaneFunction::named(call).is_some()
        || is_place
        || (start..idx).any(|word| document.token_text(word) == "__shared__")
}

/// Whether what threads are cut by may be the lanes of a warp: no size of a block, no width of data by its name.
fn may_be_lanes(document: &Document, cut: &Range<TokenIdx>) -> bool {
    let is_size = |word: &str| matches!(word, WAVE_SIZE | "blockDim" | "gridDim" | "num_threads" | "size");
    let is_plain_name = cut.len() == 1 && document.token_text(cut.start).chars().all(|c| !c.is_ascii_uppercase());
    let is_mask = cut.start.checked_sub(1).is_some_and(|operator| document.is(operator, b'&'));
    !cut.clone().any(|idx| is_size(document.token_text(idx))) && (is_mask || !is_plain_name)
}
