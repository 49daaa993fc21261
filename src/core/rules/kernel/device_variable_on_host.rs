//! Variables of the device that host code uses directly.

use super::places::{OwnWords, enclosing_calls, writes};
use crate::analysis::{DeviceVariable, Role, Side, Space, role, side_of};
use crate::diagnostic::{RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Document, TokenIdx, split_arguments};

declare_rule! {
    /// ## What it does
    /// Finds `__device__` and `__constant__` variables that a function of the host assigns to, or
    /// hands to `cudaMemcpy`, `cudaMemset` or `cudaFree`; with severity warning also those that it reads: computes with,
    /// prints, returns, or passes to a kernel.
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
            let is_used = is_changed || is_read(document, idx);
            let is_free = is_used && role(document, idx) == Role::Free;
            if is_free && !own_words.declares(document, function, document.token_text(idx)) {
                let severity = if is_changed { Severity::Error } else { Severity::Warning };
                report(cx, idx, (variable.space, severity));
            }
        }
    }
}

fn report(cx: &mut Context<'_>, idx: TokenIdx, (space, severity): (Space, Severity)) {
    let specifier = if space == Space::Constant { "__constant__" } else { "__device__" };
    let name = cx.document.token_text(idx);
    let message = format!("`{name}` is a `{specifier}` variable; on the host this is only its shadow");
    let function = if severity == Severity::Error { "hipMemcpyToSymbol" } else { "hipMemcpyFromSymbol" };
    let finding = cx.report(cx.document.range_of(idx..idx + 1), message).severity(severity);
    finding.note(format!("copy with `{function}`"));
}

/// Whether the value, or the address that an array stands for, is taken for sure: as an operand, a first value, a result, by
/// an index, as an argument of a kernel or of `printf`. Other functions may take a reference to it, to copy from or to the device.
fn is_read(document: &Document, idx: TokenIdx) -> bool {
    let calls = enclosing_calls(document, idx);
    if calls
        .iter()
        .any(|name| matches!(*name, "sizeof" | "decltype" | "alignof" | "HIP_SYMBOL") || name.contains("Symbol"))
    {
        return false;
    }
    let (before, after) = (idx.checked_sub(1).map_or("", |at| document.token_text(at)), document.token_text(idx + 1));
    // A kernel of that name, beside a member of a structure.
    if (1..=3).all(|next| document.is(idx + next, b'<')) {
        return false;
    }
    let is_operand = |sign: &str| matches!(sign, "+" | "-" | "/" | "%" | "<" | ">" | "!" | "?");
    let is_value = before == "return" || before == "=" && !binds_reference(document, idx);
    let is_printed = matches!(calls.first(), Some(&("printf" | "fprintf")));
    let is_taken = is_value || is_printed || is_kernel_argument(document, idx);
    let ends = matches!(after, ";" | "," | ")" | "[");
    let is_compared = after == "=" && document.is(idx + 2, b'=');
    before != "&" && (is_taken && ends || before != "<" && (is_operand(after) || is_compared))
}

/// `auto& name = variable`, and `const void* name = variable`, which is how functions for symbols take one.
fn binds_reference(document: &Document, idx: TokenIdx) -> bool {
    idx.checked_sub(4).is_some_and(|word| {
        let is_handle = document.is(word + 1, b'*') && document.token_text(word) == "void";
        document.is(word + 1, b'&') || is_handle
    })
}

/// Whether the name is an argument of a launch.
fn is_kernel_argument(document: &Document, idx: TokenIdx) -> bool {
    document.launches().iter().filter(|launch| launch.tokens().contains(&idx)).any(|launch| {
        let arguments = split_arguments(document, launch.arguments.0 + 1..launch.arguments.1);
        arguments.contains(&(idx..idx + 1))
    })
}

/// An argument of a function that takes addresses of memory.
fn is_copied(document: &Document, idx: TokenIdx) -> bool {
    const TAKERS: &[&str] = &["cudaMemcpy", "cudaMemcpyAsync", "cudaMemset", "cudaMemsetAsync", "cudaFree"];
    enclosing_calls(document, idx).first().is_some_and(|name| TAKERS.contains(name))
}
