//! Numbers of 32 bits that lane masks are made from.

use super::lane_function::{has_wide_masks, may_have_wide_masks};
use super::widening::report_widening;
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Document, TokenIdx};

declare_rule! {
    /// ## What it does
    /// Finds numbers of 32 bits that become lane masks: the `1` of `1u << lane`, `0xffffffff` in
    /// `0xffffffff >> (31 - lane)`, masks that are compared with a constant. In sources written
    /// for HIP, and in CUDA whose warps become whole waves (`--wave-policy native`).
    ///
    /// ## Why is this bad?
    /// Lanes are numbered up to 63. Shifting 32 bits by more than 31 is undefined, and all ones of
    /// 32 bits are only half a wave.
    ///
    /// ## Example
    /// With `--wave-policy native --ignore W032`:
    /// ```cuda
    /// #include <cuda_runtime.h>
    /// __device__ int rank(int p, int lane) { return __popc(__ballot_sync(0xffffffff, p) & ((1u << lane) - 1)); }
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hip/hip_runtime.h>
    /// __device__ int rank(int p, int lane) { return __popcll(__ballot(p) & ((1ull << lane) - 1)); }
    /// ```
    ///
    /// ## Fix safety
    /// Safe in CUDA whose warps become whole waves, unsafe in sources written for HIP. All ones
    /// become `~0ull >> (64 - warpSize)` if some targets have 32 lanes in a wave. Host code has no
    /// `warpSize`, and no fix.
    NarrowLaneBit { code: "W006", name: "narrow-lane-bit", severity: Warning, fix: Sometimes, since: "0.1.0" }
}

impl Rule for NarrowLaneBit {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        if !may_have_wide_masks(cx) {
            return;
        }
        let uses = cx.mask_uses();
        let (numbers, shifted, tops) = (uses.numbers.clone(), uses.shifted.clone(), uses.tops.clone());
        for number in numbers.into_iter().filter(|&number| !cx.facts.is_hip || loses_lanes(number, cx.document)) {
            report(number, widened(number, cx), cx);
        }
        for number in shifted {
            report(number, ALL_ONES.to_owned(), cx);
        }
        for top in tops {
            let to = if cx.document.token_text(top) == "31" { "63" } else { "64" };
            report(top, to.to_owned(), cx);
        }
    }
}

/// Whether a number makes another mask with 32 bits than with 64: all ones, and what is shifted or inverted.
fn loses_lanes(number: TokenIdx, document: &Document) -> bool {
    let (mut first, mut last) = (number, number);
    while first > 0 && document.is(first - 1, b'(') && document.is(last + 1, b')') {
        (first, last) = (first - 1, last + 1);
    }
    let is_shifted = document.is(last + 1, b'<') && document.is(last + 2, b'<');
    let is_inverted = first > 0 && document.is(first - 1, b'~');
    is_shifted || is_inverted || is_all_ones(document.token_text(number))
}

/// Whether a number is all ones of 32 bits.
fn is_all_ones(text: &str) -> bool {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    digits.eq_ignore_ascii_case("0xffffffff") || digits == "4294967295"
}

const ALL_ONES: &str = "0xffffffffffffffffull";

/// A number as 64 bits. All ones of 32 bits become one for each lane of a wave, which only the GPU
/// knows if the targets differ.
fn widened(number: TokenIdx, cx: &Context<'_>) -> String {
    let text = cx.document.token_text(number);
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let is_full = is_all_ones(text);
    let same_wave = cx.settings.targets.iter().all(|target| target.is_wave64());
    match (is_full, same_wave || is_in_constant(number, cx)) {
        (true, true) => ALL_ONES.to_owned(),
        (true, false) => "(~0ull >> (64 - warpSize))".to_owned(),
        (false, _) => format!("{digits}ull"),
    }
}

/// Whether a number is a part of a constant, which `warpSize` is not from ROCm 7.0 on.
fn is_in_constant(number: TokenIdx, cx: &Context<'_>) -> bool {
    let document = cx.document;
    if let Some(directive) = document.directive_of(number) {
        let name = document.token_text(directive.tokens.start + 2);
        let mut uses = (1..document.tokens().len()).filter(|&idx| document.token_text(idx) == name);
        return uses.any(|idx| is_template_argument(document, idx));
    }
    if is_template_argument(document, number) {
        return true;
    }
    let words = (number.saturating_sub(8)..number).rev().map(|idx| document.token_text(idx));
    words
        .take_while(|word| !matches!(*word, ";" | "{" | "}"))
        .any(|word| matches!(word, "constexpr" | "static" | "enum"))
}

/// `f<mask>(…)`, `f<int, mask>(…)`
fn is_template_argument(document: &Document, idx: TokenIdx) -> bool {
    let opens = document.is(idx - 1, b'<') || document.is(idx - 1, b',');
    let closes = document.is(idx + 1, b'>') || document.is(idx + 1, b',');
    opens && closes && (document.is(idx - 1, b'<') || document.is(idx + 1, b'>'))
}

fn report(number: TokenIdx, to: String, cx: &mut Context<'_>) {
    let Some(token) = cx.document.token(number) else { return };
    let (text, range) = (cx.document.token_text(number), token.range());
    if !has_wide_masks(range.start(), cx) {
        return;
    }
    let on_host = cx.facts.functions.around(number).is_some_and(|function| !function.runs_on_device());
    let change = (!on_host).then(|| (format!("write `{to}`"), vec![Edit::replace(range, to)]));
    let message = format!("`{text}` makes a lane mask of 32 bits");
    report_widening(range, message, change, "masks that the device passes have 64 bits", cx);
}
