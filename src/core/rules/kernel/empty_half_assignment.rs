//! Empty braces assigned to numbers of 16 bits.

use super::places::{declared, scope_end};
use crate::diagnostic::{Fix, RuleInfo};
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Document, TokenIdx};

declare_rule! {
    /// ## What it does
    /// Finds variables of half precision and bfloat16 that get `{}` assigned.
    ///
    /// ## Why is this bad?
    /// HIP's types have several operators `=` that `{}` fits, so the assignment does not compile.
    /// A declaration with `= {}` does.
    ///
    /// ## Example
    /// ```cuda
    /// #include <cuda_fp16.h>
    /// __device__ void clear(__half2* out) { __half2 sum; sum = {}; *out = sum; }
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hip/hip_fp16.h>
    /// __device__ void clear(__half2* out) { __half2 sum; sum = __half2{}; *out = sum; }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: names the type, which the compiler deduces in CUDA.
    EmptyHalfAssignment { code: "K043", name: "empty-half-assignment", severity: Hint, fix: Always, since: "0.1.0" }
}

const TYPES: &[&str] =
    &["half", "__half", "half2", "__half2", "nv_bfloat16", "__nv_bfloat16", "nv_bfloat162", "__nv_bfloat162"];

impl Rule for EmptyHalfAssignment {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        if !TYPES.contains(&&*name.text) {
            return;
        }
        let hip = match name.meaning {
            Meaning::Renamed(to, _) => to,
            Meaning::Same(_) => &*name.text,
            _ => return,
        };
        for variable in declared(cx.document, name.token) {
            report_assignments(variable, hip, cx);
        }
    }
}

fn report_assignments(variable: TokenIdx, hip: &str, cx: &mut Context<'_>) {
    let document: &Document = cx.document;
    // Pointers and references are no numbers, or would be assigned through.
    let is_pointer = variable.checked_sub(1).is_some_and(|before| document.is(before, b'*'));
    let Some(end) = scope_end(variable, cx).filter(|_| !is_pointer) else { return };
    for name in variable + 1..end {
        if document.token_text(name) != document.token_text(variable) || !is_cleared(document, name) {
            continue;
        }
        let range = document.range_of(name..name + 4);
        let brace = document.range_of(name + 2..name + 3).start();
        let fix = Fix::safe(format!("assign `{hip}{{}}`"), vec![Edit::insert(brace, hip)]);
        cx.report(range, format!("several operators `=` of `{hip}` take `{{}}` in HIP")).fix(fix);
    }
}

/// A statement `name = {};`
fn is_cleared(document: &Document, name: TokenIdx) -> bool {
    let starts_statement = name.checked_sub(1).is_some_and(|before| {
        matches!(document.token_text(before), ";" | "{" | "}" | ")" | "else") || document.directive_of(before).is_some()
    });
    let rest = [b'=', b'{', b'}', b';'];
    starts_statement && rest.iter().zip(name + 1..).all(|(sign, idx)| document.is(idx, *sign))
}
