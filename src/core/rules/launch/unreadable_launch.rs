//! Chevrons that make no launch.

use crate::diagnostic::{RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{DirectiveKind, LaunchProblem};

declare_rule! {
    /// ## What it does
    /// Finds `<<<` that cannot be read as a launch: without `>>>` or argument list, in a macro
    /// that holds the configuration only, or shared by the branches of an `#if`.
    ///
    /// ## Why is this bad?
    /// The launch was not converted. HIP compilers read chevrons, so it may still compile. Of a macro that holds a part of a launch,
    /// which the places of its use complete, this is an info.
    ///
    /// ## Example
    /// ```cuda
    /// #define CONFIG <<<grid, block>>>
    /// ```
    ///
    /// ## What to do
    /// Write the launch out in full, or check that it compiles as it is.
    UnreadableLaunch { code: "L004", name: "unreadable-launch", severity: Warning, fix: None, since: "0.1.0" }
}

impl Rule for UnreadableLaunch {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        for &(range, problem) in cx.document.launch_problems() {
            // Behind `#if 0`, text need not be C++.
            if cx.skips(range.start()) {
                continue;
            }
            let message = match problem {
                LaunchProblem::Unterminated => "no `>>>` ends this launch",
                LaunchProblem::SharedTail => "branches of an `#if` share the end of this launch",
                LaunchProblem::Incomplete => "these chevrons lack a kernel before or an argument list behind them",
            };
            let place = cx
                .document
                .directive_of(cx.document.token_at(range.start()))
                .filter(|_| problem == LaunchProblem::Incomplete);
            let is_of_macro = place.is_some_and(|directive| directive.kind == DirectiveKind::Define);
            let finding = cx.report(range, message).note("the text was left as it is; HIP compilers read chevrons");
            if is_of_macro {
                finding.severity(Severity::Info).note("who uses the macro brings what is missing");
            }
        }
    }
}
