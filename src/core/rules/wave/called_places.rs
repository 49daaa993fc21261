//! The calls of a file's functions that come to one of some places.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::{Function, Role, role};
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
    let mut named: FxHashMap<&str, Vec<&Function>> = FxHashMap::default();
    for function in functions.iter() {
        named.entry(function.name.map_or("", |name| document.token_text(name))).or_default().push(function);
    }
    // Of several functions of a name it is not known which one is called, and a free function is no member.
    let calls_of = |(name, all): (&'_ str, Vec<&Function>)| {
        let [function] = all.as_slice() else { return None };
        let is_of_class = blocks.is_in_class(function.head.start);
        let fits = |idx: &TokenIdx| is_of_class || role(document, *idx) != Role::Member;
        Some((name.to_owned(), words(document, name).filter(is_call).filter(fits).collect::<Vec<_>>()))
    };
    let mut calls: FxHashMap<String, Vec<TokenIdx>> = named.into_iter().filter_map(calls_of).collect();
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
