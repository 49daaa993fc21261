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
        self.roots.iter().position(|root| inside(root, file).is_some())
    }

    /// The line by which a file includes it; nothing for a file below none of the roots, which no header lies beside. A path from
    /// the file's own folder is found whatever folders a build searches.
    pub fn include_in(&self, file: &Utf8Path) -> Option<String> {
        let root = self.roots.get(self.root_of(file)?)?;
        let folders = inside(root, file)?.components().count().saturating_sub(1);
        Some(format!("#include \"{}{}\"\n", "../".repeat(folders), self.name))
    }
}

/// The path from a root on of a file below it. Files of the current folder are known with and without `./`.
fn inside<'f>(root: &Utf8Path, file: &'f Utf8Path) -> Option<&'f Utf8Path> {
    let root = root.strip_prefix(".").unwrap_or(root);
    let file = file.strip_prefix(".").unwrap_or(file);
    let is_outside = root.as_str().is_empty() && (file.is_absolute() || file.starts_with(".."));
    if is_outside { None } else { file.strip_prefix(root).ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_include(file: &str, expected: Option<&str>) {
        let roots = ["./p", "one/a.cu", ".", "/q"].map(Utf8PathBuf::from).to_vec();
        let header = HelperHeader { name: "warp.h".to_owned(), roots };
        let expected = expected.map(|path| format!("#include \"{path}\"\n"));
        assert_eq!(header.include_in(file.into()), expected);
    }

    #[test]
    fn files_include_it_from_their_own_folder() {
        check_include("p/a.cu", Some("warp.h"));
        check_include("p/x/y/a.cu", Some("../../warp.h"));
        check_include("one/a.cu", Some("warp.h"));
        check_include("./x/a.cu", Some("../warp.h"));
        check_include("x/a.cu", Some("../warp.h"));
        check_include("/q/x/a.cu", Some("../warp.h"));
        check_include("../elsewhere/a.cu", None);
        check_include("/elsewhere/a.cu", None);
    }
}
