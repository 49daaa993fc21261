//! The bases of classes, and the classes that other names stand for.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::scope_kinds::Kind;
use super::scope_reader::Scope;
use crate::syntax::{Document, TokenIdx, TokenKind, words};

/// No class of a program has so many bases.
const MOST: usize = 64;

/// The bases of the classes of a file, and what its aliases of types stand for, by the last part of their names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Bases {
    by_name: FxHashMap<String, Vec<String>>,
}

impl Bases {
    /// Those of a file.
    pub(super) fn of(document: &Document, scopes: &[Scope]) -> Bases {
        let mut found = Bases::default();
        for scope in scopes.iter().filter(|scope| scope.kind == Kind::Class) {
            if let Some(name) = &scope.name {
                let last = document.token_text(name.end.saturating_sub(1)).to_owned();
                found.add(last, bases(document, scope));
            }
        }
        // Without classes that have bases, no alias of one matters either, but for that which is a base itself.
        if found.by_name.is_empty() {
            return found;
        }
        for using in words(document, "using").filter(|&using| document.is(using + 2, b'=')) {
            let path = paths(document, using + 3..end_of_alias(document, using + 3));
            found.add(document.name(using + 1).into_owned(), path);
        }
        for typedef in words(document, "typedef") {
            let name = end_of_alias(document, typedef + 1).saturating_sub(1);
            if name > typedef + 1 {
                found.add(document.name(name).into_owned(), paths(document, typedef + 1..name));
            }
        }
        found
    }

    fn add(&mut self, name: String, paths: Vec<String>) {
        if !paths.is_empty() {
            self.by_name.entry(name).or_default().extend(paths);
        }
    }

    /// Adds to some classes all that they inherit from.
    pub(super) fn add_inherited(&self, classes: &mut Vec<String>) {
        let mut next = 0;
        while next < classes.len().min(MOST) {
            let class = &classes[next];
            let (outer, name) = class.rsplit_once("::").unwrap_or(("", class));
            let found = self.by_name.get(name).into_iter().flatten();
            // A base is looked for where the class is.
            let near = |path: &String| if outer.is_empty() { None } else { Some(format!("{outer}::{path}")) };
            let found: Vec<String> = found.flat_map(|path| [Some(path.clone()), near(path)]).flatten().collect();
            for path in found {
                if !classes.contains(&path) {
                    classes.push(path);
                }
            }
            next += 1;
        }
    }
}

/// Where the alias ends that is declared from `start` on; nothing is read of one that is more than a path.
fn end_of_alias(document: &Document, start: TokenIdx) -> TokenIdx {
    let is_part = |idx: &TokenIdx| {
        matches!(
            document.kind(*idx),
            Some(TokenKind::Ident | TokenKind::Number | TokenKind::PathSep | TokenKind::Punct(b'<' | b'>' | b','))
        )
    };
    let end = (start..document.tokens().len()).find(|idx| !is_part(idx)).unwrap_or(start);
    if document.is(end, b';') { end } else { start }
}

/// The paths behind the `:` of a class, without the arguments of templates.
pub(super) fn bases(document: &Document, scope: &Scope) -> Vec<String> {
    let colon = scope.head.clone().find(|&idx| scope.kind == Kind::Class && document.is(idx, b':'));
    colon.map_or_else(Vec::new, |colon| paths(document, colon + 1..scope.head.end))
}

/// Whether a word stands before the path of a base, or in it, and names nothing.
fn is_access(word: &str) -> bool {
    matches!(word, "public" | "private" | "protected" | "virtual" | "typename" | "template")
}

/// Paths between commas: `a::M` and `b` of `public ::a::M, b<int>`.
fn paths(document: &Document, tokens: Range<TokenIdx>) -> Vec<String> {
    let (mut found, mut path, mut depth) = (Vec::new(), String::new(), 0);
    for idx in tokens {
        match document.kind(idx) {
            Some(TokenKind::Punct(b'<' | b'(')) => depth += 1,
            Some(TokenKind::Punct(b'>' | b')')) => depth -= 1,
            _ if depth > 0 => {}
            Some(TokenKind::Punct(b',')) => found.push(std::mem::take(&mut path)),
            Some(TokenKind::PathSep) if !path.is_empty() => path.push_str("::"),
            Some(TokenKind::Ident) if is_access(document.token_text(idx)) => {}
            Some(TokenKind::Ident) => {
                if !path.ends_with("::") {
                    path.clear();
                }
                path.push_str(document.token_text(idx));
            }
            _ => {}
        }
    }
    found.push(path);
    found.retain(|path| !path.is_empty());
    found
}
