//! Programs for run-time compilation that macros make of code.

use rustc_hash::FxHashSet;

use crate::diagnostic::RuleInfo;
use crate::rules::conditional::is_for_hip;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Call, MacroDefinition, TokenIdx, words};

declare_rule! {
    /// ## What it does
    /// Finds kernels and device functions that a macro makes a string of: `#define STR(x) #x` and `STR(__global__ void k() {})`.
    ///
    /// ## Why is this bad?
    /// Such a text is compiled alone while the program runs (NVRTC). It is converted as the code of the file is, and what hipshift defines
    /// for that stands outside of the text, as do the headers.
    ///
    /// ## Example
    /// ```cuda
    /// #define STR(x) #x
    /// const char* text = STR(extern "C" __global__ void vote(unsigned* p) { *p = __ballot_sync(~0u, 1); });
    /// ```
    ///
    /// ## What to do
    /// Write the program as a raw string, which `--strings` converts with all that it needs.
    StringisedProgram { code: "A041", name: "stringised-program", severity: Warning, fix: None, since: "0.2.0" }
}

impl Rule for StringisedProgram {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        if cx.facts.is_hip || !cx.has_word("__global__") && !cx.has_word("__device__") {
            return;
        }
        let document = cx.document;
        let making: FxHashSet<&str> = MacroDefinition::all(document)
            .filter(|found| makes_string(found, cx))
            .map(|found| document.token_text(found.name))
            .collect();
        let is_code = |idx: TokenIdx| matches!(document.token_text(idx), "__global__" | "__device__");
        let mut calls: Vec<Call> = making
            .into_iter()
            .flat_map(|name| words(document, name))
            .filter_map(|idx| Call::at(document, idx))
            .collect();
        calls.retain(|call| {
            (call.open..call.close).any(is_code) && !is_for_hip(call.name, cx) && !cx.is_for_cuda_alone(call.name)
        });
        calls.sort_unstable_by_key(|call| call.name);
        for call in calls {
            let name = document.range_of(call.name..call.name + 1);
            let message = format!("`{}` makes a program for run-time compilation of this code", document.slice(name));
            cx.report(name, message).note(
                "what hipshift defines is not part of the text; write a raw string, and convert with `--strings`",
            );
        }
    }
}

/// Whether a macro makes a string of what it is given, by itself: `#x`, `#__VA_ARGS__`.
fn makes_string(found: &MacroDefinition, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let is_given = |idx: TokenIdx| {
        let word = document.token_text(idx);
        word == "__VA_ARGS__" || found.parameter(document, word).is_some()
    };
    let is_single = |idx: TokenIdx| {
        !document.is(idx + 1, b'#') && !idx.checked_sub(1).is_some_and(|before| document.is(before, b'#'))
    };
    found.body.clone().any(|idx| document.is(idx, b'#') && is_single(idx) && is_given(idx + 1))
}
