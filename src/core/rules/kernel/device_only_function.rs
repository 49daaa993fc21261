//! Functions that CUDA has on the host as well, and HIP in device code only.

use crate::analysis::{Function, Role, Side, is_always_emitted, is_called_on_host, role, side_of};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::mapping::{Intrinsic, Intrinsics, is_device_only};
use crate::rules::conditional::is_within_false_at;
use crate::rules::context::Context;
use crate::rules::definitions::definitions;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Document, TokenIdx, path_start, words_that};

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
    /// __host__ __device__ float probability(float x) { return normcdff(x); }
    /// ```
    ///
    /// ## What to do
    /// Write an expression that the host knows on the host's side of an `#ifdef __HIP_DEVICE_COMPILE__`.
    ///
    /// ## Fix safety
    /// Safe: defines `hipshift_rsqrtf` and the like, which is HIP's function in device code, and on the host what
    /// CUDA has there, rounded once: `(float)(1.0 / sqrt((double)x))`. There is no fix for the others.
    DeviceOnlyFunction { code: "K020", name: "device-only-function", severity: Error, fix: Sometimes, since: "0.1.0" }
}

impl Rule for DeviceOnlyFunction {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document: &Document = cx.document;
        for Use { idx, on_demand } in uses(cx) {
            let name = document.token_text(idx);
            let range = document.range_of(idx..idx + 1);
            let message = format!("`{name}` exists in device code only");
            if let Some(intrinsic) = on_both_sides(name) {
                let helper = intrinsic.helper();
                let path = document.range_of(path_start(document, idx)..idx + 1);
                let mut edits = vec![Edit::replace(path, &*helper)];
                edits.extend(definitions(range.start(), cx));
                let fix = Fix::safe(format!("define and use `{helper}`"), edits);
                cx.report(range, message).severity(Severity::Hint).fix(fix);
                continue;
            }
            let finding = cx.report(range, message);
            if on_demand {
                finding
                    .severity(Severity::Info)
                    .note("this compiles until host code of another file calls the function");
            }
        }
    }
}

/// What stands in for the functions of the file that the host lacks.
pub(in crate::rules) fn defined_for_host(cx: &Context<'_>) -> Vec<(TokenIdx, &'static Intrinsic)> {
    if !cx.settings.rules.is_enabled(&DeviceOnlyFunction::RULE_INFO) {
        return Vec::new();
    }
    let is_read = |idx: &TokenIdx| !cx.skips(cx.document.range_of(*idx..*idx + 1).start());
    let found = uses(cx).into_iter().map(|found| found.idx).filter(is_read);
    found.filter_map(|idx| Some((idx, on_both_sides(cx.document.token_text(idx))?))).collect()
}

/// The definition for both sides, if there is one.
fn on_both_sides(name: &str) -> Option<&'static Intrinsic> {
    Intrinsics::builtin().ok()?.get(name).filter(|intrinsic| intrinsic.is_for_both_sides())
}

/// A call where the host reads it.
struct Use {
    idx: TokenIdx,
    /// The compiler looks at the call only if host code calls the function around.
    on_demand: bool,
}

fn uses(cx: &Context<'_>) -> Vec<Use> {
    // Plain host code may have functions of these names from elsewhere.
    if cx.document.launches().is_empty() && !cx.facts.functions.iter().any(Function::runs_on_device) {
        return Vec::new();
    }
    let document: &Document = cx.document;
    let release = cx.settings.rocm;
    let names = words_that(document, |name| is_device_only(name, release)).into_iter();
    names.filter(|&idx| document.is(idx + 1, b'(')).filter_map(|idx| on_host(idx, cx)).collect()
}

fn on_host(idx: TokenIdx, cx: &Context<'_>) -> Option<Use> {
    let document = cx.document;
    if role(document, idx) != Role::Free || has_own(document.token_text(idx), cx) {
        return None;
    }
    let (function, side) = side_of(document, cx.facts, idx)?;
    let on_demand = side == Side::Both
        && !is_always_emitted(document, cx.facts, function)
        && !is_called_on_host(document, cx.facts, function);
    (side != Side::Device).then_some(Use { idx, on_demand })
}

/// Whether the file declares a function of the name that HIP's compiler reads.
fn has_own(name: &str, cx: &Context<'_>) -> bool {
    cx.facts.declared.all(name).iter().any(|own| !is_within_false_at(own.token, cx))
}
