//! Where a file calls something of its own by CUDA's name for the size of a warp.

use rustc_hash::FxHashMap;

use super::declared::Declared;
use super::declaring::Declaration;
use super::names::WAVE_SIZE;
use super::scopes::{Place, Scopes};
use crate::source::Spans;
use crate::syntax::{DirectiveKind, Document, TokenIdx, words};

/// The tokens that name a `warpSize` of the file's own, as far as it tells alone: those that declare one, and those that see such a
/// declaration. A member of another object, behind a `.`, may be among them. Whose a name is that is to be changed, the rules decide.
pub(super) fn own_wave_sizes(document: &Document, declared: &Declared) -> Spans<TokenIdx> {
    let declared = declared.all(WAVE_SIZE);
    if declared.is_empty() {
        return Spans::default();
    }
    let scopes = Scopes::of(document);
    let (mut local, mut named) = (Vec::new(), FxHashMap::default());
    for own in declared {
        // A member is seen in all of its class, any other name behind its declaration.
        let from = if scopes.is_in_class(own.token) { 0 } else { own.token };
        match scopes.place_of(document, own.token) {
            _ if own.kind == Declaration::Macro => local.push(own.token..end_of_macro(document, own.token)),
            Place::Local(range) => local.push(range.start.max(from)..range.end),
            Place::Named(path) => {
                let first = named.entry(path).or_insert(from);
                *first = from.min(*first);
            }
        }
    }
    let local: Spans<TokenIdx> = local.into_iter().collect();
    let is_seen = |idx: &TokenIdx| local.contains(*idx) || is_found(document, &scopes, &named, *idx);
    let uses = words(document, WAVE_SIZE).filter(is_seen);
    uses.chain(declared.iter().map(|own| own.token)).map(|idx| idx..idx + 1).collect()
}

/// Whether one of some namespaces and classes is searched at `idx`, behind where each declares the name.
fn is_found(document: &Document, scopes: &Scopes, named: &FxHashMap<String, TokenIdx>, idx: TokenIdx) -> bool {
    if named.is_empty() {
        return false;
    }
    let searched = scopes.searched_at(document, idx);
    // A file may have many of the one or of the other.
    if named.len() < searched.most() {
        named.iter().any(|(path, &from)| from <= idx && searched.contains(path))
    } else {
        searched.paths().any(|path| named.get(&path).is_some_and(|&from| from <= idx))
    }
}

/// Where the name is undefined that the macro at `name` has, or the end of the file.
fn end_of_macro(document: &Document, name: TokenIdx) -> TokenIdx {
    let after = document.directives().partition_point(|directive| directive.tokens.start < name);
    let mut after = document.directives()[after..].iter();
    let ends =
        after.find(|it| it.kind == DirectiveKind::Undef && document.token_text(it.tokens.start + 2) == WAVE_SIZE);
    ends.map_or(document.tokens().len(), |directive| directive.tokens.start)
}
