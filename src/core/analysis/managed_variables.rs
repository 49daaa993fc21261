//! The managed variables that files declare (CUDA C++ Programming Guide, "Managed Memory").

use std::sync::Arc;

use camino::Utf8Path;
use rustc_hash::FxHashMap;

use super::own_names::{Includers, is_source};
use crate::syntax::{Document, TokenIdx, TokenKind, words};

/// The specifier.
const SPECIFIER: &str = "__managed__";

/// The names of the managed variables that a file declares.
pub fn managed_variables(document: &Document) -> Vec<&str> {
    let specifiers = words(document, SPECIFIER).filter(|&at| document.directive_of(at).is_none());
    specifiers.flat_map(|at| declared(document, at + 1)).collect()
}

/// Those that a header declares for all who include it; a source declares none.
pub fn managed_of_header(document: &Document) -> Vec<String> {
    let shown = if is_source(&document.file().path) { Vec::new() } else { managed_variables(document) };
    shown.into_iter().map(str::to_owned).collect()
}

/// The managed variables that headers of a project declare.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SharedManaged {
    by_name: FxHashMap<String, Vec<Arc<Includers>>>,
}

impl SharedManaged {
    /// Adds those of a header, which some files include.
    pub fn add(&mut self, names: &[String], includers: &Arc<Includers>) {
        for name in names {
            self.by_name.entry(name.clone()).or_default().push(Arc::clone(includers));
        }
    }

    /// Whether a file surely includes a header that declares one of this name.
    pub fn is_seen(&self, name: &str, file: &Utf8Path) -> bool {
        self.by_name.get(name).is_some_and(|headers| headers.iter().any(|seen| seen.surely.contains(file)))
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
