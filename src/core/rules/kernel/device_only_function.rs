//! Functions that CUDA has on the host as well, and HIP in device code only.

use crate::analysis::{Function, Role, Side, is_always_emitted, is_called_on_host, role, side_of};
use crate::diagnostic::{RuleInfo, Severity};
use crate::mapping::is_device_only;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Document, TokenIdx, TokenKind};

declare_rule! {
    /// ## What it does
    /// Finds calls of `rsqrtf`, `normcdf`, `__popc` and the like in functions that are compiled for
    /// the host: those without `__device__`, and `__host__ __device__` functions outside of `#if`.
    ///
    /// ## Why is this bad?
    /// CUDA's headers define many functions for both sides that HIP defines for the device only, as is
    /// what hipshift puts in the place of functions of half that HIP lacks. The call does not compile. In a template, an `inline` or `static` function or a member of a
    /// class it compiles until host code calls the function, so that is for information where no host code of the file does.
    ///
    /// ## Example
    /// ```cuda
    /// __host__ __device__ float inverse_length(float x, float y) { return rsqrtf(x * x + y * y); }
    /// ```
    ///
    /// ## What to do
    /// Write `1 / sqrtf(x)`, or another expression that the host knows, on the host's side of an
    /// `#ifdef __HIP_DEVICE_COMPILE__`.
    DeviceOnlyFunction { code: "K020", name: "device-only-function", severity: Error, fix: None, since: "0.1.0" }
}

impl Rule for DeviceOnlyFunction {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        // Plain host code may have functions of these names from elsewhere.
        if cx.document.launches().is_empty() && !cx.facts.functions.iter().any(Function::runs_on_device) {
            return;
        }
        let document: &Document = cx.document;
        let release = cx.settings.rocm;
        let calls = (0..document.tokens().len()).filter(|&idx| is_call(idx, document));
        for idx in calls.filter(|&idx| is_device_only(document.token_text(idx), release)) {
            let name = document.token_text(idx);
            if role(document, idx) != Role::Free || cx.facts.declared.get(name).is_some() {
                continue;
            }
            let Some((function, side)) = side_of(document, cx.facts, idx) else { continue };
            if side == Side::Device {
                continue;
            }
            let on_demand = side == Side::Both
                && !is_always_emitted(document, cx.facts, function)
                && !is_called_on_host(document, cx.facts, function);
            let finding = cx.report(document.range_of(idx..idx + 1), format!("`{name}` exists in device code only"));
            if on_demand {
                finding
                    .severity(Severity::Info)
                    .note("this compiles until host code of another file calls the function");
            }
        }
    }
}

fn is_call(idx: TokenIdx, document: &Document) -> bool {
    document.token(idx).is_some_and(|token| token.kind == TokenKind::Ident) && document.is(idx + 1, b'(')
}
