//! Questions for the version of CUDA's runtime and driver.

use std::rc::Rc;

use super::compute_capability_test::{ends_operator, is_operator};
use crate::diagnostic::{RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Files, Name, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Call, TokenIdx, TokenKind, words_in};

declare_rule! {
    /// ## What it does
    /// Finds `cudaRuntimeGetVersion`, `cudaDriverGetVersion` and `cuDriverGetVersion`. It is a warning where the function computes with
    /// the number, compares it or returns it, and for information elsewhere.
    ///
    /// ## Why is this bad?
    /// CUDA says 12040 for 12.4. HIP says `HIP_VERSION_MAJOR * 10000000 + HIP_VERSION_MINOR * 100000 + HIP_VERSION_PATCH`, and
    /// that has nothing to do with versions of CUDA (`hip_runtime_api.h`, `hipRuntimeGetVersion` and `hipDriverGetVersion`): each
    /// `version >= 11020` holds, and `version / 1000` is printed as 70226.
    ///
    /// ## Example
    /// ```cuda
    /// #include <cuda_runtime.h>
    /// bool has_pools() { int version; cudaRuntimeGetVersion(&version); return version >= 11020; }
    /// ```
    ///
    /// ## What to do
    /// Ask for what the code needs, such as `hipDeviceAttributeMemoryPoolsSupported`, or compare with a version of HIP.
    VersionQuery { code: "C010", name: "version-query", severity: Warning, fix: None, since: "0.2.0" }
}

const QUERIES: &[&str] = &["cudaRuntimeGetVersion", "cudaDriverGetVersion", "cuDriverGetVersion"];

impl Rule for VersionQuery {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let names = Rc::clone(&cx.names);
        let is_query = |name: &Name<'_>| QUERIES.contains(&&*name.text) && matches!(name.meaning, Meaning::Renamed(..));
        for name in names.iter().filter(is_query) {
            let severity = if computes(&name, cx) { Severity::Warning } else { Severity::Info };
            let finding = cx.report(name.range, format!("`{}` gives a version of HIP, such as 70226015", name.text));
            finding.severity(severity).note("it says nothing about versions of CUDA: ask for what the code needs");
        }
    }
}

/// Whether the function computes with the number that a query sets, or returns it.
fn computes(name: &Name<'_>, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let Some(function) = cx.facts.functions.around(name.token) else { return false };
    let Some(call) = Call::at(document, name.token) else { return false };
    let Some(&argument) = call.arguments.first() else { return false };
    let tokens = document.tokens_in(argument);
    let variable = tokens.start + usize::from(document.is(tokens.start, b'&'));
    if variable + 1 != tokens.end || document.kind(variable) != Some(TokenKind::Ident) {
        return false;
    }
    let is_used = |idx: TokenIdx| {
        let before = idx.saturating_sub(1);
        is_operator(document, idx + 1) || ends_operator(document, before) || document.token_text(before) == "return"
    };
    words_in(document, document.token_text(variable), call.close..function.body.end).any(is_used)
}
