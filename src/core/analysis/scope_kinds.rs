//! What pairs of braces are the scopes of, by the tokens before them and by what macros of the file open.

use std::ops::Range;

use super::heads::{behind_directive, template_head_end};
use super::roles::is_shouted;
use super::scope_macros::{ClassName, ScopeMacros};
use crate::syntax::{Call, Document, TokenIdx, TokenKind};

/// What a pair of braces is the scope of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A namespace with a name that qualifies what is in it.
    Namespace,
    /// `extern "C"`, an unnamed or inline namespace: what is in it is visible around it.
    Transparent,
    /// A class, structure or union.
    Class,
    /// `enum class`
    ScopedEnum,
    /// `enum`: its enumerators are visible around it.
    Enum,
    /// The body of a function, a lambda, a loop, or braces of any other sort.
    Block,
}

/// What braces are for, by the tokens before them, and their name: `b::c` of `namespace b::c`.
pub(super) fn kind_of(
    document: &Document,
    head: Range<TokenIdx>,
    macros: &ScopeMacros,
) -> (Kind, Option<Range<TokenIdx>>) {
    let mut idx = head.start;
    while idx < head.end {
        if let Some(next) = behind_directive(document, idx) {
            idx = next;
            continue;
        }
        match document.token_text(idx) {
            "template" if document.is(idx + 1, b'<') => idx = template_head_end(document, idx + 1, head.end),
            "namespace" => return namespace(document, idx, &head),
            "extern" if idx + 2 == head.end => return (Kind::Transparent, None),
            "class" | "struct" | "union" => return class(document, idx + 1..head.end),
            "enum" => return enumeration(document, idx + 1..head.end),
            "(" | "=" | "return" => return (Kind::Block, None),
            word => match macros.name_of_class(word) {
                Some(ClassName::Follows) => return class(document, idx + 1..head.end),
                Some(ClassName::Argument(number)) => return (Kind::Class, argument(document, idx, number)),
                None => {}
            },
        }
        idx += 1;
    }
    (Kind::Block, None)
}

/// The tokens of an argument of the macro at `idx`.
pub(super) fn argument(document: &Document, idx: TokenIdx, number: usize) -> Option<Range<TokenIdx>> {
    let call = Call::at(document, idx)?;
    Some(document.tokens_in(*call.arguments.get(number)?))
}

fn namespace(document: &Document, keyword: TokenIdx, head: &Range<TokenIdx>) -> (Kind, Option<Range<TokenIdx>>) {
    let is_inline = keyword > head.start && document.token_text(keyword - 1) == "inline";
    match name_of_namespace(document, keyword + 1..head.end).filter(|_| !is_inline) {
        Some(name) => (Kind::Namespace, Some(name)),
        None => (Kind::Transparent, None),
    }
}

/// The path among the words behind `namespace`: attributes may stand before or behind it, which macros may spell. What is inline
/// within the path is visible around it.
fn name_of_namespace(document: &Document, rest: Range<TokenIdx>) -> Option<Range<TokenIdx>> {
    let mut name: Option<Range<TokenIdx>> = None;
    let mut idx = rest.start;
    while idx < rest.end {
        let word = document.token_text(idx);
        let follows_path = idx > rest.start && document.kind(idx - 1) == Some(TokenKind::PathSep);
        match document.kind(idx) {
            Some(TokenKind::Punct(b'[')) => idx = document.partner(idx).filter(|&close| close > idx).unwrap_or(idx),
            // `__attribute__((…))`
            Some(TokenKind::Ident) if document.is(idx + 1, b'(') => {
                idx = document.partner(idx + 1).filter(|&close| close > idx).unwrap_or(idx);
            }
            Some(TokenKind::Ident) if follows_path && word == "inline" => break,
            Some(TokenKind::Ident) if follows_path => name = name.map(|name| name.start..idx + 1),
            Some(TokenKind::Ident) if name.is_none() || !is_shouted(word) => name = Some(idx..idx + 1),
            _ => {}
        }
        idx += 1;
    }
    name
}

/// `enum class Name : type`
fn enumeration(document: &Document, rest: Range<TokenIdx>) -> (Kind, Option<Range<TokenIdx>>) {
    let is_scoped = matches!(document.token_text(rest.start), "class" | "struct");
    let name = rest.start + 1;
    let is_named = name < rest.end && document.kind(name) == Some(TokenKind::Ident);
    if is_scoped { (Kind::ScopedEnum, is_named.then_some(name..name + 1)) } else { (Kind::Enum, None) }
}

/// A class whose head goes on in `rest`, or a function whose result is a class.
fn class(document: &Document, rest: Range<TokenIdx>) -> (Kind, Option<Range<TokenIdx>>) {
    let mut name = None;
    let mut idx = rest.start;
    while idx < rest.end {
        if let Some(next) = behind_directive(document, idx) {
            idx = next;
            continue;
        }
        match document.kind(idx) {
            Some(TokenKind::Ident) if document.is(idx + 1, b'(') => {
                // `alignas(16)`, `ALIGN(16)` before the name, or `struct S f(…)`.
                let close = document.partner(idx + 1).filter(|&close| close > idx).unwrap_or(idx);
                let is_attribute = document.token_text(idx).starts_with("__") || document.token_text(idx) == "alignas";
                if !is_attribute && !goes_on_with_name(document, close + 1..rest.end) {
                    return (Kind::Block, None);
                }
                idx = close;
            }
            // `struct A::B`
            Some(TokenKind::Ident) if idx > rest.start && document.kind(idx - 1) == Some(TokenKind::PathSep) => {
                name = Some(name.map_or(idx, |name: Range<TokenIdx>| name.start)..idx + 1);
            }
            Some(TokenKind::Ident) if document.token_text(idx) != "final" => name = Some(idx..idx + 1),
            Some(TokenKind::Punct(b':' | b'<')) => break,
            _ => {}
        }
        idx += 1;
    }
    // The members of an anonymous union are those of what it stands in.
    let is_anonymous = name.is_none() && document.partner(rest.end).is_some_and(|close| document.is(close + 1, b';'));
    (if is_anonymous { Kind::Transparent } else { Kind::Class }, name)
}

/// Whether a name follows what a macro spells, rather than the end of a function's head.
fn goes_on_with_name(document: &Document, rest: Range<TokenIdx>) -> bool {
    let word = document.token_text(rest.start);
    let ends_head = matches!(
        word,
        "const" | "volatile" | "noexcept" | "override" | "final" | "throw" | "try" | "requires" | "mutable"
    );
    rest.start < rest.end && document.kind(rest.start) == Some(TokenKind::Ident) && !ends_head
}
