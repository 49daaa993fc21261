//! Functions of 32 bits that are given lane masks.

use super::lane_function::{has_wide_masks, may_have_wide_masks};
use super::widening::report_widening;
use crate::analysis::BitFunction;
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;

declare_rule! {
    /// ## What it does
    /// Finds `__popc`, `__ffs`, `__clz` and `__brev` of lane masks, in sources written for HIP
    /// and in CUDA whose warps become whole waves (`--wave-policy native`).
    ///
    /// ## Why is this bad?
    /// `__popc`, `__clz` and `__brev` take 32 bits and look at the lower half of the mask, without
    /// any warning of the compiler. `__ffs` of 64 bits is ambiguous and does not compile.
    ///
    /// ## Example
    /// With `--wave-policy native --ignore W032`:
    /// ```cuda
    /// #include <cuda_runtime.h>
    /// __device__ int votes(int p) { return __popc(__ballot_sync(0xffffffff, p)); }
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hip/hip_runtime.h>
    /// __device__ int votes(int p) { return __popcll(__ballot(p)); }
    /// ```
    ///
    /// ## Fix safety
    /// Safe for `__popc` and `__ffs`. `__clz` counts from the top, which is 32 bits further up: it is changed where it is
    /// subtracted from 31 or 32, and has no fix elsewhere. Neither has `__brev`, whose bits of 64 stand elsewhere.
    /// In sources written for HIP the fixes are unsafe, since they change what is computed.
    NarrowMaskFunction { code: "W005", name: "narrow-mask-function", severity: Warning, fix: Sometimes, since: "0.1.0" }
}

impl Rule for NarrowMaskFunction {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        if !may_have_wide_masks(cx) {
            return;
        }
        for found in cx.mask_uses().bit_functions.clone() {
            report(&found, cx);
        }
    }
}

fn report(found: &BitFunction, cx: &mut Context<'_>) {
    let document = cx.document;
    let Some(name) = document.token(found.name) else { return };
    let (text, range) = (document.token_text(found.name), name.range());
    if !has_wide_masks(range.start(), cx) {
        return;
    }
    let change = edits(found, cx).map(|edits| (format!("use `{text}ll`"), edits));
    let message = format!("`{text}` looks at the lower 32 bits of a lane mask");
    let advice = "use the form for 64 bits; positions that are counted from the top move by 32";
    report_widening(range, message, change, advice, cx);
}

fn edits(found: &BitFunction, cx: &Context<'_>) -> Option<Vec<Edit>> {
    let document = cx.document;
    let text = document.token_text(found.name);
    let name = document.token(found.name)?.range();
    let mut edits = vec![Edit::replace(name, format!("{text}ll"))];
    match (text, found.top) {
        ("__popc" | "__ffs", _) => {}
        ("__clz", Some(top)) => {
            let to = if document.token_text(top) == "31" { "63" } else { "64" };
            edits.insert(0, Edit::replace(document.token(top)?.range(), to));
        }
        _ => return None,
    }
    Some(edits)
}
