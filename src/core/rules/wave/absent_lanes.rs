//! Lanes that a mask names or a shuffle reads where a condition keeps them away, in device code of HIP sources.

use std::ops::Range;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::divergent_collective::parts_lanes;
use super::lane_function::{LaneFunction, WAVE_SIZE, takes_mask};
use super::mask_constant::is_whole_wave;
use super::reached::Reached;
use crate::analysis::{Function, MOST_LANES, ThreadLimit};
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
                let ways = ways.entry(function.head.start).or_insert_with(|| Ways::of(function, cx));
                report_divergent(&name, ways, cx);
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

/// The branches of a function that part the lanes of a wave, if its threads are numbered along one dimension.
struct Ways {
    /// The outermost ones, in the order of the text, each with its condition.
    all: Vec<(Range<TokenIdx>, Range<TokenIdx>)>,
}

impl Ways {
    fn of(function: &Function, cx: &Context<'_>) -> Ways {
        let document: &Document = cx.document;
        let is_dimension = |idx: TokenIdx| matches!(document.token_text(idx), "y" | "z") && document.is(idx - 1, b'.');
        let mut ways = Ways { all: Vec::new() };
        if function.body.clone().any(is_dimension) {
            return ways;
        }
        for found in &cx.control_flow(function).ifs {
            // What is within such a branch already needs no other reason.
            let is_within = ways.all.last().is_some_and(|(way, _)| found.keyword < way.end);
            if !is_within && parts_lanes(cx, function, &Operand::read(document, found.condition.clone()), MOST_LANES) {
                let (then, other) = (found.then.clone(), found.other.clone());
                ways.all.push((then, found.condition.clone()));
                ways.all.extend((!other.is_empty()).then(|| (other, found.condition.clone())));
            }
        }
        ways
    }

    /// The condition of the branch that holds a token.
    fn condition_at(&self, idx: TokenIdx) -> Option<&Range<TokenIdx>> {
        let before = self.all.partition_point(|(way, _)| way.start <= idx).checked_sub(1)?;
        let (way, condition) = &self.all[before];
        way.contains(&idx).then_some(condition)
    }
}

/// A mask of all lanes in a branch that parts the lanes of a wave.
fn report_divergent(name: &Name<'_>, ways: &Ways, cx: &mut Context<'_>) {
    let document: &Document = cx.document;
    let mask = || visible_call(document, name.token)?.arguments.first().copied();
    let Some(mask) = mask().filter(|&mask| takes_mask(&name.text) && is_whole_wave(cx, mask)) else { return };
    let Some(condition) = ways.condition_at(name.token) else { return };
    let condition = document.range_of(condition.clone());
    let finding = cx.report(mask, "the mask names lanes that a condition keeps away");
    finding.label(condition, "lanes go two ways here");
    finding.note("HIP checks the mask against the lanes that come here; `__activemask()` names these");
}

/// The part of a call that counts on lanes which `limit` keeps away, and how.
fn absent(name: &Name<'_>, limit: &ThreadLimit, function: &Function, cx: &Context<'_>) -> Option<(TextRange, String)> {
    let call = visible_call(cx.document, name.token)?;
    if takes_mask(&name.text) {
        let mask = *call.arguments.first()?;
        if is_whole_wave(cx, mask) {
            return Some((mask, "the mask names lanes that a condition keeps away".to_owned()));
        }
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
