//! The header that holds a project's definitions for warps of 32 lanes, as files include it.

use camino::{Utf8Path, Utf8PathBuf};

/// A header that definitions go to instead of into each file that uses them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelperHeader {
    /// What it is called.
    pub name: String,
    /// What a run was told to convert, as it was named: each folder has the header at its top, each file beside it.
    pub roots: Vec<Utf8PathBuf>,
}

impl HelperHeader {
    /// The number of the root that a file belongs to: the first that it lies below.
    pub fn root_of(&self, file: &Utf8Path) -> Option<usize> {
        self.roots.iter().position(|root| file.starts_with(root))
    }

    /// The line by which a file includes it. A path from the file's own folder is found whatever folders a build searches.
    pub fn include_in(&self, file: &Utf8Path) -> String {
        let root = self.root_of(file).and_then(|root| self.roots.get(root));
        let inside = root.and_then(|root| file.strip_prefix(root).ok());
        let folders = inside.map_or(0, |inside| inside.components().count().saturating_sub(1));
        format!("#include \"{}{}\"\n", "../".repeat(folders), self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_include(file: &str, expected: &str) {
        let header = HelperHeader { name: "warp.h".to_owned(), roots: vec!["p".into(), "one/a.cu".into(), ".".into()] };
        assert_eq!(header.include_in(file.into()), format!("#include \"{expected}\"\n"));
    }

    #[test]
    fn files_include_it_from_their_own_folder() {
        check_include("p/a.cu", "warp.h");
        check_include("p/x/y/a.cu", "../../warp.h");
        check_include("one/a.cu", "warp.h");
        check_include("./x/a.cu", "../warp.h");
        check_include("elsewhere/a.cu", "warp.h");
    }
}
