//! Variables of the device that host code uses directly.

use super::places::{OwnWords, enclosing_calls, writes};
use crate::analysis::{DeviceVariable, Role, Side, Space, role, side_of};
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Document, TokenIdx};

declare_rule! {
    /// ## What it does
    /// Finds `__device__` and `__constant__` variables that a function of the host assigns to, or
    /// hands to `cudaMemcpy`, `cudaMemset` or `cudaFree`.
    ///
    /// ## Why is this bad?
    /// On the host the name stands for a shadow in the host's memory. nvcc warns; clang compiles it
    /// in silence, and the device sees nothing of it.
    ///
    /// ## Example
    /// ```cuda
    /// __device__ int count;
    /// void reset() { count = 0; }
    /// ```
    ///
    /// ## What to do
    /// Copy with `cudaMemcpyToSymbol` and `cudaMemcpyFromSymbol`, or ask `cudaGetSymbolAddress`.
    DeviceVariableOnHost { code: "K028", name: "device-variable-on-host", severity: Error, fix: None, since: "0.1.0" }
}

impl Rule for DeviceVariableOnHost {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document: &Document = cx.document;
        let is_own = |variable: &&DeviceVariable| !variable.is_conditional && !variable.is_const;
        let mut own_words = OwnWords::default();
        let variables = cx.facts.device_variables(document).iter().filter(is_own);
        for (idx, variable) in DeviceVariable::named(document, variables) {
            let Some((function, Side::Host)) = side_of(document, cx.facts, idx) else { continue };
            let is_changed = writes(document, idx) || is_copied(document, idx);
            let is_free = is_changed && role(document, idx) == Role::Free;
            if is_free && !own_words.declares(document, function, document.token_text(idx)) {
                report(cx, idx, variable.space);
            }
        }
    }
}

fn report(cx: &mut Context<'_>, idx: TokenIdx, space: Space) {
    let specifier = if space == Space::Constant { "__constant__" } else { "__device__" };
    let name = cx.document.token_text(idx);
    let message = format!("`{name}` is a `{specifier}` variable; on the host this is only its shadow");
    cx.report(cx.document.range_of(idx..idx + 1), message).note("copy with `hipMemcpyToSymbol`");
}

/// An argument of a function that takes addresses of memory.
fn is_copied(document: &Document, idx: TokenIdx) -> bool {
    const TAKERS: &[&str] = &["cudaMemcpy", "cudaMemcpyAsync", "cudaMemset", "cudaMemsetAsync", "cudaFree"];
    enclosing_calls(document, idx).first().is_some_and(|name| TAKERS.contains(name))
}
