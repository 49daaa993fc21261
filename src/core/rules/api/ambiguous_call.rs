//! Calls that need other arguments but cannot be read.

use super::helpers::{needs_its_call, rules_for, visible_call};
use crate::diagnostic::{RuleInfo, Severity};
use crate::mapping::CallRule;
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Finds names of functions whose calls need other arguments in HIP, where the call itself
    /// cannot be seen: the function's address is taken, or a macro supplies the argument list.
    ///
    /// ## Why is this bad?
    /// The name is renamed, but the arguments are not changed.
    ///
    /// ## Example
    /// ```cuda
    /// #define COPY cudaMemcpyToSymbol
    /// ```
    ///
    /// ## What to do
    /// Check the places where the call is put together.
    AmbiguousCall { code: "A009", name: "ambiguous-call", severity: Warning, fix: None, since: "0.1.0" }
}

impl Rule for AmbiguousCall {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        let may_change = matches!(name.meaning, Meaning::Renamed(..) | Meaning::Same(_));
        if !may_change || visible_call(cx.document, name.token).is_some() {
            return;
        }
        if !rules_for(&name.text, cx).any(CallRule::is_for_any_call) {
            return;
        }
        let is_left = needs_its_call(&name, cx);
        let message = format!("`{}` takes other arguments in HIP, but its call cannot be seen here", name.text);
        let finding = cx.report(name.range, message);
        if is_left {
            finding.severity(Severity::Error).note("the name was left as it is");
        }
    }
}
