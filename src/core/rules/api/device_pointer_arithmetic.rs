//! Arithmetic with addresses of the driver's interface.

use std::ops::Range;

use crate::analysis::{Role, role};
use crate::diagnostic::{Fix, RuleInfo};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Document, TokenIdx, TokenKind, words, words_in};

declare_rule! {
    /// ## What it does
    /// Finds sums, differences and other integer arithmetic with variables of type `CUdeviceptr`,
    /// where variable and use are in the same function.
    ///
    /// ## Why is this bad?
    /// `CUdeviceptr` is an integer in CUDA, and `hipDeviceptr_t` is `void*`: arithmetic with it does
    /// not compile.
    ///
    /// ## Example
    /// ```cuda
    /// void clear(CUdeviceptr base) { cuMemsetD8(base + 256, 0, 64); }
    /// ```
    /// Use instead:
    /// ```hip
    /// void clear(hipDeviceptr_t base) { hipMemsetD8(static_cast<char*>(base) + 256, 0, 64); }
    /// ```
    ///
    /// ## Fix safety
    /// Unsafe, and offered for sums only: the result is a pointer to `char`, which converts to
    /// `hipDeviceptr_t` and not to an integer.
    DevicePointerArithmetic { code: "A022", name: "device-pointer-arithmetic", severity: Error, fix: Sometimes, since: "0.1.0" }
}

impl Rule for DevicePointerArithmetic {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document: &Document = cx.document;
        let names = words(document, "CUdeviceptr").filter_map(|idx| Some((variable(document, idx)?, scope(idx, cx)?)));
        let mut variables: Vec<(&str, Range<TokenIdx>)> = names.collect();
        variables.dedup();
        for (name, scope) in variables {
            let uses = words_in(document, name, scope).filter(|idx| role(document, *idx) == Role::Free);
            for idx in uses.collect::<Vec<_>>() {
                if let Some(operator) = operator_after(document, idx) {
                    report(cx, idx, operator);
                }
            }
        }
    }
}

fn report(cx: &mut Context<'_>, idx: TokenIdx, operator: &str) {
    let document = cx.document;
    let range = document.range_of(idx..idx + 1);
    let name = document.token_text(idx);
    let finding = cx.report(range, format!("`{name}` is a `void*` in HIP, and `{operator}` is integer arithmetic"));
    if operator == "+" {
        let edits = vec![Edit::insert(range.start(), "static_cast<char*>("), Edit::insert(range.end(), ")")];
        finding.fix(Fix::risky("count in bytes", edits));
    } else {
        finding.note("cast it to `char*`, or to `uintptr_t` for the number");
    }
}

/// `CUdeviceptr name`, not a pointer to one and not an array.
fn variable(document: &Document, idx: TokenIdx) -> Option<&str> {
    let name = idx + 1;
    let is_name =
        document.token(name)?.kind == TokenKind::Ident && !matches!(document.token_text(name + 1), "(" | "[" | "::");
    is_name.then(|| document.token_text(name))
}

/// The function that the declaration at `idx` is a parameter or variable of.
fn scope(idx: TokenIdx, cx: &Context<'_>) -> Option<Range<TokenIdx>> {
    let mut functions = cx.facts.functions.iter();
    let function = functions.find(|function| function.head.start <= idx && idx < function.body.end)?;
    Some(function.body.clone())
}

fn operator_after(document: &Document, idx: TokenIdx) -> Option<&str> {
    let operator = document.token_text(idx + 1);
    let next = document.token_text(idx + 2);
    let touches = document.touches_next(idx + 1);
    let is_address_or_cast =
        idx.checked_sub(1).is_some_and(|before| matches!(document.token_text(before), "&" | "*" | ")"));
    let counts = matches!(operator, "+" | "-" | "%" | ">>");
    let is_shift = operator == ">" && next == ">" && touches;
    let is_mask = operator == "&"
        && !(touches && matches!(next, "&" | "="))
        && document.token(idx + 2)?.kind == TokenKind::Number;
    let found = (counts || is_shift || is_mask) && !is_address_or_cast;
    let updates = found && touches && (next == "=" || next == operator) && !is_shift;
    match (found, updates, operator) {
        (false, ..) => None,
        (_, true, "+") => Some("+="),
        (_, true, "-") => Some("-="),
        _ => Some(operator),
    }
}
