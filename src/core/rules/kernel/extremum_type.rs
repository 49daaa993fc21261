//! Calls of `min` and `max` that HIP computes in another type than CUDA.

use std::ops::Range;

use super::device_code::{is_for_nvcc, is_left_out};
use super::number_types::{INT, Number, Numbers, shuffled};
use crate::analysis::{GUARD, Role, Side, is_global, role, side_of};
use crate::diagnostic::{Fix, RuleInfo};
use crate::mapping::{HELPER_PREFIX, Intrinsic, Intrinsics};
use crate::rules::api::is_declaration;
use crate::rules::context::Context;
use crate::rules::definitions::definitions;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Call, DirectiveKind, Document, TokenIdx, TokenKind, statement_start, words};

declare_rule! {
    /// ## What it does
    /// Finds calls of `min` and `max` of which HIP has no overload for the types of the arguments: in host code all but those of
    /// two `int`, in device code those of two types of integers. So are calls whose types the function does not tell.
    ///
    /// ## Why is this bad?
    /// CUDA declares both functions for the host and the device, for all types of numbers and for pairs of `int` and `unsigned`.
    /// HIP's compiler has the one for `int` on the host, so that `max(0.5f, x)` is 0 there, and `min(n, size)` loses bits; in device
    /// code the result of two types is a `double`: no index, divided as such, and below zero where CUDA's is `unsigned`.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void half(unsigned* out, int n) { out[0] = min(blockDim.x, n) / 2; }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: the definition that takes their place has CUDA's overloads, and calls `min` and `max` for all that are no numbers.
    ExtremumType { code: "K053", name: "extremum-type", severity: Hint, fix: Always, since: "0.2.0" }
}

const FUNCTIONS: [&str; 2] = ["min", "max"];

impl Rule for ExtremumType {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        for found in uses(cx) {
            let range = cx.document.range_of(found.idx..found.idx + 1);
            let name = cx.document.token_text(found.idx);
            let mut edits = vec![Edit::replace(range, found.intrinsic.helper())];
            edits.extend(definitions(range.start(), cx));
            let fix = Fix::safe(format!("define and use `{}`", found.intrinsic.helper()), edits);
            let message = match found.types {
                Some((one, other)) => format!("HIP has no `{name}` for `{}` and `{}` here", one.text(), other.text()),
                None => format!("HIP has no `{name}` for all types here, and those of the arguments are not known"),
            };
            cx.report(range, message).fix(fix);
        }
    }
}

/// What takes the place of the calls of the file.
pub(in crate::rules) fn defined_extrema(cx: &Context<'_>) -> Vec<(TokenIdx, &'static Intrinsic)> {
    if !cx.settings.rules.is_enabled(&ExtremumType::RULE_INFO) {
        return Vec::new();
    }
    let is_read = |found: &Use| !cx.skips(cx.document.range_of(found.idx..found.idx + 1).start());
    uses(cx).into_iter().filter(is_read).map(|found| (found.idx, found.intrinsic)).collect()
}

/// A call that HIP computes otherwise, or may.
struct Use {
    idx: TokenIdx,
    intrinsic: &'static Intrinsic,
    /// The types of the arguments, as far as they are known.
    types: Option<(Number, Number)>,
}

fn uses(cx: &Context<'_>) -> Vec<Use> {
    let document: &Document = cx.document;
    let is_named = FUNCTIONS.iter().any(|name| cx.has_word(name));
    // What was left to both sides once is right for both.
    let is_guarded = || document.text().contains(GUARD);
    if !is_named
        || cx.facts.is_hip
        || !is_for_nvcc(cx)
        || is_guarded()
        || FUNCTIONS.iter().any(|name| has_own(name, cx))
    {
        return Vec::new();
    }
    let numbers = Numbers::of(cx);
    let mut found = Vec::new();
    for name in FUNCTIONS {
        let Some(intrinsic) = Intrinsics::builtin().ok().and_then(|table| table.get(name)) else { continue };
        for call in words(document, name).filter_map(|idx| Call::at(document, idx)) {
            let is_free = role(document, call.name) == Role::Free || is_global(document, call.name);
            let is_for_other = || is_left_out(call.name, cx) || is_of_ours(call.name, cx);
            if !is_free || call.arguments.len() != 2 || is_declaration(&call, cx) || is_for_other() {
                continue;
            }
            let types = types_of(&call, &numbers, cx);
            if differs(&call, &types, cx) {
                found.push(Use { idx: call.name, intrinsic, types: types.0.zip(types.1) });
            }
        }
    }
    found.sort_unstable_by_key(|found| found.idx);
    found
}

/// Whether a call stands in a definition of hipshift's.
pub(super) fn is_of_ours(idx: TokenIdx, cx: &Context<'_>) -> bool {
    let name = cx.facts.functions.holding(idx).and_then(|function| function.name);
    name.is_some_and(|name| cx.document.token_text(name).starts_with(HELPER_PREFIX))
}

/// Whether the file has a function or macro of the name of its own, other than for classes.
pub(super) fn has_own(name: &str, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let is_macro = |idx: TokenIdx| {
        document
            .directive_of(idx)
            .is_some_and(|directive| directive.kind == DirectiveKind::Define && directive.tokens.start + 2 == idx)
    };
    let is_number = |idx: TokenIdx| Number::named(&[document.token_text(idx)]).is_some_and(|number| number.is_known());
    let is_function = |idx: TokenIdx| {
        let declared = Call::at(document, idx).filter(|call| is_declaration(call, cx));
        declared.is_some_and(|call| {
            let is_template = document.token_text(statement_start(document, idx)) == "template";
            let has_number = || (call.open + 1..call.close).any(is_number);
            (is_template || has_number()) && !cx.facts.blocks(document).is_in_class(idx)
        })
    };
    words(document, name).any(|idx| is_macro(idx) || is_function(idx))
}

/// What is known of the types of two arguments.
type Types = (Option<Number>, Option<Number>);

fn types_of(call: &Call, numbers: &Numbers<'_, '_>, cx: &Context<'_>) -> Types {
    let function = cx.facts.functions.around(call.name);
    let value = |number: usize| {
        let tokens = cx.document.tokens_in(*call.arguments.get(number)?);
        function.and_then(|function| numbers.value(function, tokens))
    };
    (value(0), value(1))
}

/// Whether HIP computes a call in another type, or may.
fn differs(call: &Call, types: &Types, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let last = |number: usize| last_name(document, document.tokens_in(*call.arguments.get(number)?));
    let side = side_of(document, cx.facts, call.name).map(|(_, side)| side);
    side != Some(Side::Device) && differs_on_host(types)
        || side != Some(Side::Host) && differs_on_device(types, || last(0) == last(1))
}

fn differs_on_host((one, other): &Types) -> bool {
    let is_int = |number: &Option<Number>| number.clone().map(Number::promoted) == Some(INT);
    !(is_int(one) && is_int(other))
}

fn differs_on_device((one, other): &Types, have_same_name: impl FnOnce() -> bool) -> bool {
    let is_real = |number: &Option<Number>| matches!(number, Some(Number::Real { .. }));
    match (one, other) {
        // CUDA has no overload for a real number and an integer.
        (one, other) if is_real(one) || is_real(other) => false,
        (Some(one), Some(other)) => one != other,
        // What has the same name has the same type.
        (None, None) => !have_same_name(),
        _ => true,
    }
}

/// The last name of an expression that is no other call than a shuffle: `x` of `a.x` and `b[i].x`.
fn last_name(document: &Document, tokens: Range<TokenIdx>) -> Option<&str> {
    let tokens = shuffled(document, tokens.start).unwrap_or(tokens);
    let last = tokens.end.checked_sub(1)?;
    let name = if document.is(last, b']') { document.partner(last)?.checked_sub(1)? } else { last };
    (document.kind(name) == Some(TokenKind::Ident)).then(|| document.token_text(name))
}
