//! Other macros of CUDA's that nothing defines under HIP.

use super::helpers::{outcome, outside_conditions};
use super::judgement::Case;
use super::macros::{Macro, classify};
use super::parts::Place;
use crate::analysis::Declaration;
use crate::diagnostic::{RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Finds macros of CUDA's that are tested, defined or undefined, and that mean nothing to
    /// HIP: features of NVIDIA's GPUs, options of nvcc, include guards of CUDA's headers.
    ///
    /// ## Why is this bad?
    /// A condition on such a macro is always false, and a switch is without effect. It is a warning where the file switches parts of CUDA's
    /// headers off that stay in HIP's (`#define __CUDA_NO_BFLOAT16_OPERATORS__`).
    ///
    /// ## Example
    /// ```cuda
    /// #ifdef __CUDACC_DEBUG__
    /// #endif
    /// ```
    ///
    /// ## What to do
    /// Follow the advice of the finding; remove the test where HIP needs none.
    UndefinedMacro { code: "C007", name: "undefined-macro", severity: Info, fix: None, since: "0.1.0" }
}

/// Who switches a part of CUDA's headers off does without it, or has a definition of his own.
const SWITCH_OFF: &str = "__CUDA_NO_";

impl Rule for UndefinedMacro {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        for case in &Case::all(cx) {
            if case.is_settled(cx) {
                continue;
            }
            for name in case.names_of(cx, |found| matches!(found, Macro::Lost(_))).collect::<Vec<_>>() {
                let Some(token) = cx.document.token(name) else { continue };
                let Macro::Lost(entry) = classify(&cx.document.name(name), cx) else { continue };
                // Whoever defines a switch in the file asks for what that says.
                if entry.cuda.starts_with(SWITCH_OFF) && cx.facts.declared.get(entry.cuda) == Some(Declaration::Macro) {
                    continue;
                }
                let outcome = outcome(case, name, |_, _| None, cx);
                let message = format!("`{}` is undefined in HIP, {outcome}", entry.cuda);
                let finding = cx.report(token.range(), message);
                finding.note(entry.note);
            }
        }
        for (name, place) in outside_conditions(cx) {
            let Macro::Lost(entry) = classify(&name.text, cx) else { continue };
            let effect = match place {
                Place::Defined | Place::Undefined => "has no effect in HIP",
                Place::Presence | Place::MacroBody | Place::Code => "is undefined in HIP",
            };
            let finding = cx.report(name.range, format!("`{}` {effect}", name.text));
            finding.note(entry.note);
            if place == Place::Defined && entry.cuda.starts_with(SWITCH_OFF) {
                finding.severity(Severity::Warning);
            }
        }
    }
}
