//! `warpSize` in code that is compiled for the host.

use super::lane_function::{REWORKED, keeps_32_lanes};
use super::wave_size_alias::{AliasOf, OF_COMPILER, aliases};
use crate::analysis::{
    Branch, Chain, Function, Role, Side, WAVE_SIZE, is_always_emitted, is_surely_host, role, side_of,
};
use crate::diagnostic::{RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::ownership::{Ownership, ownership};
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{DirectiveKind, Document, TokenIdx, words};

declare_rule! {
    /// ## What it does
    /// Finds `warpSize` in host functions, the sizes of launches included, and in `__host__ __device__` functions outside of
    /// `#if`. With warps of 32 lanes the latter get the number 32. Finds macros in host functions, too, that stand for 64
    /// or 32 as macros of targets say, `__GFX9__` and the like, that stand for `warpSize`, or for the compiler's `__AMDGCN_WAVEFRONT_SIZE`.
    ///
    /// ## Why is this bad?
    /// Up to ROCm 6.4 it is 64 on the host, whatever the GPU has; from 7.0 on it does not compile there. In a template, an
    /// `inline` or `static` function or a member of a class it compiles until host code calls the function, so that is
    /// for information. The pass for the host defines no macro of a target, so there such a macro stands for the size
    /// of other GPUs, whatever runs the kernel.
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
        check_sizes_of_targets(cx);
        check_aliases(cx);
        let severity = if cx.settings.rocm < REWORKED { Severity::Warning } else { Severity::Error };
        let is_cudas =
            |idx: &TokenIdx| role(document, *idx) == Role::Free && ownership(*idx, WAVE_SIZE, cx) == Ownership::Cuda;
        for idx in words(document, WAVE_SIZE).filter(is_cudas).collect::<Vec<_>>() {
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

/// Macros that stand for the size of a wave where a target's macro says so, in host functions.
fn check_sizes_of_targets(cx: &mut Context<'_>) {
    let document: &Document = cx.document;
    for name in sizes_of_targets(cx) {
        let is_use = |idx: &TokenIdx| document.directive_of(*idx).is_none() && role(document, *idx) == Role::Free;
        for idx in words(document, name).filter(is_use) {
            let on_host = matches!(side_of(document, cx.facts, idx), Some((_, Side::Host)));
            if !on_host {
                continue;
            }
            let message =
                format!("`{name}` is not the size of the GPU's waves here: host code has no macros of targets");
            let finding = cx.report(document.range_of(idx..idx + 1), message).severity(Severity::Warning);
            finding.note("ask for hipDeviceAttributeWarpSize");
        }
    }
}

/// Macros that stand for `warpSize` or the compiler's own size of a wave, in host functions of HIP sources.
fn check_aliases(cx: &mut Context<'_>) {
    let document: &Document = cx.document;
    let mut names = aliases(document);
    names.extend(OF_COMPILER.iter().map(|name| (*name, AliasOf::Compiler)));
    for (name, of) in names.into_iter().filter(|_| cx.facts.is_hip) {
        let is_use = |idx: &TokenIdx| document.directive_of(*idx).is_none() && role(document, *idx) == Role::Free;
        for idx in words(document, name).filter(is_use).filter(|&idx| is_on_host(idx, cx)).collect::<Vec<_>>() {
            let range = document.range_of(idx..idx + 1);
            let severity = if cx.settings.rocm < REWORKED { Severity::Warning } else { Severity::Error };
            match of {
                AliasOf::WaveSize => cx
                    .report(range, format!("`{name}` is `warpSize`, which is for device code only"))
                    .severity(severity),
                AliasOf::Compiler => {
                    let message =
                        format!("`{name}` is not the size of the GPU's waves here: host code has no macros of targets");
                    cx.report(range, message).severity(Severity::Warning)
                }
            }
            .note("ask for hipDeviceAttributeWarpSize");
        }
    }
}

/// The macros that branches on macros of targets define, as 64 in one and as 32 in another.
fn sizes_of_targets<'d>(cx: &Context<'d>) -> Vec<&'d str> {
    let document = cx.document;
    let is_of_target = |chain: &Chain| {
        let opener = chain.branches.first().map_or(0, |branch| branch.opened_by);
        let condition = document.directive_of(opener).map_or(0..0, |directive| directive.tokens.clone());
        let macros = |word: &str| word.starts_with("__GFX") || word.starts_with("__gfx");
        condition.into_iter().any(|idx| macros(document.token_text(idx)))
    };
    let mut names = Vec::new();
    for chain in cx.facts.conditions.chains().iter().filter(|chain| is_of_target(chain)) {
        let sizes: Vec<(&str, &str)> = chain.branches.iter().flat_map(|branch| definitions(document, branch)).collect();
        let is = |name: &str, size: &str| sizes.contains(&(name, size));
        let chosen = sizes.iter().map(|(name, _)| *name).filter(|name| is(name, "64") && is(name, "32"));
        names.extend(chosen);
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// The macros of one token each that a branch defines.
fn definitions<'d>(document: &'d Document, branch: &Branch) -> Vec<(&'d str, &'d str)> {
    let within = document
        .directives()
        .iter()
        .filter(|directive| directive.kind == DirectiveKind::Define && branch.body.contains(&directive.tokens.start));
    within
        .filter(|directive| directive.tokens.len() == 4)
        .map(|directive| {
            let name = directive.tokens.start + 2;
            (document.token_text(name), document.token_text(name + 1))
        })
        .collect()
}

/// Whether a token stands in a host function; no macro may hide `__device__`.
fn is_on_host(idx: TokenIdx, cx: &Context<'_>) -> bool {
    let is_host = |function: &Function| {
        let on_host = !function.runs_on_device();
        on_host
            && if cx.facts.is_hip {
                is_surely_host(cx.document, cx.facts, function)
            } else {
                matches!(side_of(cx.document, cx.facts, idx), Some((_, Side::Host)))
            }
    };
    cx.facts.functions.around(idx).is_some_and(is_host)
}

/// Whether the compiler always emits the `__host__ __device__` function around a token; `None` if it stands in none, or in one
/// that gets the number 32.
fn is_for_both(idx: TokenIdx, cx: &Context<'_>) -> Option<bool> {
    let (function, side) = side_of(cx.document, cx.facts, idx)?;
    let is_left = side == Side::Both && !keeps_32_lanes(cx.document.range_of(idx..idx + 1).start(), cx);
    is_left.then(|| is_always_emitted(cx.document, cx.facts, function))
}
