//! Numbers of lanes that a branch of the source's own has for AMD GPUs.

use super::lane_function::keeps_32_lanes;
use crate::analysis::{Branch, Chain, WAVE_SIZE};
use crate::diagnostic::RuleInfo;
use crate::rules::conditional::is_for_hip;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Document, TokenIdx, TokenKind, statement_start, words};

declare_rule! {
    /// ## What it does
    /// Finds constants that a branch for HIP makes 64 or `warpSize`, and another branch 32, in a project whose warps keep 32
    /// lanes (`--wave-policy logical32`); those whose names count bits and that are 6 and 5; and `IS_AMD ? 64 : 32`, where
    /// branches set the flag.
    ///
    /// ## Why is this bad?
    /// The branch was written for code that follows the size of a wave. What hipshift makes of CUDA's functions keeps warps of
    /// 32 lanes, on all targets: a reduction that starts at 64 / 2 adds each lane twice, and the results of each 64 threads are
    /// taken from one of them. Code that stands in branches for HIP itself, with HIP's own functions, is not concerned; a
    /// constant of 64 is wrong there on targets with waves of 32.
    ///
    /// ## Example
    /// ```cuda
    /// #ifdef __HIP_PLATFORM_AMD__
    /// #define WARP_SIZE 64
    /// #else
    /// #define WARP_SIZE 32
    /// #endif
    /// __device__ int sum(int v) {
    ///     for (int d = WARP_SIZE / 2; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
    ///     return v;
    /// }
    /// ```
    ///
    /// ## What to do
    /// Make the constant 32 in the branch for HIP, too. If all code that uses it is written for both widths, convert it with
    /// `--wave-policy native`.
    BranchSize { code: "W039", name: "branch-size", severity: Warning, fix: None, since: "0.2.0" }
}

impl Rule for BranchSize {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let facts = cx.facts;
        for chain in facts.conditions.chains() {
            for (value, other) in sizes(chain, cx) {
                let range = cx.document.range_of(value..value + 1);
                let text = cx.document.slice(range);
                let message = format!("this is {text} for AMD GPUs, where the warps of this code keep 32 lanes");
                let other = cx.document.range_of(other..other + 1);
                cx.report(range, message).label(other, "32 for CUDA");
            }
        }
    }
}

/// The values of more than 32 lanes that are for HIP alone, each with the one of another branch.
fn sizes(chain: &Chain, cx: &Context<'_>) -> Vec<(TokenIdx, TokenIdx)> {
    let (for_hip, others): (Vec<&Branch>, Vec<&Branch>) =
        chain.branches.iter().partition(|branch| is_for_hip(branch.body.start, cx));
    let defined = |branches: &[&Branch]| -> Vec<(TokenIdx, TokenIdx)> {
        branches.iter().flat_map(|branch| branch.body.clone()).filter_map(|idx| definition(idx, cx.document)).collect()
    };
    let others = if for_hip.is_empty() { Vec::new() } else { defined(&others) };
    let keeps = |name: TokenIdx| keeps_32_lanes(cx.document.range_of(name..name + 1).start(), cx);
    let mut found = Vec::new();
    for (name, value) in defined(&for_hip) {
        let text = cx.document.token_text(name);
        for &(other, other_value) in others.iter().filter(|(other, _)| cx.document.token_text(*other) == text) {
            let pair = (number(value, cx), number(other_value, cx));
            let is_wide = || is_wave_size(cx.document.token_text(value)) || pair.0 == Some(64);
            let is_size = pair.1 == Some(32) && is_wide() || pair == (Some(6), Some(5)) && counts_bits(text);
            if !keeps(other) {
                continue;
            }
            if is_size {
                found.push((value, other_value));
                break;
            }
            if let (Some(for_hip), Some(for_cuda)) = pair
                && (for_hip != 0) != (for_cuda != 0)
            {
                found.extend(words(cx.document, text).filter_map(|flag| chosen(flag, for_hip != 0, cx)));
                break;
            }
        }
    }
    found
}

/// The 64 and the 32 of `FLAG ? 64 : 32`, if HIP's value of the flag takes the former.
fn chosen(flag: TokenIdx, is_set: bool, cx: &Context<'_>) -> Option<(TokenIdx, TokenIdx)> {
    let document = cx.document;
    let is_choice = document.is(flag + 1, b'?') && document.is(flag + 3, b':');
    let is_negated = flag.checked_sub(1).is_some_and(|before| document.is(before, b'!'));
    let (first, second) = (flag + 2, flag + 4);
    let (wide, other) = if is_set == is_negated { (second, first) } else { (first, second) };
    let start = document.directive_of(flag).map_or_else(|| statement_start(document, flag), |found| found.tokens.start);
    let names = || start..flag;
    let function = || cx.facts.functions.around(flag).and_then(|function| function.name);
    let is_named = || names().chain(function()).any(|idx| is_about_lanes(document.token_text(idx)));
    (is_choice && number(wide, cx) == Some(64) && number(other, cx) == Some(32) && is_named()).then_some((wide, other))
}

/// Whether a constant counts the bits of a number of lanes: `LOG_WARP_SIZE`, `warp_shift`.
fn counts_bits(name: &str) -> bool {
    let small = name.to_ascii_lowercase();
    is_about_lanes(name) && ["log", "shift", "bits"].iter().any(|part| small.contains(part))
}

/// Whether a name says that it is about the lanes of a warp.
fn is_about_lanes(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["warp", "lane", "wave", "simd"].iter().any(|part| name.contains(part)) && !name.contains("plane")
}

/// Whether a word is the size of a wave of the target: HIP's, or the compiler's.
fn is_wave_size(word: &str) -> bool {
    word == WAVE_SIZE || word.trim_end_matches('_') == "__AMDGCN_WAVEFRONT_SIZE"
}

fn number(value: TokenIdx, cx: &Context<'_>) -> Option<i64> {
    match cx.document.token_text(value) {
        "true" => Some(1),
        "false" => Some(0),
        _ => cx.thread_numbers().constant(value..value + 1),
    }
}

/// The name and the value, if `idx` is the whole value of a constant: `#define N 64`, `int N = 64;`, `enum { N = 64 }`, `N{64}`,
/// `return 64;`.
fn definition(idx: TokenIdx, document: &Document) -> Option<(TokenIdx, TokenIdx)> {
    let is_value = match document.kind(idx)? {
        TokenKind::Number => true,
        TokenKind::Ident => {
            is_wave_size(document.token_text(idx)) || matches!(document.token_text(idx), "true" | "false")
        }
        _ => false,
    };
    let before = idx.checked_sub(1).filter(|_| is_value)?;
    let name = match document.directive_of(idx) {
        Some(directive) => (directive.tokens.start + 2 == before && directive.tokens.end == idx + 1).then_some(before),
        // Both branches are of one function.
        None if document.token_text(before) == "return" => document.is(idx + 1, b';').then_some(before),
        None => {
            let ends = matches!(document.token_text(idx + 1), ";" | "," | "}");
            let starts = document.is(before, b'=') || document.is(before, b'{');
            before.checked_sub(1).filter(|_| starts && ends)
        }
    }?;
    (document.kind(name) == Some(TokenKind::Ident)).then_some((name, idx))
}
