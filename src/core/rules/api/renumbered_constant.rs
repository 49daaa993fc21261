//! Numbers that become constants of CUDA's, where HIP's constants have other numbers.

use std::ops::Range;

use super::renumbered_types::{FAR, Type, Typed, hip_name, type_of};
use super::renumbered_uses::{labels, report_declared, report_uses};
use crate::analysis::is_number_type;
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::mapping::{Kind, has_constant, has_other_numbers, renumbered};
use crate::rules::context::Context;
use crate::rules::meaning::{Meaning, name_at};
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Document, MacroDefinition, TokenIdx, TokenKind, is_keyword, statement_start};

declare_rule! {
    /// ## What it does
    /// Finds numbers that a cast makes constants of CUDA's, and literal ones that constants are compared with, as in a `switch`;
    /// constants that are used as an index, in arithmetic, as a truth value or in a bit field; and objects that start as 0:
    /// attributes of devices, operations and results of cuBLAS, generators of cuRAND, modes of cuSOLVER and others whose numbers
    /// differ in HIP.
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
    /// Safe: the constant that has the number in CUDA 13.0 is written in its place. There is no fix for what is no literal number, nor
    /// where something is computed with it.
    ///
    /// ## What to do
    /// Where the number is computed, read from a file or given by a caller, choose the constant by its name: with a `switch`, or a
    /// table of names. What comes from one of HIP's constants is right as it is.
    RenumberedConstant { code: "A037", name: "renumbered-constant", severity: Warning, fix: Sometimes, since: "0.2.0" }
}

impl Rule for RenumberedConstant {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let named: Vec<(TokenIdx, Type<'_>)> = cx.names.iter().filter_map(|name| type_of(&name, cx)).collect();
        if named.is_empty() {
            return;
        }
        let typed = Typed::of(&named, cx.document);
        let casts = named.iter().filter_map(|(name, kind)| Some((value_of(cx.document, *name)?, *kind)));
        let mut values: Vec<(Range<TokenIdx>, Type<'_>)> = casts.collect();
        values.extend(compared(&typed, cx));
        values.extend(labels(&typed, cx));
        for (value, kind) in values {
            match literal(value.clone(), cx) {
                Some(number) => report_number(value, number, kind, cx),
                None => report_value(value, kind, &typed, cx),
            }
        }
        if !cx.facts.is_hip {
            report_uses(&typed, cx);
            report_declared(&named, cx);
        }
    }
}

/// Literal numbers that are compared with what is declared with such a type: `operation == 1`.
fn compared<'d>(typed: &Typed<'d>, cx: &Context<'d>) -> Vec<(Range<TokenIdx>, Type<'d>)> {
    let document: &'d Document = cx.document;
    let is_comparison = |sign: TokenIdx| document.is(sign + 1, b'=') && matches!(document.token_text(sign), "=" | "!");
    let compared = |number: TokenIdx| {
        let sign = number.checked_sub(2).filter(|&sign| is_comparison(sign))?;
        let name = sign.checked_sub(1).filter(|&name| document.kind(name) == Some(TokenKind::Ident))?;
        let [kind] = typed.kinds.get(document.token_text(name))?[..] else { return None };
        typed.holds(name..name + 1, kind.to, cx).then_some((number..number + 1, kind))
    };
    let numbers = (0..document.tokens().len()).filter(|&idx| document.kind(idx) == Some(TokenKind::Number));
    numbers.filter_map(compared).collect()
}

fn report_number(value: Range<TokenIdx>, number: i64, kind: Type<'_>, cx: &mut Context<'_>) {
    let rocm = cx.settings.rocm;
    let mut constants = renumbered(kind.kind, number, rocm);
    let hip = constants.find_map(|constant| Some((constant, hip_name(constant, cx)?)));
    let range = cx.document.range_of(value.clone());
    match hip {
        Some((constant, hip)) => {
            let is_computed = is_computed_with(cx.document, &value);
            let finding = cx.report(range, format!("{number} is `{constant}` in CUDA, and another constant in HIP"));
            if !is_computed {
                let fix = Fix::safe("write its name", vec![Edit::replace(range, hip)]);
                finding.severity(Severity::Hint).fix(fix);
            }
        }
        None if has_other_numbers(kind.kind, rocm) && !has_constant(kind.kind, number) => {
            let message = format!("{number} is another constant in HIP, or none");
            cx.report(range, message).note("choose the constant by its name");
        }
        None => {}
    }
}

/// Whether something is computed with a constant, which other numbers give another result of: `(T)1 + i`.
fn is_computed_with(document: &Document, value: &Range<TokenIdx>) -> bool {
    let behind = value.end + usize::from(matches!(document.token_text(value.end), ")" | "}"));
    let is_double = document.token_text(behind) == document.token_text(behind + 1);
    match document.token_text(behind) {
        "+" | "-" | "*" | "/" | "%" | "^" => true,
        "<" | ">" => is_double,
        "|" | "&" => !is_double,
        _ => false,
    }
}

fn report_value(value: Range<TokenIdx>, kind: Type<'_>, typed: &Typed<'_>, cx: &mut Context<'_>) {
    if has_other_numbers(kind.kind, cx.settings.rocm) && !is_of_type(&value, kind.to, typed, cx) {
        let message = format!("the numbers of `{}` are not those of `{}`", kind.to, kind.cuda);
        cx.report(cx.document.range_of(value), message).note("choose the constant by its name");
    }
}

/// What is cast to the type at `kind`: `(T)value`, `static_cast<T>(value)`, `T(value)`, `T{value}`, and in C the number of
/// `T name = 1;`.
fn value_of(document: &Document, kind: TokenIdx) -> Option<Range<TokenIdx>> {
    let first = kind + 3;
    let is_set = document.kind(kind + 1) == Some(TokenKind::Ident) && document.is(kind + 2, b'=');
    if is_set && document.kind(first) == Some(TokenKind::Number) {
        return matches!(document.token_text(first + 1), ";" | ",").then_some(first..first + 1);
    }
    let in_front = kind.checked_sub(1)?;
    let is_elaborated = document.token_text(in_front) == "enum";
    let before = if is_elaborated { in_front.checked_sub(1)? } else { in_front };
    let behind = kind + 1;
    let inside = |open: TokenIdx| {
        let value = open + 1..document.partner(open)?;
        (!value.is_empty()).then_some(value)
    };
    if document.is(behind, b'(') || document.is(behind, b'{') {
        return if is_elaborated { None } else { inside(behind).filter(|value| is_made(document, before, value)) };
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

/// Whether `T(value)` behind the token `before` makes a value: no declarator, as in `T (*pointer)(int)`, and no type, as in
/// `std::function<T(int)>`, `using F = T(int)`.
fn is_made(document: &Document, before: TokenIdx, value: &Range<TokenIdx>) -> bool {
    let is_wanted = match document.token_text(before) {
        "=" => !matches!(document.token_text(statement_start(document, before)), "using" | "typedef"),
        "(" | "," | "return" | "?" | ":" | "{" => true,
        _ => false,
    };
    let declares = |idx: TokenIdx| {
        let text = document.token_text(idx);
        matches!(text, "const" | "void" | "int" | "unsigned" | "float" | "double" | "char" | "size_t" | ";")
    };
    let is_declarator = matches!(document.token_text(value.start), "*" | "&") || document.is(value.end + 1, b'(');
    is_wanted && !is_declarator && !value.clone().any(declares)
}

/// Whether a parenthesis holds the parameters or arguments of what stands before it.
fn is_call(document: &Document, open: TokenIdx) -> bool {
    let Some(before) = open.checked_sub(1) else { return false };
    let text = document.token_text(before);
    let is_name = document.kind(before) == Some(TokenKind::Ident) && !matches!(text, "return" | "case" | "else");
    // `(int)(T)value`
    let is_cast = || {
        let kind = document.partner(before).map(|open| document.slice(document.range_of(open + 1..before)));
        kind.is_some_and(is_number_type)
    };
    is_name || matches!(text, "]" | ">") || text == ")" && !is_cast()
}

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
fn literal(value: Range<TokenIdx>, cx: &Context<'_>) -> Option<i64> {
    let document: &Document = cx.document;
    let is_literal = |idx: TokenIdx| {
        document.kind(idx) == Some(TokenKind::Number) || matches!(document.token_text(idx), "-" | "(" | ")")
    };
    let numbers = value.clone().filter(|&idx| document.kind(idx) == Some(TokenKind::Number)).count();
    let is_one = numbers == 1 && value.clone().all(is_literal);
    is_one.then(|| cx.constants().value(document, value)).flatten()
}

/// Whether a value is one of CUDA's constants, something that is declared with a type which becomes the same one in HIP, or what a
/// macro is given.
fn is_of_type(value: &Range<TokenIdx>, to: &str, typed: &Typed<'_>, cx: &Context<'_>) -> bool {
    let document: &Document = cx.document;
    let names_constant = |idx: TokenIdx| {
        let name = if document.kind(idx) == Some(TokenKind::Ident) { name_at(idx, cx) } else { None };
        let (Meaning::Renamed(_, entry) | Meaning::Same(entry)) = name?.meaning else { return None };
        Some(entry).filter(|entry| matches!(entry.kind, Kind::Constant | Kind::Function))
    };
    let has_constant = value.clone().any(|idx| names_constant(idx).is_some());
    has_constant || is_given(document, value) || typed.holds(value.clone(), to, cx)
}

/// Whether a value is a parameter of the macro that it stands in: `#define CHECK(call) (T)(call)`.
fn is_given(document: &Document, value: &Range<TokenIdx>) -> bool {
    let define = document.directive_of(value.start).and_then(|directive| MacroDefinition::of(document, directive));
    let is_parameter = |idx: TokenIdx| {
        let mut parameters = define.iter().flat_map(|define| define.parameters.clone());
        parameters.any(|parameter| document.token_text(parameter) == document.token_text(idx))
    };
    value.clone().any(is_parameter)
}
