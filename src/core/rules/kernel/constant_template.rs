//! Templates in constant memory.

use crate::analysis::Space;
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Finds variable templates that are `__constant__`, and `__constant__` members of class templates.
    ///
    /// ## Why is this bad?
    /// AMD's documents call it undefined behaviour (HIP C++ language extensions, "`__constant__`"):
    /// the instances of different files may not be the one that the host fills.
    ///
    /// ## Example
    /// ```cuda
    /// template <class T> __constant__ T weights[16];
    /// ```
    ///
    /// ## What to do
    /// Declare one variable for each type.
    ConstantTemplate { code: "K030", name: "constant-template", severity: Warning, fix: None, since: "0.1.0" }
}

impl Rule for ConstantTemplate {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document = cx.document;
        for variable in cx.facts.device_variables(document) {
            if variable.space == Space::Constant && variable.is_template {
                let range = document.range_of(variable.name..variable.name + 1);
                cx.report(range, "a template in constant memory is undefined behaviour in HIP");
            }
        }
    }
}
