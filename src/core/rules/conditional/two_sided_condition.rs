//! Conditions in which somebody dealt with HIP already.

use super::judgement::Case;
use super::macros::Macro;
use crate::diagnostic::{RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Finds conditions on CUDA's macros that name HIP as well, or that have a branch for HIP
    /// beside them. Their macros are not renamed.
    ///
    /// ## Why is this bad?
    /// Mostly it is not: the file serves both, and renaming `__CUDACC__` in the example would
    /// make its second branch dead. The finding is a warning where the branch for HIP cannot be
    /// reached.
    ///
    /// ## Example
    /// ```cuda
    /// #ifdef __CUDACC__
    /// int width = 32;
    /// #elif defined(__HIPCC__)
    /// int width = 64;
    /// #endif
    /// ```
    TwoSidedCondition { code: "C003", name: "two-sided-condition", severity: Hint, fix: None, since: "0.1.0" }
}

impl Rule for TwoSidedCondition {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        for case in Case::all(cx).iter().filter(|case| case.names_hip) {
            let settled = case.is_settled(cx);
            // Numbers that are not settled are for the rules about GPUs and versions.
            let is_cuda = |found: &Macro<'_>| match found {
                Macro::Compiler(_) | Macro::Renamed(..) => true,
                Macro::Arch | Macro::Version(_) | Macro::Lost(_) => settled,
                Macro::Hip | Macro::Foreign => false,
            };
            let first = case.names_of(cx, is_cuda).next();
            let Some(token) = first.and_then(|name| cx.document.token(name)) else { continue };
            let text = cx.document.slice(token.range());
            let message = format!("`{text}` was left as it is: this `#if` names HIP itself");
            let finding = cx.report(token.range(), message);
            if !settled {
                finding.severity(Severity::Warning);
                finding.note("on AMD GPUs the branch compiled may not be the one for HIP; check the condition");
            }
        }
    }
}
