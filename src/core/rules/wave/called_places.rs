//! The calls of a file's functions that come to one of some places.

use rustc_hash::{FxHashMap, FxHashSet};

use super::callables::{Callable, calls_made, class_around, is_call_operator, lambdas, variables_of};
use crate::analysis::{Role, role};
use crate::rules::context::Context;
use crate::syntax::{Call, MacroDefinition, TokenIdx, words, words_in};

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
    let mut added_lambdas: FxHashSet<TokenIdx> = FxHashSet::default();
    // The lambdas of each function.
    let mut own: FxHashMap<TokenIdx, Vec<Callable<'_>>> = FxHashMap::default();
    // The functions of each name that come to a place.
    let mut reached: FxHashMap<&str, FxHashSet<TokenIdx>> = FxHashMap::default();
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
        let Some(function) = functions.around(place).filter(|function| function.runs_on_device()) else { continue };
        let lambdas = own.entry(function.body.start).or_insert_with(|| lambdas(document, function).collect());
        for lambda in lambdas.iter().filter(|lambda| lambda.body.contains(&place)) {
            if added_lambdas.insert(lambda.defined) {
                // As long as its block lasts.
                let end = blocks.around(lambda.defined).and_then(|open| document.partner(open));
                let uses = words_in(document, lambda.key.name(), lambda.body.end..end.unwrap_or(function.body.end));
                found.extend(uses.filter(is_call));
            }
        }
        let Some(name) = function.name.filter(|_| !function.is_kernel) else { continue };
        let is_of_class = blocks.is_in_class(function.head.start);
        if is_of_class && is_call_operator(document, name) {
            let class = class_around(cx, function).map(|class| document.token_text(class));
            let class = class.filter(|class| added.insert(class));
            found.extend(class.into_iter().flat_map(|class| calls_of_objects(cx, class)));
            continue;
        }
        let name = document.token_text(name);
        // Of several functions of a name it is not known which one is called, unless all of them come there; a free function is no member.
        let all = reached.entry(name).or_default();
        all.insert(function.body.start);
        if counts.get(name) == Some(&all.len()) && added.insert(name) {
            let fits = |idx: &TokenIdx| is_of_class || role(document, *idx) != Role::Member;
            found.extend(words(document, name).filter(is_call).filter(fits));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Where objects of a class are called: `F()(x)`, and `f(x)` in the function in which `F f;` declares it.
fn calls_of_objects(cx: &Context<'_>, class: &str) -> Vec<TokenIdx> {
    let document = cx.document;
    let mut found: Vec<TokenIdx> = words(document, class).filter(|&idx| calls_made(document, idx)).collect();
    for variable in variables_of(document, class) {
        let Some(function) = cx.facts.functions.around(variable) else { continue };
        let behind = words_in(document, document.token_text(variable), variable + 1..function.body.end);
        found.extend(behind.filter(|&idx| Call::at(document, idx).is_some()));
    }
    found
}
