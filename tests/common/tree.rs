//! A folder as it is at one moment, to be compared.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    /// A file: its content, and its permissions where there are any.
    File(String, u32),
    /// A link and where it leads.
    Link(PathBuf),
    /// An empty directory; others are known by what they hold.
    Empty,
}

/// All that a folder holds, `.hipshift` and `.git` left out.
pub(crate) type Tree = BTreeMap<String, Node>;

/// The folder as it is now.
pub(crate) fn tree(root: &Path) -> Tree {
    let is_own = |entry: &walkdir::DirEntry| entry.depth() == 0 || !is_state(entry);
    let entries = walkdir::WalkDir::new(root).sort_by_file_name().into_iter().filter_entry(is_own);
    let mut tree = Tree::new();
    for entry in entries.map(Result::unwrap).filter(|entry| entry.depth() > 0) {
        let path = entry.path();
        let node = if entry.path_is_symlink() {
            Node::Link(std::fs::read_link(path).unwrap())
        } else if entry.file_type().is_dir() {
            if std::fs::read_dir(path).unwrap().next().is_some() {
                continue;
            }
            Node::Empty
        } else {
            Node::File(std::fs::read(path).unwrap().escape_ascii().to_string(), mode(path))
        };
        tree.insert(path.strip_prefix(root).unwrap().display().to_string(), node);
    }
    tree
}

fn is_state(entry: &walkdir::DirEntry) -> bool {
    matches!(entry.file_name().to_str(), Some(".hipshift" | ".git"))
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(path).unwrap().permissions()) & 0o777
}

#[cfg(not(unix))]
fn mode(_: &Path) -> u32 {
    0
}

#[cfg(unix)]
pub(crate) fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
}
