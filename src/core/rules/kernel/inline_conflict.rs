//! Functions that shall and shall not be inlined.

use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Document, TokenIdx};

declare_rule! {
    /// ## What it does
    /// Finds functions that are `__noinline__` and `__forceinline__` at once.
    ///
    /// ## Why is this bad?
    /// HIP's documents forbid it ("Inline qualifiers"). clang takes both without a word, and one of
    /// them has no effect.
    ///
    /// ## Example
    /// ```cuda
    /// __device__ __noinline__ __forceinline__ int square(int x) { return x * x; }
    /// ```
    ///
    /// ## What to do
    /// Remove one of them.
    InlineConflict { code: "K038", name: "inline-conflict", severity: Warning, fix: None, since: "0.1.0" }
}

impl Rule for InlineConflict {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document: &Document = cx.document;
        for function in cx.facts.functions.iter() {
            let find = |word: &str| function.head.clone().find(|&idx: &TokenIdx| document.token_text(idx) == word);
            let (Some(never), Some(always)) = (find("__noinline__"), find("__forceinline__")) else { continue };
            let later = never.max(always);
            let finding = cx.report(document.range_of(later..later + 1), "this contradicts the other specifier");
            finding.label(document.range_of(never.min(always)..never.min(always) + 1), "the other specifier");
        }
    }
}
