//! Suppressions of rules that do not exist, and comments that cannot be understood.

use crate::diagnostic::{RuleInfo, suppressions};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Finds comments meant for hipshift that name no known rule, or that it does not understand.
    ///
    /// ## Why is this bad?
    /// The comment has no effect.
    ///
    /// ## Example
    /// ```cuda
    /// cudaFree(p); // hipshift: ignore[renamed-nme] called through a wrapper
    /// ```
    ///
    /// ## What to do
    /// `hipshift explain` lists all codes and names. The forms are
    /// `// hipshift: ignore[rule, …] reason` for the line, `ignore-next-line[…]`, `ignore-start[…]`
    /// and `ignore-end[…]` for a block, and `ignore-file[…]`.
    UnknownSuppression { code: "X002", name: "unknown-suppression", severity: Warning, fix: None, since: "0.1.0" }
}

impl Rule for UnknownSuppression {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        let document = cx.document;
        let read = suppressions(document.text(), document.comments());
        for misread in read.misread {
            cx.report(misread.comment, format!("this comment has no effect: {}", misread.problem));
        }
        for suppression in read.suppressions {
            let name = document.slice(suppression.named);
            if name != "all" && !(cx.is_rule)(name) {
                cx.report(suppression.named, format!("no rule is called `{name}`, so this suppresses nothing"));
            }
        }
    }
}
