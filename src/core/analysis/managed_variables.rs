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

/// The variables of the device that a header declares for all who include it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeviceNames {
    /// Those that are managed.
    pub managed: Vec<String>,
    /// Those that are not.
    pub plain: Vec<String>,
}

impl DeviceNames {
    /// Those of a file; a source declares none for others.
    pub fn of_header(document: &Document) -> DeviceNames {
        if is_source(&document.file().path) {
            return DeviceNames::default();
        }
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        DeviceNames { managed: owned(managed_variables(document)), plain: owned(plain_variables(document)) }
    }
}

/// The names of variables behind `__device__` and `__constant__` without the specifier.
fn plain_variables(document: &Document) -> Vec<&str> {
    let specifiers = ["__device__", "__constant__"].into_iter().flat_map(|word| words(document, word));
    let is_plain = |at: &TokenIdx| {
        let is_managed = |idx: Option<TokenIdx>| idx.is_some_and(|idx| document.token_text(idx) == SPECIFIER);
        document.directive_of(*at).is_none() && !is_managed(at.checked_sub(1)) && !is_managed(Some(at + 1))
    };
    specifiers.filter(is_plain).flat_map(|at| declared(document, at + 1)).collect()
}

/// The managed variables that headers of a project declare.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SharedManaged {
    managed: FxHashMap<String, Vec<Arc<Includers>>>,
    plain: FxHashMap<String, Vec<Arc<Includers>>>,
}

impl SharedManaged {
    /// Adds those of a header, which some files include.
    pub fn add(&mut self, names: &DeviceNames, includers: &Arc<Includers>) {
        for (names, by_name) in [(&names.managed, &mut self.managed), (&names.plain, &mut self.plain)] {
            for name in names {
                by_name.entry(name.clone()).or_default().push(Arc::clone(includers));
            }
        }
    }

    /// Whether a file surely includes a header that declares one of this name, and none that may declare another variable so.
    pub fn is_seen(&self, name: &str, file: &Utf8Path) -> bool {
        let is_in = |by_name: &FxHashMap<String, Vec<Arc<Includers>>>, includes: fn(&Includers, &Utf8Path) -> bool| {
            by_name.get(name).is_some_and(|headers| headers.iter().any(|seen| includes(seen, file)))
        };
        is_in(&self.managed, |seen, file| seen.surely.contains(file))
            && !is_in(&self.plain, |seen, file| seen.surely.contains(file) || seen.perhaps.contains(file))
    }
}

/// The names that a declaration gives: `int a[4] = {1}, *b;` A function gives none.
fn declared(document: &Document, start: TokenIdx) -> Vec<&str> {
    let mut names = Vec::new();
    let (mut at, mut is_value) = (start, false);
    while let Some(kind) = document.kind(at) {
        match kind {
            TokenKind::Punct(b';') => break,
            TokenKind::Punct(b'(' | b'{') if !is_value && names.is_empty() => break,
            TokenKind::Punct(b'=') => is_value = true,
            TokenKind::Punct(b',') => is_value = false,
            TokenKind::Ident if !is_value && ends_name(document, at + 1) => names.push(document.token_text(at)),
            _ => {}
        }
        at = document.after_brackets(at);
    }
    names
}

fn ends_name(document: &Document, idx: TokenIdx) -> bool {
    matches!(document.token_text(idx), ";" | "=" | "[" | "{" | ",")
}
