//! Attributes of CUDA that HIP compilers do not know.

use super::helpers::with_blanks;
use crate::analysis::{Declaration, Role, role};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, TextRange};
use crate::syntax::{Document, TokenIdx};

declare_rule! {
    /// ## What it does
    /// Finds attributes that only CUDA's compiler knows: `__grid_constant__`, `__maxnreg__` and
    /// `__builtin_align__`.
    ///
    /// ## Why is this bad?
    /// The declaration does not compile.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void step(const __grid_constant__ Parameters p);
    /// ```
    /// Use instead:
    /// ```hip
    /// __global__ void step(const Parameters p);
    /// ```
    ///
    /// ## Fix safety
    /// Safe: parameters of kernels are constant memory on AMD GPUs anyway, and the number of
    /// registers changes speed only. Where `__maxnreg__` goes, the compiler chooses the number.
    ForeignAttribute { code: "K001", name: "foreign-attribute", severity: Hint, fix: Always, since: "0.1.0" }
}

/// Whether the rule reports this attribute.
pub(super) fn is_foreign(name: &str) -> bool {
    matches!(name, "__grid_constant__" | "__maxnreg__" | "__builtin_align__")
}

impl Rule for ForeignAttribute {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        let document: &'d Document = cx.document;
        for idx in 0..document.tokens().len() {
            let name = document.token_text(idx);
            // A project may define the attribute away itself.
            let own = || cx.facts.declared.get(name) == Some(Declaration::Macro);
            if is_foreign(name) && role(document, idx) == Role::Free && !own() {
                report(name, idx, cx);
            }
        }
    }
}

fn report(name: &str, idx: TokenIdx, cx: &mut Context<'_>) {
    let document = cx.document;
    let Some(token) = document.token(idx) else { return };
    let message = format!("HIP compilers do not know `{name}`");
    if name == "__builtin_align__" {
        let fix = Fix::safe("align with `__align__`", vec![Edit::replace(token.range(), "__align__")]);
        cx.report(token.range(), message).fix(fix);
        return;
    }
    let end = match document.partner(idx + 1) {
        Some(close) if document.is(idx + 1, b'(') => document.range_of(close..close + 1).end(),
        _ => token.range().end(),
    };
    let unwanted = TextRange::new(token.range().start(), end);
    let fix = Fix::safe(format!("remove `{name}`"), vec![Edit::delete(with_blanks(document, unwanted))]);
    let finding = cx.report(unwanted, message);
    finding.fix(fix);
    if name == "__maxnreg__" {
        finding.severity(Severity::Warning);
        finding.note("without it the compiler chooses the number of registers; bound it with `__launch_bounds__`");
    }
}
