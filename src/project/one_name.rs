//! File systems that take two names for one, as those do that know no case or one form of a letter only: what a run has put in
//! place under one name it does not replace or remove under another.
//!
//! What such a system takes for one cannot be told from names, so it is asked: a file that was just put in place is known by its
//! number, and a name that nobody had may not lead anywhere a moment later.

use std::io;
use std::os::unix::fs::MetadataExt as _;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;

/// Files that a run has put in place, by device and number.
#[derive(Debug, Default)]
pub(super) struct InPlace {
    files: FxHashMap<(u64, u64), Utf8PathBuf>,
}

impl InPlace {
    /// Notes that the run has put a file at `path`.
    pub(super) fn note(&mut self, path: &Utf8Path) {
        if let Ok(found) = path.symlink_metadata() {
            self.files.insert((found.dev(), found.ino()), path.to_owned());
        }
    }

    /// Refuses to touch `path` if what is there was not there before: the run's own file, or somebody else's.
    pub(super) fn refuse(&self, path: &Utf8Path, was_there: bool) -> io::Result<()> {
        let Ok(found) = path.symlink_metadata() else { return Ok(()) };
        match self.files.get(&(found.dev(), found.ino())) {
            Some(other) if other != path => Err(io::Error::other(format!(
                "on this file system it is another name of `{other}`, which the same run writes"
            ))),
            None if !was_there => Err(io::Error::other("a file of that name came while the run went on")),
            _ => Ok(()),
        }
    }
}

/// Whether two names lead to one file that has one name only.
pub(super) fn is_one_file(one: &Utf8Path, other: &Utf8Path) -> bool {
    let (Ok(one), Ok(other)) = (one.symlink_metadata(), other.symlink_metadata()) else { return false };
    (one.dev(), one.ino()) == (other.dev(), other.ino()) && one.nlink() == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, Utf8PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
        (folder, path)
    }

    #[test]
    fn a_second_name_of_what_was_put_in_place_is_refused() {
        let (_guard, top) = folder();
        let [one, other, apart] = ["A.hip", "a.hip", "b.hip"].map(|name| top.join(name));
        std::fs::write(&one, "").unwrap();
        // A link stands in for a file system that knows no case.
        std::fs::hard_link(&one, &other).unwrap();
        std::fs::write(&apart, "").unwrap();
        let mut placed = InPlace::default();
        placed.note(&one);
        assert!(placed.refuse(&other, true).unwrap_err().to_string().contains("A.hip"));
        assert!(placed.refuse(&one, true).is_ok());
        assert!(placed.refuse(&apart, true).is_ok());
        assert!(placed.refuse(&top.join("new"), false).is_ok());
    }

    #[test]
    fn one_file_has_one_name_by_whatever_way() {
        let (_guard, top) = folder();
        std::fs::create_dir(top.join("real")).unwrap();
        std::os::unix::fs::symlink("real", top.join("link")).unwrap();
        for name in ["a", "b"] {
            std::fs::write(top.join("real").join(name), "").unwrap();
        }
        assert!(is_one_file(&top.join("real/a"), &top.join("link/a")));
        assert!(!is_one_file(&top.join("real/a"), &top.join("link/b")));
        std::fs::hard_link(top.join("real/a"), top.join("real/c")).unwrap();
        assert!(!is_one_file(&top.join("real/a"), &top.join("real/c")));
        assert!(!is_one_file(&top.join("gone"), &top.join("gone")));
    }

    #[test]
    fn a_file_that_came_meanwhile_is_not_replaced() {
        let (_guard, top) = folder();
        let path = top.join("a.hip");
        std::fs::write(&path, "").unwrap();
        assert!(InPlace::default().refuse(&path, false).is_err());
        assert!(InPlace::default().refuse(&path, true).is_ok());
    }
}
