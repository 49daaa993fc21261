//! Variables, members and elements of type `CUdeviceptr`, an integer in CUDA that is `void*` in HIP.

use std::ops::Range;

use crate::analysis::{Function, Role, role};
use rustc_hash::FxHashSet;

use crate::rules::context::Context;
use crate::syntax::{Document, TokenIdx, TokenKind, is_keyword, start_of_postfix, words, words_in};

/// The type.
pub(super) const TYPE: &str = "CUdeviceptr";

/// The operands of that type whose declaration is in the file, `a->b` and `a[i]` as a whole, in their order.
pub(super) fn device_pointers(cx: &Context<'_>) -> Vec<Range<TokenIdx>> {
    let document = cx.document;
    let mut found: Vec<Range<TokenIdx>> = Vec::new();
    // Members of many structures have one name, and are looked for once.
    let mut known = FxHashSet::default();
    for idx in words(document, TYPE) {
        let function = cx.facts.functions.holding(idx);
        for address in addresses(document, idx) {
            let place = function.map(|function| function.body.start);
            if known.insert((address.name, address.has_elements, place)) {
                found.extend(uses(&address, function, cx));
            }
        }
    }
    found.sort_by_key(|used| used.start);
    found.dedup_by_key(|used| used.start);
    found
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

/// Where an address is used that is declared in a function: there, or, of members and variables of the file, wherever
/// nothing else has the name.
fn uses<'d>(address: &Address<'d>, function: Option<&Function>, cx: &Context<'d>) -> Vec<Range<TokenIdx>> {
    let document = cx.document;
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
    places.filter_map(|idx| operand(document, address, idx)).collect()
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
                && word != TYPE
                && (!is_keyword(word)
                    || ["int", "long", "char", "short", "float", "double", "unsigned", "void", "auto"].contains(&word))
        };
        ends && kind.is_some_and(is_type)
    })
}

/// The whole operand that the name at `idx` is part of, if it is an address.
fn operand(document: &Document, address: &Address<'_>, idx: TokenIdx) -> Option<Range<TokenIdx>> {
    let last = match (address.has_elements, document.is(idx + 1, b'[')) {
        (true, true) => document.partner(idx + 1)?,
        (false, false) => idx,
        _ => return None,
    };
    // Where the object in front of a member cannot be told, nothing may be put in front of the name.
    Some(start_of_postfix(document, idx).unwrap_or(idx)..last + 1)
}
