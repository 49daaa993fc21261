//! Coordinates in functions that are compiled for the host as well.

use crate::analysis::{Function, Side, is_always_emitted, side_of};
use crate::diagnostic::{RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Document, TokenIdx, TokenKind, words};

declare_rule! {
    /// ## What it does
    /// Finds `threadIdx`, `blockIdx`, `blockDim` and `gridDim` in `__host__ __device__` functions,
    /// outside of `#if`.
    ///
    /// ## Why is this bad?
    /// In HIP they are objects whose members are functions of the device, so the function does not
    /// compile for the host. In a template, an `inline` or `static` function or a member of a class
    /// it compiles until host code calls the function, so that is for information.
    ///
    /// ## Example
    /// ```cuda
    /// __host__ __device__ int thread() { return threadIdx.x; }
    /// ```
    ///
    /// ## What to do
    /// Make the function `__device__`, or pass the value in.
    CoordinateOnHost { code: "K022", name: "coordinate-on-host", severity: Error, fix: None, since: "0.1.0" }
}

impl Rule for CoordinateOnHost {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document: &Document = cx.document;
        for coordinate in ["threadIdx", "blockIdx", "blockDim", "gridDim"] {
            for idx in words(document, coordinate) {
                let Some((function, Side::Both)) = side_of(document, cx.facts, idx) else { continue };
                if !is_builtin(document, idx, function) {
                    continue;
                }
                let message =
                    format!("`{coordinate}` exists in device code only, and this is compiled for the host too");
                let certain = is_always_emitted(document, cx.facts, function);
                let finding = cx.report(document.range_of(idx..idx + 1), message);
                if !certain {
                    finding.severity(Severity::Info).note("this compiles until host code calls the function");
                }
            }
        }
    }
}

/// Whether a coordinate is read, and no parameter or variable of the function has its name.
fn is_builtin(document: &Document, idx: TokenIdx, function: &Function) -> bool {
    let follows = |idx: TokenIdx| idx.checked_sub(1).and_then(|before| document.token(before)).map(|token| token.kind);
    let is_member = matches!(follows(idx), Some(TokenKind::Arrow | TokenKind::PathSep | TokenKind::Punct(b'.')));
    let declares = |other: TokenIdx| {
        let is_name = document.token_text(other) == document.token_text(idx);
        is_name
            && other.checked_sub(1).is_some_and(|before| {
                follows(other) == Some(TokenKind::Ident)
                    && !matches!(document.token_text(before), "return" | "else" | "case")
            })
    };
    document.is(idx + 1, b'.') && !is_member && !(function.head.start..function.body.end).any(declares)
}
