//! `warpSize` where C++ deduces a type from it.

use super::lane_function::{REWORKED, has_wide_masks, is_wave_size, keeps_32_lanes};
use crate::analysis::Function;
use crate::diagnostic::{Fix, RuleInfo};
use crate::rules::context::Context;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Document, TokenIdx, TokenKind};

declare_rule! {
    /// ## What it does
    /// Finds `warpSize` as the whole argument of a call, and as the value of an `auto` variable.
    ///
    /// ## Why is this bad?
    /// From ROCm 7.0 on it is an object that converts to `int`. `std::min(warpSize, n)` does not
    /// compile, an `auto` variable cannot be changed, and `printf` gets an object.
    ///
    /// ## Example
    /// With `--wave-policy native --ignore W032`:
    /// ```cuda
    /// #include <cuda_runtime.h>
    /// __device__ int f(int n) { return std::min(warpSize, n); }
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hip/hip_runtime.h>
    /// __device__ int f(int n) { return std::min(static_cast<int>(warpSize), n); }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: it is the conversion that an `int` parameter makes.
    DeducedWaveSize { code: "W017", name: "deduced-wave-size", severity: Hint, fix: Always, since: "0.1.0" }
}

impl Rule for DeducedWaveSize {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        let at = name.range.start();
        let matters = cx.settings.rocm >= REWORKED && has_wide_masks(at, cx) && !keeps_32_lanes(at, cx);
        if !is_wave_size(&name, cx) || !matters || !is_in_device_code(name.token, cx) {
            return;
        }
        let document = cx.document;
        if is_argument(document, name.token) || is_auto(document, name.token) {
            let fix = Fix::safe("convert it", vec![Edit::replace(name.range, "static_cast<int>(warpSize)")]);
            cx.report(name.range, "a type is deduced from `warpSize`, which is an object from ROCm 7.0 on").fix(fix);
        }
    }
}

fn is_in_device_code(token: TokenIdx, cx: &Context<'_>) -> bool {
    cx.facts.functions.around(token).is_none_or(Function::runs_on_device)
}

/// A whole argument of a function that may be a template or take anything. Functions of HIP's that
/// start with `__` take an `int`.
fn is_argument(document: &Document, token: TokenIdx) -> bool {
    let ends = document.is(token + 1, b',') || document.is(token + 1, b')');
    let Some(before) = token.checked_sub(1).filter(|_| ends) else { return false };
    if !document.is(before, b',') && !document.is(before, b'(') {
        return false;
    }
    let mut at = before;
    while !document.is(at, b'(') {
        let closes = document.is(at, b')') || document.is(at, b']') || document.is(at, b'}');
        let Some(next) = if closes { document.partner(at) } else { Some(at) }.and_then(|at| at.checked_sub(1)) else {
            return false;
        };
        if document.is(next, b';') || document.is(next, b'{') {
            return false;
        }
        at = next;
    }
    let Some(callee) = at.checked_sub(1) else { return false };
    let name = document.token_text(callee);
    document.kind(callee) == Some(TokenKind::Ident)
        && !name.starts_with("__")
        && !matches!(name, "if" | "for" | "while" | "switch" | "return" | "int" | "unsigned" | "dim3" | "static_assert")
}

/// `auto lanes = warpSize;`
fn is_auto(document: &Document, token: TokenIdx) -> bool {
    let before = |back: usize| token.checked_sub(back).map_or("", |at| document.token_text(at));
    document.is(token + 1, b';') && before(1) == "=" && before(3) == "auto"
}
