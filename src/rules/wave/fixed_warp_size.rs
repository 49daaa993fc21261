//! Numbers that count on 32 lanes, in code whose warps become whole waves.

use super::lane_function::makes_whole_waves;
use crate::analysis::{FixedSize, SizePurpose};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;

declare_rule! {
    /// ## What it does
    /// Finds numbers that count on 32 lanes in a project whose warps become whole waves
    /// (`--wave-policy native`): `tid & 31`, `tid / 32`, reductions that start at 16, widths and
    /// lanes of shuffles, constants such as `WARP_SIZE`.
    ///
    /// ## Why is this bad?
    /// A wave has 64 lanes on CDNA GPUs. Where one part of a kernel counts 32 of them and another
    /// all 64, the result is wrong.
    ///
    /// ## Example
    /// With `--wave-policy native`:
    /// ```cuda
    /// #include <cuda_runtime.h>
    /// __device__ int lane() { return threadIdx.x & 31; }
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hip/hip_runtime.h>
    /// __device__ int lane() { return threadIdx.x & (warpSize - 1); }
    /// ```
    ///
    /// ## Fix safety
    /// Safe for numbers of threads, lanes and warps, reductions and shuffles: the policy was asked
    /// for. Constants are used in ways that cannot be seen here, so their fix is unsafe. Shuffles
    /// over a distance of 16, the first of a row, need one more step and have no fix.
    FixedWarpSize { code: "W008", name: "fixed-warp-size", severity: Info, fix: Sometimes, since: "0.1.0" }
}

impl Rule for FixedWarpSize {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        if makes_whole_waves(cx) {
            cx.facts.wave.fixed.iter().for_each(|found| report(*found, cx));
        }
    }
}

fn report(found: FixedSize, cx: &mut Context<'_>) {
    let FixedSize { range, purpose } = found;
    let text = cx.document.slice(range);
    let replace = |to: &str| vec![Edit::replace(range, to)];
    let (what, fix) = match purpose {
        SizePurpose::LaneMask => ("counts lanes", Some(Fix::safe("follow the wave", replace("(warpSize - 1)")))),
        SizePurpose::LaneCount => ("counts lanes", Some(Fix::safe("follow the wave", replace("warpSize")))),
        SizePurpose::LaneShift => {
            ("counts lanes", Some(Fix::safe("follow the wave", replace("(warpSize == 64 ? 6 : 5)"))))
        }
        SizePurpose::ReductionStart => {
            ("starts a reduction over a warp", Some(Fix::safe("start at half a wave", replace("warpSize / 2"))))
        }
        SizePurpose::ShuffleWidth => {
            ("is the width of a shuffle", Some(Fix::safe("shuffle among the wave", replace("warpSize"))))
        }
        SizePurpose::LastLane => ("is the last lane", Some(Fix::safe("read the last lane", replace("warpSize - 1")))),
        SizePurpose::Constant => ("is the size of a warp", Some(Fix::risky("follow the wave", replace("warpSize")))),
        SizePurpose::ShuffleDistance => ("is half a warp, and a wave needs one more step", None),
        // Smaller groups, idle lanes and unused slots are no mistakes.
        SizePurpose::Group | SizePurpose::Block | SizePurpose::Slots => return,
    };
    let finding = cx.report(range, format!("`{text}` {what}, and a wave has 64 lanes on some targets"));
    match fix {
        Some(fix) => {
            if purpose == SizePurpose::Constant {
                finding.severity(Severity::Warning).note("it must not be the size of an array or a template argument");
            }
            finding.fix(fix);
        }
        None => {
            finding.severity(Severity::Warning);
        }
    }
}
