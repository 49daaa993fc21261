//! Shuffles over more lanes than a warp of CUDA's has.

use std::rc::Rc;

use super::lane_function::{LaneFunction, keeps_32_lanes, takes_mask};
use crate::diagnostic::{Fix, RuleInfo};
use crate::rules::api::visible_call;
use crate::rules::context::Context;
use crate::rules::query::{Files, Name, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, TextRange};

declare_rule! {
    /// ## What it does
    /// Finds `__shfl_xor`, `__shfl_up` and `__shfl_down` over a distance of 32 lanes or more in
    /// CUDA, where the distance is known.
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
    /// Safe for warps that keep 32 lanes: it computes what CUDA computes. Such a distance is a
    /// mistake in CUDA, or was meant for waves of 64 lanes, so it stays in the report. Whole waves
    /// (`--wave-policy native`) have no fix.
    LongShuffleDistance { code: "W030", name: "long-shuffle-distance", severity: Warning, fix: Sometimes, since: "0.1.0" }
}

/// The lanes of a warp in CUDA.
const LANES: i64 = 32;

impl Rule for LongShuffleDistance {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        if cx.facts.is_hip {
            return;
        }
        let names = Rc::clone(&cx.names);
        for name in names.iter() {
            let Some(range) = distance_of(&name, cx) else { continue };
            let constants = cx.constants();
            let tokens = cx.document.tokens_in(range);
            if let Some(distance) = constants.value(cx.document, tokens).filter(|distance| *distance >= LANES) {
                report(range, distance, cx);
            }
        }
    }
}

/// The argument that says over how many lanes a shuffle goes.
fn distance_of(name: &Name<'_>, cx: &Context<'_>) -> Option<TextRange> {
    let base = name.text.strip_suffix("_sync").unwrap_or(&name.text);
    let has_distance = LaneFunction::of(name) == Some(LaneFunction::Shuffle) && base != "__shfl";
    let call = visible_call(cx.document, name.token).filter(|_| has_distance)?;
    call.arguments.get(1 + usize::from(takes_mask(&name.text))).copied()
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
