//! Averages that older headers compute wrongly.

use crate::diagnostic::RuleInfo;
use crate::mapping::RocmVersion;
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::words;

declare_rule! {
    /// ## What it does
    /// Finds `__hadd`, `__rhadd`, `__uhadd` and `__urhadd` on integers, for releases before ROCm 6.4.
    ///
    /// ## Why is this bad?
    /// In the headers of HIP 5.7 the signed ones return 0 or 1 as soon as the sum is negative or not,
    /// and the sum of the unsigned ones overflows. Those of 6.4 are right.
    ///
    /// ## Example
    /// With `--rocm 5.7`:
    /// ```cuda
    /// __device__ unsigned middle(unsigned a, unsigned b) { return __uhadd(a, b); }
    /// ```
    ///
    /// ## What to do
    /// Write `(a & b) + ((a ^ b) >> 1)`, and `(a | b) - ((a ^ b) >> 1)` for the rounded ones.
    AveragingIntrinsic { code: "K036", name: "averaging-intrinsic", severity: Warning, fix: None, since: "0.1.0" }
}

impl Rule for AveragingIntrinsic {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        let averages = match &*name.text {
            "__rhadd" | "__uhadd" | "__urhadd" => true,
            // The sum of two half precision numbers has the same name.
            "__hadd" => !["half", "__half", "cuda_fp16", "bfloat16"]
                .into_iter()
                .any(|word| words(cx.document, word).next().is_some()),
            _ => false,
        };
        if averages && matches!(name.meaning, Meaning::Same(_)) && cx.settings.rocm < RocmVersion::new(6, 4) {
            let message = format!("`{}` may return a wrong average before ROCm 6.4", name.text);
            cx.report(name.range, message)
                .note("write `(a & b) + ((a ^ b) >> 1)`, or `(a | b) - ((a ^ b) >> 1)` to round up");
        }
    }
}
