//! Other names of namespaces, `namespace cg = cooperative_groups;`, and those named by `using namespace cooperative_groups;`.

use rustc_hash::FxHashMap;

use crate::syntax::{Document, TokenIdx, TokenKind, words};

/// The namespace aliases of one file. An alias counts for the whole file, whatever its scope.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Aliases {
    targets: FxHashMap<String, (String, TokenIdx)>,
    used: Vec<String>,
}

impl Aliases {
    /// The aliases of a file.
    pub fn of(document: &Document) -> Aliases {
        let mut aliases = Aliases::default();
        for keyword in words(document, "namespace") {
            if document.is(keyword + 2, b'=')
                && let Some(target) = path_from(document, keyword + 3)
            {
                aliases.targets.insert(document.name(keyword + 1).into_owned(), (target, keyword + 1));
            }
            let is_using = keyword.checked_sub(1).is_some_and(|before| document.token_text(before) == "using");
            if is_using && let Some(used) = path_from(document, keyword + 1) {
                aliases.used.push(used);
            }
        }
        aliases.used.sort_unstable();
        aliases.used.dedup();
        aliases
    }

    /// The namespace that `alias` stands for, and the token that declares it.
    pub fn get(&self, alias: &str) -> Option<(&str, TokenIdx)> {
        self.targets.get(alias).map(|(target, token)| (target.as_str(), *token))
    }

    /// All aliases and the namespaces that they stand for.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.targets.iter().map(|(alias, (target, _))| (alias.as_str(), target.as_str()))
    }

    /// The namespaces that a `using namespace` anywhere in the file names, sorted.
    pub fn used(&self) -> &[String] {
        &self.used
    }
}

/// `a::b` up to a semicolon, without the `::` it may start with.
pub(super) fn path_from(document: &Document, start: TokenIdx) -> Option<String> {
    let mut path = String::new();
    for idx in start.. {
        match document.token(idx)?.kind {
            TokenKind::Ident => path.push_str(&document.name(idx)),
            TokenKind::PathSep if path.is_empty() => {}
            TokenKind::PathSep => path.push_str("::"),
            TokenKind::Punct(b';') => break,
            _ => return None,
        }
    }
    (!path.is_empty()).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    #[track_caller]
    fn check_alias(text: &str, alias: &str, expected: Option<&str>) {
        let document = Document::new(SourceFile::from_text("a.cu", text));
        assert_eq!(Aliases::of(&document).get(alias).map(|(target, _)| target), expected, "{text}");
    }

    #[test]
    fn aliases_are_read() {
        check_alias("namespace cg = cooperative_groups;", "cg", Some("cooperative_groups"));
        check_alias("namespace w = ::nvcuda::wmma;", "w", Some("nvcuda::wmma"));
        check_alias("namespace a { int cg = 1; }", "cg", None);
        check_alias("namespace cg =", "cg", None);
    }
}
