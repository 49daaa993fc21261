//! The size of a wave in code whose warps keep 32 lanes.

use std::rc::Rc;

use super::lane_function::{WAVE_SIZE, is_wave_size, keeps_32_lanes};
use crate::analysis::{Role, role};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Document, TokenIdx, TokenKind};

declare_rule! {
    /// ## What it does
    /// Finds `warpSize`, in device code and in `cudaDeviceProp`, in a project whose warps keep 32
    /// lanes (`--wave-policy logical32`).
    ///
    /// ## Why is this bad?
    /// On CDNA GPUs it is 64. Code that counts on 32 lanes in one place and on `warpSize` in
    /// another computes wrongly there. From ROCm 7.0 on `warpSize` is no constant either, and
    /// cannot be the size of an array.
    ///
    /// ## Example
    /// With `--wave-policy logical32`:
    /// ```cuda
    /// #include <cuda_runtime.h>
    /// __device__ int lane() { return threadIdx.x % warpSize; }
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hip/hip_runtime.h>
    /// __device__ int lane() { return threadIdx.x % 32; }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: it is 32 on every GPU that CUDA runs on, and the converted kernels count on that. A
    /// query with `cudaDevAttrWarpSize` has no fix.
    WaveSize { code: "W003", name: "wave-size", severity: Hint, fix: Sometimes, since: "0.1.0" }
}

impl Rule for WaveSize {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        check_names(cx);
        let document = cx.document;
        let properties: Vec<TokenIdx> = (0..document.tokens().len())
            .filter(|&idx| document.kind(idx) == Some(TokenKind::Ident) && document.token_text(idx) == WAVE_SIZE)
            .filter(|&idx| role(document, idx) == Role::Member)
            .filter(|&idx| keeps_32_lanes(document.range_of(idx..idx + 1).start(), cx))
            .collect();
        for token in properties {
            check_property(token, cx);
        }
    }
}

/// `warpSize` in device code, and the attribute in host code.
fn check_names(cx: &mut Context<'_>) {
    let names = Rc::clone(&cx.names);
    for name in names.iter() {
        if !keeps_32_lanes(name.range.start(), cx) {
            continue;
        }
        if is_wave_size(&name, cx) {
            let fix = Fix::safe("write 32", vec![Edit::replace(name.range, "32")]);
            cx.report(name.range, "`warpSize` is 64 on some targets, but warps keep 32 lanes here").fix(fix);
        } else if name.text == "cudaDevAttrWarpSize" && matches!(name.meaning, Meaning::Renamed(..)) {
            let finding = cx.report(name.range, "the query gives 64 on some targets, but warps keep 32 lanes here");
            finding.severity(Severity::Warning).note("use 32 in place of the result");
        }
    }
}

/// `properties.warpSize` in host code.
fn check_property(token: TokenIdx, cx: &mut Context<'_>) {
    let document = cx.document;
    let object = token.saturating_sub(2);
    let is_written = document.is(token + 1, b'=') && !document.is(token + 2, b'=');
    if is_written || document.kind(object) != Some(TokenKind::Ident) {
        return;
    }
    let name = document.name(object);
    let range = document.range_of(object..token + 1);
    let message = format!("`{}` is 64 on some targets, but warps keep 32 lanes here", document.slice(range));
    if holds_properties(document, &name) && starts_expression(document, object) {
        let fix = Fix::safe("write 32", vec![Edit::replace(range, "32")]);
        cx.report(range, message).severity(Severity::Info).fix(fix);
    } else if name.to_ascii_lowercase().contains("prop") {
        cx.report(range, message).severity(Severity::Warning).note("use 32 where the kernels count on it");
    }
}

/// `cudaDeviceProp name`, `const cudaDeviceProp& name`
fn holds_properties(document: &Document, name: &str) -> bool {
    (0..document.tokens().len()).any(|idx| {
        let mut declared = idx + 1;
        while document.is(declared, b'*') || document.is(declared, b'&') {
            declared += 1;
        }
        document.token_text(idx) == "cudaDeviceProp" && document.token_text(declared) == name
    })
}

/// Whether the name at `idx` is no member of something else.
fn starts_expression(document: &Document, idx: TokenIdx) -> bool {
    matches!(role(document, idx), Role::Free)
}
