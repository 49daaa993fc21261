//! bfloat16 numbers in releases whose type is a plain structure.

use crate::analysis::Function;
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::mapping::{Intrinsics, RocmVersion};
use crate::rules::context::Context;
use crate::rules::header::insert_behind;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Include, TokenIdx, words};

declare_rule! {
    /// ## What it does
    /// Finds the header of bfloat16 numbers, and the first use of them in a function, for releases
    /// before ROCm 6.0.
    ///
    /// ## Why is this bad?
    /// In HIP 5.7 `__hip_bfloat16` has no operators and converts from and to no other type by
    /// itself: `a + b`, `a < b` and `float(a)` do not compile.
    ///
    /// ## Example
    /// With `--rocm 5.7`:
    /// ```cuda
    /// #include <cuda_bf16.h>
    /// __device__ __nv_bfloat16 add(__nv_bfloat16 a, __nv_bfloat16 b) { return a + b; }
    /// ```
    ///
    /// ## What to do
    /// The fix defines the operators behind the header. Conversions have to be written as
    /// functions: `__bfloat162float(a)`, `__float2bfloat16(x)`.
    ///
    /// ## Fix safety
    /// Safe: the operators round as CUDA's do, to nearest after an operation on `float`. Operators
    /// that a program defines itself are preferred to them.
    BareBfloat16 { code: "K042", name: "bare-bfloat16", severity: Hint, fix: Sometimes, since: "0.1.0" }
}

/// The first release whose type has operators and conversions.
const WHOLE_TYPE: RocmVersion = RocmVersion::new(6, 0);

const TYPES: &[&str] =
    &["__nv_bfloat16", "nv_bfloat16", "__nv_bfloat162", "nv_bfloat162", "__hip_bfloat16", "__hip_bfloat162"];

const HEADERS: &[&str] = &["cuda_bf16.h", "cuda_bf16.hpp", "hip/hip_bf16.h"];

/// The key of the definition.
const OPERATORS: &str = "bfloat16_operators";

impl Rule for BareBfloat16 {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        if cx.settings.rocm >= WHOLE_TYPE {
            return;
        }
        let document = cx.document;
        for include in document.includes().filter(|include| HEADERS.contains(&include.path)) {
            define(&include, cx);
        }
        let uses = TYPES.iter().flat_map(|name| words(document, name));
        let Some(first) = uses.filter(|&idx| is_in_function(idx, cx)).min() else { return };
        let message = format!("`{}` does not convert by itself before ROCm 6.0", document.token_text(first));
        let finding = cx.report(document.range_of(first..first + 1), message).severity(Severity::Info);
        finding.note("write `__bfloat162float(a)` and `__float2bfloat16(x)` for conversions");
    }
}

/// Puts the operators behind the header, unless an earlier conversion has.
fn define(include: &Include<'_>, cx: &mut Context<'_>) {
    let document = cx.document;
    let Some(operators) = Intrinsics::builtin().ok().and_then(|table| table.get(OPERATORS)) else { return };
    if cx.facts.declared.get(&operators.guard()).is_some() || cx.skips(include.path_range.start()) {
        return;
    }
    let edit = insert_behind(document, include, &operators.guarded());
    let finding = cx.report(include.path_range, "`__hip_bfloat16` has no operators before ROCm 6.0");
    finding.fix(Fix::safe("define them behind the header", vec![edit]));
}

fn is_in_function(idx: TokenIdx, cx: &Context<'_>) -> bool {
    let has = |function: &Function| function.head.contains(&idx) || function.body.contains(&idx);
    cx.facts.functions.iter().any(has)
}
