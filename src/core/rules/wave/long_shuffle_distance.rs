//! Shuffles over more lanes than a warp of CUDA's has.

use std::ops::Range;
use std::rc::Rc;

use super::lane_function::{LaneFunction, keeps_32_lanes, takes_mask};
use super::short_distance::{LANES, ShortDistances};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::rules::api::visible_call;
use crate::rules::context::Context;
use crate::rules::query::{Files, Name, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, TextRange};
use crate::syntax::TokenIdx;

declare_rule! {
    /// ## What it does
    /// Finds `__shfl_xor`, `__shfl_up` and `__shfl_down` over a distance of 32 lanes or more in
    /// CUDA, and over one that may be: neither a number nor a counter that stays below 32.
    ///
    /// ## Why is this bad?
    /// CUDA counts with the lower five bits of a distance: over 32 lanes each lane reads itself, and
    /// over 33 its neighbour. HIP counts with all bits. Even a shuffle of width 32 reads from the
    /// other half of a wave then: `__shfl_xor(x, 32, 32)` gives lane 40 the value of lane 8.
    ///
    /// ## Example
    /// ```cuda
    /// #include <cuda_runtime.h>
    /// __device__ float f(float x) { return __shfl_xor_sync(0xffffffff, x, 33); }
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hip/hip_runtime.h>
    /// __device__ float f(float x) { return __shfl_xor(x, 1, 32); }
    /// ```
    ///
    /// ## Fix safety
    /// Safe for warps that keep 32 lanes: it computes what CUDA computes, from a distance that is not
    /// known with `& 31`. A known one of 32 or more is a
    /// mistake in CUDA, or was meant for waves of 64 lanes, so it stays in the report. Whole waves
    /// (`--wave-policy native`) have no fix.
    LongShuffleDistance { code: "W030", name: "long-shuffle-distance", severity: Warning, fix: Sometimes, since: "0.1.0" }
}

impl Rule for LongShuffleDistance {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        if cx.facts.is_hip {
            return;
        }
        let names = Rc::clone(&cx.names);
        let mut short = ShortDistances::default();
        for name in names.iter() {
            let Some(range) = distance_of(&name, cx) else { continue };
            let tokens = cx.document.tokens_in(range);
            match cx.constants().value(cx.document, tokens.clone()) {
                Some(distance) if distance >= LANES => report(range, distance, cx),
                Some(_) => {}
                None if short.have(tokens.clone(), cx) || !keeps_32_lanes(range.start(), cx) => {}
                None => report_unknown(tokens, cx),
            }
        }
    }
}

/// The argument that says over how many lanes a shuffle goes.
fn distance_of(name: &Name<'_>, cx: &Context<'_>) -> Option<TextRange> {
    let base = name.text.strip_suffix("_sync").unwrap_or(&name.text);
    let has_distance = LaneFunction::of(name) == Some(LaneFunction::Shuffle) && base != "__shfl";
    let call = visible_call(cx.document, name.token).filter(|_| has_distance)?;
    let distance = call.arguments.get(1 + usize::from(takes_mask(&name.text))).copied();
    // `distance __VA_OPT__(,) __VA_ARGS__`
    distance.filter(|&distance| !cx.document.slice(distance).contains("__VA_OPT__"))
}

/// `x` to `x & 31`, `x + 1` to `(x + 1) & 31`; the parameter of a macro may be anything.
fn report_unknown(tokens: Range<TokenIdx>, cx: &mut Context<'_>) {
    let range = cx.document.range_of(tokens.clone());
    let last = cx.document.range_of(tokens.end - 1..tokens.end);
    let text = cx.document.slice(last);
    // The end of the argument is where the width of the shuffle goes, too.
    let is_simple = tokens.len() == 1 && cx.document.directive_of(tokens.start).is_none();
    let edits = if is_simple {
        vec![Edit::replace(last, format!("{text} & 31"))]
    } else {
        vec![Edit::insert(range.start(), "("), Edit::replace(last, format!("{text}) & 31"))]
    };
    let finding = cx.report(range, "CUDA counts with the lower five bits of a distance, and HIP with all");
    finding.severity(Severity::Hint).fix(Fix::safe("keep the lower five bits", edits));
}

fn report(range: TextRange, distance: i64, cx: &mut Context<'_>) {
    let keeps_32 = keeps_32_lanes(range.start(), cx);
    let in_cuda = distance % LANES;
    let message = format!("CUDA counts a distance of {distance} lanes as {in_cuda}, and HIP as {distance}");
    let finding = cx.report(range, message);
    if keeps_32 {
        let fix = Fix::safe(format!("shuffle over {in_cuda} lanes"), vec![Edit::replace(range, in_cuda.to_string())]);
        finding.note("each lane reads what it reads in CUDA; if waves of 64 lanes were meant, see `--wave-policy`");
        finding.fix(fix);
    } else {
        finding.note("on targets with 64 lanes it reads from the other half of the wave");
    }
}
