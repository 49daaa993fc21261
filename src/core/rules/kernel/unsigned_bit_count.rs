//! Counts of bits, which are unsigned in HIP.

use std::ops::Range;
use std::rc::Rc;

use super::places::statement;
use crate::diagnostic::{Fix, RuleInfo};
use crate::mapping::RocmVersion;
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Files, Name, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Call, Document, TokenIdx, TokenKind};

declare_rule! {
    /// ## What it does
    /// Finds `__popc` and `__popcll` (before ROCm 6.4 `__ffs` and `__ffsll` as well) in expressions
    /// that subtract, multiply, divide, widen, compare with what is no number, or compute with floating point numbers.
    ///
    /// ## Why is this bad?
    /// They return `int` in CUDA and `unsigned int` in HIP. A difference that is negative in CUDA
    /// is about four thousand million in HIP.
    ///
    /// ## Example
    /// ```cuda
    /// __device__ float score(unsigned x) { return 0.5f * (__popc(x) - 16); }
    /// ```
    /// Use instead:
    /// ```hip
    /// __device__ float score(unsigned x) { return 0.5f * (static_cast<int>(__popc(x)) - 16); }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: the cast gives the type that the function has in CUDA.
    UnsignedBitCount { code: "K023", name: "unsigned-bit-count", severity: Hint, fix: Always, since: "0.1.0" }
}

impl Rule for UnsignedBitCount {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let names = Rc::clone(&cx.names);
        // The statement that was read last, and whether the sign of what it computes matters.
        let mut last = (0..0, false);
        for name in names.iter().filter(|name| is_unsigned(name, cx.settings.rocm)) {
            let Some(call) = Call::at(cx.document, name.token) else { continue };
            if !last.0.contains(&name.token) {
                let whole = statement(cx.document, name.token);
                let is_signed =
                    sign_matters(cx.document, &whole) || subtracts(cx.document, &whole) && !makes_int(&whole, cx);
                last = (whole, is_signed);
            }
            let matters = last.1 && !stands_alone(cx.document, &call) || is_multiplied(cx.document, &call);
            if matters && !is_cast(cx.document, name.token) {
                report(&name, &call, cx);
            }
        }
    }
}

/// Whether a name is a function that counts bits without a sign in HIP.
fn is_unsigned(name: &Name<'_>, rocm: RocmVersion) -> bool {
    let unsigned = match &*name.text {
        "__popc" | "__popcll" => true,
        // The headers of 5.7 and 6.2 have `unsigned`, those of 6.4 and later `int`.
        "__ffs" | "__ffsll" => rocm < RocmVersion { major: 6, minor: 4 },
        _ => false,
    };
    unsigned && matches!(name.meaning, Meaning::Same(_))
}

fn report(name: &Name<'_>, call: &Call, cx: &mut Context<'_>) {
    let edits =
        vec![Edit::insert(name.range.start(), "static_cast<int>("), Edit::insert(call.range(cx.document).end(), ")")];
    let message = format!("`{}` is unsigned in HIP, and the expression may be negative", name.text);
    cx.report(name.range, message).fix(Fix::safe("cast it to `int`", edits));
}

/// `(int)__popc(x)`, `int(__popc(x))`, `static_cast<int>(__popc(x))`
fn is_cast(document: &Document, name: TokenIdx) -> bool {
    let word = |back: usize| name.checked_sub(back).map_or("", |idx| document.token_text(idx));
    word(1) == ")" && matches!(word(2), "int" | "float" | "double" | "int32_t")
        || word(1) == "("
            && (matches!(word(2), "int" | "float" | "double")
                || word(2) == ">" && matches!(word(3), "int" | "float" | "double"))
}

/// Whether a statement sets or declares an integer of 32 bits, which wraps to the same value.
fn makes_int(statement: &Range<TokenIdx>, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let first = statement.start + usize::from(document.token_text(statement.start) == "const");
    let is_int = |words: &[&str]| words.iter().all(|word| matches!(*word, "int" | "unsigned" | "int32_t" | "uint32_t"));
    if is_int(&[document.token_text(first)]) {
        return true;
    }
    let function = cx.facts.functions.around(first);
    let sets = document.is(first + 1, b'=') || document.is(first + 2, b'=');
    let kind = function.filter(|_| sets).and_then(|function| cx.variable_types().of_variable(function, first));
    kind.is_some_and(|words| is_int(&words))
}

/// Whether the result is stored, returned or handed on as it is.
fn stands_alone(document: &Document, call: &Call) -> bool {
    let before = call.name.checked_sub(1).map_or("", |idx| document.token_text(idx));
    let is_stored = matches!(before, "=" | "return" | "(" | "," | "{" | "[");
    let kind = call.name.checked_sub(3).map_or("", |idx| document.token_text(idx));
    is_stored && kind != "auto" && matches!(document.token_text(call.close + 1), ";" | "," | ")" | "]" | "}")
}

fn is_multiplied(document: &Document, call: &Call) -> bool {
    let follows = call.name.checked_sub(1).is_some_and(|idx| document.is(idx, b'*'));
    follows || document.is(call.close + 1, b'*')
}

fn subtracts(document: &Document, statement: &Range<TokenIdx>) -> bool {
    statement.clone().any(|idx| document.is(idx, b'-') && !document.is(idx + 1, b'-'))
}

fn sign_matters(document: &Document, statement: &Range<TokenIdx>) -> bool {
    statement.clone().any(|idx| {
        let next_is_same = document.token_text(idx + 1) == document.token_text(idx);
        let last_is_same = idx.checked_sub(1).is_some_and(|last| document.token_text(last) == document.token_text(idx));
        match document.token(idx).map(|token| token.kind) {
            Some(TokenKind::Punct(b'<' | b'>')) => !next_is_same && !last_is_same && !is_beside_number(document, idx),
            Some(TokenKind::Punct(b'/' | b'%')) => true,
            Some(TokenKind::Number) => is_floating(document.token_text(idx)),
            Some(TokenKind::Ident) => {
                matches!(document.token_text(idx), "float" | "double" | "half" | "__half" | "int64_t" | "auto")
                    || document.token_text(idx) == "long" && document.token_text(idx + 1) == "long"
            }
            _ => false,
        }
    })
}

/// Whether a comparison is with a number, which has no sign: `x > 1`, `x <= 3`, `2 < x`.
fn is_beside_number(document: &Document, comparison: TokenIdx) -> bool {
    let behind = comparison + 1 + usize::from(document.is(comparison + 1, b'='));
    let is_number =
        |idx: TokenIdx| document.kind(idx) == Some(TokenKind::Number) && !is_floating(document.token_text(idx));
    let ends = |idx: TokenIdx| matches!(document.token_text(idx), ")" | ";" | "&" | "|" | "?" | ",");
    is_number(behind) && ends(behind + 1) || comparison.checked_sub(1).is_some_and(is_number)
}

fn is_floating(number: &str) -> bool {
    !number.starts_with("0x") && (number.contains('.') || number.ends_with(['f', 'F']))
}
