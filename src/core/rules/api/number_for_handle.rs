//! Numbers where HIP has a pointer: the plans of cuFFT.

use rustc_hash::FxHashSet;

use crate::diagnostic::{Fix, RuleInfo};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, TextRange};
use crate::syntax::{Call, TokenIdx, TokenKind, words_that};

declare_rule! {
    /// ## What it does
    /// Finds plans of cuFFT that are set to -1 or compared with it, and `std::exchange` of a plan with a number.
    ///
    /// ## Why is this bad?
    /// `cufftHandle` is an `int` (cuFFT documentation, "cufftHandle"), and `hipfftHandle` a pointer. Of numbers it takes 0 alone, where
    /// the text says that itself: `std::exchange(plan, 0)` hands over an `int`. The result does not compile.
    ///
    /// ## Example
    /// ```cuda
    /// #include <cufft.h>
    /// void drop(cufftHandle& plan) {
    ///     if (plan != -1) cufftDestroy(plan);
    ///     plan = -1;
    /// }
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hipfft/hipfft.h>
    /// void drop(hipfftHandle& plan) {
    ///     if (plan != 0) hipfftDestroy(plan);
    ///     plan = 0;
    /// }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: no plan of hipFFT is a null pointer. `{}` in the place of the number is of the type of the plan, whatever that is. Plans
    /// are known by their type, or because a function of cuFFT takes them, in the same file.
    NumberForHandle { code: "A035", name: "number-for-handle", severity: Hint, fix: Always, since: "0.2.0" }
}

/// The type, before and after.
const TYPES: &[&str] = &["cufftHandle", "hipfftHandle"];

impl Rule for NumberForHandle {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let plans = plans(cx);
        if plans.is_empty() {
            return;
        }
        for idx in words_that(cx.document, |name| plans.contains(name)) {
            if let Some((number, new)) = exchanged(idx, cx).or_else(|| minus_one(idx, cx)) {
                let message = format!("a plan of hipFFT is a pointer, and `{}` is a number", cx.document.slice(number));
                let fix = Fix::safe(format!("write `{new}`"), vec![Edit::replace(number, new)]);
                cx.report(number, message).fix(fix);
            }
        }
    }
}

/// The names of plans: variables and members of the type, and what functions of cuFFT are given first.
fn plans<'d>(cx: &Context<'d>) -> FxHashSet<&'d str> {
    let document = cx.document;
    let mut names = FxHashSet::default();
    for idx in words_that(document, |name| TYPES.contains(&name) || takes_plan(name)) {
        let text = document.token_text(idx);
        if TYPES.contains(&text) {
            names.extend(declared(idx + 1, cx).map(|name| document.token_text(name)));
        } else {
            let first = Call::at(document, idx).and_then(|call| call.arguments.first().copied());
            let last = first.map(|range| document.tokens_in(range)).and_then(Iterator::last);
            let is_name = |last: &TokenIdx| document.kind(*last) == Some(TokenKind::Ident);
            names.extend(last.filter(is_name).map(|last| document.token_text(last)));
        }
    }
    names
}

/// Whether a function of cuFFT, or of hipFFT, takes a plan first.
fn takes_plan(function: &str) -> bool {
    const ACTIONS: &[&str] =
        &["Create", "Destroy", "Exec", "MakePlan", "Plan", "SetAutoAllocation", "SetStream", "SetWorkArea"];
    let action = function.strip_prefix("cufft").or_else(|| function.strip_prefix("hipfft"));
    action.is_some_and(|action| ACTIONS.iter().any(|known| action.starts_with(known)))
}

/// The names behind a type: `*a = 0, b{1}`. Behind the comma of a parameter stands a type, which is no harm.
fn declared(start: TokenIdx, cx: &Context<'_>) -> impl Iterator<Item = TokenIdx> {
    let document = cx.document;
    let mut at = start;
    let mut is_next = true;
    std::iter::from_fn(move || {
        loop {
            let kind = document.kind(at)?;
            let here = at;
            at = document.after_brackets(at);
            match kind {
                TokenKind::Ident if is_next => {
                    is_next = false;
                    return Some(here);
                }
                TokenKind::Punct(b',') => is_next = true,
                TokenKind::Punct(b';' | b')' | b'}' | b'>') => return None,
                _ => {}
            }
        }
    })
}

/// The number that a plan is exchanged with: `std::exchange(other.plan, 0)`.
fn exchanged(idx: TokenIdx, cx: &Context<'_>) -> Option<(TextRange, &'static str)> {
    let document = cx.document;
    let call = Call::around(document, idx).filter(|call| document.token_text(call.name) == "exchange")?;
    let &[first, second] = call.arguments.as_slice() else { return None };
    let is_first = document.tokens_in(first).end == idx + 1;
    (is_first && matches!(document.slice(second), "0" | "-1")).then_some((second, "{}"))
}

/// `plan = -1`, `plan{-1}`, `plan(-1)`, `plan == -1`, `plan != -1`
fn minus_one(idx: TokenIdx, cx: &Context<'_>) -> Option<(TextRange, &'static str)> {
    let document = cx.document;
    let is = |at: TokenIdx, sign: u8| document.is(at, sign);
    let before = match () {
        () if is(idx + 1, b'{') || is(idx + 1, b'(') => 1,
        () if (is(idx + 1, b'=') || is(idx + 1, b'!')) && is(idx + 2, b'=') => 2,
        () if is(idx + 1, b'=') => 1,
        () => return None,
    };
    let minus = idx + 1 + before;
    let is_one = is(minus, b'-') && document.token_text(minus + 1) == "1";
    let ends = matches!(document.token_text(minus + 2), ";" | ")" | "}" | "," | "&" | "|" | "?" | ":");
    (is_one && ends).then(|| (document.range_of(minus..minus + 2), "0"))
}
