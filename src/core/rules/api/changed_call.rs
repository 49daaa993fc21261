//! Calls that HIP spells with other arguments.

use super::helpers::{ChangedArguments, changed_arguments, is_not_of_cuda};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::mapping::{CallRule, Intrinsic, Intrinsics};
use crate::rules::call_edits::{Change, Obstacle, change};
use crate::rules::context::Context;
use crate::rules::definitions::definitions;
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
    /// Safe where the new call does the same; unsafe where an argument is lost, means something
    /// else, or would be evaluated twice. Some forms of a call have no counterpart and no fix.
    ChangedCall { code: "A008", name: "changed-call", severity: Hint, fix: Sometimes, since: "0.1.0" }
}

impl Rule for ChangedCall {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        if is_not_of_cuda(&name) {
            return;
        }
        let Some(changed) = changed_arguments(&name, cx) else { return };
        let ChangedArguments { call, rule } = &changed;
        if rule.template.is_empty() {
            let message = format!("this form of `{}` has no counterpart in HIP", name.text);
            cx.report(name.range, message).severity(Severity::Error).note(&*rule.note);
            return;
        }
        match change(cx.document, name.range, call, &rule.template, cx.settings.rocm) {
            Ok(mut change) => {
                if rule.definition().is_some() {
                    change.edits.extend(definitions(name.range.start(), cx));
                }
                report(&name, rule, change, cx);
            }
            Err(obstacle) => {
                let why = match obstacle {
                    Obstacle::MissingArgument => "is called with fewer arguments than its HIP counterpart needs",
                    Obstacle::Directive => "takes other arguments in HIP, and a directive stands among them",
                };
                cx.report(name.range, format!("`{}` {why}", name.text)).severity(Severity::Error).note(&*rule.note);
            }
        }
    }
}

fn report(name: &Name<'_>, rule: &CallRule, change: Change, cx: &mut Context<'_>) {
    let safe = rule.safe && !change.repeats_effects;
    let title = "change the call";
    let fix = if safe { Fix::safe(title, change.edits) } else { Fix::risky(title, change.edits) };
    let severity = match (safe && !rule.warn, rule.note.is_empty()) {
        (false, _) => Severity::Warning,
        (true, false) => Severity::Info,
        (true, true) => Severity::Hint,
    };
    let what = match name.meaning {
        Meaning::Missing(_) => "has no counterpart of its own in HIP, but can be written otherwise",
        _ => "takes other arguments in HIP",
    };
    let finding = cx.report(name.range, format!("`{}` {what}", name.text));
    finding.severity(severity).note(&*rule.note).fix(fix);
    if change.repeats_effects {
        finding.note("an argument is passed twice; make sure that evaluating it twice does no harm");
    }
}

/// The definition that the new call at `name` needs.
pub(in crate::rules) fn called_definition(name: &Name<'_>, cx: &Context<'_>) -> Option<&'static Intrinsic> {
    if is_not_of_cuda(name) || !cx.settings.rules.is_enabled(&ChangedCall::RULE_INFO) {
        return None;
    }
    Intrinsics::builtin().ok()?.get(changed_arguments(name, cx)?.rule.definition()?)
}
