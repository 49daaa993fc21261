//! Where the members of a structure stand, as far as its text tells (Itanium C++ ABI, section 2 "Data Layout").

use std::ops::Range;

use crate::mapping::vector_size;
use crate::rules::context::Context;
use crate::syntax::{Document, TokenIdx, TokenKind, split_arguments};

/// A structure or union.
pub(super) struct Aggregate<'a> {
    /// What stands in its braces.
    pub(super) body: Range<TokenIdx>,
    /// Vectors of 32 bytes.
    pub(super) wide: &'a [&'a str],
    /// The bytes that these are aligned to.
    pub(super) alignment: u64,
}

/// The layout of a structure or union, in bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Layout {
    offsets: Vec<u64>,
    pub(super) size: u64,
}

/// Bytes and alignment of a type.
#[derive(Debug, Clone, Copy)]
struct Extent {
    size: u64,
    alignment: u64,
}

/// Tokens between the keyword of a class and its brace.
const FAR: usize = 16;

impl Layout {
    /// `None` where a type is not one of C++'s numbers, a pointer or a vector, and where something else is in the way.
    pub(super) fn of(aggregate: &Aggregate<'_>, cx: &Context<'_>) -> Option<Layout> {
        let document = cx.document;
        let open = aggregate.body.start - 1;
        let is_class = |idx: &TokenIdx| matches!(document.token_text(*idx), "struct" | "class" | "union");
        let keyword = (open.saturating_sub(FAR)..open).rev().find(is_class)?;
        let mut layout = Layout::default();
        let mut alignment = 1;
        for idx in keyword..open {
            match document.token_text(idx) {
                // Bases.
                ":" => return None,
                // `__align__(16)`
                "(" => {
                    let asked = cx.constants().value(document, idx + 1..document.partner(idx)?)?;
                    alignment = alignment.max(u64::try_from(asked).ok().filter(|asked| asked.is_power_of_two())?);
                }
                _ => {}
            }
        }
        let is_union = document.token_text(keyword) == "union";
        for member in members(document, aggregate.body.clone())? {
            let kind = aggregate.extent(document.slice(document.range_of(member.kind.clone())))?;
            for declarator in member.declarators {
                let one = if document.is(declarator.start, b'*') { POINTER } else { kind };
                let offset = if is_union { 0 } else { layout.size.next_multiple_of(one.alignment) };
                let end = offset.checked_add(one.size.checked_mul(count(declarator, cx)?)?)?;
                layout.offsets.push(offset);
                layout.size = layout.size.max(end);
                alignment = alignment.max(one.alignment);
            }
        }
        layout.size = layout.size.next_multiple_of(alignment);
        Some(layout)
    }
}

const POINTER: Extent = Extent { size: 8, alignment: 8 };

impl Aggregate<'_> {
    fn extent(&self, kind: &str) -> Option<Extent> {
        if self.wide.contains(&kind) {
            return Some(Extent { size: 32, alignment: self.alignment });
        }
        if let Some(size) = scalar(kind) {
            return Some(Extent { size, alignment: size });
        }
        let components = vector_size(kind)? as u64;
        let size = match &kind[..kind.len() - 1] {
            "uchar" => 1,
            "ushort" => 2,
            "uint" => 4,
            "ulong" | "longlong" | "ulonglong" => 8,
            scalar_name => scalar(scalar_name)?,
        };
        let alignment = if components.is_multiple_of(2) { size * components } else { size };
        Some(Extent { size: size * components, alignment: alignment.min(16) })
    }
}

/// The bytes of one of C++'s numbers on 64-bit Linux.
fn scalar(kind: &str) -> Option<u64> {
    Some(match kind.strip_prefix("std::").unwrap_or(kind) {
        "bool" | "char" | "signed char" | "unsigned char" | "int8_t" | "uint8_t" => 1,
        "short" | "unsigned short" | "int16_t" | "uint16_t" => 2,
        "int" | "unsigned" | "unsigned int" | "float" | "int32_t" | "uint32_t" => 4,
        "long" | "unsigned long" | "long long" | "unsigned long long" | "double" | "size_t" | "int64_t"
        | "uint64_t" => 8,
        _ => return None,
    })
}

/// A declaration of members of one type.
struct Member {
    kind: Range<TokenIdx>,
    declarators: Vec<Range<TokenIdx>>,
}

/// The members that hold data; `None` where what stands there cannot be told.
fn members(document: &Document, body: Range<TokenIdx>) -> Option<Vec<Member>> {
    let mut found = Vec::new();
    let mut start = body.start;
    while start < body.end {
        if document.is(start, b';') {
            start += 1;
            continue;
        }
        if document.is(start + 1, b':') && !document.is(start + 2, b':') {
            start += 2;
            continue;
        }
        let end = end_of_member(document, start, body.end);
        found.extend(match document.token_text(start) {
            "static" | "using" | "typedef" | "friend" => None,
            "virtual" | "template" | "struct" | "class" | "union" | "enum" | "#" => return None,
            _ => member(document, start..end)?,
        });
        start = end + 1;
    }
    Some(found)
}

/// The semicolon or brace that a member ends with.
fn end_of_member(document: &Document, start: TokenIdx, limit: TokenIdx) -> TokenIdx {
    let mut at = start;
    let mut is_function = false;
    while at < limit && !document.is(at, b';') {
        is_function |= document.is(at, b'(');
        let next = document.after_brackets(at);
        // `: a{1}, b{2} {`
        let goes_on = matches!(document.token_text(next), "," | "{");
        if is_function && document.is(at, b'{') && !goes_on {
            return next - 1;
        }
        at = next;
    }
    at
}

/// Data among tokens without their semicolon; a function is none. The outer `None` is for what cannot be told.
#[expect(clippy::option_option, reason = "what is no data is something else than what cannot be told")]
fn member(document: &Document, tokens: Range<TokenIdx>) -> Option<Option<Member>> {
    let stops = |idx: &TokenIdx| matches!(document.token_text(*idx), "(" | "=" | "{");
    if let Some(open) = tokens.clone().find(stops).filter(|idx| document.is(*idx, b'(')) {
        // `void (*f)(int)`, `alignas(16) int a`, `std::function<void(int)> f`
        let is_name = |idx: TokenIdx| document.kind(idx) == Some(TokenKind::Ident);
        let is_data = document.is(open + 1, b'*')
            || matches!(document.token_text(tokens.start), "alignas" | "__align__" | "__attribute__")
            || (tokens.start..open).any(|idx| document.is(idx, b'<')) && is_name(tokens.end - 1);
        return if is_data { None } else { Some(None) };
    }
    let is_qualifier = |idx: &TokenIdx| matches!(document.token_text(*idx), "const" | "volatile" | "mutable");
    let start = tokens.clone().find(|idx| !is_qualifier(idx))?;
    let is_word = |idx: &TokenIdx| matches!(document.kind(*idx), Some(TokenKind::Ident | TokenKind::PathSep));
    let last = (start..tokens.end).take_while(is_word).last()?;
    let has_star = document.is(last + 1, b'*');
    let name = if has_star { last + 1 } else { last };
    if name == start {
        return None;
    }
    Some(Some(Member { kind: start..name, declarators: split_arguments(document, name..tokens.end) }))
}

/// How many elements a declarator has: `a[2][3]`; one without brackets.
fn count(declarator: Range<TokenIdx>, cx: &Context<'_>) -> Option<u64> {
    let document = cx.document;
    let mut count = 1u64;
    let mut at = declarator.start;
    while at < declarator.end {
        match document.token_text(at) {
            "[" => {
                let close = document.partner(at)?;
                let length = cx.constants().value(document, at + 1..close)?;
                count = count.checked_mul(u64::try_from(length).ok()?)?;
                at = close;
            }
            "=" | "{" => break,
            ":" => return None,
            _ => {}
        }
        at += 1;
    }
    Some(count)
}
