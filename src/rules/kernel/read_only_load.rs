//! Loads through `__ldg` of types that HIP's function does not take.

use crate::analysis::{Declaration, Role, role};
use crate::diagnostic::{Fix, RuleInfo};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Document, TokenIdx, TokenKind};

declare_rule! {
    /// ## What it does
    /// Finds `__ldg` where it may load a `__nv_bfloat16` or an 8-bit float: in files that name such
    /// a type, in templates, and in macros.
    ///
    /// ## Why is this bad?
    /// HIP's `__ldg` takes numbers of the language, their vectors and halves. It is a plain load.
    ///
    /// ## Example
    /// ```cuda
    /// template <class T> __device__ T load(const T* p) { return __ldg(p); }
    /// ```
    /// Use instead:
    /// ```hip
    /// template <class T> __device__ T load(const T* p) { return (*(p)); }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: a plain load is what HIP's function does.
    ReadOnlyLoad { code: "K021", name: "read-only-load", severity: Hint, fix: Always, since: "0.1.0" }
}

impl Rule for ReadOnlyLoad {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        let document: &'d Document = cx.document;
        let is_load = |&idx: &TokenIdx| document.token_text(idx) == "__ldg" && role(document, idx) == Role::Free;
        let loads: Vec<TokenIdx> = (0..document.tokens().len()).filter(is_load).collect();
        if loads.is_empty() || cx.facts.declared.get("__ldg") == Some(Declaration::Macro) {
            return;
        }
        let names_types = names_other_types(document);
        for name in loads {
            let open = name + 1;
            let close = document.partner(open).filter(|_| document.is(open, b'('));
            if let Some(close) = close.filter(|_| names_types || is_generic(name, cx)) {
                report(name, close, cx);
            }
        }
    }
}

fn report(name: TokenIdx, close: TokenIdx, cx: &mut Context<'_>) {
    let document = cx.document;
    let range = document.range_of(name..name + 1);
    let end = document.range_of(close..close + 1).end();
    let edits = vec![Edit::replace(range, "(*"), Edit::insert(end, ")")];
    let finding = cx.report(range, "HIP's `__ldg` does not take every type that may be loaded here");
    finding.fix(Fix::safe("load without it", edits));
}

/// Whether the file names a type that HIP's function does not take.
fn names_other_types(document: &Document) -> bool {
    let names = (0..document.tokens().len()).filter(|&idx| document.tokens()[idx].kind == TokenKind::Ident);
    names.map(|idx| document.token_text(idx)).any(|name| name.contains("bfloat16") || name.starts_with("__nv_fp8"))
}

/// Whether the call at `name` is in a macro or a template, so that nobody knows the type.
fn is_generic(name: TokenIdx, cx: &Context<'_>) -> bool {
    let in_template =
        |head: std::ops::Range<TokenIdx>| head.into_iter().any(|idx| cx.document.token_text(idx) == "template");
    cx.document.directive_of(name).is_some()
        || cx.facts.functions.around(name).is_some_and(|function| in_template(function.head.clone()))
}
