//! Names that are CUDA's or the project's own, and the types decide which.

use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Finds calls of functions of CUDA's for which the project has a function of the same name that takes as many
    /// arguments: a template or an overload of this file, in the global scope beside CUDA's, or a function that another
    /// source defines and no header declares. Also uses of stubs: what a branch of an `#if` declares in place of CUDA's headers, which
    /// another branch includes, where HIP's name cannot stand for both.
    ///
    /// ## Why is this bad?
    /// Which of the two is called depends on the types of the arguments, or on what is linked, which the text alone does
    /// not tell. The name was left as it is: if CUDA's function is meant, the call does not compile for AMD GPUs, or it
    /// calls the other one.
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
    /// Give the project's function a name of its own, or write HIP's name where CUDA's function is meant.
    UndecidedName { code: "A025", name: "undecided-name", severity: Warning, fix: None, since: "0.2.0" }
}

impl Rule for UndecidedName {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        let Meaning::Undecided(entry) = name.meaning else { return };
        let text = &name.text;
        let message = if cx.facts.declared.get(text).is_some() {
            format!("`{text}` is CUDA's or a function of this file; the types decide, so it was left as it is")
        } else {
            format!("`{text}` is CUDA's or a function of another source; linking decides, so it was left as it is")
        };
        let finding = cx.report(name.range, message);
        if entry.hip == entry.cuda {
            finding.note(entry.note);
        } else if !entry.hip.is_empty() {
            finding.note(format!("if CUDA's is meant, write `{}`", entry.hip));
        }
    }
}
