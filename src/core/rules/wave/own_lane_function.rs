//! Functions and macros of the project that are called like CUDA's about lanes.

use super::lane_function::{LaneFunction, takes_mask};
use crate::analysis::{Expression, Function};
use crate::diagnostic::{RuleInfo, Severity};
use crate::rules::conditional::is_for_hip;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{DirectiveKind, Document, TokenIdx, TokenKind};

declare_rule! {
    /// ## What it does
    /// Finds functions and macros of the project that are called like CUDA's functions about
    /// lanes, such as `__shfl_sync`: stand-ins for releases that lacked them.
    ///
    /// ## Why is this bad?
    /// From ROCm 7.0 on HIP has functions of these names. A function of the same name makes calls
    /// ambiguous or is never called, a macro takes the place of HIP's function. All uses of the
    /// name are left as they are, since it is the project's own.
    ///
    /// ## Example
    /// ```cuda
    /// #define __shfl_sync(mask, value, lane) __shfl(value, lane)
    /// ```
    ///
    /// ## What to do
    /// Remove it, so that the uses are converted, or put it under a test for releases before 7.0.
    OwnLaneFunction { code: "W014", name: "own-lane-function", severity: Warning, fix: None, since: "0.1.0" }
}

impl Rule for OwnLaneFunction {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        let document = cx.document;
        let own = cx.facts.functions.iter().filter(|function| !function.is_written_overload(document));
        let functions = own.filter_map(|function| function.name);
        let macros = document.directives().iter().filter(|directive| directive.kind == DirectiveKind::Define);
        let defined: Vec<TokenIdx> = functions
            .chain(macros.map(|directive| directive.tokens.start + 2))
            .filter(|&name| LaneFunction::named(&document.name(name)).is_some() && !depends_on_release(name, cx))
            .collect();
        for name in defined {
            let Some(token) = document.token(name) else { continue };
            let text = document.name(name);
            let since = if takes_mask(&text) { " from ROCm 7.0 on" } else { "" };
            let harmless = why_harmless(name, cx);
            let finding = cx.report(token.range(), format!("`{text}` is a function of HIP's{since}"));
            finding.note("its uses are taken to be the project's own and stay as they are");
            if let Some(why) = harmless {
                finding.severity(Severity::Info).note(why);
            }
        }
    }
}

/// Why the name is no trouble to the compiler.
fn why_harmless(name: TokenIdx, cx: &Context<'_>) -> Option<&'static str> {
    let function = cx.facts.functions.iter().find(|function| function.name == Some(name));
    match function {
        Some(function) if takes_own_type(function, cx.document) => {
            Some("it is an overload for a type of the project's")
        }
        // Functions clash with HIP's, macros hide them.
        None if cx.facts.is_hip || is_for_hip(name, cx) => Some("somebody put it in the place of HIP's function"),
        _ => None,
    }
}

/// Whether a test of HIP's release stands around it.
fn depends_on_release(name: TokenIdx, cx: &Context<'_>) -> bool {
    let mut around = cx.facts.conditions.chains().iter().flat_map(|chain| &chain.branches);
    around.any(|branch| {
        let tests_release = |condition: &Expression| {
            condition.tokens.clone().any(|idx| cx.document.token_text(idx).starts_with("HIP_VERSION"))
        };
        branch.body.contains(&name) && branch.condition.as_ref().is_some_and(tests_release)
    })
}

/// Whether a parameter has a type of a namespace of the project's.
fn takes_own_type(function: &Function, document: &Document) -> bool {
    let Some(open) = function.name.map(|name| name + 1) else { return false };
    let close = document.partner(open).unwrap_or(open);
    let is_path = |idx: TokenIdx| document.token(idx).is_some_and(|token| token.kind == TokenKind::PathSep);
    (open..close).any(|idx| is_path(idx) && !matches!(document.token_text(idx - 1), "std" | "(" | "," | "const"))
}
