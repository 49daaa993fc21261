//! Calls that HIP spells with other arguments.

use super::helpers::{changed_arguments, edits_for};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Finds calls whose HIP counterpart takes other arguments: wrapped, cast, added, dropped or
    /// in another order.
    ///
    /// ## Why is this bad?
    /// A renamed call would not compile, or would pass the wrong values.
    ///
    /// ## Example
    /// ```cuda
    /// cudaMemcpyToSymbol(table, values, sizeof(values));
    /// ```
    /// Use instead:
    /// ```hip
    /// hipMemcpyToSymbol(HIP_SYMBOL(table), values, sizeof(values));
    /// ```
    ///
    /// ## Fix safety
    /// Safe where the new call does the same; unsafe where an argument is lost.
    ChangedCall { code: "A008", name: "changed-call", severity: Hint, fix: Sometimes, since: "0.1.0" }
}

impl Rule for ChangedCall {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        if !matches!(name.meaning, Meaning::Renamed(..) | Meaning::Same(_) | Meaning::Missing(_)) {
            return;
        }
        let Some(changed) = changed_arguments(&name, cx) else { return };
        let Some(edits) = edits_for(cx.document, &changed.call, &changed.rule.template) else {
            let message = format!("`{}` is called with fewer arguments than its HIP counterpart needs", name.text);
            cx.report(name.range, message).severity(Severity::Error);
            return;
        };
        let title = "change the call".to_owned();
        let rule = changed.rule;
        let fix = if rule.safe { Fix::safe(title, edits) } else { Fix::risky(title, edits) };
        let severity = match (rule.safe, rule.note.is_empty()) {
            (false, _) => Severity::Warning,
            (true, false) => Severity::Info,
            (true, true) => Severity::Hint,
        };
        let finding = cx.report(name.range, format!("`{}` takes other arguments in HIP", name.text));
        finding.severity(severity).note(&*rule.note).fix(fix);
    }
}
