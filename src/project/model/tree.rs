//! The files of a project as build files see them: names that are there, patterns, and texts.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeSet;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

use rustc_hash::FxHashSet;

use super::types::{Place, Unread};
use crate::project::globs::{is_too_much, shortened};
use crate::project::read::read_named;
use crate::source::TextSize;

/// The files of a project, with paths relative to its folder.
pub(super) struct Tree<'t> {
    /// The folder as an absolute path.
    pub(super) root: &'t Utf8Path,
    /// All files, sorted.
    files: BTreeSet<Utf8PathBuf>,
    unread: RefCell<Vec<Unread>>,
    /// What was noted, to note it once.
    noted: RefCell<FxHashSet<Unread>>,
    read: RefCell<BTreeSet<Utf8PathBuf>>,
    /// How many bytes of files may still be read a second time.
    left: Cell<usize>,
}

/// Files that are included again and again have this many bytes together, and each of them counts for some.
const MOST_AGAIN: usize = 1 << 24;
const EACH_AGAIN: usize = 1 << 10;

/// A text of the project, with its name.
#[derive(Debug, Clone)]
#[expect(clippy::struct_field_names, reason = "the text of a text is its text")]
pub(super) struct Text {
    pub(super) path: Utf8PathBuf,
    pub(super) text: String,
    /// Where its line ends are.
    ends: OnceCell<Vec<usize>>,
}

impl Text {
    /// The line of an offset.
    pub(super) fn place(&self, at: TextSize) -> Place {
        let ends = self.ends.get_or_init(|| memchr::memchr_iter(b'\n', self.text.as_bytes()).collect());
        Place { file: self.path.clone(), line: 1 + ends.partition_point(|end| *end < usize::from(at)) }
    }
}

impl<'t> Tree<'t> {
    /// The tree of `files`, which are relative to `root`.
    pub(super) fn new(root: &'t Utf8Path, files: BTreeSet<Utf8PathBuf>) -> Tree<'t> {
        Tree {
            root,
            files,
            unread: RefCell::default(),
            noted: RefCell::default(),
            read: RefCell::default(),
            left: Cell::new(MOST_AGAIN),
        }
    }

    /// All files, sorted.
    pub(super) fn files(&self) -> impl Iterator<Item = &Utf8Path> {
        self.files.iter().map(Utf8PathBuf::as_path)
    }

    /// Whether there is such a file.
    pub(super) fn has(&self, path: &Utf8Path) -> bool {
        self.files.contains(path)
    }

    /// Whether there is a file below such a folder.
    pub(super) fn has_folder(&self, folder: &Utf8Path) -> bool {
        folder.as_str().is_empty()
            || self.files.range(folder.to_owned()..).next().is_some_and(|file| file.starts_with(folder))
    }

    /// Whether the text of a file was read.
    pub(super) fn is_read(&self, path: &Utf8Path) -> bool {
        self.read.borrow().contains(path)
    }

    /// A path as it is written in a file of `folder`, relative to the root if it lies below it.
    pub(super) fn resolve(&self, folder: &Utf8Path, path: &str) -> Utf8PathBuf {
        let absolute = normal(&self.root.join(folder).join(path));
        absolute.strip_prefix(self.root).map_or(absolute.clone(), Utf8Path::to_owned)
    }

    /// The text of a file of the project; what cannot be read is noted.
    pub(super) fn text(&self, path: &Utf8Path) -> Option<Text> {
        if !self.has(path) {
            return None;
        }
        match read_named(&self.root.join(path)) {
            Ok(text) => {
                let is_new = self.read.borrow_mut().insert(path.to_owned());
                if !is_new && !self.may_read_again(text.len()) {
                    self.note(None, format!("`{path}` is included again and again: not followed any more"));
                    return None;
                }
                Some(Text { path: path.to_owned(), text, ends: OnceCell::new() })
            }
            Err(error) => {
                self.note(None, format!("`{path}`: {error}"));
                None
            }
        }
    }

    fn may_read_again(&self, bytes: usize) -> bool {
        let left = self.left.get().checked_sub(bytes + EACH_AGAIN);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    /// The files that a pattern of a shell finds; `deep` looks into folders for the last name.
    pub(super) fn glob(&self, folder: &Utf8Path, pattern: &str, deep: bool) -> Vec<Utf8PathBuf> {
        let whole = self.resolve(folder, pattern);
        let pattern = match whole.file_name() {
            Some(name) if deep => whole.with_file_name("**").join(name),
            _ => whole,
        };
        if is_too_much(pattern.as_str()) {
            let start = shortened(pattern.as_str());
            self.note(None, format!("the pattern `{start}` is too long, or its braces are nested too deeply"));
            return Vec::new();
        }
        let Ok(glob) = globset::GlobBuilder::new(pattern.as_str()).literal_separator(true).build() else {
            return Vec::new();
        };
        let matcher = glob.compile_matcher();
        self.files.iter().filter(|file| matcher.is_match(file.as_path())).cloned().collect()
    }

    /// Notes what could not be read, once.
    pub(super) fn note(&self, place: Option<Place>, message: impl Into<String>) {
        let unread = Unread { place, message: message.into() };
        if self.noted.borrow_mut().insert(unread.clone()) {
            self.unread.borrow_mut().push(unread);
        }
    }

    /// What was read, and what could not be.
    pub(super) fn notes(self) -> (Vec<Utf8PathBuf>, Vec<Unread>) {
        (self.read.into_inner().into_iter().collect(), self.unread.into_inner())
    }
}

/// A path without `.` and, as far as there is a name to take away, without `..`.
fn normal(path: &Utf8Path) -> Utf8PathBuf {
    let mut whole = Utf8PathBuf::new();
    for part in path.components() {
        match part {
            Utf8Component::CurDir => {}
            Utf8Component::ParentDir => {
                whole.pop();
            }
            _ => whole.push(part),
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_resolved_and_patterns_found() {
        let files = ["a.cu", "src/b.cu", "src/deep/c.cu", "srcs/d.cpp"].map(Utf8PathBuf::from);
        let tree = Tree::new("/p".into(), files.into_iter().collect());
        assert_eq!(tree.resolve("src".into(), "../lib/./x.cu"), "lib/x.cu");
        assert_eq!(tree.resolve("src".into(), "../../x.cu"), "/x.cu");
        assert_eq!(tree.resolve("".into(), "/p/src"), "src");
        assert_eq!(tree.glob("".into(), "src/*.cu", false), ["src/b.cu"]);
        assert_eq!(tree.glob("src".into(), "*.cu", true), ["src/b.cu", "src/deep/c.cu"]);
        assert!(tree.has_folder("src/deep".into()) && !tree.has_folder("sr".into()));
    }
}
