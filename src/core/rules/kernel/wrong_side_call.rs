//! Calls of a function of the other side.

use rustc_hash::FxHashMap;

use crate::analysis::{Function, Side, is_always_emitted, side_of};
use crate::diagnostic::{RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Document, TokenIdx, TokenKind, words_that};

declare_rule! {
    /// ## What it does
    /// Finds functions of the device, and `__host__ __device__` functions, that call a function of the host, and functions of
    /// the host that call one of the device, where both are in the same file. A function without specifiers is one of the host.
    ///
    /// ## Why is this bad?
    /// nvcc only warns of calls in `__host__ __device__` functions, and clang refuses all of them. In a template, an `inline` or `static`
    /// function or a member of a class it compiles until device code calls the function, so that is
    /// for information.
    ///
    /// ## Example
    /// ```cuda
    /// int limit() { return 100; }
    /// __host__ __device__ int clamped(int x) { return x < limit() ? x : limit(); }
    /// ```
    ///
    /// ## What to do
    /// Make the callee `__host__ __device__` or `constexpr`, or call it on its own side of an
    /// `#ifdef __HIP_DEVICE_COMPILE__`.
    WrongSideCall { code: "K021", name: "wrong-side-call", severity: Error, fix: None, since: "0.1.0" }
}

impl Rule for WrongSideCall {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let (document, facts) = (cx.document, cx.facts);
        // A file with host code only is plain C++.
        if !facts.functions.iter().any(Function::runs_on_device) {
            return;
        }
        let callees = plain_functions(cx);
        for call in words_that(document, |name| callees.contains_key(name)) {
            let Some(callee_side) = callees.get(document.token_text(call)) else { continue };
            if is_free_call(document, call)
                && let Some(caller) = side_of(document, facts, call)
            {
                report(cx, call, *callee_side, caller);
            }
        }
    }
}

/// Names and sides of the functions that the file has once, and that are no templates or members.
fn plain_functions<'d>(cx: &Context<'d>) -> FxHashMap<&'d str, Side> {
    let document = cx.document;
    let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
    for name in cx.facts.functions.iter().filter_map(|function| function.name) {
        *counts.entry(document.token_text(name)).or_default() += 1;
    }
    let is_unique = |name: &str| counts.get(name) == Some(&1);
    let functions = cx.facts.functions.iter().filter_map(|function| plain_function(function, cx));
    functions.filter(|(name, _)| is_unique(name)).collect()
}

/// Name and side of a function that is no template or member.
fn plain_function<'d>(function: &Function, cx: &Context<'d>) -> Option<(&'d str, Side)> {
    let document = cx.document;
    let name = function.name?;
    let text = document.token_text(name);
    let is_template = function.head.clone().any(|idx| document.token_text(idx) == "template");
    let is_qualified = name.checked_sub(1).is_some_and(|before| {
        !matches!(document.token(before).map(|t| t.kind), Some(TokenKind::Ident | TokenKind::Punct(b'*' | b'&' | b'>')))
    });
    let is_member = cx.facts.blocks(document).is_in_class(function.head.start);
    if is_template || is_qualified || is_member || text == "main" || text == "operator" {
        return None;
    }
    let (_, side) = side_of(document, cx.facts, function.body.start + 1)?;
    let is_callee = !function.is_kernel && side != Side::Both;
    is_callee.then_some((text, side))
}

/// `name(…)` that is neither a member's nor qualified, and declares nothing.
fn is_free_call(document: &Document, idx: TokenIdx) -> bool {
    let before = idx.checked_sub(1).and_then(|before| document.token(before).map(|token| (before, token.kind)));
    let follows = match before {
        Some((_, TokenKind::PathSep | TokenKind::Arrow | TokenKind::Punct(b'.' | b'>' | b'~'))) => false,
        Some((before, TokenKind::Ident)) => matches!(document.token_text(before), "return" | "else" | "do" | "case"),
        _ => true,
    };
    follows && document.is(idx + 1, b'(')
}

fn report(cx: &mut Context<'_>, call: TokenIdx, callee: Side, (around, on): (&Function, Side)) {
    let document = cx.document;
    let name = document.token_text(call);
    let (message, certain) = match (on, callee) {
        (Side::Both, Side::Host) => (
            format!("`{name}` is a function of the host, and this is compiled for the device too"),
            is_always_emitted(document, cx.facts, around),
        ),
        (Side::Host, Side::Device) => {
            (format!("`{name}` is a function of the device, and this runs on the host"), true)
        }
        (Side::Device, Side::Host) => {
            (format!("`{name}` is a function of the host, and this runs on the device"), true)
        }
        _ => return,
    };
    let finding = cx.report(document.range_of(call..call + 1), message);
    if !certain {
        finding.severity(Severity::Info).note("this compiles until device code calls the function");
    }
}
