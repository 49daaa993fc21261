//! Functions about lanes that reach a whole wave of 64, in device code of HIP sources that counts on warps of 32.

use std::ops::Range;
use std::rc::Rc;

use super::lane_function::{LaneFunction, takes_mask};
use super::mask_constant::MaskConstant;
use super::reached::Reached;
use crate::analysis::{
    Function, MOST_LANES, SizePurpose, ThreadLimit, ThreadNumber, WAVE_SIZE, WarpCut, include_guard,
};
use crate::diagnostic::RuleInfo;
use crate::rules::api::visible_call;
use crate::rules::conditional::is_for_hip;
use crate::rules::context::Context;
use crate::rules::query::{Files, Name, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::settings::WavePolicy;
use crate::source::TextRange;
use crate::syntax::{Call, TokenIdx, words_in};

declare_rule! {
    /// ## What it does
    /// Finds votes, matches, reductions and shuffles that reach beyond 32 lanes, in device functions of HIP sources that
    /// count on warps of 32: they cut the numbers of threads by `/ 32`, `% 32`, `& 31` or `>> 5`, or reduce from a distance of 16.
    /// Shuffles are found that read a lane by its number among 32, or a neighbour outside of a reduction. Masks of the lower 32 lanes and
    /// shuffles from lane 31 are found in functions that do not ask for `warpSize`, whatever else these say.
    ///
    /// ## Why is this bad?
    /// On targets with waves of 64 lanes, `__any` asks all 64, and `__shfl(x, 0)` gives the value of lane 0 to the lanes from 32 on,
    /// too, whose warp starts at lane 32 here (HIP, "Warp cross-lane functions": without a width, a shuffle is among `warpSize` lanes).
    /// On targets with waves of 32 lanes the code is right, so nothing is seen there.
    ///
    /// ## Example
    /// ```cuda
    /// #include <hip/hip_runtime.h>
    /// __global__ void first(int* out) {
    ///     int lane = threadIdx.x & 31;
    ///     out[threadIdx.x] = __shfl(lane, 0);
    /// }
    /// ```
    ///
    /// ## What to do
    /// Give shuffles the width 32, and take the 32 lanes of the caller from votes:
    /// `(__ballot(x) >> (__lane_id() & 32)) & 0xffffffff`. Or count on `warpSize` everywhere.
    LanesBeyond32 { code: "W033", name: "lanes-beyond-32", severity: Warning, fix: None, since: "0.2.0" }
}

/// A mask of the lanes 0 to 31.
const LOWER_LANES: i64 = 0xffff_ffff;

impl Rule for LanesBeyond32 {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        if cx.settings.wave_policy == WavePolicy::Logical32 {
            return;
        }
        let names = Rc::clone(&cx.names);
        let for_one_size = branches_for_one_size(cx);
        let (mut at, mut reached): (Option<Counts>, _) = (None, Reached::default());
        for name in names.iter().filter(|name| LaneFunction::of(name).is_some()) {
            let is_hip = cx.facts.is_hip || is_for_hip(name.token, cx);
            let Some(function) = cx.facts.functions.around(name.token).filter(|_| is_hip) else { continue };
            if for_one_size.iter().any(|branch| branch.contains(&name.token)) {
                continue;
            }
            let counts = match at.take().filter(|counts| counts.start == function.body.start) {
                Some(counts) => at.insert(counts),
                None => at.insert(Counts::of(function, cx)),
            };
            if reached.limit(name.token, function, cx).is_some_and(is_lower_half) {
                continue;
            }
            let Some(cut) = &counts.cut else {
                if !counts.is_silent {
                    report_by_itself(&name, cx);
                }
                continue;
            };
            if let Some((range, what)) = reach(&name, function, cx) {
                let cut = cx.document.range_of(cut.tokens.clone());
                let finding = cx.report(range, format!("{what}, in a function that counts on warps of 32"));
                finding.label(cut, "counts on 32 lanes");
                finding.note("right where waves have 32 lanes only; on gfx9 they have 64");
            }
        }
    }
}

/// What a function says of the number of lanes.
struct Counts {
    /// Where its body starts.
    start: TokenIdx,
    /// What counts on 32.
    cut: Option<WarpCut>,
    /// Whether it is for waves of any size, or for the first 32 threads.
    is_silent: bool,
}

impl Counts {
    fn of(function: &Function, cx: &Context<'_>) -> Counts {
        let is_silent = !function.runs_on_device() || asks_for_size(function, cx) || is_limited(function, cx);
        Counts { start: function.body.start, cut: counted(function, cx), is_silent }
    }
}

/// The branches of each `#if` that asks for targets or for the size of a wave, so that they are for waves of one size. The guard of a
/// header asks for nothing.
fn branches_for_one_size(cx: &Context<'_>) -> Vec<Range<TokenIdx>> {
    let says_size = |idx: TokenIdx| {
        let word = cx.document.token_text(idx).to_ascii_lowercase();
        word.starts_with("__gfx")
            || ["wavefront", "wave_size", "warp_size", "warpsize"].iter().any(|part| word.contains(part))
    };
    let guard = include_guard(cx.document).map(|(test, _)| test.tokens.start);
    let chains = cx.facts.conditions.chains().iter().filter(|chain| {
        let mut words =
            chain.branches.iter().flat_map(|branch| &branch.condition).flat_map(|found| found.tokens.clone());
        chain.branches.first().map(|branch| branch.opened_by) != guard && words.any(says_size)
    });
    chains.flat_map(|chain| chain.branches.iter().map(|branch| branch.body.clone())).collect()
}

/// A call that counts on 32 lanes whatever the function around it does: by a mask of the lower ones, or by their last one.
fn report_by_itself(name: &Name<'_>, cx: &mut Context<'_>) {
    let Some(call) = visible_call(cx.document, name.token) else { return };
    let constant = |range: TextRange| cx.thread_numbers().constant(cx.document.tokens_in(range));
    let masks = usize::from(takes_mask(&name.text));
    let mask = call.arguments.first().filter(|_| masks == 1);
    let found = if let Some(&mask) = mask.filter(|mask| constant(**mask) == Some(LOWER_LANES)) {
        // A mask of 32 bits is an error of its own.
        let is_wide = MaskConstant::of(cx, mask).is_none();
        is_wide.then(|| (mask, "the mask leaves out the lanes from 32 on, which call this, too".to_owned()))
    } else if name.text.trim_end_matches("_sync") == "__shfl" && call.arguments.len() == 2 + masks {
        let source = call.arguments.get(1 + masks).filter(|source| constant(**source) == Some(31));
        source.map(|&source| (source, "lane 31 is the last one of a warp of 32, but not of a wave of 64".to_owned()))
    } else {
        None
    };
    let Some((range, what)) = found else { return };
    cx.report(range, what).note("right where waves have 32 lanes only; on gfx9 they have 64");
}

/// Whether a function asks how many lanes a wave has.
fn asks_for_size(function: &Function, cx: &Context<'_>) -> bool {
    let asks = |idx: TokenIdx| {
        let text = cx.document.token_text(idx);
        text == WAVE_SIZE || text.to_ascii_lowercase().contains("wavefront")
    };
    function.body.clone().any(asks)
}

/// What shows that a device function counts on 32 lanes, unless it asks for the size of the wave, or has one thread of a warp only.
fn counted(function: &Function, cx: &Context<'_>) -> Option<WarpCut> {
    if !function.runs_on_device() || asks_for_size(function, cx) {
        return None;
    }
    let cuts = cx.thread_numbers().cuts(function);
    cuts.iter().find(|cut| cut.purpose != SizePurpose::RoundUp).cloned()
}

/// The part of a call that reaches beyond the caller's 32 lanes, and how.
fn reach(name: &Name<'_>, function: &Function, cx: &Context<'_>) -> Option<(TextRange, String)> {
    let call = visible_call(cx.document, name.token)?;
    let text = &name.text;
    if takes_mask(text) {
        let mask = *call.arguments.first()?;
        // A mask of 32 bits is an error of its own.
        if MaskConstant::of(cx, mask).is_some() {
            return None;
        }
        if cx.thread_numbers().constant(cx.document.tokens_in(mask)) == Some(LOWER_LANES) && !is_limited(function, cx) {
            return Some((mask, "the mask leaves out the lanes from 32 on, which call this, too".to_owned()));
        }
    }
    let what = match LaneFunction::of(name)? {
        LaneFunction::Shuffle => return shuffled(name, &call, function, cx),
        LaneFunction::Vote if text.contains("ballot") || text.contains("activemask") => {
            (counts_bits(&call, cx) || picks_lane(&call, function, cx) || counts_variable(&call, function, cx))
                .then(|| format!("`{text}` has the lanes of a whole wave"))?
        }
        LaneFunction::Vote => format!("`{text}` asks all lanes of a wave"),
        LaneFunction::Match => format!("`{text}` compares all lanes of a wave"),
        LaneFunction::Reduce => format!("`{text}` combines all lanes of a wave"),
        LaneFunction::Barrier => return None,
    };
    Some((name.range, what))
}

/// Whether only the lanes 0 to 31 of a wave come to a place.
fn is_lower_half(limit: &ThreadLimit) -> bool {
    limit.period == MOST_LANES && limit.below <= MOST_LANES / 2
}

/// Whether threads are compared with 32, as where only the first warp goes on.
fn is_limited(function: &Function, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let compares = |idx: TokenIdx| idx > 0 && document.is(idx - 1, b'<') && document.token_text(idx) == "32";
    function.body.clone().any(compares)
}

/// Whether the bits of what a call returns are counted as they are.
fn counts_bits(call: &Call, cx: &Context<'_>) -> bool {
    let outer = call.name.checked_sub(2).map_or("", |idx| cx.document.token_text(idx));
    outer == "__popcll" && cx.document.is(call.close + 1, b')')
}

/// `lane == __ffsll(__ballot(x)) - 1`: whether a lane among 32 is compared with the first of a whole wave.
fn picks_lane(call: &Call, function: &Function, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let Some(finder) = call.name.checked_sub(2).filter(|&finder| document.token_text(finder) == "__ffsll") else {
        return false;
    };
    let is_lane = |idx: TokenIdx| cx.thread_numbers().number(idx..idx + 1, function) == Some(ThreadNumber::Lane);
    let is_equal = |idx: TokenIdx| document.is(idx, b'=') && document.is(idx + 1, b'=');
    let before = finder.checked_sub(3).is_some_and(|before| is_equal(before + 1) && is_lane(before));
    // Behind the parentheses of both comes `- 1`.
    let behind = call.close + 4;
    before || (is_equal(behind) && is_lane(behind + 2))
}

/// Whether the bits of the variable that a call gives its value are counted, or asked for by the number of a lane among 32, as
/// they are: nothing takes the caller's half of them.
fn counts_variable(call: &Call, function: &Function, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let Some(equals) = call.name.checked_sub(1).filter(|&equals| equals > 0 && document.is(equals, b'=')) else {
        return false;
    };
    if !document.is(call.close + 1, b';') {
        return false;
    }
    let mut is_counted = false;
    for used in words_in(document, document.token_text(equals - 1), call.close..function.body.end) {
        let is_shifted = document.is(used + 1, b'>') && document.is(used + 2, b'>');
        if is_shifted && cx.thread_numbers().number(used + 3..used + 4, function) != Some(ThreadNumber::Lane) {
            return false;
        }
        let is_argument = document.is(used - 1, b'(') && (document.is(used + 1, b')') || document.is(used + 1, b'&'));
        is_counted |= is_shifted || is_argument && BIT_COUNTS.contains(&document.token_text(used - 2));
    }
    is_counted
}

/// Functions that count the bits of a mask of 64, or look for one.
const BIT_COUNTS: &[&str] = &["__popcll", "__ffsll", "__clzll"];

/// What a shuffle without a width reads from outside of the caller's 32 lanes.
fn shuffled(name: &Name<'_>, call: &Call, function: &Function, cx: &Context<'_>) -> Option<(TextRange, String)> {
    let masks = usize::from(takes_mask(&name.text));
    let tokens = |range: TextRange| cx.document.tokens_in(range);
    let numbers = cx.thread_numbers();
    if call.arguments.get(2 + masks).is_some() {
        return None;
    }
    let range = *call.arguments.get(1 + masks)?;
    let value = numbers.constant(tokens(range));
    let text = cx.document.slice(range);
    let told = match name.text.trim_end_matches("_sync") {
        "__shfl" => {
            reads_lane(tokens(range), value, function, cx).then(|| format!("lane `{text}` is one of a whole wave"))
        }
        "__shfl_up" | "__shfl_down" => {
            let alone = value.is_some_and(|distance| (1..16).contains(&distance)) && !reduces(function, cx);
            alone.then(|| format!("`{}` reads across lane 31", name.text))
        }
        _ => None,
    };
    told.map(|told| (range, told))
}

/// Whether the source of a shuffle is the number of a lane among 32.
fn reads_lane(tokens: Range<TokenIdx>, value: Option<i64>, function: &Function, cx: &Context<'_>) -> bool {
    let is_lane = || cx.thread_numbers().number(tokens, function) == Some(ThreadNumber::Lane);
    value.is_some_and(|lane| (0..32).contains(&lane)) || is_lane()
}

/// Whether a function shuffles over 16 lanes too, as reductions and scans over 32 do: those leave lanes without a use whose value
/// comes from the other half.
fn reduces(function: &Function, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let numbers = cx.thread_numbers();
    let starts = numbers.cuts(function).iter().any(|cut| cut.purpose == SizePurpose::ReductionStart);
    let is_loop = |idx: TokenIdx| matches!(document.token_text(idx), "for" | "while");
    let over_16 = |idx: TokenIdx| {
        LaneFunction::named(document.token_text(idx)) == Some(LaneFunction::Shuffle)
            && Call::at(document, idx).is_some_and(|call| {
                let masks = usize::from(takes_mask(document.token_text(idx)));
                call.arguments.get(1 + masks).is_some_and(|&range| document.slice(range) == "16")
            })
    };
    starts || function.body.clone().any(|idx| is_loop(idx) || over_16(idx))
}
