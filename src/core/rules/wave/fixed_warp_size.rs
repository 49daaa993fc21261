//! Numbers that count on 32 lanes, in code whose warps become whole waves.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::exchange::idle_width;
use super::lane_function::{LaneFunction, asks_for_whole_waves};
use super::open_sizes::{ends_loop, open_sizes};
use crate::analysis::{FixedSize, SizePurpose, WAVE_SIZE, WarpCut, speaks_of_warps, tokens_around};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::rules::conditional::is_for_one_width;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::settings::WavePolicy;
use crate::source::{Edit, TextRange};
use crate::syntax::{DirectiveKind, Document, TokenIdx, TokenKind};

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
    /// With `--wave-policy native --ignore W032`:
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
    /// for. The fix of a constant is unsafe: from ROCm 7.0 on `warpSize` is no constant expression,
    /// and files that the run does not see may use the constant as the size of an array, as a
    /// template argument or in an `#if`. Shuffles over a distance of 16, the first of a row, need
    /// one more step and have no fix. Neither have numbers in host code and in constant expressions,
    /// numbers beside tiles of 32 threads, `threadIdx.x < 32`, and blocks with rows of 32 threads.
    /// `tid / 32` in a function that does not speak of warps may be about the layout of data; it is
    /// told with severity info and left as it is. So are, as warnings, all other 32 and 31 in functions that use the lanes of a warp, and
    /// what threads are cut by without a known value (`threadIdx.x & mask`): they keep 32 lanes, until somebody has looked. A name that sounds like a thread or lane, such as
    /// that of a parameter, makes no fix: the value must come from `threadIdx` or `blockDim`. In
    /// sources written for HIP nothing is fixed.
    FixedWarpSize { code: "W008", name: "fixed-warp-size", severity: Info, fix: Sometimes, since: "0.1.0" }
}

impl Rule for FixedWarpSize {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        let asked = asks_for_whole_waves(cx) || (cx.facts.is_hip && cx.settings.wave_policy == WavePolicy::Native);
        if asked {
            let idle = idle_widths(cx);
            let mut speaking = FxHashMap::default();
            let counting = cx.facts.wave.fixed.iter().filter(|found| !idle.contains(&found.range));
            counting.for_each(|found| report(*found, &mut speaking, cx));
            report_constants(&mut speaking, cx);
            if !cx.facts.is_hip {
                report_open_sizes(cx);
            }
        }
    }
}

/// The widths of exchanges that change nothing.
fn idle_widths(cx: &Context<'_>) -> FxHashSet<TextRange> {
    (0..cx.document.tokens().len()).filter_map(|idx| idle_width(idx, cx)).collect()
}

/// Reports the uses of constants that are 32 by their values, not by their names, and strides of lanes.
fn report_constants(speaking: &mut Speaking, cx: &mut Context<'_>) {
    let told = told_constants(cx);
    for cut in cuts(cx) {
        let range = cx.document.range_of(cut.tokens.clone());
        let text = cx.document.slice(range);
        if cx.facts.kept_warps.contains(range.start()) || is_for_one_width(cut.tokens.start, cx) {
            continue;
        }
        let is_known = cx.facts.wave.fixed.iter().any(|found| found.range == range);
        let is_told = cut.tokens.clone().any(|idx| told.contains(cx.document.token_text(idx)));
        let found = FixedSize { range, purpose: cut.purpose };
        let is_number = cut.tokens.len() == 1 && cx.document.kind(cut.tokens.start) == Some(TokenKind::Number);
        if is_known || is_told {
            continue;
        }
        if is_number {
            let function = cx.facts.functions.around(cut.tokens.start);
            let ends = function.is_some_and(|function| ends_loop(cx, function, cut.tokens.start));
            if cut.purpose == SizePurpose::LaneStride && ends {
                report(found, speaking, cx);
            }
            continue;
        }
        let is_layout = may_be_layout(found, speaking, cx);
        let finding = cx.report(range, format!("`{text}` counts 32 lanes, and a wave has 64 lanes on some targets"));
        finding.severity(if is_layout { Severity::Info } else { Severity::Warning });
        finding.note("it may stand for something else elsewhere, so it was left as it is");
    }
}

/// Where device code and macros cut threads into warps of 32.
fn cuts(cx: &Context<'_>) -> Vec<WarpCut> {
    let numbers = cx.thread_numbers();
    let of_functions = cx.facts.functions.iter().filter(|function| function.runs_on_device());
    let defines = cx.document.directives().iter().filter(|directive| directive.kind == DirectiveKind::Define);
    let mut all: Vec<WarpCut> = of_functions.flat_map(|function| numbers.cuts(function).to_vec()).collect();
    all.extend(defines.flat_map(|directive| numbers.cuts_of_macro(directive)));
    all
}

/// The names of the constants whose definitions are reported.
fn told_constants<'d>(cx: &Context<'d>) -> FxHashSet<&'d str> {
    let document: &'d Document = cx.document;
    let constants = cx.facts.wave.fixed.iter().filter(|found| found.purpose == SizePurpose::Constant);
    let name = |number: TokenIdx| match document.directive_of(number) {
        Some(directive) => directive.tokens.start + 2,
        None => number.saturating_sub(2),
    };
    constants.map(|found| document.token_text(name(document.token_at(found.range.start())))).collect()
}

/// Reports what may count lanes, for all that can be told, beside functions about them.
fn report_open_sizes(cx: &mut Context<'_>) {
    for tokens in open_sizes(cx) {
        let range = cx.document.range_of(tokens);
        let text = cx.document.slice(range);
        if cx.facts.kept_warps.contains(range.start()) {
            continue;
        }
        let message = format!("`{text}` may count lanes, and a wave has 64 lanes on some targets");
        let finding = cx.report(range, message);
        finding.severity(Severity::Warning).note(
            "write `warpSize` where the lanes of a wave are meant; switch this finding off where it is something else",
        );
    }
}

/// What a number does, and what to write instead.
fn change(purpose: SizePurpose) -> Option<(&'static str, Option<(&'static str, &'static str)>)> {
    Some(match purpose {
        SizePurpose::LaneMask => ("counts lanes", Some(("follow the wave", "(warpSize - 1)"))),
        SizePurpose::RoundUp => ("rounds up to whole warps", Some(("follow the wave", "(warpSize - 1)"))),
        SizePurpose::LaneCount | SizePurpose::LaneLimit | SizePurpose::LaneStride => {
            ("counts lanes", Some(("follow the wave", "warpSize")))
        }
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
        SizePurpose::Group
        | SizePurpose::Block
        | SizePurpose::Slots
        | SizePurpose::SharedReductionStart
        | SizePurpose::Exchange => return None,
    })
}

/// Which functions and macros speak of warps, by where they start.
type Speaking = FxHashMap<TokenIdx, bool>;

fn report(found: FixedSize, speaking: &mut Speaking, cx: &mut Context<'_>) {
    let FixedSize { range, purpose } = found;
    if cx.facts.kept_warps.contains(range.start()) || is_for_one_width(cx.document.token_at(range.start()), cx) {
        return;
    }
    let text = cx.document.slice(range);
    if purpose == SizePurpose::Block && makes_rows(range, cx) {
        let finding = cx.report(range, format!("rows of `{text}` threads were warps, and two of them share a wave"));
        finding.severity(Severity::Warning).note("on targets with 64 lanes; make each row a wave, or keep 32 lanes");
    }
    let Some((what, change)) = change(purpose) else { return };
    if may_be_layout(found, speaking, cx) {
        let finding = cx.report(range, format!("`{text}` may count lanes, and a wave has 64 lanes on some targets"));
        finding.note("nothing here speaks of warps, so it was left as it is");
        return;
    }
    let message = format!("`{text}` {what}, and a wave has 64 lanes on some targets");
    let obstacle = obstacle(found, cx);
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
            let severity = if obstacle == UNPROVEN { Severity::Info } else { Severity::Warning };
            finding.severity(severity).note(obstacle);
        }
        (None, None) => {
            finding.severity(Severity::Warning);
        }
    }
}

/// Whether threads are counted in a function that does not speak of warps.
fn may_be_layout(found: FixedSize, speaking: &mut Speaking, cx: &Context<'_>) -> bool {
    let counts = matches!(
        found.purpose,
        SizePurpose::LaneMask | SizePurpose::LaneCount | SizePurpose::LaneShift | SizePurpose::RoundUp
    );
    let number = cx.document.token_at(found.range.start());
    let around = tokens_around(number, cx.document, &cx.facts.functions);
    let speaks =
        |tokens: Range<TokenIdx>| *speaking.entry(tokens.start).or_insert_with(|| speaks_of_warps(tokens, cx.document));
    counts && !around.is_some_and(speaks)
}

/// Why `warpSize` cannot stand for a number, if it cannot.
fn obstacle(found: FixedSize, cx: &Context<'_>) -> Option<&'static str> {
    let range = found.range;
    let number = cx.document.token_at(range.start());
    if cx.facts.is_hip {
        return Some(
            "the source is HIP's already, so it was left as it is; write `warpSize` where a whole wave is meant",
        );
    }
    if number > 1 && cx.document.is(number - 1, b'=') && cx.document.token_text(number - 2) == WAVE_SIZE {
        return Some("the constant has the name of HIP's own, so it cannot be made from that");
    }
    if is_constant_expression(number, cx.document) {
        return Some("a constant expression cannot hold `warpSize`, which is known at run time only");
    }
    let function = cx.facts.functions.around(number)?;
    if !function.runs_on_device() {
        return Some("on the host, ask the properties of the device for `warpSize`");
    }
    let body = cx.document.range_of(function.body.clone());
    let mut groups = cx.facts.wave.fixed.iter().filter(|found| found.purpose == SizePurpose::Group);
    if groups.any(|group| body.contains_range(group.range)) {
        return Some("the function has groups of 32 threads as well, which stay; decide which of them this is");
    }
    (!is_proven(found, cx)).then_some(UNPROVEN)
}

/// Why a name makes no fix.
const UNPROVEN: &str =
    "a name says so, but not where its value comes from, as far as that was seen; so it was left as it is";

/// Whether what is cut by the number is that of a thread or lane by its value, not only by its name.
fn is_proven(FixedSize { range, purpose }: FixedSize, cx: &Context<'_>) -> bool {
    use SizePurpose::{LaneCount, LaneLimit, LaneMask, LaneShift, LastLane, RoundUp};
    let number = cx.document.token_at(range.start());
    let is_argument = number > 0 && cx.document.is(number - 1, b',');
    if !matches!(purpose, LaneCount | LaneLimit | LaneMask | LaneShift | LastLane | RoundUp) || is_argument {
        return true;
    }
    let is_number = |cut: &WarpCut| cut.tokens.start == number;
    let numbers = cx.thread_numbers();
    match (cx.facts.functions.around(number), cx.document.directive_of(number)) {
        (Some(function), _) => numbers.cuts(function).iter().any(is_number),
        (None, Some(directive)) => numbers.cuts_of_macro(directive).iter().any(is_number),
        (None, None) => false,
    }
}

/// Whether a number stands in a statement that the compiler evaluates: `constexpr int n = t / 32;`,
/// `static_assert(…)`, `case …:`.
fn is_constant_expression(number: TokenIdx, document: &Document) -> bool {
    let ends = |idx: TokenIdx| document.is(idx, b';') || document.is(idx, b'{') || document.is(idx, b'}');
    let statement = (0..number).rev().take_while(|&idx| !ends(idx));
    let line = document.directive_of(number).map_or(0, |directive| directive.tokens.start);
    let is_word = |idx: TokenIdx| match document.token_text(idx) {
        // The condition of `if constexpr` may end before the number.
        "constexpr" => document.token_text(idx.saturating_sub(1)) != "if",
        word => matches!(word, "static_assert" | "case" | "enum"),
    };
    statement.take_while(|&idx| idx >= line).any(is_word)
}

/// Whether a block is `dim3(32, rows)`, in a file that uses the lanes of warps.
fn makes_rows(range: TextRange, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let number = document.token_at(range.start());
    let is_row = number > 1 && document.token_text(number - 2) == "dim3" && document.is(number + 1, b',');
    is_row && cx.names.iter().any(|name| LaneFunction::of(&name).is_some())
}
