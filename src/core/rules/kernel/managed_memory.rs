//! Managed memory, which moves between host and GPU only where page faults can be retried.

use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::TextRange;

declare_rule! {
    /// ## What it does
    /// Notes files that use managed memory. Only the first place of a file is reported.
    ///
    /// ## Why is this bad?
    /// Pages move to the GPU only where it can retry page faults (XNACK), which is off on many
    /// systems and absent on Radeon GPUs. Else every access of a kernel goes to host memory,
    /// which may be slower by orders of magnitude.
    ///
    /// ## Example
    /// ```cuda
    /// cudaMallocManaged(&data, size);
    /// ```
    ///
    /// ## What to do
    /// Run with `HSA_XNACK=1` where the GPU has it, and build for `:xnack+` and `:xnack-`; or copy
    /// explicitly.
    ManagedMemory { code: "K006", name: "managed-memory", severity: Info, fix: None, since: "0.1.0" }
}

impl Rule for ManagedMemory {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        if let Some(range) = first_use(cx) {
            let finding = cx.report(range, "managed memory moves to the GPU only where XNACK is on");
            finding
                .note("else kernels reach it over the bus; set `HSA_XNACK=1` where the GPU has it, or copy explicitly");
        }
    }
}

fn first_use(cx: &Context<'_>) -> Option<TextRange> {
    let is_managed = |text: &str| matches!(text, "cudaMallocManaged" | "cuMemAllocManaged" | "__managed__");
    let is_cuda = |meaning| !matches!(meaning, Meaning::Own(_) | Meaning::Tested | Meaning::Pasted);
    cx.names.iter().find(|name| is_managed(&name.text) && is_cuda(name.meaning)).map(|name| name.range)
}
