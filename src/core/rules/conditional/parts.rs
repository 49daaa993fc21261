//! Parts of conditions and of their branches, as the text shows them.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::analysis::{Binary, Branch, Expression, Node};
use crate::rules::context::Context;
use crate::syntax::{DirectiveKind, Document, TokenIdx, TokenKind};

/// Where a name stands that is in no condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A `#define` defines it.
    Defined,
    /// An `#undef` undefines it.
    Undefined,
    /// After `defined` in the body of a macro.
    Presence,
    /// Elsewhere in the body of a macro.
    MacroBody,
    /// In code.
    Code,
}

pub(super) fn place_of(document: &Document, name: TokenIdx) -> Option<Place> {
    let Some(directive) = document.directive_of(name) else { return Some(Place::Code) };
    match directive.kind {
        DirectiveKind::Define if name == directive.tokens.start + 2 => Some(Place::Defined),
        DirectiveKind::Define if follows_defined(document, name) => Some(Place::Presence),
        DirectiveKind::Define => Some(Place::MacroBody),
        DirectiveKind::Undef => Some(Place::Undefined),
        _ => None,
    }
}

fn follows_defined(document: &Document, name: TokenIdx) -> bool {
    let text = |back: usize| name.checked_sub(back).map_or("", |idx| document.token_text(idx));
    text(1) == "defined" || (text(1) == "(" && text(2) == "defined")
}

/// The branches whose conditions ask for macros, by the names of these.
pub(super) fn asking<'c>(cx: &'c Context<'_>) -> &'c FxHashMap<String, Vec<(usize, usize)>> {
    cx.branches.asking.get_or_init(|| {
        let mut asking: FxHashMap<String, Vec<(usize, usize)>> = FxHashMap::default();
        for (at, chain) in cx.facts.conditions.chains().iter().enumerate() {
            for (number, branch) in chain.branches.iter().enumerate() {
                let names = branch.condition.iter().flat_map(|condition| asked_in(condition, cx));
                names.for_each(|name| asking.entry(name.into_owned()).or_default().push((at, number)));
            }
        }
        asking
    })
}

/// The macros that `&&` and `||` join `defined(NAME)` to in a condition.
pub(super) fn asked_in<'d>(condition: &Expression, cx: &Context<'d>) -> Vec<Cow<'d, str>> {
    let mut names = Vec::new();
    walk_joined(condition, &mut |part| {
        if let Node::Defined(name) = part.node {
            names.push(cx.document.name(name));
        }
    });
    names
}

/// The branch of a chain and of a number.
pub(super) fn branch_of<'d>((chain, number): (usize, usize), cx: &Context<'d>) -> Option<&'d Branch> {
    cx.facts.conditions.chains().get(chain)?.branches.get(number)
}

/// Visits the parts that `&&` and `||` join.
pub(super) fn walk_joined(part: &Expression, visit: &mut dyn FnMut(&Expression)) {
    match &part.node {
        Node::Binary(Binary::And | Binary::Or, sides) => sides.iter().for_each(|side| walk_joined(side, visit)),
        _ => visit(part),
    }
}

/// `return value;`
pub(super) fn is_return(document: &Document, idx: TokenIdx) -> bool {
    document.token_text(idx) == "return"
        && document.token(idx + 1).is_some_and(|next| next.kind != TokenKind::Punct(b';'))
}

/// Where the macro of each name is defined.
pub(super) fn definitions(document: &Document) -> FxHashMap<String, Vec<TokenIdx>> {
    let mut defined: FxHashMap<String, Vec<TokenIdx>> = FxHashMap::default();
    for found in document.directives().iter().filter(|found| found.kind == DirectiveKind::Define) {
        let name = found.tokens.start + 2;
        defined.entry(document.name(name).into_owned()).or_default().push(name);
    }
    defined
}
