//! Arithmetic with addresses of the driver's interface.

use std::ops::Range;

use crate::analysis::{Role, role};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Document, TokenIdx, TokenKind, is_keyword, words, words_in};

declare_rule! {
    /// ## What it does
    /// Finds sums, differences and other integer arithmetic with variables, members and elements of type `CUdeviceptr`, and
    /// integers that start with one, where the declaration is in the same file.
    ///
    /// ## Why is this bad?
    /// `CUdeviceptr` is an integer in CUDA, and `hipDeviceptr_t` is `void*`: arithmetic with it does
    /// not compile.
    ///
    /// ## Example
    /// ```cuda
    /// void clear(CUdeviceptr base) { cuMemsetD8(base + 256, 0, 64); }
    /// ```
    /// Use instead:
    /// ```hip
    /// void clear(hipDeviceptr_t base) { hipMemsetD8(static_cast<char*>(base) + 256, 0, 64); }
    /// ```
    ///
    /// ## Fix safety
    /// Safe, and offered for sums only: the result is a pointer to `char`, which counts bytes as the integer did, and converts to
    /// `hipDeviceptr_t`; where an integer is wanted, it does not compile.
    DevicePointerArithmetic { code: "A022", name: "device-pointer-arithmetic", severity: Error, fix: Sometimes, since: "0.1.0" }
}

impl Rule for DevicePointerArithmetic {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document: &Document = cx.document;
        let mut found: Vec<(Range<TokenIdx>, &str)> = Vec::new();
        for idx in words(document, "CUdeviceptr") {
            for address in addresses(document, idx) {
                found.extend(uses(&address, idx, cx));
            }
        }
        found.sort_by_key(|(used, _)| used.start);
        found.dedup_by_key(|(used, _)| used.start);
        for (used, operator) in found {
            report(cx, used, operator);
        }
    }
}

fn report(cx: &mut Context<'_>, used: Range<TokenIdx>, operator: &str) {
    let document = cx.document;
    let range = document.range_of(used);
    let name = document.slice(range);
    if operator == "=" {
        let finding = cx.report(range, format!("`{name}` is a `void*` in HIP, and no integer"));
        finding.note("cast it to `uintptr_t` for the number");
        return;
    }
    let finding = cx.report(range, format!("`{name}` is a `void*` in HIP, and `{operator}` is integer arithmetic"));
    if operator == "+" {
        let is_c = document.file().path.extension() == Some("c");
        let (before, after) = if is_c { ("(char*)", None) } else { ("static_cast<char*>(", Some(")")) };
        let mut edits = vec![Edit::insert(range.start(), before)];
        edits.extend(after.map(|after| Edit::insert(range.end(), after)));
        finding.severity(Severity::Hint).fix(Fix::safe("count in bytes", edits));
    } else {
        finding.note("cast it to `char*`, or to `uintptr_t` for the number");
    }
}

/// A variable, parameter or member.
struct Address<'d> {
    name: &'d str,
    /// Whether its elements are the addresses: `CUdeviceptr a[4]`, `CUdeviceptr* a`, `vector<CUdeviceptr> a`.
    has_elements: bool,
}

/// What the type at `idx` declares: `CUdeviceptr a, *b, c[4] = {};`
fn addresses(document: &Document, idx: TokenIdx) -> Vec<Address<'_>> {
    let is_element = document.is(idx + 1, b'>');
    let mut at = idx + 1 + usize::from(is_element);
    let mut found = Vec::new();
    loop {
        let mut has_elements = is_element;
        while document.is(at, b'*') || document.is(at, b'&') {
            has_elements |= document.is(at, b'*');
            at += 1;
        }
        let is_name = document.kind(at) == Some(TokenKind::Ident);
        let ends = matches!(document.token_text(at + 1), "," | ";" | "=" | ")" | "[" | "{");
        if !is_name || !ends {
            return found;
        }
        found.push(Address { name: document.token_text(at), has_elements: has_elements || document.is(at + 1, b'[') });
        let Some(comma) = next_declarator(document, at + 1) else { return found };
        at = comma + 1;
    }
}

/// The comma behind a declarator and its first value.
fn next_declarator(document: &Document, mut at: TokenIdx) -> Option<TokenIdx> {
    loop {
        match document.token_text(at) {
            "," => return Some(at),
            ";" | ")" | "}" | "" => return None,
            _ => at = document.partner(at).filter(|&close| close > at).unwrap_or(at) + 1,
        }
    }
}

/// Where arithmetic is done with an address that is declared at `declared`: in its function, or, of members and variables of
/// the file, wherever nothing else has the name.
fn uses<'d>(address: &Address<'d>, declared: TokenIdx, cx: &Context<'d>) -> Vec<(Range<TokenIdx>, &'d str)> {
    let document = cx.document;
    let mut functions = cx.facts.functions.iter();
    let function = functions.find(|function| function.head.start <= declared && declared < function.body.end);
    let scope = match function {
        Some(function) => function.body.clone(),
        None if is_declared_otherwise(address.name, document) => return Vec::new(),
        None => 0..document.tokens().len(),
    };
    let is_meant = |idx: &TokenIdx| match role(document, *idx) {
        Role::Free => true,
        Role::Member => function.is_none(),
        _ => false,
    };
    let places = words_in(document, address.name, scope).filter(is_meant);
    places.filter_map(|idx| arithmetic(document, address, idx)).collect()
}

/// Whether the file declares something else by a name: `float* base;`, `int base = 4`.
fn is_declared_otherwise(name: &str, document: &Document) -> bool {
    words(document, name).any(|idx| {
        let ends = matches!(document.token_text(idx + 1), "," | ";" | "=" | ")" | "[" | "{");
        let before = idx.checked_sub(1).map_or("", |before| document.token_text(before));
        let is_pointer = matches!(before, "*" | "&");
        let kind = idx.checked_sub(1 + usize::from(is_pointer));
        let is_type = |kind: TokenIdx| {
            let word = document.token_text(kind);
            document.kind(kind) == Some(TokenKind::Ident)
                && word != "CUdeviceptr"
                && (!is_keyword(word)
                    || ["int", "long", "char", "short", "float", "double", "unsigned", "void", "auto"].contains(&word))
        };
        ends && kind.is_some_and(is_type)
    })
}

/// The whole operand and the operator, if the use at `idx` is part of integer arithmetic, or starts an integer.
fn arithmetic<'d>(document: &'d Document, address: &Address<'_>, idx: TokenIdx) -> Option<(Range<TokenIdx>, &'d str)> {
    let last = match (address.has_elements, document.is(idx + 1, b'[')) {
        (true, true) => document.partner(idx + 1)?,
        (false, false) => idx,
        _ => return None,
    };
    let first = start_of_operand(document, idx);
    let before = first.checked_sub(1).map_or("", |before| document.token_text(before));
    if matches!(before, "&" | "*" | ")") {
        return None;
    }
    let used = first..last + 1;
    if let Some(operator) = operator_after(document, last) {
        return Some((used, operator));
    }
    let is_sum = before == "+" && first.checked_sub(2).is_some_and(|left| is_operand_end(document, left));
    let starts_integer = before == "=" && document.is(last + 1, b';') && declares_integer(document, first - 1);
    match (is_sum, starts_integer) {
        (true, _) => Some((used, "+")),
        (_, true) => Some((used, "=")),
        _ => None,
    }
}

/// `a` of `a->b.c`, for the place of `c`.
fn start_of_operand(document: &Document, idx: TokenIdx) -> TokenIdx {
    let mut first = idx;
    while let Some(object) = first.checked_sub(2)
        && matches!(document.token_text(first - 1), "." | "->")
        && document.kind(object) == Some(TokenKind::Ident)
    {
        first = object;
    }
    first
}

fn is_operand_end(document: &Document, idx: TokenIdx) -> bool {
    match document.kind(idx) {
        Some(TokenKind::Ident) => !is_keyword(document.token_text(idx)),
        Some(TokenKind::Number | TokenKind::Punct(b')' | b']')) => true,
        _ => false,
    }
}

/// Whether the `=` at `equals` gives the first value to an integer: `unsigned long long a =`, `size_t a =`.
fn declares_integer(document: &Document, equals: TokenIdx) -> bool {
    const INTEGERS: &[&str] =
        &["int", "long", "unsigned", "size_t", "uint64_t", "int64_t", "uintptr_t", "intptr_t", "uint32_t"];
    equals.checked_sub(2).is_some_and(|kind| INTEGERS.contains(&document.token_text(kind)))
}

fn operator_after(document: &Document, idx: TokenIdx) -> Option<&str> {
    let operator = document.token_text(idx + 1);
    let next = document.token_text(idx + 2);
    let touches = document.touches_next(idx + 1);
    let counts = matches!(operator, "+" | "-" | "%" | ">>");
    let is_shift = operator == ">" && next == ">" && touches;
    let is_mask = operator == "&"
        && !(touches && matches!(next, "&" | "="))
        && document.token(idx + 2)?.kind == TokenKind::Number;
    let found = counts || is_shift || is_mask;
    let updates = found && touches && (next == "=" || next == operator) && !is_shift;
    match (found, updates, operator) {
        (false, ..) => None,
        (_, true, "+") => Some("+="),
        (_, true, "-") => Some("-="),
        _ => Some(operator),
    }
}
