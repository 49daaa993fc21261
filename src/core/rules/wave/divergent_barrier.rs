//! Barriers of a block to which the two warps of a wave come one after the other.

use std::cell::OnceCell;
use std::ops::Range;

use super::called_places::with_callers;
use super::choices::choices;
use super::division::{Division, division};
use super::lane_branches::{Parting, last_of, of_ands, of_ifs};
use super::lane_function::keeps_32_lanes;
use super::opaque_warps::Cutters;
use crate::analysis::{ControlFlow, Function, If};
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::groups::{GroupKind, group_of_member, group_of_value};
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Document, TokenIdx, TokenKind, among, words, words_among, words_in};

declare_rule! {
    /// ## What it does
    /// Finds barriers of a block (`__syncthreads()`, `sync()` of a block, `bar.sync`), and calls of functions with
    /// one, in a branch that one warp of 32 lanes takes and its neighbour does not: `if (warp == 0)`, `switch (warp)`, or both
    /// branches of `if (threadIdx.x < 32)`, also where a variable or a function holds the condition.
    ///
    /// ## Why is this bad?
    /// A barrier of an NVIDIA GPU counts warps, wherever in the program they are, so that warps which do different
    /// work can meet. On gfx9 two warps of 32 are one wave of 64 lanes, which takes the branches one after the other
    /// and comes to each barrier by itself: it waits for nobody, the warps read what was not yet written, and other
    /// waves may wait for ever.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void pass_on(int* out) {
    ///     __shared__ int value;
    ///     if (threadIdx.x / 32 == 0) {
    ///         value = 1;
    ///         __syncthreads();
    ///     } else {
    ///         __syncthreads();
    ///         out[threadIdx.x] = value;
    ///     }
    /// }
    /// ```
    ///
    /// ## What to do
    /// Move the barrier out of the branches. Where warps do different work for long, give it to groups of 64 threads.
    DivergentBarrier { code: "W036", name: "divergent-barrier", severity: Warning, fix: None, since: "0.2.0" }
}

/// Barriers of the threads of a block.
const BARRIERS: &[&str] =
    &["__syncthreads", "__syncthreads_count", "__syncthreads_and", "__syncthreads_or", "__barrier_sync"];

impl Rule for DivergentBarrier {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let barriers = with_callers(cx, own_barriers(cx));
        if barriers.is_empty() {
            return;
        }
        for (found, first) in parted_branches(cx, &barriers) {
            report(cx, &found, first);
        }
    }
}

/// The branches of a file that part the warps of a wave, with the first barrier that these come to apart.
fn parted_branches(cx: &Context<'_>, barriers: &[TokenIdx]) -> Vec<(If, TokenIdx)> {
    let cutters = OnceCell::new();
    let functions = cx.facts.functions.iter().filter(|function| function.runs_on_device());
    let mut all = Vec::new();
    for function in functions.filter(|function| !within(barriers, &function.body).is_empty()) {
        let flow = cx.control_flow(function);
        let others = switches(cx.document, &function.body).chain(other_ways(cx.document, (function, &flow), barriers));
        for found in flow.ifs.iter().cloned().chain(others) {
            let parts = |condition: &Range<TokenIdx>| {
                cutters.get_or_init(|| Cutters::of(cx, barriers)).may_part(function, condition)
            };
            let first = parted(cx, (function, &found), barriers, parts);
            all.extend(first.map(|first| (found, first)));
        }
    }
    all
}

/// Each `switch` as the branch that its value decides about.
fn switches(document: &Document, body: &Range<TokenIdx>) -> impl Iterator<Item = If> {
    words_in(document, "switch", body.clone()).filter_map(move |keyword| {
        let close = document.partner(keyword + 1).filter(|_| document.is(keyword + 1, b'('))?;
        let end = document.partner(close + 1).filter(|&end| document.is(close + 1, b'{') && end > close)?;
        Some(If { keyword, condition: keyword + 2..close, then: close + 2..end, other: end..end })
    })
}

/// The ways of `?:` and `&&`, and those over which a `goto` leads, as branches.
fn other_ways<'c>(
    document: &'c Document,
    (function, flow): (&Function, &ControlFlow),
    barriers: &'c [TokenIdx],
) -> impl Iterator<Item = If> + 'c {
    let body = &function.body;
    let jumps = of_ifs(document, body, flow).into_iter().filter(|way| way.is_joined);
    let ways = jumps.chain(choices(document, body)).chain(of_ands(document, body));
    ways.flat_map(move |Parting { conditions, one, other, is_joined }| {
        let ifs = conditions.into_iter().map(move |(condition, start)| {
            let then = start..one.end;
            If { keyword: condition.start, condition, then, other: other.clone() }
        });
        // All come to the second way, if they may go on.
        ifs.filter(move |found| !is_joined || !within(barriers, &found.then).is_empty())
    })
}

/// The first barrier of a branch that the warps of a wave come to apart. `parts` tells of conditions whose value is not known.
fn parted(
    cx: &Context<'_>,
    (function, found): (&Function, &If),
    barriers: &[TokenIdx],
    parts: impl FnOnce(&Range<TokenIdx>) -> bool,
) -> Option<TokenIdx> {
    // Those that return miss what follows.
    let last = last_of(cx.document, &found.then).map_or("", |last| cx.document.token_text(last));
    let returns = last == "return" && found.other.is_empty();
    let rest = if returns { found.then.end..function.body.end } else { found.other.clone() };
    let (then, other) = (within(barriers, &found.then), within(barriers, &rest));
    if returns && then.is_empty() {
        return None;
    }
    let &first = then.first().or(other.first())?;
    let are_both = !then.is_empty() && !other.is_empty();
    let divides = match division(cx, function, found.condition.clone()) {
        Some(Division::Warps) => true,
        Some(Division::Threads) => are_both,
        None => are_both && parts(&found.condition),
    };
    let at = cx.document.range_of(first..first + 1).start();
    (divides && (cx.facts.is_hip || keeps_32_lanes(at, cx))).then_some(first)
}

fn report(cx: &mut Context<'_>, found: &If, first: TokenIdx) {
    let condition = cx.document.range_of(found.condition.clone());
    let at = cx.document.range_of(first..first + 1);
    let finding = cx.report(at, "a wave of 64 comes to this barrier once for each of its two warps");
    finding.label(condition, "parts the warps of a wave");
    finding.note("on gfx9 a barrier counts waves: move it out of the branches, or give them 64 threads each");
}

fn within<'b>(barriers: &'b [TokenIdx], tokens: &Range<TokenIdx>) -> &'b [TokenIdx] {
    among(barriers, tokens.clone(), |&barrier| barrier)
}

/// The barriers themselves, in no order: functions, members of groups, and PTX.
pub(super) fn own_barriers(cx: &Context<'_>) -> Vec<TokenIdx> {
    let document = cx.document;
    let mut found = words_among(document, BARRIERS);
    found.extend(words(document, "sync").filter(|&idx| is_sync_of_block(cx, idx)));
    let is_text = |kind: TokenKind| matches!(kind, TokenKind::Str | TokenKind::RawStr);
    // Few files have strings with one.
    let may_have = memchr::memmem::find(document.text().as_bytes(), b"bar").is_some();
    let texts = document.tokens().of_kind(|kind| may_have && is_text(kind));
    let is_barrier = |&idx: &TokenIdx| {
        ["bar.sync", "bar.red", "barrier.sync"].iter().any(|op| document.token_text(idx).contains(op))
    };
    found.extend(texts.filter(is_barrier));
    found
}

/// `block.sync()`, `cg::sync(block)`, `this_thread_block().sync()`
fn is_sync_of_block(cx: &Context<'_>, idx: TokenIdx) -> bool {
    let document = cx.document;
    let near = |from: TokenIdx, to: TokenIdx| (from..to).any(|idx| document.token_text(idx).contains("block"));
    let is_member = idx.checked_sub(1).is_some_and(|dot| document.is(dot, b'.'));
    let close = document.partner(idx + 1).unwrap_or(idx);
    let is_block = |kind: Option<GroupKind>| kind == Some(GroupKind::Block);
    if is_member {
        near(idx.saturating_sub(4), idx) || is_block(group_of_member(idx, cx).map(|(_, kind)| kind))
    } else {
        near(idx + 1, close) || idx + 2 < close && is_block(group_of_value(idx + 2..close, cx))
    }
}
