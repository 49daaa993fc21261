//! Exceptions and run-time type information in device code.

use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Document, TokenIdx};

declare_rule! {
    /// ## What it does
    /// Finds `try`, `throw`, `dynamic_cast` and `typeid` in `__global__` and `__device__`
    /// functions.
    ///
    /// ## Why is this bad?
    /// Device code has neither exceptions nor run-time type information.
    ///
    /// ## Example
    /// ```cuda
    /// __device__ int at(const int* data, int i) { if (i < 0) throw i; return data[i]; }
    /// ```
    ///
    /// ## What to do
    /// Return an error code, or stop with `abort()`; use an enumerator for the type.
    HostOnlyLanguage { code: "K008", name: "host-only-language", severity: Error, fix: None, since: "0.1.0" }
}

impl Rule for HostOnlyLanguage {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        let document: &'d Document = cx.document;
        let bodies = cx.facts.functions.iter().filter(|function| function.is_device_only()).map(|f| f.body.clone());
        for idx in bodies.flatten() {
            if let Some(what) = host_only(document, idx) {
                let range = document.range_of(idx..idx + 1);
                cx.report(range, format!("device code has no {what}"));
            }
        }
    }
}

fn host_only(document: &Document, idx: TokenIdx) -> Option<&'static str> {
    match document.token_text(idx) {
        "try" if document.is(idx + 1, b'{') => Some("exceptions"),
        "throw" => Some("exceptions"),
        "dynamic_cast" if document.is(idx + 1, b'<') => Some("run-time type information"),
        "typeid" if document.is(idx + 1, b'(') => Some("run-time type information"),
        _ => None,
    }
}
