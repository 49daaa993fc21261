//! The scopes that the name of a function names where it is defined outside of them.

use super::scope_reader::Scope;
use crate::syntax::{Document, TokenIdx, TokenKind, less_of};

/// The scopes that the name of a function names: `a` and `a::S` of `int a::S::f() {`; none of those that its result and its
/// parameters name.
pub(super) fn qualifiers(document: &Document, scope: &Scope) -> Vec<String> {
    let Some(last) = separator_of_name(document, scope) else { return Vec::new() };
    let mut found = Vec::new();
    let mut separator = Some(last);
    while let Some(at) = separator {
        let Some(outer) = at.checked_sub(1).and_then(|outer| name_before(document, outer)) else { break };
        if outer < scope.head.start {
            break;
        }
        let mut first = outer;
        while first > scope.head.start + 1 && document.kind(first - 1) == Some(TokenKind::PathSep) {
            first -= 2;
        }
        found.push((first..=outer).map(|idx| document.token_text(idx)).collect());
        let before = outer.checked_sub(1).filter(|&before| before > scope.head.start);
        separator = before.filter(|&before| document.kind(before) == Some(TokenKind::PathSep));
    }
    found
}

/// The name that ends at `end`, or that has the template arguments which end there.
fn name_before(document: &Document, end: TokenIdx) -> Option<TokenIdx> {
    let name = if document.is(end, b'>') { less_of(document, end)?.checked_sub(1)? } else { end };
    (document.kind(name) == Some(TokenKind::Ident)).then_some(name)
}

/// The last `::` in the name of the function that a head declares: that before the name whose parameters follow.
fn separator_of_name(document: &Document, scope: &Scope) -> Option<TokenIdx> {
    let mut idx = scope.head.start;
    while idx < scope.head.end {
        match document.kind(idx)? {
            TokenKind::PathSep if names_function(document, idx + 1) => return Some(idx),
            TokenKind::Punct(b'(' | b'[') => idx = document.partner(idx).filter(|&close| close > idx)?,
            // What follows initialises members, or says what the bases are.
            TokenKind::Punct(b':') => return None,
            _ => {}
        }
        idx += 1;
    }
    None
}

/// Whether the parameters of a function follow on the name at `name`, or it is that of an operator or a destructor.
fn names_function(document: &Document, name: TokenIdx) -> bool {
    let is_special = document.is(name, b'~') || document.token_text(name) == "operator";
    is_special || document.kind(name) == Some(TokenKind::Ident) && document.is(name + 1, b'(')
}
