//! Arithmetic with addresses of the driver's interface.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::address_numbers::Integers;
use super::address_results::address_made;
use super::addresses_of_integers::made_of_integers;
use super::device_pointers::{AddressUse, TYPE, device_pointers};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, TextRange};
use crate::syntax::{Document, TokenIdx, TokenKind, is_keyword, words};

declare_rule! {
    /// ## What it does
    /// Finds sums, differences and other integer arithmetic with variables, members and elements of type `CUdeviceptr`, and
    /// integers that are made of one: as the first value, as what a function gives, and as the argument of a function of the file.
    /// Integers that are made of texture and surface objects and of handles of memory are found as well. The declaration is in the
    /// same file.
    ///
    /// ## Why is this bad?
    /// `CUdeviceptr` is an integer in CUDA, and `hipDeviceptr_t` is `void*`: arithmetic with it does
    /// not compile. `cudaTextureObject_t`, `cudaSurfaceObject_t` and `CUmemGenericAllocationHandle` are integers, too, and pointers
    /// in HIP.
    ///
    /// ## Example
    /// ```cuda
    /// void clear(CUdeviceptr base) { cuMemsetD8(base + 256, 0, 64); }
    /// bool is_aligned(CUdeviceptr base) { return base % 256 == 0; }
    /// ```
    /// Use instead:
    /// ```hip
    /// void clear(hipDeviceptr_t base) { hipMemsetD8(static_cast<char*>(base) + 256, 0, 64); }
    /// bool is_aligned(hipDeviceptr_t base) { return (unsigned long long)base % 256 == 0; }
    /// ```
    ///
    /// ## Fix safety
    /// Safe. A sum becomes a pointer to `char`, which counts bytes as the integer did, and converts to `hipDeviceptr_t`. Where the
    /// text shows that an integer is wanted, the address becomes `unsigned long long`, which `CUdeviceptr` is (CUDA Driver API,
    /// "Data types used by CUDA driver"), and what is computed with it an address again, where one is set, returned or handed to a
    /// function of the driver; where it does not, the result does not compile. There is no fix for other differences, nor where
    /// the name may be that of something else: a member of an object whose class the file does not tell, and a variable that the
    /// function declares twice.
    DevicePointerArithmetic { code: "A022", name: "device-pointer-arithmetic", severity: Error, fix: Sometimes, since: "0.1.0" }
}

impl Rule for DevicePointerArithmetic {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let addresses = device_pointers(cx);
        let mut integers = Integers::new(cx);
        let mut found = Vec::new();
        let mut made = FxHashSet::default();
        let mut computed = 0..0;
        for (number, used) in addresses.iter().enumerate() {
            let has_subtrahend =
                addresses.get(number + 1).is_some_and(|next| is_difference(cx.document, &used.tokens, &next.tokens));
            let Some(operator) = arithmetic(cx.document, &used.tokens, &mut integers) else { continue };
            // Nobody computes with what is no address.
            if used.kind != TYPE && operator != "=" {
                continue;
            }
            let is_number = has_subtrahend || is_number(cx.document, &used.tokens) || integers.start_with(&used.tokens);
            let result = address_made(cx, &used.tokens, &addresses);
            // Several addresses may be parts of one, which is computed with their numbers as soon as one of them is a number.
            let is_part = computed.contains(&used.tokens.start);
            let is_number = is_number || is_part || operator == "-" && result.is_some();
            let result = result.filter(|result| !is_part && made.insert(result.start));
            if let Some(result) = result.as_ref().filter(|_| is_number || matches!(operator, "%" | "&" | ">>")) {
                computed = result.clone();
            }
            let fix = fix(cx.document, &used.tokens, (operator, is_number), result, &addresses);
            let fix = fix.filter(|_| used.is_certain);
            found.push((used, operator, fix));
        }
        for (used, operator, fix) in found {
            report(cx, used, operator, fix);
        }
        for value in made_of_integers(&addresses, cx) {
            report_integers(value, cx);
        }
        let casts: Vec<_> = words(cx.document, TYPE).filter_map(|idx| inverted(cx.document, idx)).collect();
        for number in casts {
            let range = cx.document.range_of(number);
            let finding =
                cx.report(range, format!("`{}` is a pointer in HIP, which has no `~`", cx.document.slice(range)));
            finding.severity(Severity::Hint).fix(as_number(range, None));
        }
    }
}

/// Tells integers that become an address.
fn report_integers(value: Range<TokenIdx>, cx: &mut Context<'_>) {
    let range = cx.document.range_of(value.clone());
    let mut edits = vec![Edit::insert(range.start(), format!("({HIP_TYPE})"))];
    if value.len() > 1 {
        edits = vec![Edit::insert(range.start(), format!("({HIP_TYPE})(")), Edit::insert(range.end(), ")")];
    }
    let message = format!("`{HIP_TYPE}` is a pointer in HIP, which no integer becomes");
    cx.report(range, message).severity(Severity::Hint).fix(Fix::safe("make it an address", edits));
}

/// What is made an address whose bits are all turned: `(CUdeviceptr)255` of `~(CUdeviceptr)255`, `CUdeviceptr(n - 1)`, by its type.
fn inverted(document: &Document, kind: TokenIdx) -> Option<Range<TokenIdx>> {
    let before = kind.checked_sub(1)?;
    if document.is(before, b'~') {
        return document.partner(kind + 1).filter(|_| document.is(kind + 1, b'(')).map(|close| kind..close + 1);
    }
    let is_cast =
        document.is(before, b'(') && document.is(kind + 1, b')') && before > 0 && document.is(before - 1, b'~');
    let value = kind + 2;
    let last = match document.kind(value).filter(|_| is_cast)? {
        TokenKind::Number => value,
        TokenKind::Punct(b'(') => document.partner(value)?,
        TokenKind::Ident if !matches!(document.token_text(value + 1), "(" | "[" | "." | "->" | "::") => value,
        _ => return None,
    };
    Some(before..last + 1)
}

/// Whether the second of two addresses is taken from the first: `end - start`.
fn is_difference(document: &Document, one: &Range<TokenIdx>, other: &Range<TokenIdx>) -> bool {
    document.is(one.end, b'-') && one.end + 1 == other.start
}

/// Whether the text around shows that a number is meant: what is taken from something, a part of a larger expression of integers, and
/// what is written into a stream, where a pointer to `char` is a text.
fn is_number(document: &Document, used: &Range<TokenIdx>) -> bool {
    let mut start = used.start;
    loop {
        let before = |count: usize| start.checked_sub(count).map_or("", |idx| document.token_text(idx));
        if before(1) == "<" && before(2) == "<" {
            return true;
        }
        let Some(open) = group_around(document, start) else { break };
        let Some(close) = document.partner(open) else { break };
        let is_group =
            open.checked_sub(1).is_none_or(|before| !is_operand_end(document, before) && !document.is(before, b'>'));
        if !is_group {
            break;
        }
        let is_of_integer = matches!(document.token_text(close + 1), "%" | "/" | "*" | "&" | "|" | "^")
            || document.is(close + 1, b'>') && document.is(close + 2, b'>');
        if is_of_integer {
            return true;
        }
        start = open;
    }
    follows_operand(document, used, "-")
}

/// The parenthesis around a token, if it is near: sums in parentheses are short.
fn group_around(document: &Document, idx: TokenIdx) -> Option<TokenIdx> {
    const FAR: usize = 32;
    let mut at = idx;
    for _ in 0..FAR {
        at = at.checked_sub(1)?;
        match document.token_text(at) {
            "(" => return Some(at),
            ")" | "]" | "}" => at = document.partner(at)?,
            ";" | "{" | "[" | "," => return None,
            _ => {}
        }
    }
    None
}

/// Whether an operator stands between another operand and this one.
fn follows_operand(document: &Document, used: &Range<TokenIdx>, operator: &str) -> bool {
    let is_after = |left: TokenIdx| document.token_text(left + 1) == operator && is_operand_end(document, left);
    used.start.checked_sub(2).is_some_and(is_after)
}

/// What makes C++ of HIP of the operator, if the text shows what is meant. `result` is the expression around that becomes an address.
fn fix(
    document: &Document,
    used: &Range<TokenIdx>,
    (operator, is_number): (&str, bool),
    result: Option<Range<TokenIdx>>,
    addresses: &[AddressUse],
) -> Option<Fix> {
    let range = document.range_of(used.clone());
    let as_number = |range| as_number(range, result.map(|result| document.range_of(result)));
    match operator {
        _ if is_member_alone(document, used) => None,
        "+" | "-" if is_number => Some(as_number(range)),
        "+" => Some(Fix::safe("count in bytes", in_bytes(document, range))),
        "+=" | "-=" | "++" | "--" => {
            moved(document, used, operator, addresses).map(|edits| Fix::safe("count in bytes", edits))
        }
        "=" | "%" | "&" | ">>" => Some(as_number(range)),
        _ => None,
    }
}

fn report(cx: &mut Context<'_>, used: &AddressUse, operator: &str, fix: Option<Fix>) {
    let document = cx.document;
    let range = document.range_of(used.tokens.clone());
    let name = document.slice(range);
    let message = match operator {
        "=" if used.kind != TYPE => format!("`{name}` is a pointer in HIP, and no integer"),
        "=" => format!("`{name}` is a `void*` in HIP, and no integer"),
        _ => format!("`{name}` is a `void*` in HIP, and `{operator}` is integer arithmetic"),
    };
    let finding = cx.report(range, message);
    if let Some(fix) = fix {
        finding.severity(Severity::Hint).fix(fix);
    } else {
        finding.note("cast it to `char*`, or to `uintptr_t` for the number");
    }
}

/// Whether what an operand is a member of stands in front of it, so that nothing can be put there.
fn is_member_alone(document: &Document, used: &Range<TokenIdx>) -> bool {
    let before = used.start.checked_sub(1).map_or("", |before| document.token_text(before));
    matches!(before, "." | "->" | "::")
}

/// Makes the integer of an address that it is in CUDA, and an address again of what is computed with it.
fn as_number(address: TextRange, result: Option<TextRange>) -> Fix {
    const NUMBER: &str = "(unsigned long long)";
    let Some(result) = result else {
        return Fix::safe("take its number", vec![Edit::insert(address.start(), NUMBER)]);
    };
    let edits = if result.start() == address.start() {
        vec![Edit::insert(result.start(), format!("({HIP_TYPE})({NUMBER}"))]
    } else {
        vec![Edit::insert(result.start(), format!("({HIP_TYPE})(")), Edit::insert(address.start(), NUMBER)]
    };
    let end = Edit::insert(result.end(), ")");
    Fix::safe("compute with its number", edits.into_iter().chain([end]).collect())
}

/// What the type of an address is called in HIP.
const HIP_TYPE: &str = "hipDeviceptr_t";

/// Makes a pointer of an address that counts bytes.
fn in_bytes(document: &Document, address: TextRange) -> Vec<Edit> {
    let (before, after) = byte_pointer(document);
    let mut edits = vec![Edit::insert(address.start(), before)];
    edits.extend((!after.is_empty()).then(|| Edit::insert(address.end(), after)));
    edits
}

/// What stands around an address that counts bytes.
fn byte_pointer(document: &Document) -> (&'static str, &'static str) {
    let is_c = document.file().path.extension() == Some("c");
    if is_c { ("(char*)", "") } else { ("static_cast<char*>(", ")") }
}

/// `a += n;`, `a -= n;`, `a++;` and `++a;` as a sum, where it is a statement, and naming the address twice does nothing twice.
fn moved(document: &Document, used: &Range<TokenIdx>, operator: &str, addresses: &[AddressUse]) -> Option<Vec<Edit>> {
    let is_step = matches!(operator, "++" | "--");
    let is_prefix = is_step && operator_after(document, used.end - 1) != Some(operator);
    let start = used.start - if is_prefix { 2 } else { 0 };
    let value = used.end + if is_prefix { 0 } else { 2 };
    let before = start.checked_sub(1).map_or("", |before| document.token_text(before));
    let end = end_of_statement(document, value)?;
    let steps =
        |idx: TokenIdx| ["+", "-"].iter().any(|sign| [idx, idx + 1].iter().all(|&at| document.token_text(at) == *sign));
    let acts = |idx: TokenIdx| matches!(document.token_text(idx), "(" | "=") || steps(idx);
    let is_statement = matches!(before, ";" | "{" | "}" | "else")
        || start.checked_sub(1).is_some_and(|close| document.is(close, b')') && closes_condition(document, close));
    // What is added to an address is a number.
    let is_address = |idx: TokenIdx| addresses.binary_search_by_key(&idx, |address| address.tokens.start).is_ok();
    if !is_statement || (end == value) != is_step || used.clone().any(acts) || (value..end).any(is_address) {
        return None;
    }
    let (name, (front, back)) = (document.slice(document.range_of(used.clone())), byte_pointer(document));
    let sign = &operator[..1];
    if is_step {
        let whole = document.range_of(start..used.end + if is_prefix { 0 } else { 2 });
        return Some(vec![Edit::replace(whole, format!("{name} = {front}{name}{back} {sign} 1"))]);
    }
    let is_one = end == value + 1;
    let mut edits = vec![Edit::replace(document.range_of(used.end..value), format!("= {front}{name}{back} {sign}"))];
    let value = document.range_of(value..end);
    if !is_one {
        edits.extend([Edit::insert(value.start(), "("), Edit::insert(value.end(), ")")]);
    }
    Some(edits)
}

/// The `;` that ends a statement, where no list or bracket around ends before.
fn end_of_statement(document: &Document, start: TokenIdx) -> Option<TokenIdx> {
    let mut end = start;
    while !document.is(end, b';') {
        let is_list = matches!(document.token_text(end), "," | ")" | "]" | "}");
        document.token(end).filter(|_| !is_list)?;
        end = document.after_brackets(end);
    }
    Some(end)
}

/// The operator, if an operand is part of integer arithmetic, or becomes an integer.
fn arithmetic<'d>(document: &'d Document, used: &Range<TokenIdx>, integers: &mut Integers<'_, '_>) -> Option<&'d str> {
    let (first, last) = (used.start, used.end - 1);
    let before = first.checked_sub(1);
    let is_changed = match before.map_or("", |before| document.token_text(before)) {
        "&" | "*" => true,
        ")" => !before.is_some_and(|close| closes_condition(document, close)),
        _ => false,
    };
    if is_changed {
        return None;
    }
    if let Some(operator) = operator_after(document, last).or_else(|| step_before(document, first)) {
        return Some(operator);
    }
    ["+", "-"]
        .into_iter()
        .find(|operator| follows_operand(document, used, operator))
        .or_else(|| (integers.become_of(used) || is_added(document, used)).then_some("="))
}

/// Whether an operand is all that `+=` or its like takes: `n -= start;`
fn is_added(document: &Document, used: &Range<TokenIdx>) -> bool {
    let sign = used.start.checked_sub(2);
    let is_compound = |sign: TokenIdx| {
        let is_sign = matches!(document.token_text(sign), "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^");
        is_sign && document.touches_next(sign) && document.is(sign + 1, b'=') && document.is(used.end, b';')
    };
    sign.is_some_and(is_compound)
}

/// Whether a parenthesis closes what `if` and its like ask; a cast otherwise.
fn closes_condition(document: &Document, close: TokenIdx) -> bool {
    let keyword = document.partner(close).and_then(|open| open.checked_sub(1));
    keyword
        .is_some_and(|keyword| matches!(document.token_text(keyword), "if" | "while" | "for" | "switch" | "constexpr"))
}

fn is_operand_end(document: &Document, idx: TokenIdx) -> bool {
    match document.kind(idx) {
        Some(TokenKind::Ident) => !is_keyword(document.token_text(idx)),
        Some(TokenKind::Number | TokenKind::Punct(b')' | b']')) => true,
        _ => false,
    }
}

fn operator_after(document: &Document, idx: TokenIdx) -> Option<&str> {
    let operator = document.token_text(idx + 1);
    let next = document.token_text(idx + 2);
    let touches = document.touches_next(idx + 1);
    let counts = matches!(operator, "+" | "-" | "%" | ">>");
    let is_shift = operator == ">" && next == ">" && touches;
    let is_mask = operator == "&" && !(touches && matches!(next, "&" | "="));
    let found = counts || is_shift || is_mask;
    let updates = found && touches && (next == "=" || next == operator) && !is_shift;
    match (found, updates, operator) {
        (false, ..) => None,
        (_, true, "+") => Some(if next == "=" { "+=" } else { "++" }),
        (_, true, "-") => Some(if next == "=" { "-=" } else { "--" }),
        _ if is_shift => Some(">>"),
        _ => Some(operator),
    }
}

/// `++a`, `--a`
fn step_before(document: &Document, first: TokenIdx) -> Option<&'static str> {
    let signs = first.checked_sub(2)?;
    let is_operand = |before: TokenIdx| is_operand_end(document, before) && !closes_condition(document, before);
    let is_operand = signs.checked_sub(1).is_some_and(is_operand);
    let is_step = !is_operand && document.touches_next(signs);
    let operator = match (document.token_text(signs), document.token_text(signs + 1)) {
        ("+", "+") => "++",
        ("-", "-") => "--",
        _ => return None,
    };
    is_step.then_some(operator)
}
