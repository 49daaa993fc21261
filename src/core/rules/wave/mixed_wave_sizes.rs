//! Functions of HIP sources that count on 32 lanes in one place and on the wave in another.

use crate::analysis::{Function, SizePurpose};
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::TextRange;
use crate::syntax::TokenIdx;

declare_rule! {
    /// ## What it does
    /// Finds functions of sources written for HIP that use `warpSize` in one place and count on 32
    /// lanes in another.
    ///
    /// ## Why is this bad?
    /// On targets with 64 lanes the two do not fit. A reduction that starts at 16 and whose result
    /// is taken from the lanes with `threadIdx.x % warpSize == 0` sums up half a wave; one that
    /// starts at `warpSize / 2` and whose result is taken from those with `(threadIdx.x & 31) == 0`
    /// counts lanes twice.
    ///
    /// ## Example
    /// ```cuda
    /// #include <hip/hip_runtime.h>
    /// __device__ void sum(float x, float* out) {
    ///     for (int o = 16; o > 0; o /= 2) x += __shfl_down(x, o);
    ///     if (threadIdx.x % warpSize == 0) *out = x;
    /// }
    /// ```
    ///
    /// ## What to do
    /// Count on 32 lanes everywhere, with width 32 in each shuffle, or on `warpSize` everywhere.
    MixedWaveSizes { code: "W009", name: "mixed-wave-sizes", severity: Warning, fix: None, since: "0.1.0" }
}

impl Rule for MixedWaveSizes {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        if !cx.facts.is_hip {
            return;
        }
        let functions: Vec<&Function> =
            cx.facts.functions.iter().filter(|function| function.runs_on_device()).collect();
        for function in functions {
            if let Some((fixed, sized)) = conflict(function, cx) {
                let name = function.name.map_or_else(String::new, |name: TokenIdx| cx.document.name(name).into_owned());
                let finding =
                    cx.report(fixed, format!("`{name}` counts on 32 lanes here, and on `warpSize` elsewhere"));
                finding.label(sized, "follows the size of the wave");
            }
        }
    }
}

/// The first places in a function that do not fit each other.
fn conflict(function: &Function, cx: &Context<'_>) -> Option<(TextRange, TextRange)> {
    let body = cx.document.range_of(function.body.clone());
    let mut sized = cx.facts.wave.sized.iter().filter(|found| body.contains_range(**found)).peekable();
    sized.peek()?;
    if sized.clone().any(|found| is_compared(*found, cx)) {
        return None;
    }
    // Groups, blocks and slots may be smaller than a wave.
    let counts = |purpose: &SizePurpose| {
        !matches!(
            purpose,
            SizePurpose::Group
                | SizePurpose::Block
                | SizePurpose::Slots
                | SizePurpose::Constant
                | SizePurpose::ThreadLimit
                | SizePurpose::SharedReductionStart
        )
    };
    let is_read = |range: &TextRange| {
        let number = cx.document.token_at(range.start());
        !cx.is_for_cuda_alone(number)
    };
    let within = cx
        .facts
        .wave
        .fixed
        .iter()
        .filter(|found| counts(&found.purpose))
        .map(|found| found.range)
        .filter(|found| body.contains_range(*found));
    let cuts = cx.thread_numbers().cuts(function);
    let cuts = cuts.iter().filter(|cut| counts(&cut.purpose)).map(|cut| cx.document.range_of(cut.tokens.clone()));
    let fixed = within.chain(cuts).filter(is_read).min_by_key(|range| range.start())?;
    Some((fixed, *sized.next()?))
}

/// `warpSize == 32`: the function has code for both widths.
fn is_compared(sized: TextRange, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let (before, after) = (document.token_at(sized.start()), document.token_at(sized.end()));
    let compares = |idx: Option<TokenIdx>| idx.is_some_and(|idx| matches!(document.token_text(idx), "<" | ">" | "="));
    let is_width = |idx: Option<TokenIdx>| idx.is_some_and(|idx| matches!(document.token_text(idx), "32" | "64"));
    let from = |ahead: usize| Some(after + ahead);
    (compares(from(0)) && (is_width(from(1)) || is_width(from(2))))
        || (compares(before.checked_sub(1)) && (is_width(before.checked_sub(2)) || is_width(before.checked_sub(3))))
}
