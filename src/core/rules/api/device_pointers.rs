//! Variables, members and elements of types that are integers in CUDA and pointers in HIP, such as `CUdeviceptr`.

use std::ops::Range;

use crate::analysis::{Function, Role, role};
use rustc_hash::FxHashMap;

use crate::rules::context::Context;
use crate::rules::member_objects::{Objects, class_names};
use crate::syntax::{Document, TokenIdx, TokenKind, is_keyword, start_of_postfix, words, words_in};

/// The type.
pub(super) const TYPE: &str = "CUdeviceptr";

/// All types that are `unsigned long long` in CUDA and pointers in HIP.
pub(super) const TYPES: &[&str] = &[
    TYPE,
    "CUmemGenericAllocationHandle",
    "CUsurfObject",
    "CUtexObject",
    "cudaSurfaceObject_t",
    "cudaTextureObject_t",
];

/// Where an address is used.
pub(super) struct AddressUse {
    /// The operand, `a->b` and `a[i]` as a whole.
    pub(super) tokens: Range<TokenIdx>,
    /// Whether nothing else of the name may be meant.
    pub(super) is_certain: bool,
    /// Its type.
    pub(super) kind: &'static str,
}

/// The operands of these types whose declaration is in the file, in their order.
pub(super) fn device_pointers(cx: &Context<'_>) -> Vec<AddressUse> {
    let document = cx.document;
    let mut found: Vec<AddressUse> = Vec::new();
    // Members of many structures have one name, and are looked for once.
    let mut known: FxHashMap<_, Vec<&str>> = FxHashMap::default();
    let mut declared = Vec::new();
    for (kind, idx) in TYPES.iter().flat_map(|kind| words(document, kind).map(move |idx| (*kind, idx))) {
        let function = cx.facts.functions.holding(idx);
        for address in addresses(document, idx, kind) {
            let place = function.map(|function| function.body.start);
            let key = (address.name, address.has_elements, place);
            let classes = known.entry(key).or_insert_with(|| {
                declared.push((address, function));
                Vec::new()
            });
            if function.is_none() {
                classes.extend(class_names(cx, idx));
            }
        }
    }
    for (address, function) in declared {
        let place = function.map(|function| function.body.start);
        let classes = known.remove(&(address.name, address.has_elements, place)).unwrap_or_default();
        found.extend(uses(&address, function, (cx, classes)));
    }
    found.sort_by_key(|used| used.tokens.start);
    found.dedup_by_key(|used| used.tokens.start);
    found
}

/// A variable, parameter or member.
struct Address<'d> {
    name: &'d str,
    /// Whether its elements are the addresses: `CUdeviceptr a[4]`, `CUdeviceptr* a`, `vector<CUdeviceptr> a`.
    has_elements: bool,
    kind: &'static str,
}

/// What the type at `idx` declares: `CUdeviceptr a, *b, c[4] = {};`
fn addresses<'d>(document: &'d Document, idx: TokenIdx, kind: &'static str) -> Vec<Address<'d>> {
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
        let has_elements = has_elements || document.is(at + 1, b'[');
        found.push(Address { name: document.token_text(at), has_elements, kind });
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
            _ => at = document.after_brackets(at),
        }
    }
}

/// Where an address is used that is declared in a function: there, or, of members and variables of the file, wherever
/// nothing else has the name.
fn uses<'d>(
    address: &Address<'d>,
    function: Option<&Function>,
    (cx, classes): (&Context<'d>, Vec<&'d str>),
) -> Vec<AddressUse> {
    let document = cx.document;
    let scope = function.map_or(0..document.tokens().len(), |function| function.body.clone());
    let head = function.map_or(scope.start, |function| function.head.start);
    let is_alone = !is_declared_otherwise(address.name, head..scope.end, document);
    if function.is_none() && !is_alone {
        return Vec::new();
    }
    let is_member = !classes.is_empty();
    let mut objects = Objects::new(cx, classes);
    let used = |idx: TokenIdx| {
        let is_certain = match role(document, idx) {
            Role::Free => is_alone,
            Role::Member if is_member => objects.holds(idx - 2),
            _ => return None,
        };
        Some(AddressUse { tokens: operand(document, address, idx)?, is_certain, kind: address.kind })
    };
    words_in(document, address.name, scope).filter_map(used).collect()
}

/// Whether something else is declared by a name: `float* base;`, `int base = 4`, `for (int base : list)`.
fn is_declared_otherwise(name: &str, within: Range<TokenIdx>, document: &Document) -> bool {
    words_in(document, name, within).any(|idx| {
        let ends = matches!(document.token_text(idx + 1), "," | ";" | "=" | ")" | "[" | "{" | ":");
        let before = idx.checked_sub(1).map_or("", |before| document.token_text(before));
        let is_pointer = matches!(before, "*" | "&");
        let kind = idx.checked_sub(1 + usize::from(is_pointer));
        let is_type = |kind: TokenIdx| {
            let word = document.token_text(kind);
            document.kind(kind) == Some(TokenKind::Ident)
                && !TYPES.contains(&word)
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
