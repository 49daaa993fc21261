//! Virtual functions of the device.

use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Document, TokenIdx, words};

declare_rule! {
    /// ## What it does
    /// Notes virtual functions that are `__device__`, while there are several targets. Only the
    /// first place of a file is reported.
    ///
    /// ## Why is this bad?
    /// They work within one GPU. An object holds addresses of the code of the GPU that made it, so
    /// GPUs of different architectures cannot share it, and neither can host and device.
    ///
    /// ## Example
    /// ```cuda
    /// struct Shape { __device__ virtual float area() const; };
    /// ```
    ///
    /// ## What to do
    /// Make the object on the GPU that uses it; or take an enumerator and a `switch`.
    VirtualFunction { code: "K033", name: "virtual-function", severity: Info, fix: None, since: "0.1.0" }
}

impl Rule for VirtualFunction {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document: &Document = cx.document;
        if cx.settings.targets.len() < 2 {
            return;
        }
        if let Some(idx) = words(document, "virtual").find(|&idx| is_device_function(document, idx)) {
            let message = "objects with virtual functions of the device cannot be shared by different GPUs";
            cx.report(document.range_of(idx..idx + 1), message);
        }
    }
}

/// Whether `__device__` stands before the parameters of the function that `virtual` declares.
fn is_device_function(document: &Document, keyword: TokenIdx) -> bool {
    let ends = |idx: TokenIdx| {
        matches!(document.token_text(idx), ";" | "{" | "}" | "(" | ":") || document.directive_of(idx).is_some()
    };
    let before = (0..keyword).rev().take_while(|&idx| !ends(idx));
    let after = (keyword..document.tokens().len()).take_while(|&idx| !ends(idx));
    before.chain(after).any(|idx| document.token_text(idx) == "__device__")
}
