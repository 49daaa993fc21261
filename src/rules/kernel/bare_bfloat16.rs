//! bfloat16 numbers in releases whose type has no operators.

use crate::analysis::Function;
use crate::diagnostic::{RuleInfo, Severity};
use crate::mapping::RocmVersion;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{TokenIdx, words};

declare_rule! {
    /// ## What it does
    /// Finds the first use of bfloat16 numbers in a function, for releases before ROCm 6.0.
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
    /// Use functions: `__hadd(a, b)`, `__hlt(a, b)`, `__bfloat162float(a)`, `__float2bfloat16(x)`.
    BareBfloat16 { code: "K042", name: "bare-bfloat16", severity: Warning, fix: None, since: "0.1.0" }
}

/// The first release whose type has operators.
const OPERATORS: RocmVersion = RocmVersion::new(6, 0);

const TYPES: &[&str] =
    &["__nv_bfloat16", "nv_bfloat16", "__nv_bfloat162", "nv_bfloat162", "__hip_bfloat16", "__hip_bfloat162"];

impl Rule for BareBfloat16 {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        if cx.settings.rocm >= OPERATORS {
            return;
        }
        let document = cx.document;
        let uses = TYPES.iter().flat_map(|name| words(document, name));
        let Some(first) = uses.filter(|&idx| is_in_function(idx, cx)).min() else { return };
        let message = format!("`{}` has no operators before ROCm 6.0", document.token_text(first));
        let finding = cx.report(document.range_of(first..first + 1), message).severity(Severity::Warning);
        finding.note("write `__hadd(a, b)`, `__hlt(a, b)`, `__bfloat162float(a)` and the like");
    }
}

fn is_in_function(idx: TokenIdx, cx: &Context<'_>) -> bool {
    let has = |function: &Function| function.head.contains(&idx) || function.body.contains(&idx);
    cx.facts.functions.iter().any(has)
}
