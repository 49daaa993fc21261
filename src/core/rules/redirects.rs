//! Macros of a project that stand in for names of CUDA's in the files that include them: `#define cudaFree pool_free`.

use super::conditional::is_version;
use super::context::Context;
use super::macro_branches::MacroBranches;
use crate::analysis::{Branch, Expression, Node, Own, OwnName, Parameters, Site, include_guard};
use crate::mapping::{Kind, WRITTEN_BY_US};
use crate::syntax::{Directive, DirectiveKind, Document, MacroDefinition, TokenIdx, TokenKind, words};

/// What a macro says to other files, if its file leaves it defined. What it stands for does not matter: conversion changes that. A
/// condition on the version of CUDA is for versions without the name.
pub(super) fn redirect(own: &Own, text: &str, cx: &Context<'_>) -> Option<OwnName> {
    let document = cx.document;
    // A header of ours gives CUDA's names to HIP's functions, so that the names mean what they mean without it.
    if document.text().starts_with(WRITTEN_BY_US) {
        return None;
    }
    let define = document.directive_of(own.token).and_then(|directive| MacroDefinition::of(document, directive))?;
    let around: Vec<&Branch> = branches_around(own.token, cx).collect();
    let fills_in = |branch: &&Branch| branch.condition.as_ref().is_some_and(|asks| fills_gap(asks, text, cx));
    if end_of_macro(own.token, document).is_some() || around.iter().any(fills_in) {
        return None;
    }
    let parameters = if define.parameters.is_empty() { None } else { Parameters::of(document, own.token) };
    let site = Site::Macro { always: around.is_empty() };
    let (path, file) = (String::new(), document.file().path.clone());
    Some(OwnName { path, parameters, file, site, includers: None, using: None, takes_own: false })
}

/// Whether a condition holds where CUDA's headers lack the name `text`: it asks for a version, or for a macro of that name.
fn fills_gap(condition: &Expression, text: &str, cx: &Context<'_>) -> bool {
    asks_for_version(condition, cx) || is_constant(text, cx) && asks_whether_defined(condition, text, cx)
}

fn asks_for_version(condition: &Expression, cx: &Context<'_>) -> bool {
    any_part(condition, |part| matches!(part, Node::Name(name) if is_version(&cx.document.name(*name))))
}

fn asks_whether_defined(condition: &Expression, text: &str, cx: &Context<'_>) -> bool {
    any_part(condition, |part| matches!(part, Node::Defined(name) if cx.document.name(*name) == text))
}

fn any_part(condition: &Expression, is_it: impl Fn(&Node) -> bool) -> bool {
    let mut found = false;
    condition.walk(&mut |part| found |= is_it(&part.node));
    found
}

fn is_constant(text: &str, cx: &Context<'_>) -> bool {
    cx.table.get(text).iter().any(|entry| matches!(entry.kind, Kind::Macro | Kind::Constant))
}

/// The branches around a token, but for that of the include guard.
fn branches_around<'c>(token: TokenIdx, cx: &'c Context<'_>) -> impl Iterator<Item = &'c Branch> {
    let guard = include_guard(cx.document).map(|(_, define)| define.tokens.start);
    let all = cx.facts.conditions.chains().iter().flat_map(|chain| &chain.branches);
    all.filter(move |branch| branch.body.contains(&token) && !guard.is_some_and(|guard| branch.body.contains(&guard)))
}

/// Whether macros of other files stand in for the name at `idx`; `None` if that is not clear.
pub(super) fn redirected(idx: TokenIdx, text: &str, names: &[OwnName], cx: &Context<'_>) -> Option<bool> {
    let document = cx.document;
    let file = &document.file().path;
    let define = document.directive_of(idx).filter(|directive| directive.kind == DirectiveKind::Define);
    let seen = |own: &OwnName| own.is_seen_by(file).filter(|seen| *seen || define.is_none() || !own.is_beside(file));
    let replaces = |own: &&OwnName| {
        own.file != *file
            && matches!(own.site, Site::Macro { .. })
            && seen(own) != Some(false)
            && (own.parameters.is_none() || document.is(idx + 1, b'('))
    };
    let mut macros = names.iter().filter(replaces).peekable();
    if macros.peek().is_none() || is_in_macro(text, idx, document) {
        return Some(false);
    }
    match is_undone(text, idx, cx) {
        Some(false) => {
            macros.any(|own| own.site == Site::Macro { always: true } && seen(own) == Some(true)).then_some(true)
        }
        undone => undone.map(|undone| !undone),
    }
}

/// Whether `#undef` ends macros called `text` before `idx`; `None` if it may.
fn is_undone(text: &str, idx: TokenIdx, cx: &Context<'_>) -> Option<bool> {
    let document = cx.document;
    let is_it = |at: TokenIdx| document.name(at) == text;
    let undone = document.directives().iter().filter(|found| found.kind == DirectiveKind::Undef);
    let starts = undone.map(|found| found.tokens.start);
    let Some(last) = starts.rev().find(|&at| at < idx && is_it(at + 2)) else {
        return Some(false);
    };
    let is_conditional = branches_around(last, cx).any(|branch| !branch.body.contains(&idx));
    let comes_back = words(document, "pop_macro").any(|at| last < at && at < idx);
    (!is_conditional && !comes_back).then_some(true)
}

/// The end of the directive that ends the macro at `name`: `#undef`, or a pragma that brings back what was before.
pub(super) fn end_of_macro(name: TokenIdx, document: &Document) -> Option<TokenIdx> {
    let text = document.name(name);
    let is_it = |found: &&Directive| {
        let start = found.tokens.start;
        let argument = || document.token_text(start + 4).trim_matches('"') == text;
        match found.kind {
            DirectiveKind::Undef => document.name(start + 2) == text,
            DirectiveKind::Pragma => document.token_text(start + 2) == "pop_macro" && argument(),
            _ => false,
        }
    };
    let behind = document.directives().partition_point(|found| found.tokens.start < name);
    document.directives()[behind..].iter().find(is_it).map(|found| found.tokens.end)
}

/// Whether a macro of the file is defined at `idx`, as far as conditions around it tell; `None` if it may be.
pub(super) fn is_surely_defined(own: &Own, idx: TokenIdx, cx: &Context<'_>) -> Option<bool> {
    let mut known = cx.macro_branches.borrow_mut();
    let branches = known.entry(own.token).or_insert_with(|| macro_branches(own, cx));
    if branches.beside.iter().any(|body| body.contains(&idx)) {
        return Some(false);
    }
    branches.open.iter().all(|body| body.contains(&idx)).then_some(true)
}

fn macro_branches(own: &Own, cx: &Context<'_>) -> MacroBranches {
    let name = cx.document.name(own.token);
    let guard = include_guard(cx.document).map(|(_, define)| define.tokens.start);
    let defines = |branch: &Branch| cx.facts.declared.all(&name).iter().any(|it| branch.body.contains(&it.token));
    let mut found = MacroBranches::default();
    for chain in cx.facts.conditions.chains() {
        let Some(branch) = chain.branches.iter().find(|branch| branch.body.contains(&own.token)) else { continue };
        let is_guard = guard.is_some_and(|guard| branch.body.contains(&guard));
        let others = chain.branches.iter().filter(|other| other.opened_by != branch.opened_by);
        found.beside.extend(others.map(|other| other.body.clone()));
        let is_whole = chain.branches.last().is_some_and(|last| last.condition.is_none());
        // A macro that is defined where it was not is there in any case.
        let is_filled = |asks: &Expression| asks_for_version(asks, cx) || asks_whether_defined(asks, &name, cx);
        let is_there = branch.condition.as_ref().is_some_and(is_filled);
        if !(is_guard || is_there || is_whole && chain.branches.iter().all(defines)) {
            found.open.push(branch.body.clone());
        }
    }
    found
}

/// Whether the preprocessor replaces a name where the macro is defined: one with parameters needs a parenthesis.
pub(super) fn is_replaced(own: &Own, idx: TokenIdx, document: &Document) -> bool {
    let define = document.directive_of(own.token).and_then(|directive| MacroDefinition::of(document, directive));
    let takes_some = define.is_some_and(|define| !define.parameters.is_empty());
    !takes_some || own.token == idx || document.is(idx + 1, b'(')
}

/// Whether `idx` stands in what a macro called `text` stands for: there the preprocessor does not replace it again.
pub(super) fn is_in_macro(text: &str, idx: TokenIdx, document: &Document) -> bool {
    let define = document.directive_of(idx).filter(|directive| directive.kind == DirectiveKind::Define);
    define.is_some_and(|define| {
        let name = define.tokens.start + 2;
        name != idx && document.kind(name) == Some(TokenKind::Ident) && document.name(name) == text
    })
}
