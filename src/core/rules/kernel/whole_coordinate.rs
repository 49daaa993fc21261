//! `threadIdx` and `blockIdx` used as a whole.

use super::coordinate_argument::COORDINATES;
use super::places::{steps, writes};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Document, TokenIdx, TokenKind, is_keyword};

declare_rule! {
    /// ## What it does
    /// Finds `threadIdx` and `blockIdx` where a value of type `uint3` is wanted: as the
    /// initialiser of a variable or reference, of `auto` that is changed and of a structured binding as well, an operand, an argument or a result. Their address and `decltype` are found as well, also those
    /// of `blockDim` and `gridDim`.
    ///
    /// ## Why is this bad?
    /// They are objects of types of their own in HIP, which convert to `dim3` but not to `uint3`,
    /// so the line does not compile. Nor does a pointer to one convert to `const uint3*`, and a variable of their type is
    /// no `uint3`.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void k(unsigned* out) { uint3 t = threadIdx; out[t.x] = t.y; }
    /// ```
    /// Use instead:
    /// ```hip
    /// __global__ void k(unsigned* out) { uint3 t = make_uint3(threadIdx.x, threadIdx.y, threadIdx.z); out[t.x] = t.y; }
    /// ```
    ///
    /// ## Fix safety
    /// Safe where the variable is a `uint3`; unsafe for arguments and results, whose type is not
    /// seen.
    WholeCoordinate { code: "K002", name: "whole-coordinate", severity: Hint, fix: Always, since: "0.1.0" }
}

/// What takes the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taker {
    Uint3,
    /// Names for the three members.
    Binding,
    Unseen,
}

impl Rule for WholeCoordinate {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        let coordinate = &*name.text;
        if COORDINATES.contains(&coordinate) && names_type(cx.document, name.token) {
            let is_address = cx.document.is(name.token - 1, b'&');
            let finding = cx.report(name.range, format!("`{coordinate}` has a type of its own in HIP"));
            finding.severity(if is_address { Severity::Warning } else { Severity::Info });
            finding.note("copy the members to a `uint3` or `dim3`, and take that");
            return;
        }
        if !matches!(coordinate, "threadIdx" | "blockIdx") {
            return;
        }
        let Some(taker) = taker(cx.document, name.token) else { return };
        let whole = match taker {
            // Vectors of HIP bind to several names from ROCm 7.0 on only.
            Taker::Binding => format!("dim3({coordinate})"),
            _ => format!("make_uint3({coordinate}.x, {coordinate}.y, {coordinate}.z)"),
        };
        let edits = vec![Edit::replace(name.range, whole)];
        let message = format!("`{coordinate}` does not convert to `uint3` in HIP");
        let title = "copy the three members";
        match taker {
            Taker::Uint3 | Taker::Binding => cx.report(name.range, message).fix(Fix::safe(title, edits)),
            Taker::Unseen => cx.report(name.range, message).severity(Severity::Warning).fix(Fix::risky(title, edits)),
        };
    }
}

/// `&threadIdx`, `decltype(threadIdx)`: the type of the object shows.
fn names_type(document: &Document, idx: TokenIdx) -> bool {
    let word = |back: usize| idx.checked_sub(back).map_or("", |at| document.token_text(at));
    let ends_value = matches!(document.token_text(idx + 1), ";" | ")" | "," | "}");
    let is_operand = matches!(word(2), "(" | "," | "=" | "return" | "{");
    ends_value && (word(1) == "&" && is_operand || word(1) == "(" && word(2) == "decltype")
}

fn taker(document: &Document, idx: TokenIdx) -> Option<Taker> {
    let ends_value =
        matches!(document.token(idx + 1).map(|token| token.kind), Some(TokenKind::Punct(b';' | b')' | b',' | b'}')));
    let before = idx.checked_sub(1)?;
    if is_operand(document, idx) {
        return Some(Taker::Unseen);
    }
    if !ends_value {
        return None;
    }
    match document.token_text(before) {
        "return" => Some(Taker::Unseen),
        "=" | "{" if is_changed_copy(document, before, idx) => Some(Taker::Uint3),
        "=" | "{" => type_of_variable(document, before),
        "(" | "," => match type_of_variable(document, before) {
            Some(taker) => Some(taker),
            None => (!is_harmless_call(document, idx)).then_some(Taker::Unseen),
        },
        _ => None,
    }
}

/// Whether an operator of the project takes it: `threadIdx + origin`, `origin == blockIdx`.
fn is_operand(document: &Document, idx: TokenIdx) -> bool {
    let is_operator = |at: TokenIdx| {
        matches!(document.token_text(at), "+" | "-" | "*" | "/" | "%" | "!")
            || document.is(at, b'=') && document.is(at + 1, b'=')
    };
    let is_behind = |sign: TokenIdx| {
        let is_comparison = document.is(sign, b'=') && matches!(document.token_text(sign - 1), "=" | "!");
        let first = sign - usize::from(is_comparison);
        let operand = first.checked_sub(1);
        let ends_operand = operand.is_some_and(|at| match document.kind(at) {
            // `dim3 *blockIdx`
            Some(TokenKind::Ident) => !document.is(first, b'*') && !is_keyword(document.token_text(at)),
            kind => matches!(kind, Some(TokenKind::Number | TokenKind::Punct(b')' | b']'))),
        });
        is_operator(first) && ends_operand && !document.is(idx + 1, b'.')
    };
    is_operator(idx + 1) || idx.checked_sub(1).filter(|sign| *sign > 1).is_some_and(is_behind)
}

/// `uint3 name`, `const uint3& name`, `auto name`, `auto [x, y, z]` before the token `idx`.
fn type_of_variable(document: &Document, idx: TokenIdx) -> Option<Taker> {
    let name = idx.checked_sub(1)?;
    if document.is(name, b']') {
        let kind = document.partner(name)?.checked_sub(1)?;
        let is_copied = document.token_text(kind) == "auto" && is_in_declaration(document, kind);
        return is_copied.then_some(Taker::Binding);
    }
    let is_name = document.token(name).is_some_and(|token| token.kind == TokenKind::Ident);
    let last = name.checked_sub(1)?;
    let kind = if document.is(last, b'&') { last.checked_sub(1)? } else { last };
    (is_name && document.token_text(kind) == "uint3").then_some(Taker::Uint3)
}

/// Whether all that a statement does is to copy a coordinate to a variable of the same type, whose members the block then changes, and
/// which it uses in no other way: HIP's coordinates take no value, and convert to `dim3`, which a `uint3` does not.
fn is_changed_copy(document: &Document, sign: TokenIdx, coordinate: TokenIdx) -> bool {
    let Some(name) = sign.checked_sub(1).filter(|name| document.kind(*name) == Some(TokenKind::Ident)) else {
        return false;
    };
    let is_copy = name > 0 && document.token_text(name - 1) == "auto" && is_in_declaration(document, name - 1);
    if !is_copy || !document.is(coordinate + 1, b';') {
        return false;
    }
    let (text, mut depth, mut changes) = (document.token_text(name), 0_usize, false);
    for idx in coordinate + 2..document.tokens().len() {
        match document.token_text(idx) {
            "{" => depth += 1,
            "}" if depth == 0 => break,
            "}" => depth -= 1,
            word if word == text && !document.is(idx + 1, b'.') => return false,
            word if word == text => changes |= writes(document, idx) || steps(document, idx),
            _ => {}
        }
    }
    changes
}

/// Whether a statement begins with `auto`, or with `const auto`.
fn is_in_declaration(document: &Document, auto: TokenIdx) -> bool {
    let before = |at: TokenIdx| at.checked_sub(1).map_or("", |before| document.token_text(before));
    let first = auto - usize::from(before(auto) == "const");
    matches!(before(first), "" | ";" | "{" | "}" | ")" | "(")
}

/// `dim3(threadIdx)`, `dim3 t(threadIdx)`, `sizeof(threadIdx)`, `decltype(threadIdx)`; and a cast
/// or parenthesis around nothing but the name.
fn is_harmless_call(document: &Document, idx: TokenIdx) -> bool {
    let Some(open) = enclosing_parenthesis(document, idx) else { return true };
    let word = |back: usize| open.checked_sub(back).map_or("", |at| document.token_text(at));
    let names_function = open
        .checked_sub(1)
        .and_then(|at| document.token(at))
        .is_some_and(|token| matches!(token.kind, TokenKind::Ident | TokenKind::Punct(b'>')));
    !names_function || matches!(word(1), "dim3" | "sizeof" | "decltype" | "if" | "while") || word(2) == "dim3"
}

/// The parenthesis around a place of a statement.
pub(super) fn enclosing_parenthesis(document: &Document, idx: TokenIdx) -> Option<TokenIdx> {
    let mut at = idx;
    while let Some(before) = at.checked_sub(1) {
        match document.token(before)?.kind {
            TokenKind::Punct(b'(') => return Some(before),
            TokenKind::Punct(b')' | b']' | b'}') => at = document.partner(before).filter(|&open| open < before)?,
            TokenKind::Punct(b';' | b'{') => return None,
            _ => at = before,
        }
    }
    None
}
