//! `warpSize` as a member: among the properties of a device, or of objects that may be these.

use std::ops::Range;

use super::plain_reads::{assigns, is_plain_read};
use crate::analysis::{Role, WAVE_SIZE, role};
use crate::rules::context::Context;
use crate::rules::member_objects::Objects;
use crate::syntax::{Document, TokenIdx, TokenKind, start_of_postfix, statement_start, words};

/// The class of the properties.
const PROPERTIES: &str = "cudaDeviceProp";

/// A place that reads the member.
pub(super) struct PropertyRead {
    /// The object and the member.
    pub(super) tokens: Range<TokenIdx>,
    /// Whether the object surely holds the properties.
    pub(super) is_certain: bool,
    /// Whether a number may stand in place of the whole.
    pub(super) is_plain: bool,
}

/// The places that read the member of the properties of a device, or may: of objects whose class the file does not tell, where no
/// class of the project's has such a member, or a name speaks of properties.
pub(super) fn property_reads(cx: &Context<'_>) -> Vec<PropertyRead> {
    let document = cx.document;
    let (written, read): (Vec<TokenIdx>, Vec<TokenIdx>) =
        words(document, WAVE_SIZE).filter(|&idx| is_member(document, idx)).partition(|&idx| is_written(document, idx));
    if read.is_empty() {
        return Vec::new();
    }
    let mut objects = Objects::new(cx, classes(document));
    let mut is_certain = |idx: TokenIdx| {
        idx.checked_sub(2).is_some_and(|last| match document.token_text(last) {
            "this" => false,
            PROPERTIES => true,
            _ => objects.holds(last),
        })
    };
    // What the program puts in itself is not the device's.
    let is_given = words(document, WAVE_SIZE)
        .any(|idx| idx > 1 && document.is(idx - 1, b'.') && is_written(document, idx) && !is_member(document, idx));
    let adds = |idx: &TokenIdx| assigns(document, *idx + 1);
    let changed: Vec<TokenIdx> = written.into_iter().chain(read.iter().copied().filter(adds)).collect();
    let is_changed = is_given || changed.into_iter().any(&mut is_certain);
    let has_own = has_own_member(cx);
    let read_at = |idx: TokenIdx| {
        let last = idx.checked_sub(2)?;
        let is_certain = is_certain(idx);
        let start = start_of_postfix(document, last);
        let tokens = start.unwrap_or(idx)..idx + 1;
        let mut said = start.unwrap_or_else(|| statement_start(document, idx))..idx;
        let mut speaks = || said.any(|at| names_properties(document, at));
        let is_plain = !is_changed && start.is_some() && is_plain_read(document, tokens.clone());
        (is_certain || !has_own || speaks()).then_some(PropertyRead { tokens, is_certain, is_plain })
    };
    read.into_iter().filter_map(read_at).collect()
}

/// `object.warpSize`, `object->warpSize`, `cudaDeviceProp::warpSize`; not `.warpSize = 1` in braces, which is written.
fn is_member(document: &Document, idx: TokenIdx) -> bool {
    match role(document, idx) {
        Role::Member => {
            let starts_value = |at: TokenIdx| document.is(at, b'{') || document.is(at, b',');
            !idx.checked_sub(2).is_none_or(starts_value)
        }
        Role::Qualified(outer) => document.token_text(outer) == PROPERTIES,
        _ => false,
    }
}

fn is_written(document: &Document, idx: TokenIdx) -> bool {
    document.is(idx + 1, b'=') && !document.is(idx + 2, b'=')
}

/// The class, and what the file calls it besides.
fn classes(document: &Document) -> Vec<&str> {
    let mut classes = vec![PROPERTIES];
    for idx in words(document, PROPERTIES) {
        let start = statement_start(document, idx);
        if document.token_text(start) == "using" && document.is(start + 2, b'=') && document.is(idx + 1, b';') {
            classes.push(document.token_text(start + 1));
        } else if document.token_text(start) == "typedef" {
            let behind = (idx + 1..document.tokens().len()).take_while(|&at| !document.is(at, b';'));
            classes.extend(
                behind.filter(|&at| document.kind(at) == Some(TokenKind::Ident)).map(|at| document.token_text(at)),
            );
        }
    }
    classes
}

/// Whether a class of the project declares such a member.
fn has_own_member(cx: &Context<'_>) -> bool {
    let scopes = cx.facts.scopes(cx.document);
    let of_other_files = cx.project.own_names.get(WAVE_SIZE).into_iter().flatten();
    cx.facts.declared.all(WAVE_SIZE).iter().any(|own| scopes.is_in_class(own.token))
        || of_other_files.into_iter().any(|own| !own.path.is_empty())
}

/// Whether a name speaks of properties, or is declared as some anywhere in the file.
fn names_properties(document: &Document, at: TokenIdx) -> bool {
    let text = document.token_text(at);
    let is_declared = |idx: TokenIdx| {
        let name =
            (idx + 1..document.tokens().len()).find(|&at| !matches!(document.token_text(at), "*" | "&" | "const"));
        name.is_some_and(|name| document.token_text(name) == text)
    };
    document.kind(at) == Some(TokenKind::Ident)
        && (text.to_ascii_lowercase().contains("prop") || words(document, PROPERTIES).any(is_declared))
}
