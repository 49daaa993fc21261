//! Numbers that become constants of CUDA's, where HIP's constants have other numbers.

use std::ops::Range;

use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::mapping::{Kind, Resolution, has_other_numbers, renumbered, renumbered_type};
use crate::rules::context::Context;
use crate::rules::meaning::{Meaning, name_at};
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Document, TokenIdx, TokenKind, is_keyword};

declare_rule! {
    /// ## What it does
    /// Finds numbers that a cast makes constants of CUDA's: attributes of devices, operations and results of cuBLAS, generators of
    /// cuRAND, modes of cuSOLVER and others whose numbers differ in HIP.
    ///
    /// ## Why is this bad?
    /// `cudaDevAttrMultiProcessorCount` is 16, and `hipDeviceAttributeMultiprocessorCount` is 63: the converted program compiles
    /// and asks for something else, or gets an error.
    ///
    /// ## Example
    /// ```cuda
    /// int processors(int device) {
    ///     int count;
    ///     cudaDeviceGetAttribute(&count, (cudaDeviceAttr)16, device);
    ///     return count;
    /// }
    /// ```
    /// Use instead:
    /// ```hip
    /// int processors(int device) {
    ///     int count;
    ///     hipDeviceGetAttribute(&count, (hipDeviceAttribute_t)hipDeviceAttributeMultiprocessorCount, device);
    ///     return count;
    /// }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: the constant that has the number in CUDA 13.0 is written in its place. There is no fix for what is no literal number.
    ///
    /// ## What to do
    /// Where the number is computed, read from a file or given by a caller, choose the constant by its name: with a `switch`, or a
    /// table of names. What comes from one of HIP's constants is right as it is.
    RenumberedConstant { code: "A037", name: "renumbered-constant", severity: Warning, fix: Sometimes, since: "0.2.0" }
}

impl Rule for RenumberedConstant {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        let Meaning::Renamed(to, _) = name.meaning else { return };
        let Some(kind) = renumbered_type(&name.text) else { return };
        let Some(value) = value_of_cast(cx.document, name.token) else { return };
        match literal(cx.document, value.clone()) {
            Some(number) => report_number(kind, number, value, cx),
            None if has_other_numbers(kind, cx.settings.rocm) && !is_of_type(value.clone(), to, cx) => {
                let message = format!("the numbers of `{to}` are not those of `{}`", name.text);
                cx.report(cx.document.range_of(value), message).note("choose the constant by its name");
            }
            None => {}
        }
    }
}

fn report_number(kind: &str, number: i64, value: Range<TokenIdx>, cx: &mut Context<'_>) {
    let rocm = cx.settings.rocm;
    let mut constants = renumbered(kind, number, rocm);
    let hip = constants.find_map(|constant| Some((constant, hip_name(constant, cx)?)));
    let range = cx.document.range_of(value);
    match hip {
        Some((constant, hip)) => {
            let fix = Fix::safe("write its name", vec![Edit::replace(range, hip)]);
            let finding = cx.report(range, format!("{number} is `{constant}` in CUDA, and another constant in HIP"));
            finding.severity(Severity::Hint).fix(fix);
        }
        None if has_other_numbers(kind, rocm) => {
            let message = format!("{number} is another constant in HIP, or none");
            cx.report(range, message).note("choose the constant by its name");
        }
        None => {}
    }
}

/// HIP's name of one of CUDA's.
fn hip_name<'d>(cuda: &str, cx: &Context<'d>) -> Option<&'d str> {
    match cx.resolve(cuda)? {
        Resolution::Name(hip, _) => Some(hip),
        _ => None,
    }
}

/// What is cast to the type at `kind`: `(T)value`, `static_cast<T>(value)`, `T(value)`, `T{value}`.
fn value_of_cast(document: &Document, kind: TokenIdx) -> Option<Range<TokenIdx>> {
    let in_front = kind.checked_sub(1)?;
    let is_elaborated = document.token_text(in_front) == "enum";
    let before = if is_elaborated { in_front.checked_sub(1)? } else { in_front };
    let behind = kind + 1;
    let inside = |open: TokenIdx| {
        let value = open + 1..document.partner(open)?;
        (!value.is_empty()).then_some(value)
    };
    if document.is(behind, b'(') || document.is(behind, b'{') {
        let is_declaration = is_elaborated || document.token_text(before) == "operator";
        return if is_declaration { None } else { inside(behind) };
    }
    if document.is(before, b'<') && document.is(behind, b'>') && document.is(behind + 1, b'(') {
        let is_cast = before.checked_sub(1).is_some_and(|name| document.token_text(name) == "static_cast");
        return if is_cast { inside(behind + 1) } else { None };
    }
    if !document.is(before, b'(') || !document.is(behind, b')') || is_call(document, before) {
        return None;
    }
    operand(document, behind + 1)
}

/// Whether a parenthesis holds the parameters or arguments of what stands before it.
fn is_call(document: &Document, open: TokenIdx) -> bool {
    let Some(before) = open.checked_sub(1) else { return false };
    let text = document.token_text(before);
    let is_name = document.kind(before) == Some(TokenKind::Ident) && !matches!(text, "return" | "case" | "else");
    is_name || matches!(text, ")" | "]" | ">")
}

/// Tokens of the type of a cast; what has more is something else.
const FAR: usize = 24;

/// The operand of a cast at `start`: a number, a name with members, elements and arguments, or what stands in parentheses.
fn operand(document: &Document, start: TokenIdx) -> Option<Range<TokenIdx>> {
    let first = start + usize::from(matches!(document.token_text(start), "-" | "*"));
    let mut end = match document.kind(first)? {
        TokenKind::Number => return Some(start..first + 1),
        TokenKind::Ident if !is_keyword(document.token_text(first)) || document.token_text(first) == "this" => {
            first + 1
        }
        TokenKind::Ident if document.token_text(first).ends_with("_cast") => {
            let open = (first..first + FAR).find(|&idx| document.is(idx, b'('))?;
            document.partner(open)? + 1
        }
        TokenKind::Punct(b'(') => document.partner(first)? + 1,
        _ => return None,
    };
    loop {
        end = match document.token_text(end) {
            "(" | "[" => document.partner(end)? + 1,
            "." | "->" | "::" => end + 2,
            _ => return Some(start..end),
        };
    }
}

/// The number that a literal tells, with its sign and in parentheses.
fn literal(document: &Document, tokens: Range<TokenIdx>) -> Option<i64> {
    let mut tokens = tokens;
    while document.is(tokens.start, b'(') && document.partner(tokens.start) == Some(tokens.end - 1) {
        tokens = tokens.start + 1..tokens.end - 1;
    }
    let is_negative = document.is(tokens.start, b'-');
    let number = tokens.start + usize::from(is_negative);
    if number + 1 != tokens.end || document.kind(number) != Some(TokenKind::Number) {
        return None;
    }
    let text = document.token_text(number).replace('\'', "").to_ascii_lowercase();
    let digits = text.trim_end_matches(['u', 'l']);
    let value = match digits.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    value.ok().map(|value| if is_negative { -value } else { value })
}

/// Whether a value is one of CUDA's constants, or a variable of a type that becomes the same one in HIP.
fn is_of_type(value: Range<TokenIdx>, to: &str, cx: &Context<'_>) -> bool {
    let names_constant = |idx: TokenIdx| {
        let name = if cx.document.kind(idx) == Some(TokenKind::Ident) { name_at(idx, cx) } else { None };
        let (Meaning::Renamed(_, entry) | Meaning::Same(entry)) = name?.meaning else { return None };
        Some(entry).filter(|entry| matches!(entry.kind, Kind::Constant | Kind::Function))
    };
    if value.clone().any(|idx| names_constant(idx).is_some()) {
        return true;
    }
    let function = cx.facts.functions.around(value.start);
    let kind = function.and_then(|function| cx.variable_types().of_argument(function, value));
    kind.is_some_and(|kind| kind == to || hip_name(&kind, cx) == Some(to))
}
