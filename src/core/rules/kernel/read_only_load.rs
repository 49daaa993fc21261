//! Loads through `__ldg` of types that HIP's function does not take.

use crate::diagnostic::{Fix, RuleInfo};
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Files, Name, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::TokenIdx;

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
    ReadOnlyLoad { code: "K041", name: "read-only-load", severity: Hint, fix: Always, since: "0.1.0" }
}

impl Rule for ReadOnlyLoad {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let is_load = |name: &Name<'_>| name.text == "__ldg" && matches!(name.meaning, Meaning::Same(_));
        let loads: Vec<TokenIdx> = cx.names.iter().filter(is_load).map(|name| name.token).collect();
        if loads.is_empty() {
            return;
        }
        let names_types = cx.names.iter().any(|name| is_other_type(&name.text));
        for name in loads {
            let open = name + 1;
            let close = cx.document.partner(open).filter(|_| cx.document.is(open, b'('));
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

/// Whether HIP's function does not take this type.
fn is_other_type(name: &str) -> bool {
    name.contains("bfloat16") || name.starts_with("__nv_fp8")
}

/// Whether the call at `name` is in a macro or a template, so that nobody knows the type.
fn is_generic(name: TokenIdx, cx: &Context<'_>) -> bool {
    let in_template =
        |head: std::ops::Range<TokenIdx>| head.into_iter().any(|idx| cx.document.token_text(idx) == "template");
    cx.document.directive_of(name).is_some()
        || cx.facts.functions.around(name).is_some_and(|function| in_template(function.head.clone()))
}
