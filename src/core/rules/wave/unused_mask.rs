//! Variables that nothing reads once shuffles have lost their masks, in projects whose builds take warnings for errors.

use std::collections::{BTreeMap, BTreeSet};

use super::lane_function::takes_mask;
use crate::rules::api::visible_call;
use crate::rules::context::Context;
use crate::rules::query::Name;
use crate::source::Edit;
use crate::syntax::{Document, TokenIdx, TokenKind, words_in};

/// What clang and gcc take in every version of C++ without a warning, in front of a declaration.
const UNUSED: &str = "__attribute__((unused)) ";

/// For each of some shuffles that lose their mask, by its number: an edit that keeps the compiler from complaining of the variable
/// that was the mask. Nothing where builds do not take warnings for errors.
pub(super) fn unused_masks<'n, 'd: 'n>(
    shuffles: impl Iterator<Item = (usize, &'n Name<'d>)>,
    cx: &Context<'d>,
) -> BTreeMap<usize, Edit> {
    if !cx.project.builds.makes_errors_of_warnings(&cx.document.file().path) {
        return BTreeMap::new();
    }
    let masks: Vec<(usize, TokenIdx)> =
        shuffles.filter_map(|(number, name)| Some((number, mask_variable(name, cx)?))).collect();
    let dropped: BTreeSet<TokenIdx> = masks.iter().map(|(_, mask)| *mask).collect();
    let mut edits = BTreeMap::new();
    let mut done = BTreeSet::new();
    for (number, mask) in masks {
        let Some(declared) = only_declaration(mask, &dropped, cx).filter(|declared| done.insert(*declared)) else {
            continue;
        };
        edits.extend(start_of(declared, cx.document).map(|start| {
            let at = cx.document.range_of(start..start + 1).start();
            (number, Edit::insert(at, UNUSED))
        }));
    }
    edits
}

/// The variable that is the mask of a call, if it is nothing else.
fn mask_variable(name: &Name<'_>, cx: &Context<'_>) -> Option<TokenIdx> {
    let document = cx.document;
    let call = visible_call(document, name.token).filter(|_| takes_mask(&name.text) || name.text == "__syncwarp")?;
    let mask = *call.arguments.first()?;
    let tokens = document.tokens_in(mask);
    let is_name = tokens.len() == 1 && document.kind(tokens.start) == Some(TokenKind::Ident);
    is_name.then_some(tokens.start)
}

/// The declaration of a variable, if nothing else names it but calls that lose it.
fn only_declaration(mask: TokenIdx, dropped: &BTreeSet<TokenIdx>, cx: &Context<'_>) -> Option<TokenIdx> {
    let document = cx.document;
    let function = cx.facts.functions.around(mask)?;
    let rest = |tokens| {
        let named = words_in(document, document.token_text(mask), tokens);
        named.filter(|idx| !dropped.contains(idx)).collect::<Vec<_>>()
    };
    let mut others = rest(function.head.start..function.body.end);
    if others.is_empty() {
        others = rest(0..document.tokens().len());
    }
    let &[declared] = others.as_slice() else { return None };
    (declared < mask && is_declaration(declared, document)).then_some(declared)
}

/// Whether a name stands behind a type, and in front of its value or of the end.
fn is_declaration(idx: TokenIdx, document: &Document) -> bool {
    let behind_type = idx.checked_sub(1).is_some_and(|before| {
        document.kind(before) == Some(TokenKind::Ident) && !matches!(document.token_text(before), "return" | "typename")
    });
    behind_type && [b'=', b'{', b';', b',', b')'].iter().any(|sign| document.is(idx + 1, *sign))
}

/// Where the declaration begins, if only names stand in front of the variable.
fn start_of(declared: TokenIdx, document: &Document) -> Option<TokenIdx> {
    let mut start = declared;
    while start.checked_sub(1).is_some_and(|before| {
        document.kind(before) == Some(TokenKind::Ident) && document.directive_of(before).is_none()
    }) {
        start -= 1;
    }
    let before = start.checked_sub(1)?;
    let ends = document.directive_of(before).is_some()
        || [b';', b'{', b'}', b'(', b','].iter().any(|sign| document.is(before, *sign));
    (ends && document.directive_of(declared).is_none()).then_some(start)
}
