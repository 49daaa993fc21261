//! Numbers that count on 32 lanes, in code whose warps become whole waves.

use super::lane_function::{LaneFunction, makes_whole_waves};
use crate::analysis::{FixedSize, SizePurpose};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, TextRange};

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
    /// over a distance of 16, the first of a row, need one more step and have no fix. Neither have
    /// numbers in host code, numbers beside tiles of 32 threads, `threadIdx.x < 32`, and blocks
    /// with rows of 32 threads.
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

/// What a number does, and what to write instead.
fn change(purpose: SizePurpose) -> Option<(&'static str, Option<(&'static str, &'static str)>)> {
    Some(match purpose {
        SizePurpose::LaneMask => ("counts lanes", Some(("follow the wave", "(warpSize - 1)"))),
        SizePurpose::RoundUp => ("rounds up to whole warps", Some(("follow the wave", "(warpSize - 1)"))),
        SizePurpose::LaneCount | SizePurpose::LaneLimit => ("counts lanes", Some(("follow the wave", "warpSize"))),
        SizePurpose::LaneShift => ("counts lanes", Some(("follow the wave", "(warpSize == 64 ? 6 : 5)"))),
        SizePurpose::ReductionStart => {
            ("starts a reduction over a warp", Some(("start at half a wave", "warpSize / 2")))
        }
        SizePurpose::ShuffleWidth => ("is the width of a shuffle", Some(("shuffle among the wave", "warpSize"))),
        SizePurpose::LastLane => ("is the last lane", Some(("take the last lane", "warpSize - 1"))),
        SizePurpose::Constant => ("is the size of a warp", Some(("follow the wave", "warpSize"))),
        SizePurpose::ShuffleDistance => ("is half a warp, and a wave needs one more step", None),
        SizePurpose::ThreadLimit => ("may mean the first warp", None),
        // Smaller groups, idle lanes and unused slots are no mistakes.
        SizePurpose::Group | SizePurpose::Block | SizePurpose::Slots | SizePurpose::SharedReductionStart => {
            return None;
        }
    })
}

fn report(found: FixedSize, cx: &mut Context<'_>) {
    let FixedSize { range, purpose } = found;
    let text = cx.document.slice(range);
    if purpose == SizePurpose::Block && makes_rows(range, cx) {
        let finding = cx.report(range, format!("rows of `{text}` threads were warps, and two of them share a wave"));
        finding.severity(Severity::Warning).note("on targets with 64 lanes; make each row a wave, or keep 32 lanes");
    }
    let Some((what, change)) = change(purpose) else { return };
    let message = format!("`{text}` {what}, and a wave has 64 lanes on some targets");
    let obstacle = obstacle(range, cx);
    let finding = cx.report(range, message);
    match (change, obstacle) {
        (Some((title, to)), None) => {
            let edits = vec![Edit::replace(range, to)];
            if purpose == SizePurpose::Constant {
                finding.severity(Severity::Warning).note("it must not be the size of an array or a template argument");
                finding.fix(Fix::risky(title, edits));
            } else {
                finding.fix(Fix::safe(title, edits));
            }
        }
        (_, Some(obstacle)) => {
            finding.severity(Severity::Warning).note(obstacle);
        }
        (None, None) => {
            finding.severity(Severity::Warning);
        }
    }
}

/// Why `warpSize` cannot stand for a number, if it cannot.
fn obstacle(range: TextRange, cx: &Context<'_>) -> Option<&'static str> {
    let function = cx.facts.functions.around(cx.document.token_at(range.start()))?;
    if !function.runs_on_device() {
        return Some("on the host, ask the properties of the device for `warpSize`");
    }
    let body = cx.document.range_of(function.body.clone());
    let mut groups = cx.facts.wave.fixed.iter().filter(|found| found.purpose == SizePurpose::Group);
    let has_groups = groups.any(|group| body.contains_range(group.range));
    has_groups.then_some("the function has groups of 32 threads as well, which stay; decide which of them this is")
}

/// Whether a block is `dim3(32, rows)`, in a file that uses the lanes of warps.
fn makes_rows(range: TextRange, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let number = document.token_at(range.start());
    let is_row = number > 1 && document.token_text(number - 2) == "dim3" && document.is(number + 1, b',');
    is_row && cx.names.iter().any(|name| LaneFunction::of(&name).is_some())
}
