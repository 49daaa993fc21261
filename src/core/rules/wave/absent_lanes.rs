//! Lanes that a mask names or a shuffle reads where a condition keeps them away, in device code of HIP sources.

use std::cmp::Reverse;
use std::ops::Range;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::divergent_collective::parts_lanes;
use super::lane_branches::Parting;
use super::lane_function::{LaneFunction, takes_mask};
use super::mask_constant::is_whole_wave;
use super::meetings::partings;
use super::reached::Reached;
use crate::analysis::{Function, MOST_LANES, ThreadLimit, WAVE_SIZE, has_more_dimensions};
use crate::diagnostic::RuleInfo;
use crate::rules::api::visible_call;
use crate::rules::conditional::is_for_hip;
use crate::rules::context::Context;
use crate::rules::query::{Files, Name, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::settings::WavePolicy;
use crate::source::TextRange;
use crate::syntax::{Call, Document, Operand, OperandKind, TokenIdx};

declare_rule! {
    /// ## What it does
    /// Finds calls in device code of HIP sources that count on lanes which a condition around them keeps away: masks of all 64
    /// lanes, and shuffles that read such lanes only, behind `if (threadIdx.x < 32)`, `if (lane >= 16) return;` and the like; masks of all
    /// lanes also in branches that part the lanes of a wave in another way, such as `if (threadIdx.x % 3 == 0)`.
    ///
    /// ## Why is this bad?
    /// On targets with waves of 64 lanes, the first 32 threads are half of a wave. The functions with masks want each lane that the mask
    /// names to call them (HIP, "Warp cross-lane functions"), and what is read from a lane that does not take part is undefined. With
    /// waves of 32 lanes, `threadIdx.x < 32` keeps nobody of the first wave away, so nothing is seen there.
    ///
    /// ## Example
    /// ```cuda
    /// #include <hip/hip_runtime.h>
    /// __global__ void last(int* sums) {
    ///     if (threadIdx.x < 32) {
    ///         int sum = sums[threadIdx.x];
    ///         sums[threadIdx.x] = sum + __shfl_down(sum, 32);
    ///     }
    /// }
    /// ```
    ///
    /// ## What to do
    /// Let the condition ask for `warpSize` threads, or give shuffles the width 32 and masks the lanes that come here.
    AbsentLanes { code: "W034", name: "absent-lanes", severity: Warning, fix: None, since: "0.2.0" }
}

impl Rule for AbsentLanes {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        if cx.settings.wave_policy == WavePolicy::Logical32 {
            return;
        }
        let names = Rc::clone(&cx.names);
        let mut reached = Reached::default();
        let mut ways: FxHashMap<TokenIdx, Ways> = FxHashMap::default();
        for name in names.iter().filter(|name| LaneFunction::of(name).is_some()) {
            let is_hip = cx.facts.is_hip || is_for_hip(name.token, cx);
            let Some(function) = cx.facts.functions.around(name.token).filter(|_| is_hip) else { continue };
            let Some(limit) = reached.limit(name.token, function, cx) else {
                if let Some(mask) = whole_mask(&name, cx) {
                    let ways = ways.entry(function.head.start).or_insert_with(|| Ways::of(function, cx));
                    report_divergent((name.token, mask), ways, cx);
                }
                continue;
            };
            if let Some((range, what)) = absent(&name, limit, function, cx) {
                let condition = cx.document.range_of(limit.condition.clone());
                let finding = cx.report(range, what);
                finding.label(condition, format!("lanes from {} on do not come here", limit.below));
                if limit.below == MOST_LANES / 2 && limit.period == MOST_LANES {
                    finding.note("right where waves have 32 lanes only; on gfx9 they have 64");
                }
            }
        }
    }
}

/// The ways of a function that only some lanes of a wave go, if its threads are numbered along one dimension.
struct Ways {
    /// In the order of the text, none within another.
    all: Vec<Way>,
}

/// A way and the condition that not all lanes fulfil alike.
type Way = (Range<TokenIdx>, Range<TokenIdx>);

impl Ways {
    fn of(function: &Function, cx: &Context<'_>) -> Ways {
        let document: &Document = cx.document;
        if has_more_dimensions(document, function.body.clone()) {
            return Ways { all: Vec::new() };
        }
        let flow = cx.control_flow(function);
        let mut partings = partings(document, &function.body, &flow);
        let alone = flow.ifs.iter().filter(|found| found.other.is_empty());
        partings.extend(alone.map(|found| {
            let behind = found.then.end..found.then.end;
            Parting::of(found.condition.clone(), found.then.clone(), behind)
        }));
        let mut found = Vec::new();
        for parting in partings {
            let parts = |(condition, _): &&(Range<TokenIdx>, TokenIdx)| {
                parts_lanes(cx, function, &Operand::read(document, condition.clone()), MOST_LANES)
            };
            let Some((condition, start)) = parting.conditions.iter().find(parts) else { continue };
            found.push((*start..parting.one.end, condition.clone()));
            found.extend((!parting.is_joined).then(|| (parting.other, condition.clone())));
        }
        Ways { all: side_by_side(found) }
    }

    /// The condition of the way that holds a token.
    fn condition_at(&self, idx: TokenIdx) -> Option<&Range<TokenIdx>> {
        let before = self.all.partition_point(|(way, _)| way.start <= idx).checked_sub(1)?;
        let (way, condition) = &self.all[before];
        way.contains(&idx).then_some(condition)
    }
}

/// Ways that may lie in each other as such that do not: of two the one that begins first keeps what both have.
fn side_by_side(mut ways: Vec<Way>) -> Vec<Way> {
    ways.sort_by_key(|(way, _)| (way.start, Reverse(way.end)));
    let mut all: Vec<Way> = Vec::new();
    for (way, condition) in ways {
        let start = all.last().map_or(0, |(before, _)| before.end).max(way.start);
        all.extend((start < way.end).then_some((start..way.end, condition)));
    }
    all
}

/// The mask of a call that names all lanes.
fn whole_mask(name: &Name<'_>, cx: &Context<'_>) -> Option<TextRange> {
    let mask = *visible_call(cx.document, name.token)?.arguments.first()?;
    (takes_mask(&name.text) && is_whole_wave(cx, mask)).then_some(mask)
}

/// A call with a mask of all lanes on a way that only some go.
fn report_divergent((call, mask): (TokenIdx, TextRange), ways: &Ways, cx: &mut Context<'_>) {
    let Some(condition) = ways.condition_at(call) else { return };
    let condition = cx.document.range_of(condition.clone());
    let finding = cx.report(mask, "the mask names lanes that a condition keeps away");
    finding.label(condition, "lanes go two ways here");
    finding.note("HIP checks the mask against the lanes that come here; `__activemask()` names these");
}

/// The part of a call that counts on lanes which `limit` keeps away, and how.
fn absent(name: &Name<'_>, limit: &ThreadLimit, function: &Function, cx: &Context<'_>) -> Option<(TextRange, String)> {
    let call = visible_call(cx.document, name.token)?;
    if let Some(mask) = whole_mask(name, cx) {
        return Some((mask, "the mask names lanes that a condition keeps away".to_owned()));
    }
    if LaneFunction::of(name)? != LaneFunction::Shuffle || stays_within(name, &call, limit, cx) {
        return None;
    }
    let source = *call.arguments.get(1 + usize::from(takes_mask(&name.text)))?;
    let number = first_number(cx.document.tokens_in(source), function, cx)?;
    let is_absent = match name.text.trim_end_matches("_sync") {
        "__shfl" => limit.keeps_away(number % limit.period),
        // The first lane reads lane `number`, the last one that comes here lane `number + below - 1`.
        "__shfl_down" => limit.keeps_away(number) && limit.keeps_away(number + limit.below - 1),
        "__shfl_xor" => limit.keeps_away(number) && number.count_ones() == 1,
        _ => false,
    };
    let text = cx.document.slice(source);
    is_absent.then(|| (source, format!("`{}` by `{text}` reads lanes that a condition keeps away", name.text)))
}

/// Whether the width of a shuffle keeps it among the lanes that come here.
fn stays_within(name: &Name<'_>, call: &Call, limit: &ThreadLimit, cx: &Context<'_>) -> bool {
    let width = call.arguments.get(2 + usize::from(takes_mask(&name.text)));
    let width = width.and_then(|&width| cx.thread_numbers().constant(cx.document.tokens_in(width)));
    width.is_some_and(|width| width <= limit.below)
}

/// The number of an expression, or that with which a variable starts that a loop makes smaller. Half a wave is 32 lanes.
fn first_number(tokens: Range<TokenIdx>, function: &Function, cx: &Context<'_>) -> Option<i64> {
    let numbers = cx.thread_numbers();
    if let Some(number) = numbers.constant(tokens.clone()) {
        return Some(number);
    }
    let text: String = tokens.clone().map(|idx| cx.document.token_text(idx)).collect();
    if let Some(part) = text.trim_matches(['(', ')']).strip_prefix(WAVE_SIZE) {
        return matches!(part, "/2" | ">>1").then_some(MOST_LANES / 2);
    }
    let OperandKind::Name(name) = Operand::read(cx.document, tokens).kind else { return None };
    let first = numbers.first_value(name, function)?;
    if matches!(first.kind, OperandKind::Name(_)) { None } else { first_number(first.tokens, function, cx) }
}
