//! `warpSize` in host code of sources written for HIP.

use super::lane_function::{REWORKED, WAVE_SIZE};
use crate::analysis::{Function, Role, role};
use crate::diagnostic::{RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{TokenIdx, TokenKind};

declare_rule! {
    /// ## What it does
    /// Finds `warpSize` in host functions of sources written for HIP.
    ///
    /// ## Why is this bad?
    /// Up to ROCm 6.4 it is 64 there, whatever the GPU has; from 7.0 on it does not compile.
    ///
    /// ## Example
    /// ```cuda
    /// #include <hip/hip_runtime.h>
    /// int warps(int threads) { return threads / warpSize; }
    /// ```
    ///
    /// ## What to do
    /// Ask the device: `hipDeviceGetAttribute(&size, hipDeviceAttributeWarpSize, device)`.
    WaveSizeOnHost { code: "W016", name: "wave-size-on-host", severity: Error, fix: None, since: "0.1.0" }
}

impl Rule for WaveSizeOnHost {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        if !cx.facts.is_hip {
            return;
        }
        let document = cx.document;
        let found: Vec<TokenIdx> = (0..document.tokens().len())
            .filter(|&idx| document.kind(idx) == Some(TokenKind::Ident) && document.token_text(idx) == WAVE_SIZE)
            .filter(|&idx| role(document, idx) == Role::Free && is_on_host(idx, cx))
            .collect();
        let severity = if cx.settings.rocm < REWORKED { Severity::Warning } else { Severity::Error };
        for idx in found {
            let finding = cx.report(document.range_of(idx..idx + 1), "`warpSize` is for device code only");
            finding.severity(severity).note("ask for hipDeviceAttributeWarpSize");
        }
    }
}

/// Whether a token stands in a host function that has no `warpSize` of its own.
fn is_on_host(idx: TokenIdx, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let Some(function) = cx.facts.functions.around(idx).filter(|function| !Function::runs_on_device(function)) else {
        return false;
    };
    let declares = |at: TokenIdx| {
        document.token_text(at) == WAVE_SIZE
            && at > 0
            && document.kind(at - 1) == Some(TokenKind::Ident)
            && !matches!(document.token_text(at - 1), "return" | "else" | "case")
    };
    !(function.head.start..function.body.end).any(declares)
}
