//! Arithmetic that CUDA never contracts.

use crate::diagnostic::{RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Files, Name, WholeFile};
use crate::rules::rule::{Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Notes files that use `__fmul_rn`, `__fadd_rn`, `__fsub_rn` or their forms for `double`. Only
    /// the first place of a file is reported.
    ///
    /// ## Why is this bad?
    /// CUDA never merges their results into a fused multiply-add. HIP's headers define them as plain
    /// operators, and clang contracts by default: for gfx90a `__fadd_rn(__fmul_rn(a, b), c)` becomes
    /// one `v_fmac_f32`, with HIP 5.7, 6.4 and 7.2 alike. Error-free transformations and results that
    /// must agree bit by bit break. A file that multiplies only, or adds only, is for information.
    ///
    /// ## Example
    /// ```cuda
    /// __device__ float f(float a, float b, float c) { return __fadd_rn(__fmul_rn(a, b), c); }
    /// ```
    ///
    /// ## What to do
    /// Compile the file with `-ffp-contract=off`. `#pragma clang fp contract(off)` in the function is
    /// not enough: it does not reach into the functions of the header.
    ContractedArithmetic { code: "K024", name: "contracted-arithmetic", severity: Warning, fix: None, since: "0.1.0" }
}

impl Rule for ContractedArithmetic {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let uses = |wanted: &'static [&'static str]| {
            move |name: &Name<'_>| matches!(name.meaning, Meaning::Same(_)) && wanted.contains(&&*name.text)
        };
        let product = cx.names.iter().find(uses(&["__fmul_rn", "__dmul_rn"])).map(|name| name.range);
        let sum =
            cx.names.iter().find(uses(&["__fadd_rn", "__fsub_rn", "__dadd_rn", "__dsub_rn"])).map(|name| name.range);
        let Some(first) = product.into_iter().chain(sum).min_by_key(|range| range.start()) else { return };
        let finding = cx.report(first, "clang may contract this into a fused multiply-add, which CUDA never does");
        finding.note("compile the file with `-ffp-contract=off`");
        if product.is_none() || sum.is_none() {
            finding.severity(Severity::Info);
        }
    }
}
