//! Suppressions without a reason.

use crate::diagnostic::{RuleInfo, suppressions};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::TextRange;

declare_rule! {
    /// ## What it does
    /// Finds comments that switch a rule off and do not say why.
    ///
    /// ## Why is this bad?
    /// Whoever reads the code next cannot tell a decision from an oversight.
    ///
    /// ## Example
    /// ```cuda
    /// cudaDeviceReset(); // hipshift: ignore[renamed-name]
    /// ```
    ///
    /// ## What to do
    /// Write the reason behind the bracket: `// hipshift: ignore[renamed-name] runs on NVIDIA only`.
    UnexplainedSuppression { code: "X003", name: "unexplained-suppression", severity: Info, fix: None, since: "0.1.0" }
}

impl Rule for UnexplainedSuppression {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        let mut last: Option<TextRange> = None;
        for suppression in suppressions(cx.document.text(), cx.document.comments()).suppressions {
            let is_first = last.replace(suppression.comment) != Some(suppression.comment);
            if is_first && suppression.reason.is_empty() {
                cx.report(suppression.comment, "this suppression does not say why");
            }
        }
    }
}
