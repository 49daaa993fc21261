//! Names that are CUDA's or the project's own, and the types decide which.

use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Finds calls for which a function template of the file has the name of a function of CUDA's, stands beside it in
    /// the global scope, and takes as many arguments.
    ///
    /// ## Why is this bad?
    /// Which of the two is called depends on the types of the arguments, which the text alone does not tell. The name was
    /// left as it is: if CUDA's function is meant, the call does not compile for AMD GPUs, or it calls the template.
    ///
    /// ## Example
    /// ```cuda
    /// #include <cuda_runtime.h>
    /// template <class T> cudaError_t cudaHostAlloc(T** pointer, size_t count, unsigned flags) {
    ///     return cudaHostAlloc((void**)pointer, count * sizeof(T), flags);
    /// }
    /// ```
    ///
    /// ## What to do
    /// Give the template a name of its own, or write HIP's name where CUDA's function is meant.
    UndecidedName { code: "A025", name: "undecided-name", severity: Warning, fix: None, since: "0.2.0" }
}

impl Rule for UndecidedName {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        let Meaning::Undecided(entry) = name.meaning else { return };
        let text = &name.text;
        let message =
            format!("`{text}` is CUDA's or a template of this file; the types decide, so it was left as it is");
        let finding = cx.report(name.range, message);
        if !entry.hip.is_empty() {
            finding.note(format!("if CUDA's is meant, write `{}`", entry.hip));
        }
    }
}
