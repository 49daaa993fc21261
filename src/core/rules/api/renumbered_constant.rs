//! Numbers that become constants of CUDA's, where HIP's constants have other numbers.

use std::ops::Range;

use rustc_hash::FxHashSet;

use crate::analysis::is_number_type;
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::mapping::{Kind, Resolution, has_other_numbers, renumbered, renumbered_type};
use crate::rules::context::Context;
use crate::rules::meaning::{Meaning, name_at};
use crate::rules::query::{Files, Name, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Document, MacroDefinition, TokenIdx, TokenKind, is_keyword, statement_start, words};

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
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let mut casts = Vec::new();
        for name in cx.names.iter() {
            let Meaning::Renamed(to, _) = name.meaning else { continue };
            let Some(kind) = renumbered_type(&name.text) else { continue };
            let Some(value) = value_of_cast(cx.document, name.token) else { continue };
            casts.push(Cast { kind, cuda: cx.document.token_text(name.token), to, value });
        }
        if casts.is_empty() {
            return;
        }
        let typed = Typed::of(cx);
        for cast in casts {
            match literal(cx.document, cast.value.clone()) {
                Some(number) => report_number(&cast, number, cx),
                None => report_value(&cast, &typed, cx),
            }
        }
    }
}

/// A value that becomes a constant.
struct Cast<'d> {
    /// The type, as the table of numbers calls it.
    kind: &'static str,
    /// The type as it is written, and HIP's.
    cuda: &'d str,
    to: &'d str,
    value: Range<TokenIdx>,
}

fn report_number(cast: &Cast<'_>, number: i64, cx: &mut Context<'_>) {
    let rocm = cx.settings.rocm;
    let mut constants = renumbered(cast.kind, number, rocm);
    let hip = constants.find_map(|constant| Some((constant, hip_name(constant, cx)?)));
    let range = cx.document.range_of(cast.value.clone());
    match hip {
        Some((constant, hip)) => {
            let is_computed = is_computed_with(cx.document, &cast.value);
            let finding = cx.report(range, format!("{number} is `{constant}` in CUDA, and another constant in HIP"));
            if !is_computed {
                let fix = Fix::safe("write its name", vec![Edit::replace(range, hip)]);
                finding.severity(Severity::Hint).fix(fix);
            }
        }
        None if has_other_numbers(cast.kind, rocm) => {
            let message = format!("{number} is another constant in HIP, or none");
            cx.report(range, message).note("choose the constant by its name");
        }
        None => {}
    }
}

/// Whether something is computed with a constant, which other numbers give another result of: `(T)1 + i`.
fn is_computed_with(document: &Document, value: &Range<TokenIdx>) -> bool {
    let behind = value.end + usize::from(matches!(document.token_text(value.end), ")" | "}"));
    matches!(document.token_text(behind), "+" | "-" | "*" | "/" | "%" | "|" | "^")
        || matches!(document.token_text(behind), "<" | ">" | "&")
            && document.token_text(behind) == document.token_text(behind + 1)
}

fn report_value(cast: &Cast<'_>, typed: &Typed<'_>, cx: &mut Context<'_>) {
    if has_other_numbers(cast.kind, cx.settings.rocm) && !is_of_type(cast, typed, cx) {
        let message = format!("the numbers of `{}` are not those of `{}`", cast.to, cast.cuda);
        cx.report(cx.document.range_of(cast.value.clone()), message).note("choose the constant by its name");
    }
}

/// The names that the file declares with types that have other numbers in HIP, or functions that give one, with HIP's type.
struct Typed<'d>(FxHashSet<(&'d str, &'d str)>);

impl<'d> Typed<'d> {
    fn of(cx: &Context<'d>) -> Typed<'d> {
        let document: &'d Document = cx.document;
        let is_between = |idx: TokenIdx| matches!(document.token_text(idx), "*" | "&" | ">" | "const" | "&&");
        let declared = |name: Name<'d>| {
            let Meaning::Renamed(to, _) = name.meaning else { return None };
            renumbered_type(&name.text)?;
            let next = (name.token + 1..name.token + FAR).find(|&idx| !is_between(idx))?;
            // `T Class::function(…)`
            let last = (next..next + FAR)
                .take_while(|&at| !matches!(document.token_text(at), "(" | ";" | "," | "=" | ")" | "{" | "["));
            let last = last.last()?;
            (document.kind(last) == Some(TokenKind::Ident)).then(|| (to, document.token_text(last)))
        };
        Typed(cx.names.iter().filter_map(declared).collect())
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
    let (digits, radix) = match digits.strip_prefix('0').filter(|rest| !rest.is_empty()) {
        Some(rest) if rest.starts_with('x') => (&rest[1..], 16),
        Some(rest) if rest.starts_with('b') => (&rest[1..], 2),
        Some(rest) => (rest, 8),
        None => (digits, 10),
    };
    let value = i64::from_str_radix(digits, radix);
    value.ok().map(|value| if is_negative { -value } else { value })
}

/// Whether a value is one of CUDA's constants, something that is declared with a type which becomes the same one in HIP, or what a
/// macro is given.
fn is_of_type(cast: &Cast<'_>, typed: &Typed<'_>, cx: &Context<'_>) -> bool {
    let document: &Document = cx.document;
    let names_constant = |idx: TokenIdx| {
        let name = if document.kind(idx) == Some(TokenKind::Ident) { name_at(idx, cx) } else { None };
        let (Meaning::Renamed(_, entry) | Meaning::Same(entry)) = name?.meaning else { return None };
        Some(entry).filter(|entry| matches!(entry.kind, Kind::Constant | Kind::Function))
    };
    if cast.value.clone().any(|idx| names_constant(idx).is_some()) || is_given(document, &cast.value) {
        return true;
    }
    let function = cx.facts.functions.around(cast.value.start);
    let kind = function.and_then(|function| cx.variable_types().of_argument(function, cast.value.clone()));
    match kind {
        Some(kind) => kind == cast.to || hip_name(&kind, cx) == Some(cast.to),
        None => cast.value.clone().any(|idx| {
            let name = document.token_text(idx);
            typed.0.contains(&(cast.to, name)) && !is_number_elsewhere(document, name)
        }),
    }
}

/// Whether the file declares a name as a number, too, so that it may be that one.
fn is_number_elsewhere(document: &Document, name: &str) -> bool {
    const MOST: usize = 256;
    let is_number = |idx: TokenIdx| idx.checked_sub(1).is_some_and(|kind| is_number_type(document.token_text(kind)));
    words(document, name).take(MOST).any(is_number)
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
