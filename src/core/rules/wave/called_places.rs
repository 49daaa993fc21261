//! The calls of a file's functions that come to one of some places.

use rustc_hash::{FxHashMap, FxHashSet};

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
    let is_call = |idx: &TokenIdx| Call::at(document, *idx).is_some() && functions.around(*idx).is_some();
    let names: FxHashSet<&str> =
        functions.iter().filter_map(|function| Some(document.token_text(function.name?))).collect();
    let mut calls: FxHashMap<&str, Vec<TokenIdx>> =
        names.into_iter().map(|name| (name, words(document, name).filter(is_call).collect())).collect();
    // Macros whose uses were added.
    let mut macros: FxHashSet<&str> = FxHashSet::default();
    let mut next = 0;
    while let Some(&place) = found.get(next) {
        next += 1;
        if let Some(directive) = document.directive_of(place) {
            let define = MacroDefinition::of(document, directive).filter(|define| define.body.contains(&place));
            let name = define.map(|define| document.token_text(define.name)).filter(|name| macros.insert(name));
            let uses = name.into_iter().flat_map(|name| words(document, name));
            found.extend(uses.filter(|idx| functions.around(*idx).is_some()));
            continue;
        }
        let function = functions.around(place).filter(|function| function.runs_on_device() && !function.is_kernel);
        let name = function.and_then(|function| function.name).map(|name| document.token_text(name));
        found.extend(name.and_then(|name| calls.remove(name)).into_iter().flatten());
    }
    found.sort_unstable();
    found.dedup();
    found
}
