//! Suppressions that suppress nothing.

use crate::diagnostic::{Diagnostic, RuleInfo, Suppression};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Finds comments that switch a rule off where the rule has nothing to say.
    ///
    /// ## Why is this bad?
    /// The code changed, or the comment never stood at the right line. It would hide the next
    /// finding that does turn up there.
    ///
    /// ## Example
    /// ```cuda
    /// int n = 1; // hipshift: ignore[unsupported-name] the caller checks it
    /// ```
    ///
    /// ## What to do
    /// Delete the comment, or put it on the line of the finding; `ignore-next-line` speaks for the
    /// line below. What a rule finds may depend on the release and the targets: where a comment is
    /// needed for some of them only, ignore this rule.
    UnusedSuppression { code: "X001", name: "unused-suppression", severity: Info, fix: None, since: "0.1.0" }
}

impl Rule for UnusedSuppression {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    /// Nothing: what is unused shows only when all rules have run, so the engine reports it.
    fn check<'d>(_: WholeFile, _: &mut Context<'d>) {}
}

/// The finding about a suppression of the rule `name` that has nothing to suppress.
pub(crate) fn unused_suppression(suppression: &Suppression, name: &str) -> Diagnostic {
    let message = format!("`{name}` finds nothing here, so this comment suppresses nothing");
    Diagnostic::new(&UnusedSuppression::RULE_INFO, suppression.named, message)
}

/// Whether a rule is one of this group.
pub(crate) fn is_about_suppressions(rule: &RuleInfo) -> bool {
    rule.code.starts_with('X')
}
