//! Device code whose result may depend on the width of a wave, where whole waves are made.

use rustc_hash::FxHashSet;

use super::exchange::exchanged_over;
use super::lane_function::{LaneFunction, asks_for_whole_waves, is_wave_size, makes_whole_waves, takes_mask};
use crate::analysis::{Function, SizePurpose, WAVE_SIZE, tokens_around};
use crate::diagnostic::RuleInfo;
use crate::rules::api::visible_call;
use crate::rules::conditional::is_for_hip;
use crate::rules::context::Context;
use crate::rules::query::{Files, Name, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{DirectiveKind, Document, TokenIdx, TokenKind};

declare_rule! {
    /// ## What it does
    /// Finds functions and macros that use the lanes of a warp in a project whose warps become whole waves
    /// (`--wave-policy native`), unless what they compute is the same for every width of a wave. One finding for each, at
    /// its first such use.
    ///
    /// ## Why is this bad?
    /// CUDA defines a warp as 32 lanes, so a ballot counts up to 32, a sum over a warp is one of 32 values, and an array has
    /// one element for each 32 threads. With waves of 64 lanes these are other numbers. Where all of them are combined
    /// for the block or the grid in the end the result is the same; where a number for one warp leaves the kernel, it is not.
    /// No reading of the text tells which in general.
    ///
    /// ## Example
    /// With `--wave-policy native`:
    /// ```cuda
    /// #include <cuda_runtime.h>
    /// __global__ void votes(const int* in, int* out) {
    ///     out[threadIdx.x] = __popc(__ballot_sync(0xffffffff, in[threadIdx.x] > 0));
    /// }
    /// ```
    ///
    /// ## What to do
    /// Nothing, if 32 lanes are good: the kernels that the code serves keep them, and compute what CUDA computed. For whole waves,
    /// see that the result does not depend on the width, run the program on both (`hipshift validate --arch gfx90a,gfx1100`) with a
    /// check of its results, and switch the finding off there: `// hipshift: ignore[W032] why`. Barriers of warps, shuffles
    /// among fewer than 32 lanes and exchanges with `__shfl_xor` over a distance below 32 are the same on both widths and are not told.
    UnprovenWholeWave { code: "W032", name: "unproven-whole-wave", severity: Warning, fix: None, since: "0.2.0" }
}

impl Rule for UnprovenWholeWave {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        if !asks_for_whole_waves(cx) {
            return;
        }
        let mut uses = uses(cx);
        uses.sort_unstable();
        let mut end = 0;
        for use_of_lanes in uses {
            let at = cx.document.range_of(use_of_lanes..use_of_lanes + 1).start();
            if use_of_lanes < end || is_for_hip(use_of_lanes, cx) || !makes_whole_waves(at, cx) {
                continue;
            }
            let around = tokens_around(use_of_lanes, cx.document, &cx.facts.functions);
            end = around.map_or(use_of_lanes + 1, |around| around.end);
            report(use_of_lanes, cx);
        }
    }
}

fn report(use_of_lanes: TokenIdx, cx: &mut Context<'_>) {
    let range = cx.document.range_of(use_of_lanes..use_of_lanes + 1);
    let text = cx.document.token_text(use_of_lanes);
    let message = if cx.document.kind(use_of_lanes) == Some(TokenKind::Str) {
        "this assembly may give something else on waves of 64 lanes than for a warp of 32".to_owned()
    } else {
        format!("what comes of `{text}` may be something else on waves of 64 lanes than for a warp of 32")
    };
    let finding = cx.report(range, message);
    finding
        .note("where a check of its results on both widths shows that it is the same, switch this finding off there");
}

/// The tokens of the file whose value or effect depends on how many lanes a wave has.
fn uses(cx: &Context<'_>) -> Vec<TokenIdx> {
    let document = cx.document;
    let of_functions = cx.names.iter().filter(|name| depends_on_width(name, cx)).map(|name| name.token);
    // The rule about constants tells of these, others change nothing, and shuffles are looked at themselves.
    let counts = |purpose| {
        use SizePurpose::{Block, Constant, Exchange, Group, ShuffleWidth, Slots};
        !matches!(purpose, Block | Slots | Group | Constant | Exchange | ShuffleWidth)
    };
    let numbers = cx.facts.wave.fixed.iter().filter(|found| counts(found.purpose));
    let on_device = |&number: &TokenIdx| cx.facts.functions.around(number).is_none_or(Function::runs_on_device);
    let numbers = numbers.map(|found| document.token_at(found.range.start())).filter(on_device);
    let own = own_groups(cx);
    let others = (0..document.tokens().len()).filter(|&idx| match document.kind(idx) {
        Some(TokenKind::Str) => speaks_of_lanes(document.token_text(idx)) && !is_path(document, idx),
        Some(TokenKind::Ident) => makes_wide_group(document.token_text(idx)) && !own.contains(document.token_text(idx)),
        _ => false,
    });
    let device = cx.facts.functions.iter().filter(|function| function.runs_on_device());
    let cuts = device
        .flat_map(|function| cx.thread_numbers().cuts(function).iter().map(|cut| cut.tokens.start).collect::<Vec<_>>());
    of_functions.chain(numbers).chain(cuts).chain(others).collect()
}

/// Whether a function about lanes, or `warpSize`, gives something else on another width.
fn depends_on_width(name: &Name<'_>, cx: &Context<'_>) -> bool {
    if name.text == WAVE_SIZE {
        return is_wave_size(name, cx);
    }
    match LaneFunction::of(name) {
        None | Some(LaneFunction::Barrier) => false,
        Some(LaneFunction::Shuffle) => !stays_among_32(name, cx),
        Some(_) => true,
    }
}

/// Whether a shuffle reads from lanes of the caller's 32 only, as it stands: over fewer than 32 lanes, or by `__shfl_xor` over
/// a distance below 32.
fn stays_among_32(name: &Name<'_>, cx: &Context<'_>) -> bool {
    let Some(call) = visible_call(cx.document, name.token) else { return false };
    let width = call.arguments.get(2 + usize::from(takes_mask(&name.text)));
    let width = width.and_then(|&range| cx.document.slice(range).parse::<u32>().ok());
    width.is_some_and(|width| width < 32) || exchanged_over(name.token, cx).is_some_and(|distance| distance < 32)
}

/// Whether assembly names lanes or warps.
fn speaks_of_lanes(text: &str) -> bool {
    const WORDS: &[&str] =
        &["%laneid", "%lanemask", "%warpid", "%nwarpid", "WARP_SZ", "shfl.", "vote.", "match.", "redux.", "activemask"];
    // A string within a string is in the text of another program.
    !text.contains("\\\"") && WORDS.iter().any(|word| text.contains(word))
}

/// Whether a string is the path of an include.
fn is_path(document: &Document, idx: TokenIdx) -> bool {
    document.directive_of(idx).is_some_and(|directive| directive.kind == DirectiveKind::Include)
}

/// Those names of groups that are classes and functions of the file's own, such as its `WarpExchange`.
fn own_groups<'d>(cx: &Context<'d>) -> FxHashSet<&'d str> {
    let document = cx.document;
    let classes =
        (1..document.tokens().len()).filter(|&idx| matches!(document.token_text(idx - 1), "class" | "struct"));
    let names = cx.facts.functions.iter().filter_map(|function| function.name).chain(classes);
    names.map(|name| document.token_text(name)).filter(|name| makes_wide_group(name)).collect()
}

/// Groups of cooperative groups that hold the lanes of a wave, and collectives of CUB that take a warp.
fn makes_wide_group(text: &str) -> bool {
    matches!(
        text,
        "coalesced_threads"
            | "coalesced_group"
            | "labeled_partition"
            | "binary_partition"
            | "WarpReduce"
            | "WarpScan"
            | "WarpExchange"
            | "WarpMergeSort"
            | "LaneId"
            | "WarpId"
    )
}
