//! `warpSize` as a member: among the properties of a device, or of objects that may be these.

use std::ops::Range;

use super::lane_function::WAVE_SIZE;
use crate::analysis::{Role, role};
use crate::rules::context::Context;
use crate::rules::member_objects::Objects;
use crate::syntax::{Document, TokenIdx, TokenKind, start_of_postfix, words};

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
/// class of the file's has such a member, or the name speaks of properties.
pub(super) fn property_reads(cx: &Context<'_>) -> Vec<PropertyRead> {
    let document = cx.document;
    let members: Vec<TokenIdx> =
        words(document, WAVE_SIZE).filter(|&idx| is_member(document, idx) && !is_written(document, idx)).collect();
    if members.is_empty() {
        return Vec::new();
    }
    let mut objects = Objects::new(cx, classes(document));
    let has_own = has_own_member(cx);
    let read = |idx: TokenIdx| {
        let last = idx.checked_sub(2)?;
        let is_this = document.token_text(last) == "this";
        let is_certain = !is_this && (document.token_text(last) == PROPERTIES || objects.holds(last));
        let start = start_of_postfix(document, last);
        let tokens = start.unwrap_or(last)..idx + 1;
        let speaks = tokens.clone().any(|at| document.token_text(at).to_ascii_lowercase().contains("prop"));
        let is_plain = start.is_some() && is_plain(document, &tokens);
        (is_certain || speaks || !has_own).then_some(PropertyRead { tokens, is_certain, is_plain })
    };
    members.into_iter().filter_map(read).collect()
}

/// `object.warpSize`, `object->warpSize`, `cudaDeviceProp::warpSize`; not `.warpSize = 1` in braces, which is written.
fn is_member(document: &Document, idx: TokenIdx) -> bool {
    match role(document, idx) {
        Role::Member => {
            let ends_object = |kind| matches!(kind, TokenKind::Ident | TokenKind::Punct(b')' | b']'));
            idx.checked_sub(2).and_then(|last| document.kind(last)).is_some_and(ends_object)
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
        let text = |at: Option<TokenIdx>| at.map_or("", |at| document.token_text(at));
        let before = text(idx.checked_sub(1));
        if before == "typedef" && document.is(idx + 2, b';') {
            classes.push(document.token_text(idx + 1));
        } else if before == "=" && text(idx.checked_sub(3)) == "using" {
            classes.push(text(idx.checked_sub(2)));
        }
    }
    classes
}

/// Whether a class of the file declares such a member.
fn has_own_member(cx: &Context<'_>) -> bool {
    let scopes = cx.facts.scopes(cx.document);
    words(cx.document, WAVE_SIZE).any(|idx| cx.facts.wave.own_size.contains(idx) && scopes.is_in_class(idx))
}

/// Whether nothing is called or changed, and no address is taken.
fn is_plain(document: &Document, tokens: &Range<TokenIdx>) -> bool {
    let repeats = |at: TokenIdx, sign: u8| document.is(at, sign) && document.is(at + 1, sign);
    let is_changed = |at: TokenIdx| {
        let operates =
            document.kind(at).is_some_and(|kind| matches!(kind, TokenKind::Punct(b'+' | b'-' | b'*' | b'/' | b'%')));
        operates && document.is(at + 1, b'=') || repeats(at, b'+') || repeats(at, b'-')
    };
    let before = |back: usize| tokens.start.checked_sub(back);
    let is_address =
        before(1).is_some_and(|at| document.is(at, b'&')) && !before(2).is_some_and(|at| document.is(at, b'&'));
    let is_stepped = before(2).is_some_and(|at| repeats(at, b'+') || repeats(at, b'-'));
    !is_address
        && !is_stepped
        && !is_changed(tokens.end)
        && !tokens.clone().any(|at| document.is(at, b'(') || is_changed(at))
}
