//! Constants of CUDA's that are used as numbers, where HIP's constants have other ones.

use std::ops::Range;

use super::renumbered_types::{Type, Typed, hip_name};
use crate::diagnostic::{Fix, Severity};
use crate::mapping::{has_other_numbers, renumbered};
use crate::rules::context::Context;
use crate::source::Edit;
use crate::syntax::{Document, TokenIdx, TokenKind, path_start, start_of_postfix, words};

/// Tells what is used as a number or a truth value though it is one of the constants.
pub(super) fn report_uses(typed: &Typed<'_>, cx: &mut Context<'_>) {
    let document: &Document = cx.document;
    let mut found: Vec<(TokenIdx, Type<'_>, Use)> = Vec::new();
    for (&name, kinds) in &typed.kinds {
        let &[kind] = kinds.as_slice() else { continue };
        if typed.is_pointer(name) {
            continue;
        }
        let has_other = has_other_numbers(kind.kind, cx.settings.rocm);
        let is_told = |of: Use| match of {
            Use::Number => has_other,
            Use::Truth => zero(kind, cx).is_some(),
        };
        let uses = words(document, name).filter_map(|idx| Some((idx, kind, Use::of(document, idx)?)));
        found.extend(uses.filter(|&(idx, _, of)| is_told(of) && typed.holds(idx..idx + 1, kind.to, cx)));
    }
    found.sort_unstable_by_key(|found| found.0);
    for (idx, kind, of) in found {
        let message = match of {
            Use::Number => format!("the numbers of `{}` are not those of `{}`", kind.to, kind.cuda),
            Use::Truth => {
                format!("0 is a constant of `{}` and none of `{}`, so that this is always true", kind.cuda, kind.to)
            }
        };
        cx.report(document.range_of(idx..idx + 1), message).note("compare with the constant by its name");
    }
}

/// What a constant is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    /// `names[o]`, `o + 1`
    Number,
    /// `if (o)`, `!o`, `o ? a : b`
    Truth,
}

impl Use {
    /// How the name at a token is used; `None` where it is compared, handed on or declared.
    fn of(document: &Document, name: TokenIdx) -> Option<Use> {
        let start = start_of_postfix(document, name)?;
        let before = start.checked_sub(1)?;
        let behind = match document.token_text(name + 1) {
            "[" | "(" => document.partner(name + 1)? + 1,
            _ => name + 1,
        };
        let text = |idx: TokenIdx| document.token_text(idx);
        let is_double = |idx: TokenIdx| text(idx) == text(idx + 1) && document.touches_next(idx);
        let is_operand = |idx: TokenIdx| {
            matches!(text(idx), ")" | "]") || matches!(document.kind(idx), Some(TokenKind::Ident | TokenKind::Number))
        };
        let front = before.checked_sub(1);
        let sign = front.map_or("", text);
        let front = front.filter(|&front| is_operand(front) && text(front) != "return");
        // A cast, `*` or a comparison in front makes something else of the value.
        let is_whole = match text(before) {
            "=" => !matches!(sign, "=" | "!" | "<" | ">"),
            "&" | "|" => sign == text(before),
            sign => matches!(sign, "(" | "," | "return" | "{" | "}" | ";" | "?" | ":"),
        };
        let ends = matches!(text(behind), ")" | ";" | "," | "?" | ":")
            || matches!(text(behind), "&" | "|") && is_double(behind);
        let is_asked = match text(before) {
            "!" => ends,
            "(" => front.is_some_and(|front| matches!(text(front), "if" | "while")) && text(behind) == ")",
            "&" | "|" => sign == text(before) && ends,
            _ => false,
        };
        let is_first = text(behind) == "?" || ends && matches!(text(behind), "&" | "|");
        if is_asked || is_first && is_whole {
            return Some(Use::Truth);
        }
        let is_index = text(before) == "[" && text(behind) == "]" && front.is_some_and(|name| !is_map(document, name));
        let is_left = match text(behind) {
            "*" | "/" | "%" | "^" => true,
            "+" | "-" | "|" | "&" => !is_double(behind),
            // No part of what is written to a stream.
            "<" => is_double(behind) && text(before) != "<",
            _ => false,
        };
        let is_right = match text(before) {
            "+" | "-" | "/" | "%" | "^" | "|" => front.is_some(),
            // A name in front may be the type of a pointer.
            "*" => front.is_some_and(|front| document.kind(front) != Some(TokenKind::Ident)),
            _ => false,
        };
        (is_index || is_left || is_right).then_some(Use::Number)
    }
}

/// Whether what a name is declared as finds things by their keys: `std::map<Key, T> name;`
fn is_map(document: &Document, name: TokenIdx) -> bool {
    const FAR: usize = 24;
    const MOST: usize = 64;
    let declares = |idx: TokenIdx| {
        let is_behind = idx.checked_sub(1).is_some_and(|before| matches!(document.token_text(before), ">" | "&"));
        let names_map = |at: TokenIdx| document.token_text(at).ends_with("map");
        is_behind && (idx.saturating_sub(FAR)..idx).any(names_map)
    };
    words(document, document.token_text(name)).take(MOST).any(declares)
}

/// The constant that is 0 in CUDA, if it is another number in HIP.
fn zero(kind: Type<'_>, cx: &Context<'_>) -> Option<&'static str> {
    renumbered(kind.kind, 0, cx.settings.rocm).next()
}

/// The numbers of `case` for what is declared with such a type.
pub(super) fn labels<'d>(typed: &Typed<'d>, cx: &Context<'d>) -> Vec<(Range<TokenIdx>, Type<'d>)> {
    let document: &Document = cx.document;
    let mut found = Vec::new();
    for switch in words(document, "switch") {
        let open = switch + 1;
        let Some(close) = document.partner(open).filter(|&close| document.is(close + 1, b'{')) else { continue };
        let Some(name) = close.checked_sub(1).filter(|&name| name > switch + 1 || open + 1 == name) else { continue };
        let Some(&[kind]) = typed.kinds.get(document.token_text(name)).map(Vec::as_slice) else { continue };
        if start_of_postfix(document, name) == Some(open + 1) && typed.holds(name..name + 1, kind.to, cx) {
            found.extend(numbers_of(document, close + 1).into_iter().map(|number| (number..number + 1, kind)));
        }
    }
    found
}

/// The numbers behind the `case`s of a block, without those of blocks of other `switch`es.
fn numbers_of(document: &Document, open: TokenIdx) -> Vec<TokenIdx> {
    let mut found = Vec::new();
    let (mut idx, end) = (open + 1, document.partner(open).unwrap_or(open));
    while idx < end {
        match document.token_text(idx) {
            "switch" => {
                let block = document.partner(idx + 1).map(|close| close + 1).filter(|&block| document.is(block, b'{'));
                idx = block.and_then(|block| document.partner(block)).unwrap_or(idx);
            }
            "case" if document.kind(idx + 1) == Some(TokenKind::Number) && document.is(idx + 2, b':') => {
                found.push(idx + 1);
            }
            _ => {}
        }
        idx += 1;
    }
    found
}

/// Tells objects that start as 0, and bit fields, which may be too narrow: `T name{}`, `T name : 2`.
pub(super) fn report_declared(types: &[(TokenIdx, Type<'_>)], cx: &mut Context<'_>) {
    let document: &Document = cx.document;
    for &(name, kind) in types {
        let is_named = document.kind(name + 1) == Some(TokenKind::Ident);
        // What a class derives from, and what a function gives, stand before braces, too.
        let before = path_start(document, name).checked_sub(1).map_or("", |before| document.token_text(before));
        if !is_named && !matches!(before, "=" | "return" | "(" | "?") {
            continue;
        }
        let is_field = is_named && document.is(name + 2, b':') && document.kind(name + 3) == Some(TokenKind::Number);
        // HIP's numbers stay below 256.
        let is_narrow = || document.token_text(name + 3).parse().is_ok_and(|bits: u32| bits < 8);
        if is_field && is_narrow() && has_other_numbers(kind.kind, cx.settings.rocm) {
            let message =
                format!("the numbers of `{}` are not those of `{}`, and may need more bits", kind.to, kind.cuda);
            cx.report(document.range_of(name + 3..name + 4), message).note("give the field a whole `int`");
            continue;
        }
        let open = match is_named {
            true if document.is(name + 2, b'=') => name + 3,
            true => name + 2,
            false => name + 1,
        };
        let is_empty = document.is(open, b'{') && document.partner(open) == Some(open + 1);
        let hip = || zero(kind, cx).and_then(|constant| Some((constant, hip_name(constant, cx)?)));
        if let Some((constant, hip)) = Some(()).filter(|()| is_empty).and_then(|()| hip()) {
            let range = document.range_of(open..open + 2);
            let message = format!("this is 0, which is `{constant}` in CUDA, and another constant or none in HIP");
            let fix = Fix::safe("write its name", vec![Edit::replace(range, format!("{{{hip}}}"))]);
            cx.report(range, message).severity(Severity::Hint).fix(fix);
        }
    }
}
