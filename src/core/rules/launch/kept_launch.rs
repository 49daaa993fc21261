//! Launches that keep their chevrons.

use super::helpers::{Keep, keeps_chevrons};
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::Launches;
use crate::rules::rule::{Rule, declare_rule};
use crate::settings::LaunchStyle;
use crate::syntax::Launch;

declare_rule! {
    /// ## What it does
    /// Lists launches that keep the chevron syntax although `hipLaunchKernelGGL` was asked for.
    ///
    /// ## Why is this bad?
    /// It is not: HIP compilers accept the syntax. The macro is a statement, so it cannot stand
    /// in an expression, and C++ does not define directives within macro arguments.
    ///
    /// ## Example
    /// ```cuda
    /// void f() { first<<<1, 1>>>(), second<<<1, 1>>>(); }
    /// ```
    KeptLaunch { code: "L002", name: "kept-launch", severity: Info, fix: None, since: "0.1.0" }
}

impl Rule for KeptLaunch {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Launches;

    fn check<'d>(launch: &'d Launch, cx: &mut Context<'d>) {
        if cx.settings.launch == LaunchStyle::Chevron || !launch.has_chevrons() {
            return;
        }
        let why = match keeps_chevrons(launch, cx) {
            Some(Keep::InExpression) => "it is part of an expression",
            Some(Keep::HoldsDirective) => "it holds a preprocessor directive",
            Some(Keep::OddConfiguration) => "its configuration is not two to four arguments",
            Some(Keep::OnDevice) | None => return,
        };
        cx.report(launch.range(cx.document), format!("the launch keeps its chevrons: {why}"));
    }
}
