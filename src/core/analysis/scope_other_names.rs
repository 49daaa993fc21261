//! Other names of the namespaces and classes of a file.

use rustc_hash::FxHashMap;

use crate::syntax::{Document, TokenIdx, TokenKind, words};

/// No scope of a program has so many other names.
const MOST: usize = 64;

/// What `using a::T;`, `using U = a::T;` and `namespace b = a;` give another name, by that, wherever they stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct OtherNames {
    by_name: FxHashMap<String, Vec<String>>,
}

impl OtherNames {
    /// Those of a file.
    pub(super) fn of(document: &Document) -> OtherNames {
        let mut found = OtherNames::default();
        for keyword in words(document, "using").chain(words(document, "namespace")) {
            let name = keyword + 1;
            let path = path_before_semicolon(document, if document.is(name + 1, b'=') { name + 2 } else { name });
            let name = match path.as_deref().map(|path| path.rsplit_once("::")) {
                Some(_) if document.is(name + 1, b'=') => document.token_text(name),
                Some(Some((_, last))) => last,
                _ => continue,
            };
            let (name, path) = (name.to_owned(), path.unwrap_or_default());
            found.by_name.entry(name).or_default().push(path);
        }
        found
    }

    /// Adds to some paths what they mean where their first name is another one of something.
    pub(super) fn add_meant(&self, paths: &mut Vec<String>) {
        if self.by_name.is_empty() {
            return;
        }
        let mut next = 0;
        while next < paths.len().min(MOST) {
            let path = &paths[next];
            let (first, rest) = path.split_at(path.find("::").unwrap_or(path.len()));
            let meant: Vec<String> =
                self.by_name.get(first).into_iter().flatten().map(|other| format!("{other}{rest}")).collect();
            for path in meant {
                if !paths.contains(&path) {
                    paths.push(path);
                }
            }
            next += 1;
        }
    }
}

/// `a::b` of `::a::b<c>;`; `None` if something else stands before the semicolon.
fn path_before_semicolon(document: &Document, start: TokenIdx) -> Option<String> {
    let (mut path, mut idx) = (String::new(), start);
    loop {
        match document.kind(idx)? {
            TokenKind::Ident if matches!(document.token_text(idx), "namespace" | "enum") => return None,
            TokenKind::Ident if document.token_text(idx) == "typename" => {}
            TokenKind::Ident => path.push_str(document.token_text(idx)),
            TokenKind::PathSep if path.is_empty() => {}
            TokenKind::PathSep => path.push_str("::"),
            TokenKind::Punct(b';') => return (!path.is_empty()).then_some(path),
            _ => return None,
        }
        idx += 1;
    }
}
