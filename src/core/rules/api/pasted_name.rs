//! Names that `##` puts together.

use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Finds parts of CUDA names in macros that paste names together.
    ///
    /// ## Why is this bad?
    /// Which name results is decided where the macro is used, so it cannot be renamed here.
    ///
    /// ## Example
    /// ```cuda
    /// #define CALL(f) cudaMem##f
    /// ```
    ///
    /// ## What to do
    /// Rename the part by hand, and check every use of the macro.
    PastedName { code: "A007", name: "pasted-name", severity: Warning, fix: None, since: "0.1.0" }
}

impl Rule for PastedName {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        if name.meaning == Meaning::Pasted {
            cx.report(name.range, format!("`{}` is a part of a name that `##` puts together", name.text));
        }
    }
}
