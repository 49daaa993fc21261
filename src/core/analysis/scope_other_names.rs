//! Other names of the namespaces and classes of a file.

use rustc_hash::FxHashMap;

use super::aliases::path_from;
use crate::syntax::{Document, words};

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
            let (name, is_new) = (keyword + 1, document.is(keyword + 2, b'='));
            let start = if is_new { name + 2 } else { name };
            let start = start + usize::from(document.token_text(start) == "typename");
            if matches!(document.token_text(start), "namespace" | "enum") {
                continue;
            }
            let Some(path) = path_from(document, start) else { continue };
            let name = match path.rsplit_once("::") {
                _ if is_new => document.token_text(name),
                Some((_, last)) => last,
                None => continue,
            };
            found.by_name.entry(name.to_owned()).or_default().push(path);
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
