//! A path from some folder on that cannot lead out of it, however it came here.

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

/// A path below a folder.
///
/// Invariant: one name or more, none of which is `..` or leads into a `.git`, and nothing in front of the first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RelativePath(Utf8PathBuf);

/// A path that leads out of its folder, or may, or into what git keeps there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no path below the project: paths are relative, without `..`, and not in a `.git`")]
pub struct NotBelow(pub Utf8PathBuf);

impl RelativePath {
    /// Takes a path of names only.
    pub fn new(path: &Utf8Path) -> Result<RelativePath, NotBelow> {
        let names = path.components().filter(|part| !matches!(part, Utf8Component::CurDir));
        let is_name = |part: &Utf8Component<'_>| matches!(part, Utf8Component::Normal(name) if !is_of_git(name));
        let names: Vec<Utf8Component<'_>> = names.collect();
        if names.is_empty() || !names.iter().all(is_name) || path.as_str().contains('\0') {
            return Err(NotBelow(path.to_owned()));
        }
        Ok(RelativePath(names.into_iter().collect()))
    }

    /// The path as others take it.
    pub fn as_path(&self) -> &Utf8Path {
        &self.0
    }

    /// The folders on the way, and the last name.
    pub(super) fn split(&self) -> (impl Iterator<Item = &str>, &str) {
        let parent = self.0.parent().unwrap_or(Utf8Path::new(""));
        (parent.components().map(|part| part.as_str()), self.0.file_name().unwrap_or_default())
    }
}

impl TryFrom<String> for RelativePath {
    type Error = NotBelow;

    fn try_from(path: String) -> Result<RelativePath, NotBelow> {
        RelativePath::new(Utf8Path::new(&path))
    }
}

impl From<RelativePath> for String {
    fn from(path: RelativePath) -> String {
        path.0.into_string()
    }
}

/// Whether some file system takes the name for `.git`, where git finds programs that it runs: the names that git itself
/// refuses in a tree (`core.protectHFS` and `core.protectNTFS`).
fn is_of_git(name: &str) -> bool {
    // HFS+ ignores these characters; NTFS ends a name at a colon, drops dots and blanks behind it, and has short names.
    let ignored =
        |c: char| matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let name: String = name.chars().filter(|&c| !ignored(c)).collect();
    let name = name.split(':').next().unwrap_or_default().trim_end_matches([' ', '.']).to_ascii_lowercase();
    matches!(&*name, ".git" | "git~1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_lead_downwards() {
        let below = |path: &str| RelativePath::new(path.into()).ok().map(String::from);
        assert_eq!(below("a/./b.cu").as_deref(), Some("a/b.cu"));
        assert_eq!(below("a..b/...").as_deref(), Some("a..b/..."));
        for path in ["", ".", "..", "/", "/etc/passwd", "a/../../b", "../a", "a/..", "a\0b"] {
            assert_eq!(below(path), None, "{path:?}");
        }
    }

    #[test]
    fn no_path_leads_into_what_git_keeps() {
        let is_path = |path: &str| RelativePath::new(path.into()).is_ok();
        for path in [
            ".git",
            "a/.git/hooks/x",
            ".GIT/x",
            "git~1/x",
            ".git./x",
            ".git /x",
            ".git::$INDEX_ALLOCATION/x",
            ".g\u{200c}it/x",
        ] {
            assert!(!is_path(path), "{path:?}");
        }
        for path in [".github/x", ".gitignore", "x.git/y", "git/x", "a.git"] {
            assert!(is_path(path), "{path:?}");
        }
    }

    #[test]
    fn folders_and_name_are_told_apart() {
        let path = RelativePath::new("a/b/c.cu".into()).unwrap();
        let (folders, name) = path.split();
        assert_eq!((folders.collect::<Vec<_>>(), name), (vec!["a", "b"], "c.cu"));
    }
}
