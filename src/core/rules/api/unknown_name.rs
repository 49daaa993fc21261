//! Names spelt like CUDA's that nobody knows.

use crate::diagnostic::{RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Finds names that are spelt like CUDA's, that no mapping table knows and that no file of
    /// the project declares.
    ///
    /// ## Why is this bad?
    /// It may be a CUDA function newer than the tables, or a helper from a header outside of the
    /// project. Either way it was not converted.
    ///
    /// ## Example
    /// ```cuda
    /// cudaFrobnicate(stream);
    /// ```
    ///
    /// ## What to do
    /// If it is CUDA's, replace it by hand, or add it to a mapping table of your own. If it is
    /// the project's, convert the files together that declare and use it.
    UnknownName { code: "A005", name: "unknown-name", severity: Warning, fix: None, since: "0.1.0" }
}

impl Rule for UnknownName {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        if name.meaning != Meaning::Unknown {
            return;
        }
        // Projects name macros of their own `CUDA_CHECK` far more often than CUDA gets new ones.
        let severity = if is_all_caps(&name.text) { Severity::Info } else { Severity::Warning };
        let message =
            format!("`{}` is spelt like a name of CUDA, but no table knows it; it was left as it is", name.text);
        cx.report(name.range, message).severity(severity);
    }
}

fn is_all_caps(name: &str) -> bool {
    !name.bytes().any(|byte| byte.is_ascii_lowercase())
}
