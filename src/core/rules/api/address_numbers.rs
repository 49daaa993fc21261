//! Where an integer is made of an address of the driver's interface.

use std::iter::successors;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::device_pointers::TYPE;
use crate::analysis::Function;
use crate::rules::context::Context;
use crate::syntax::{Call, Document, TokenIdx, TokenKind, opening, split_arguments, start_of_postfix, words};

/// Integers that hold an address as a whole.
const WIDE: &[&str] = &[
    "size_t",
    "std::size_t",
    "uintptr_t",
    "std::uintptr_t",
    "intptr_t",
    "std::intptr_t",
    "uint64_t",
    "std::uint64_t",
    "unsigned long long",
    "unsigned long long int",
    "unsigned long",
    "long long",
    "long",
];

/// Whether a type is an integer that holds an address as a whole.
pub(super) fn is_wide_integer(kind: &str) -> bool {
    WIDE.contains(&kind)
}

/// Tells where integers are made of operands.
pub(super) struct Integers<'c, 'd> {
    cx: &'c Context<'d>,
    /// Which parameters are integers, by the functions of the file.
    parameters: FxHashMap<&'d str, Vec<bool>>,
}

impl<'c, 'd> Integers<'c, 'd> {
    pub(super) fn new(cx: &'c Context<'d>) -> Integers<'c, 'd> {
        Integers { cx, parameters: FxHashMap::default() }
    }

    /// Whether an operand as a whole becomes an integer: `size_t a = p;`, `return p;` where the function gives one, `f(p)` where a
    /// function of the file takes one.
    pub(super) fn become_of(&mut self, used: &Range<TokenIdx>) -> bool {
        let document = self.cx.document;
        let before = used.start.checked_sub(1).map_or("", |before| document.token_text(before));
        match before {
            "=" | "return" => document.is(used.end, b';') && self.start_with(used),
            "?" | ":" => self.is_chosen(used),
            "(" | "," => self.are_filled_by(used),
            _ => false,
        }
    }

    /// Whether an operand is one of two that an integer is chosen from: `size_t a = is_set ? p : 0;`.
    fn is_chosen(&self, used: &Range<TokenIdx>) -> bool {
        let document = self.cx.document;
        let ends = |idx: TokenIdx| matches!(document.token_text(idx), ";" | "{" | "}" | "(" | "[" | ",");
        let before = |idx: &TokenIdx| ends(*idx) || document.is(*idx, b'=') || document.token_text(*idx) == "return";
        let start = (used.start.saturating_sub(FAR)..used.start).rev().find(before);
        let is_arm = matches!(document.token_text(used.end), ":" | ";");
        is_arm && start.is_some_and(|start| !ends(start) && self.start_with(&(start + 1..used.end)))
    }

    /// Whether an operand is the first one of an integer, or the second: `size_t a = p …`, `size_t a = n + p`, `return p …` where the
    /// function gives one.
    pub(super) fn start_with(&self, used: &Range<TokenIdx>) -> bool {
        let (cx, document) = (self.cx, self.cx.document);
        let Some(before) = used.start.checked_sub(1) else { return false };
        match document.token_text(before) {
            "=" => declares_integer(document, before),
            "return" => cx.facts.functions.around(before).is_some_and(|function| gives_integer(cx, function, before)),
            "+" => before.checked_sub(1).is_some_and(|last| {
                let is_number = document.kind(last) == Some(TokenKind::Number);
                let first = if is_number { Some(last) } else { start_of_postfix(document, last) };
                let starts = |first: TokenIdx| !document.is(first - 1, b'+') && self.start_with(&(first..last + 1));
                first.is_some_and(|first| first > 0 && starts(first))
            }),
            _ => false,
        }
    }

    /// Whether an operand is the argument of a function of the file, the only one of its name, for an integer.
    fn are_filled_by(&mut self, used: &Range<TokenIdx>) -> bool {
        let document = self.cx.document;
        let Some(call) = call_around(document, used.start) else { return false };
        let is_it = |argument: &Range<TokenIdx>| argument == used;
        let arguments = split_arguments(document, call.open + 1..call.close);
        let Some(number) = arguments.iter().position(is_it) else { return false };
        let (cx, name) = (self.cx, document.token_text(call.name));
        let parameters = self.parameters.entry(name).or_insert_with(|| integers_of(cx, name).unwrap_or_default());
        parameters.get(number).is_some_and(|is_integer| *is_integer)
    }
}

/// Which parameters of the function of a name are integers, if the file has one, and none that takes an address: CUDA calls that one,
/// which the address as a number does not reach.
fn integers_of(cx: &Context<'_>, name: &str) -> Option<Vec<bool>> {
    let document = cx.document;
    let is_called = |function: &&Function| function.name.is_some_and(|own| document.token_text(own) == name);
    let mut called = cx.facts.functions.iter().filter(is_called);
    let function = called.next().filter(|_| called.next().is_none())?;
    let takes_address = |call: Call| (call.open..call.close).any(|idx| document.token_text(idx) == TYPE);
    if words(document, name).filter_map(|idx| Call::at(document, idx)).any(takes_address) {
        return None;
    }
    let open = function.name? + 1;
    let close = document.partner(open).filter(|_| document.is(open, b'('))?;
    let parameters = split_arguments(document, open + 1..close);
    Some(parameters.iter().map(|parameter| is_wide_parameter(document, parameter)).collect())
}

/// Whether the `=` at `equals` gives the first value to an integer: `unsigned long long a =`, `size_t a =`.
fn declares_integer(document: &Document, equals: TokenIdx) -> bool {
    const INTEGERS: &[&str] =
        &["int", "long", "unsigned", "size_t", "uint64_t", "int64_t", "uintptr_t", "intptr_t", "uint32_t"];
    equals.checked_sub(2).is_some_and(|kind| INTEGERS.contains(&document.token_text(kind)))
}

/// Whether what a function gives at `idx` is an integer; in a lambda within it, that cannot be told.
fn gives_integer(cx: &Context<'_>, function: &Function, idx: TokenIdx) -> bool {
    let document = cx.document;
    let Some(name) = function.name else { return false };
    let result = document.slice(document.range_of(function.head.start..name));
    let is_result = |kind: &&str| {
        result.strip_suffix(*kind).is_some_and(|front| !front.ends_with(|c: char| c.is_alphanumeric() || c == ':'))
    };
    WIDE.iter().any(is_result) && !is_in_lambda(cx, function, idx)
}

/// Blocks within each other that are looked through for a lambda.
const MOST_BLOCKS: usize = 64;

/// Whether a lambda within a function holds `idx`.
pub(super) fn is_in_lambda(cx: &Context<'_>, function: &Function, idx: TokenIdx) -> bool {
    let document = cx.document;
    let blocks = cx.facts.blocks(document);
    let around = successors(blocks.around(idx), |open| blocks.around(*open));
    let mut within = around.take_while(|&open| open > function.body.start);
    // What is nested deeper than anybody writes is taken for one.
    within.by_ref().take(MOST_BLOCKS).any(|open| opens_lambda(document, open)) || within.next().is_some()
}

/// Whether a brace opens the body of a lambda: `[&] {`, `[](int a) mutable {`, `[] -> size_t {`.
fn opens_lambda(document: &Document, brace: TokenIdx) -> bool {
    for idx in (brace.saturating_sub(FAR)..brace).rev() {
        match document.kind(idx) {
            Some(TokenKind::Punct(b']')) => return true,
            Some(TokenKind::Punct(b')')) => {
                return document.partner(idx).is_some_and(|open| open > 0 && document.is(open - 1, b']'));
            }
            Some(TokenKind::Punct(b';' | b'{' | b'}')) => return false,
            _ => {}
        }
    }
    false
}

/// `f(…)`, `f<T>(…)`, but no member of an object.
fn call_around(document: &Document, idx: TokenIdx) -> Option<Call> {
    let open = opening(document, idx)?;
    let is_name = |idx: &TokenIdx| document.kind(*idx) == Some(TokenKind::Ident);
    let names = (open.saturating_sub(FAR)..open).rev().filter(is_name);
    let call = names.filter_map(|name| Call::at(document, name)).find(|call| call.open == open)?;
    let before = call.name.checked_sub(1).map_or("", |before| document.token_text(before));
    (!matches!(before, "." | "->" | "::")).then_some(call)
}

/// Tokens between the name of a function and its arguments, which are those for its template, and between the parameters and the body of
/// a lambda.
const FAR: usize = 24;

/// `uint64_t p`, `const std::size_t n = 0`
fn is_wide_parameter(document: &Document, tokens: &Range<TokenIdx>) -> bool {
    let end = tokens.clone().find(|&idx| document.is(idx, b'=')).unwrap_or(tokens.end);
    let start = tokens.start + usize::from(document.token_text(tokens.start) == "const");
    let is_type = |end: TokenIdx| start < end && is_wide_integer(document.slice(document.range_of(start..end)));
    is_type(end) || is_type(end.saturating_sub(1))
}
