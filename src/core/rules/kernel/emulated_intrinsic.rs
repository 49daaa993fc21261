//! Intrinsics that HIP lacks and that plain code defines exactly.

use std::rc::Rc;

use crate::diagnostic::{Fix, RuleInfo};
use crate::mapping::{Intrinsic, IntrinsicKind, Intrinsics};
use crate::rules::context::Context;
use crate::rules::definitions::definitions;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Files, Name, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Document, TokenIdx, path_start, statement_start};

declare_rule! {
    /// ## What it does
    /// Finds intrinsics that HIP lacks and that have an exact definition: dot products such as
    /// `__dp4a`, the functions that compute with the bytes or halfwords of a word, such as
    /// `__vsub4` or `__vimax3_s16x2`, arithmetic that is rounded in a direction such as `__fadd_rd`,
    /// reductions, scans and labeled partitions of cooperative groups, atomic objects of libcu++, and
    /// enumerators such as `cudaSharedmemCarveoutMaxShared` where HIP takes the number.
    ///
    /// ## Why is this bad?
    /// The name does not exist in HIP's headers.
    ///
    /// ## Example
    /// ```cuda
    /// #include <cuda_runtime.h>
    /// __device__ unsigned difference(unsigned a, unsigned b) { return __vsub4(a, b); }
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hip/hip_runtime.h>
    /// #ifndef HIPSHIFT_VSUB4
    /// #define HIPSHIFT_VSUB4
    /// __device__ __forceinline__ unsigned hipshift_vsub4(unsigned a, unsigned b) {
    ///     return ((a | 0x80808080u) - (b & 0x7f7f7f7fu)) ^ (~(a ^ b) & 0x80808080u);
    /// }
    /// #endif
    /// __device__ unsigned difference(unsigned a, unsigned b) { return hipshift_vsub4(a, b); }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: the definitions give the same result for all operands. They are put behind the
    /// includes, once for each file, and are guarded, since other headers may bring them too.
    EmulatedIntrinsic { code: "K010", name: "emulated-intrinsic", severity: Hint, fix: Always, since: "0.1.0" }
}

impl Rule for EmulatedIntrinsic {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        let names = Rc::clone(&cx.names);
        let uses: Vec<_> = names.iter().filter_map(|name| emulated(&name, cx).map(|by| (name, by))).collect();
        for (name, intrinsic) in uses {
            let helper = intrinsic.helper();
            // Definitions stand outside of all scopes.
            let first = path_start(cx.document, name.token);
            let path = cx.document.range_of(first..name.token + 1);
            let mut edits = vec![Edit::replace(path, reached(&helper, first, cx.document))];
            edits.extend(definitions(name.range.start(), cx));
            let fix = Fix::safe(format!("define and use `{helper}`"), edits);
            // Directions of rounding are set by the device libraries.
            let is_plain =
                !matches!(intrinsic.kind, IntrinsicKind::Rounding | IntrinsicKind::Constant | IntrinsicKind::Profiling);
            let by = if is_plain { "plain code" } else { "the file" };
            cx.report(name.range, format!("HIP has no `{}`, which {by} can define", name.text)).fix(fix);
        }
    }
}

/// What stands in for `name`, if it is an intrinsic that the file can define.
pub(in crate::rules) fn emulated(name: &Name<'_>, cx: &Context<'_>) -> Option<&'static Intrinsic> {
    let is_missing = matches!(name.meaning, Meaning::Missing(_) | Meaning::OtherRelease(_));
    let is_for = |intrinsic: &&Intrinsic| intrinsic.is_for(cx.settings.rocm);
    let entry = || Intrinsics::builtin().ok()?.replacing(&name.text).filter(is_for);
    if is_missing { entry() } else { None }
}

/// A definition's name as it has to be written for the path from `first` on: a `using` takes a name with a scope only.
fn reached(helper: &str, first: TokenIdx, document: &Document) -> String {
    let is_used = document.token_text(statement_start(document, first)) == "using";
    if is_used { format!("::{helper}") } else { helper.to_owned() }
}
