//! The managed variables that a file declares (CUDA C++ Programming Guide, "Managed Memory").

use rustc_hash::FxHashSet;

use super::context::Context;
use crate::syntax::{Document, TokenIdx, TokenKind, words};

/// The specifier.
const SPECIFIER: &str = "__managed__";

impl<'d> Context<'d> {
    /// The names of the managed variables that the file declares, but those that it declares otherwise, too.
    pub(super) fn managed_variables(&self) -> &FxHashSet<&'d str> {
        self.managed_variables.get_or_init(|| {
            let document = self.document;
            if !self.has_word(SPECIFIER) {
                return FxHashSet::default();
            }
            let specifiers = words(document, SPECIFIER).filter(|&at| document.directive_of(at).is_none());
            let mut found: FxHashSet<&str> = specifiers.flat_map(|at| declared(document, at + 1)).collect();
            for other in self.facts.device_variables(document) {
                found.remove(document.token_text(other.name));
            }
            found
        })
    }
}

/// The names that a declaration gives: `int a[4] = {1}, *b;`
fn declared(document: &Document, start: TokenIdx) -> Vec<&str> {
    let mut names = Vec::new();
    let (mut at, mut is_value) = (start, false);
    while let Some(kind) = document.kind(at) {
        match kind {
            TokenKind::Punct(b';') => break,
            TokenKind::Punct(b'=') => is_value = true,
            TokenKind::Punct(b',') => is_value = false,
            TokenKind::Ident if !is_value && ends_name(document, at + 1) => names.push(document.token_text(at)),
            _ => {}
        }
        at = document.partner(at).filter(|&close| close > at).unwrap_or(at) + 1;
    }
    names
}

fn ends_name(document: &Document, idx: TokenIdx) -> bool {
    matches!(document.token_text(idx), ";" | "=" | "[" | "{" | ",")
}
