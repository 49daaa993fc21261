//! `warpSize` in code that is compiled for the host.

use super::lane_function::{REWORKED, WAVE_SIZE, keeps_32_lanes};
use crate::analysis::{Function, Role, Side, is_always_emitted, role, side_of};
use crate::diagnostic::{RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Document, TokenIdx, TokenKind, words};

declare_rule! {
    /// ## What it does
    /// Finds `warpSize` in host functions, the sizes of launches included, and in `__host__ __device__` functions outside of
    /// `#if`. With warps of 32 lanes the latter get the number 32.
    ///
    /// ## Why is this bad?
    /// Up to ROCm 6.4 it is 64 on the host, whatever the GPU has; from 7.0 on it does not compile there. In a template, an
    /// `inline` or `static` function or a member of a class it compiles until host code calls the function, so that is
    /// for information.
    ///
    /// ## Example
    /// ```cuda
    /// #include <hip/hip_runtime.h>
    /// int warps(int threads) { return threads / warpSize; }
    /// ```
    ///
    /// ## What to do
    /// Ask the device: `hipDeviceGetAttribute(&size, hipDeviceAttributeWarpSize, device)`. Pass the size in where a function
    /// is for both sides.
    WaveSizeOnHost { code: "W016", name: "wave-size-on-host", severity: Error, fix: None, since: "0.1.0" }
}

impl Rule for WaveSizeOnHost {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        let document: &Document = cx.document;
        let severity = if cx.settings.rocm < REWORKED { Severity::Warning } else { Severity::Error };
        for idx in words(document, WAVE_SIZE).filter(|&idx| role(document, idx) == Role::Free) {
            let range = document.range_of(idx..idx + 1);
            if is_on_host(idx, cx) {
                let finding = cx.report(range, "`warpSize` is for device code only").severity(severity);
                finding.note("ask for hipDeviceAttributeWarpSize");
            } else if let Some(is_emitted) = is_for_both(idx, cx) {
                let finding =
                    cx.report(range, "`warpSize` is for device code only, and this is compiled for the host too");
                finding.note("pass the size in, or test `__HIP_DEVICE_COMPILE__`");
                if is_emitted {
                    finding.severity(severity);
                } else {
                    finding.severity(Severity::Info).note("this compiles until host code calls the function");
                }
            }
        }
    }
}

/// Whether a token stands in a host function that has no `warpSize` of its own. In CUDA sources no macro may hide `__device__`.
fn is_on_host(idx: TokenIdx, cx: &Context<'_>) -> bool {
    let is_host = |function: &&Function| {
        let on_host = !function.runs_on_device();
        on_host && (cx.facts.is_hip || matches!(side_of(cx.document, cx.facts, idx), Some((_, Side::Host))))
    };
    cx.facts.functions.around(idx).filter(is_host).is_some_and(|function| !declares(function, cx.document))
}

/// Whether the compiler always emits the `__host__ __device__` function around a token; `None` if it stands in none, or in one
/// that gets the number 32.
fn is_for_both(idx: TokenIdx, cx: &Context<'_>) -> Option<bool> {
    let (function, side) = side_of(cx.document, cx.facts, idx)?;
    let is_left = side == Side::Both && !keeps_32_lanes(cx) && !declares(function, cx.document);
    is_left.then(|| is_always_emitted(cx.document, cx.facts, function))
}

/// Whether a function has a variable or parameter called `warpSize`.
fn declares(function: &Function, document: &Document) -> bool {
    let declares = |at: TokenIdx| {
        document.token_text(at) == WAVE_SIZE
            && at > 0
            && document.kind(at - 1) == Some(TokenKind::Ident)
            && !matches!(document.token_text(at - 1), "return" | "else" | "case")
    };
    (function.head.start..function.body.end).any(declares)
}
