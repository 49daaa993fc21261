//! What a file declares with types some of whose constants have other numbers in HIP.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::is_number_type;
use crate::mapping::{Resolution, renumbered_type};
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::Name;
use crate::syntax::{Document, TokenIdx, TokenKind, words};

/// Tokens of the type of a cast; what has more is something else.
pub(super) const FAR: usize = 24;

/// A type of CUDA's some of whose constants have other numbers in HIP.
#[derive(Debug, Clone, Copy)]
pub(super) struct Type<'d> {
    /// The type, as the table of numbers calls it.
    pub(super) kind: &'static str,
    /// The type as it is written, and HIP's.
    pub(super) cuda: &'d str,
    pub(super) to: &'d str,
}

pub(super) fn type_of<'d>(name: &Name<'d>, cx: &Context<'d>) -> Option<(TokenIdx, Type<'d>)> {
    let document: &'d Document = cx.document;
    let Meaning::Renamed(to, _) = name.meaning else { return None };
    let kind = renumbered_type(&name.text)?;
    Some((name.token, Type { kind, cuda: document.token_text(name.token), to }))
}

/// The names that the file declares with such types, or of functions that give one, with the types.
pub(super) struct Typed<'d> {
    pub(super) kinds: FxHashMap<&'d str, Vec<Type<'d>>>,
    /// Names of pointers to such.
    pointers: FxHashSet<&'d str>,
}

impl<'d> Typed<'d> {
    pub(super) fn of(types: &[(TokenIdx, Type<'d>)], document: &'d Document) -> Typed<'d> {
        let is_between = |idx: TokenIdx| matches!(document.token_text(idx), "*" | "&" | ">" | "const" | "&&");
        let declared = |&(name, kind): &(TokenIdx, Type<'d>)| {
            let next = (name + 1..name + FAR).find(|&idx| !is_between(idx))?;
            // `T Class::function(…)`
            let last = (next..next + FAR)
                .take_while(|&at| !matches!(document.token_text(at), "(" | ";" | "," | "=" | ")" | "{" | "[" | ":"));
            let last = last.last()?;
            (document.kind(last) == Some(TokenKind::Ident)).then(|| (document.token_text(last), kind))
        };
        let mut found: FxHashMap<&str, Vec<Type<'_>>> = FxHashMap::default();
        for (name, kind) in types.iter().filter_map(declared) {
            let known = found.entry(name).or_default();
            if known.iter().all(|other| other.to != kind.to) {
                known.push(kind);
            }
        }
        let has_star = |&&(name, _): &&(TokenIdx, Type<'d>)| document.is(name + 1, b'*');
        let pointers = types.iter().filter(has_star).filter_map(declared).map(|(name, _)| name).collect();
        Typed { kinds: found, pointers }
    }

    /// Whether a name is declared as a pointer to one of the types somewhere.
    pub(super) fn is_pointer(&self, name: &str) -> bool {
        self.pointers.contains(name)
    }

    /// Whether a value is of one of the types, which HIP calls `to`: as the function declares it, or as the file declares all that has a
    /// name in it.
    pub(super) fn holds(&self, value: Range<TokenIdx>, to: &str, cx: &Context<'_>) -> bool {
        let document: &Document = cx.document;
        let function = cx.facts.functions.around(value.start);
        let kind = function.and_then(|function| cx.variable_types().of_argument(function, value.clone()));
        let is_declared = |idx: TokenIdx| {
            let name = document.token_text(idx);
            self.kinds.get(name).is_some_and(|kinds| kinds.iter().any(|kind| kind.to == to))
                && !is_number_elsewhere(document, name)
        };
        match kind {
            Some(kind) => kind == to || hip_name(&kind, cx) == Some(to),
            None => value.into_iter().any(is_declared),
        }
    }
}

/// HIP's name of one of CUDA's.
pub(super) fn hip_name<'d>(cuda: &str, cx: &Context<'d>) -> Option<&'d str> {
    match cx.resolve(cuda)? {
        Resolution::Name(hip, _) => Some(hip),
        _ => None,
    }
}

/// Whether the file declares a name as a number, too, so that it may be that one.
fn is_number_elsewhere(document: &Document, name: &str) -> bool {
    const MOST: usize = 256;
    let is_number = |idx: TokenIdx| idx.checked_sub(1).is_some_and(|kind| is_number_type(document.token_text(kind)));
    words(document, name).take(MOST).any(is_number)
}
