//! Names that scopes take over from CUDA by `using`, one from the other: `namespace a { using ::cudaFree; }`.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::context::Context;
use crate::analysis::{Declaration, Place, Site, joined};
use crate::mapping::Kind;
use crate::syntax::{Document, TokenIdx, TokenKind};

/// Whether the `using` that declares the name at `name` means CUDA's: `using nvcuda::wmma::x;`, `using ::cudaMalloc;`, or that of a
/// scope which takes it over.
pub(super) fn from_cuda(document: &Document, name: TokenIdx, cx: &Context<'_>) -> bool {
    let scope = scope_of(document, name);
    if is_of_cuda(&scope, cx) {
        return true;
    }
    let taken = scopes_taking(&document.name(name), cx);
    match cx.facts.scopes(document).place_of(document, name) {
        Place::Named(path) => taken.contains(&path),
        Place::Local(_) => taken.iter().any(|path| ends_with(path, &scope)),
    }
}

/// Whether the scope called `scope` takes a name over from CUDA, in this file or another one.
pub(super) fn is_taken_over(text: &str, scope: &str, cx: &Context<'_>) -> bool {
    if cx.facts.declared.all(text).is_empty() && !cx.project.own_names.contains_key(text) {
        return false;
    }
    let taken = scopes_taking(text, cx);
    !taken.is_empty() && within_view(scope, cx).iter().any(|scope| taken.iter().any(|path| ends_with(path, scope)))
}

/// The scope and those that it brings into view by `using namespace`.
fn within_view(scope: &str, cx: &Context<'_>) -> Vec<String> {
    let document = cx.document;
    let here = cx.brought_into_view.get_or_init(|| cx.facts.scopes(document).shared_namespaces(document));
    let mut found = vec![scope.to_owned()];
    let mut next = 0;
    while let Some(scope) = found.get(next).cloned() {
        let of_file = here.iter().filter(|(path, _)| ends_with(path, &scope)).map(|(_, used)| used);
        let of_others = cx.project.shared_namespaces.get(&scope).into_iter().flatten();
        let more: Vec<String> = of_file.chain(of_others).filter(|used| !found.contains(used)).cloned().collect();
        found.extend(more);
        next += 1;
    }
    found
}

/// Whether a path is that of `scope`, or ends in it.
fn ends_with(path: &str, scope: &str) -> bool {
    path == scope || path.strip_suffix(scope).is_some_and(|outer| outer.ends_with("::"))
}

/// The paths of all scopes that take a name over from CUDA.
pub(super) fn scopes_taking(text: &str, cx: &Context<'_>) -> Rc<FxHashSet<String>> {
    if let Some(known) = cx.taken_over.borrow().get(text) {
        return Rc::clone(known);
    }
    let found = Rc::new(follow(&usings(text, cx), cx));
    cx.taken_over.borrow_mut().insert(text.to_owned(), Rc::clone(&found));
    found
}

/// The `using` of a name in all files: where each stands, and the scope that it names.
fn usings(text: &str, cx: &Context<'_>) -> Vec<(String, String)> {
    let document = cx.document;
    let own = cx.facts.declared.all(text).iter().filter(|own| own.kind == Declaration::Using);
    let here = own.filter_map(|own| match cx.facts.scopes(document).place_of(document, own.token) {
        Place::Named(path) => Some((path, scope_of(document, own.token))),
        Place::Local(_) => None,
    });
    let others = cx.project.own_names.get(text).into_iter().flatten();
    let others = others.filter_map(|own| match own.site {
        Site::TakenOver => Some((own.path.clone(), String::new())),
        _ => Some((own.path.clone(), own.using.clone()?)),
    });
    here.chain(others).collect()
}

/// The scopes of `using` that lead to CUDA.
fn follow(usings: &[(String, String)], cx: &Context<'_>) -> FxHashSet<String> {
    let mut by_target: FxHashMap<String, Vec<&str>> = FxHashMap::default();
    let mut waiting: Vec<&str> = Vec::new();
    for (path, scope) in usings {
        if is_of_cuda(scope, cx) {
            waiting.push(path);
            continue;
        }
        for outer in outwards(path) {
            by_target.entry(joined(outer, scope)).or_default().push(path);
        }
    }
    let mut found = FxHashSet::default();
    while let Some(path) = waiting.pop() {
        if found.insert(path.to_owned()) {
            waiting.extend(by_target.get(path).into_iter().flatten());
        }
    }
    found
}

/// A path and those around it: `a::b`, `a` and the global scope.
fn outwards(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| match path.rsplit_once("::") {
        Some((outer, _)) => Some(outer),
        None => (!path.is_empty()).then_some(""),
    })
}

fn is_of_cuda(scope: &str, cx: &Context<'_>) -> bool {
    let first = scope.split("::").next().unwrap_or_default();
    // `using ::cudaMalloc;`
    first.is_empty() || cx.table.get(first).iter().any(|entry| entry.kind == Kind::Namespace)
}

/// The scope that a `using` names: `a::b` of `using ::a::b::x;`.
pub(super) fn scope_of(document: &Document, name: TokenIdx) -> String {
    let is_part = |idx: &TokenIdx| {
        matches!(document.kind(*idx), Some(TokenKind::Ident | TokenKind::PathSep))
            && !matches!(document.token_text(*idx), "using" | "typename")
    };
    let mut path: Vec<&str> = (0..name).rev().take_while(is_part).map(|idx| document.token_text(idx)).collect();
    path.reverse();
    path.concat().trim_matches(':').to_owned()
}
