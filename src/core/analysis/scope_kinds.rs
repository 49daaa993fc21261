//! What pairs of braces are the scopes of, by the tokens before them and by what macros of the file open.

use std::ops::Range;

use super::functions::template_head_end;
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
    let is_named = keyword + 1 < head.end;
    if is_inline || !is_named { (Kind::Transparent, None) } else { (Kind::Namespace, Some(keyword + 1..head.end)) }
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
        match document.kind(idx) {
            Some(TokenKind::Ident) if document.is(idx + 1, b'(') => {
                // `alignas(16)`, `__align__(8)`, or `struct S f(…)`.
                let is_attribute = document.token_text(idx).starts_with("__") || document.token_text(idx) == "alignas";
                if !is_attribute {
                    return (Kind::Block, None);
                }
                idx = document.partner(idx + 1).filter(|&close| close > idx).unwrap_or(idx);
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
