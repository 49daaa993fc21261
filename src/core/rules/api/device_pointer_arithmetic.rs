//! Arithmetic with addresses of the driver's interface.

use std::ops::Range;

use super::device_pointers::device_pointers;
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Document, TokenIdx, TokenKind, is_keyword};

declare_rule! {
    /// ## What it does
    /// Finds sums, differences and other integer arithmetic with variables, members and elements of type `CUdeviceptr`, and
    /// integers that start with one, where the declaration is in the same file.
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
    /// Safe, and offered for sums only: the result is a pointer to `char`, which counts bytes as the integer did, and converts to
    /// `hipDeviceptr_t`; where an integer is wanted, it does not compile.
    DevicePointerArithmetic { code: "A022", name: "device-pointer-arithmetic", severity: Error, fix: Sometimes, since: "0.1.0" }
}

impl Rule for DevicePointerArithmetic {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document: &Document = cx.document;
        for used in device_pointers(cx) {
            if let Some(operator) = arithmetic(document, &used) {
                report(cx, used, operator);
            }
        }
    }
}

fn report(cx: &mut Context<'_>, used: Range<TokenIdx>, operator: &str) {
    let document = cx.document;
    let range = document.range_of(used);
    let name = document.slice(range);
    if operator == "=" {
        let finding = cx.report(range, format!("`{name}` is a `void*` in HIP, and no integer"));
        finding.note("cast it to `uintptr_t` for the number");
        return;
    }
    let finding = cx.report(range, format!("`{name}` is a `void*` in HIP, and `{operator}` is integer arithmetic"));
    if operator == "+" {
        let is_c = document.file().path.extension() == Some("c");
        let (before, after) = if is_c { ("(char*)", None) } else { ("static_cast<char*>(", Some(")")) };
        let mut edits = vec![Edit::insert(range.start(), before)];
        edits.extend(after.map(|after| Edit::insert(range.end(), after)));
        finding.severity(Severity::Hint).fix(Fix::safe("count in bytes", edits));
    } else {
        finding.note("cast it to `char*`, or to `uintptr_t` for the number");
    }
}

/// The operator, if an operand is part of integer arithmetic, or starts an integer.
fn arithmetic<'d>(document: &'d Document, used: &Range<TokenIdx>) -> Option<&'d str> {
    let (first, last) = (used.start, used.end - 1);
    let before = first.checked_sub(1).map_or("", |before| document.token_text(before));
    if matches!(before, "&" | "*" | ")") {
        return None;
    }
    if let Some(operator) = operator_after(document, last) {
        return Some(operator);
    }
    let is_sum = before == "+" && first.checked_sub(2).is_some_and(|left| is_operand_end(document, left));
    let starts_integer = before == "=" && document.is(last + 1, b';') && declares_integer(document, first - 1);
    match (is_sum, starts_integer) {
        (true, _) => Some("+"),
        (_, true) => Some("="),
        _ => None,
    }
}

fn is_operand_end(document: &Document, idx: TokenIdx) -> bool {
    match document.kind(idx) {
        Some(TokenKind::Ident) => !is_keyword(document.token_text(idx)),
        Some(TokenKind::Number | TokenKind::Punct(b')' | b']')) => true,
        _ => false,
    }
}

/// Whether the `=` at `equals` gives the first value to an integer: `unsigned long long a =`, `size_t a =`.
fn declares_integer(document: &Document, equals: TokenIdx) -> bool {
    const INTEGERS: &[&str] =
        &["int", "long", "unsigned", "size_t", "uint64_t", "int64_t", "uintptr_t", "intptr_t", "uint32_t"];
    equals.checked_sub(2).is_some_and(|kind| INTEGERS.contains(&document.token_text(kind)))
}

fn operator_after(document: &Document, idx: TokenIdx) -> Option<&str> {
    let operator = document.token_text(idx + 1);
    let next = document.token_text(idx + 2);
    let touches = document.touches_next(idx + 1);
    let counts = matches!(operator, "+" | "-" | "%" | ">>");
    let is_shift = operator == ">" && next == ">" && touches;
    let is_mask = operator == "&"
        && !(touches && matches!(next, "&" | "="))
        && document.token(idx + 2)?.kind == TokenKind::Number;
    let found = counts || is_shift || is_mask;
    let updates = found && touches && (next == "=" || next == operator) && !is_shift;
    match (found, updates, operator) {
        (false, ..) => None,
        (_, true, "+") => Some("+="),
        (_, true, "-") => Some("-="),
        _ => Some(operator),
    }
}
