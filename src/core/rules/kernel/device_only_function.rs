//! Functions that CUDA has on the host as well, and HIP in device code only.

use crate::analysis::{Function, Role, Side, is_always_emitted, role, side_of};
use crate::diagnostic::{RuleInfo, Severity};
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
    /// CUDA's headers define many functions for both sides that HIP defines for the device only.
    /// The call does not compile. In a template, an `inline` or `static` function or a member of a
    /// class it compiles until host code calls the function, so that is for information.
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

/// Functions that HIP's headers define for the device only; `tests/compiler.rs` compiles them all.
const DEVICE_ONLY: &[&str] = &[
    "__brev",
    "__clz",
    "__double2hiint",
    "__double_as_longlong",
    "__ffs",
    "__float2int_rn",
    "__float_as_int",
    "__fmul_rn",
    "__hiloint2double",
    "__int_as_float",
    "__ldg",
    "__mulhi",
    "__popc",
    "__saturatef",
    "cospi",
    "cospif",
    "cyl_bessel_i0",
    "cyl_bessel_i0f",
    "cyl_bessel_i1",
    "cyl_bessel_i1f",
    "erfcinv",
    "erfcinvf",
    "erfcx",
    "erfcxf",
    "erfinv",
    "erfinvf",
    "fdividef",
    "norm3d",
    "norm3df",
    "norm4d",
    "norm4df",
    "normcdf",
    "normcdff",
    "normcdfinv",
    "normcdfinvf",
    "normf",
    "rcbrt",
    "rcbrtf",
    "rhypot",
    "rhypotf",
    "rnorm",
    "rnorm3d",
    "rnorm3df",
    "rnorm4d",
    "rnorm4df",
    "rnormf",
    "rsqrt",
    "rsqrtf",
    "sincospi",
    "sincospif",
    "sinpi",
    "sinpif",
];

impl Rule for DeviceOnlyFunction {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        // Plain host code may have functions of these names from elsewhere.
        if cx.document.launches().is_empty() && !cx.facts.functions.iter().any(Function::runs_on_device) {
            return;
        }
        let document: &Document = cx.document;
        for idx in (0..document.tokens().len()).filter(|&idx| is_device_only(idx, document)) {
            let name = document.token_text(idx);
            if role(document, idx) != Role::Free || cx.facts.declared.get(name).is_some() {
                continue;
            }
            let Some((function, side)) = side_of(document, cx.facts, idx) else { continue };
            if side == Side::Device {
                continue;
            }
            let on_demand = side == Side::Both && !is_always_emitted(document, cx.facts, function);
            let finding = cx.report(document.range_of(idx..idx + 1), format!("`{name}` exists in device code only"));
            if on_demand {
                finding.severity(Severity::Info).note("this compiles until host code calls the function");
            }
        }
    }
}

fn is_device_only(idx: TokenIdx, document: &Document) -> bool {
    document.token(idx).is_some_and(|token| token.kind == TokenKind::Ident)
        && document.is(idx + 1, b'(')
        && DEVICE_ONLY.binary_search(&document.token_text(idx)).is_ok()
}
