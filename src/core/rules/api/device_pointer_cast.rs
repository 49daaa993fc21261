//! `static_cast` between addresses of the driver's interface and integers.

use std::ops::Range;

use super::address_numbers::is_wide_integer;
use super::device_pointers::{TYPES, device_pointers};
use crate::diagnostic::{Fix, RuleInfo};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Document, TokenIdx, TokenKind, words};

declare_rule! {
    /// ## What it does
    /// Finds `static_cast` to `CUdeviceptr`, texture and surface objects and handles of memory, and to an integer of what is declared
    /// as one in the same file.
    ///
    /// ## Why is this bad?
    /// `CUdeviceptr` is an integer in CUDA, and `hipDeviceptr_t` is `void*`: `static_cast` makes no pointer of an integer, nor
    /// an integer of a pointer.
    ///
    /// ## Example
    /// ```cuda
    /// CUdeviceptr at(const void* p) { return static_cast<CUdeviceptr>(reinterpret_cast<uintptr_t>(p)); }
    /// ```
    /// Use instead:
    /// ```hip
    /// hipDeviceptr_t at(const void* p) { return (hipDeviceptr_t)(reinterpret_cast<uintptr_t>(p)); }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: a cast in brackets does what `static_cast` does where that is possible, and takes the bits otherwise, as the
    /// address had them.
    DevicePointerCast { code: "A036", name: "device-pointer-cast", severity: Hint, fix: Always, since: "0.2.0" }
}

impl Rule for DevicePointerCast {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let mut casts: Vec<Cast> = TYPES
            .iter()
            .flat_map(|kind| words(cx.document, kind))
            .filter_map(|idx| to_address(cx.document, idx))
            .collect();
        casts.extend(device_pointers(cx).into_iter().filter_map(|used| to_integer(cx.document, &used.tokens)));
        casts.sort_by_key(|cast| cast.name);
        for cast in casts {
            report(cx, &cast);
        }
    }
}

/// `static_cast<…>`, by its name and the bracket that ends the type.
struct Cast {
    name: TokenIdx,
    close: TokenIdx,
}

fn report(cx: &mut Context<'_>, cast: &Cast) {
    let document = cx.document;
    let place = |idx: TokenIdx| document.range_of(idx..idx + 1);
    let start = document.range_of(cast.name..cast.name + 2);
    let edits = vec![Edit::replace(start, "("), Edit::replace(place(cast.close), ")")];
    let message = "an address is a pointer in HIP, which `static_cast` makes no integer of, nor of an integer";
    cx.report(place(cast.name), message).fix(Fix::safe("cast in brackets", edits));
}

/// The cast to the type at `idx`.
fn to_address(document: &Document, idx: TokenIdx) -> Option<Cast> {
    let mut open = idx.checked_sub(1)?;
    while document.token_text(open) == "const" {
        open = open.checked_sub(1)?;
    }
    let cast = Cast { name: open.checked_sub(1)?, close: idx + 1 };
    is_cast(document, &cast, open).then_some(cast)
}

/// The cast of an operand to an integer.
fn to_integer(document: &Document, used: &Range<TokenIdx>) -> Option<Cast> {
    let bracket = used.start.checked_sub(1)?;
    let is_argument = document.is(bracket, b'(') && document.partner(bracket) == Some(used.end);
    let close = bracket.checked_sub(1).filter(|_| is_argument)?;
    let mut open = close;
    while matches!(document.kind(open.checked_sub(1)?), Some(TokenKind::Ident | TokenKind::PathSep)) {
        open -= 1;
    }
    let kind = document.slice(document.range_of(open..close));
    let cast = Cast { name: open.checked_sub(2)?, close };
    (is_wide_integer(kind) && is_cast(document, &cast, open - 1)).then_some(cast)
}

fn is_cast(document: &Document, cast: &Cast, open: TokenIdx) -> bool {
    document.token_text(cast.name) == "static_cast"
        && document.is(open, b'<')
        && document.is(cast.close, b'>')
        && document.is(cast.close + 1, b'(')
}
