//! The calls of a file's functions that come to one of some places.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::{Role, role};
use crate::rules::context::Context;
use crate::syntax::{Call, MacroDefinition, TokenIdx, words};

/// Some places of a file, and the calls of its device functions and the uses of its macros that come to one of these, in the order of the
/// text.
pub(super) fn with_callers(cx: &Context<'_>, places: Vec<TokenIdx>) -> Vec<TokenIdx> {
    let mut found = places;
    if found.is_empty() {
        return found;
    }
    let document = cx.document;
    let functions = &cx.facts.functions;
    let blocks = cx.facts.blocks(document);
    let is_call = |idx: &TokenIdx| Call::at(document, *idx).is_some() && functions.around(*idx).is_some();
    let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
    for name in functions.iter().filter_map(|function| function.name) {
        *counts.entry(document.token_text(name)).or_default() += 1;
    }
    // Functions and macros whose uses were added.
    let mut added: FxHashSet<&str> = FxHashSet::default();
    let mut next = 0;
    while let Some(&place) = found.get(next) {
        next += 1;
        if let Some(directive) = document.directive_of(place) {
            let define = MacroDefinition::of(document, directive).filter(|define| define.body.contains(&place));
            let name = define.map(|define| document.token_text(define.name)).filter(|name| added.insert(name));
            let uses = name.into_iter().flat_map(|name| words(document, name));
            found.extend(uses.filter(|idx| functions.around(*idx).is_some()));
            continue;
        }
        let function = functions.around(place).filter(|function| function.runs_on_device() && !function.is_kernel);
        let Some((function, name)) =
            function.and_then(|function| Some((function, document.token_text(function.name?))))
        else {
            continue;
        };
        // Of several functions of a name it is not known which one is called, and a free function is no member.
        if counts.get(name) == Some(&1) && added.insert(name) {
            let is_of_class = blocks.is_in_class(function.head.start);
            let fits = |idx: &TokenIdx| is_of_class || role(document, *idx) != Role::Member;
            found.extend(words(document, name).filter(is_call).filter(fits));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
