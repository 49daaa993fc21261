//! Names that are CUDA's or the project's own, and the types decide which.

use crate::analysis::{Declaration, Role, Site, role};
use crate::diagnostic::RuleInfo;
use crate::rules::alternatives::is_stub;
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Finds calls of functions of CUDA's for which the project has a function of the same name that takes as many
    /// arguments: a template or an overload of this file, in the global scope beside CUDA's, or a function that another
    /// source defines and no header declares. Also calls that may find a function of a namespace by the types of their arguments; uses
    /// of a macro where the text does not tell whether it is defined there; uses of stubs: what a branch of an `#if`
    /// declares in place of CUDA's headers, which another branch includes, where HIP's name cannot stand for both; members that a
    /// macro makes of a list of names; and names that a statement may declare in which more than 24 signs `<` are open, which is not
    /// read.
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
        let message = format!("`{text}` is {}, so it was left as it is", alternatives(&name, cx));
        let finding = cx.report(name.range, message);
        if entry.hip == entry.cuda {
            finding.note(entry.note);
        } else if !entry.hip.is_empty() {
            finding.note(format!("if CUDA's is meant, write `{}`", entry.hip));
        }
    }
}

/// What a name may be, and what decides.
fn alternatives(name: &Name<'_>, cx: &Context<'_>) -> String {
    let text = &*name.text;
    if matches!(role(cx.document, name.token), Role::Member) {
        return "a member that a macro may make of a list with CUDA's names, which gets HIP's".to_owned();
    }
    let file = &cx.document.file().path;
    let others = || cx.project.own_names.get(text).into_iter().flatten().filter(|own| own.file != *file);
    if let Some(own) = others().find(|own| own.is_macro_of(file) || own.is_beside(file)) {
        let header = own.file.file_name().unwrap_or_default();
        return format!("CUDA's or a macro of `{header}`; what is defined here decides");
    }
    if cx.facts.declared.is_unread(text) {
        return "CUDA's or declared in a statement that is not read, as more than 24 `<` are open in it".to_owned();
    }
    let declared = cx.facts.declared.all(text);
    if declared.iter().any(|own| is_stub(own, text, cx)) || others().any(|own| own.site == Site::Alternative) {
        return "CUDA's or what an `#if` has in its place; the branch decides".to_owned();
    }
    if declared.iter().any(|own| own.kind == Declaration::Macro) {
        return "CUDA's or a macro of this file; what is defined here decides".to_owned();
    }
    if !declared.is_empty() {
        return "CUDA's or a function of this file; the types decide".to_owned();
    }
    if others().any(|own| own.takes_own) {
        return "CUDA's or a function of the project; the types decide".to_owned();
    }
    "CUDA's or a function of another source; linking decides".to_owned()
}
