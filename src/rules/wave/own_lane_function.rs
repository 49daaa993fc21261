//! Functions and macros of the project that are called like CUDA's about lanes.

use super::lane_function::LaneFunction;
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{DirectiveKind, TokenIdx};

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
        let functions = cx.facts.functions.iter().filter_map(|function| function.name);
        let macros = document.directives().iter().filter(|directive| directive.kind == DirectiveKind::Define);
        let defined: Vec<TokenIdx> = functions
            .chain(macros.map(|directive| directive.tokens.start + 2))
            .filter(|&name| LaneFunction::named(&document.name(name)).is_some())
            .collect();
        for name in defined {
            let Some(token) = document.token(name) else { continue };
            let message = format!("`{}` is a function of HIP's from ROCm 7.0 on", document.name(name));
            cx.report(token.range(), message).note("its uses are taken to be the project's own and stay as they are");
        }
    }
}
