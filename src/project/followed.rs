//! Files of a project that its sources include and that nobody named.

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;

use super::own_place::{holds_home, project_top};
use super::read::read;
use crate::mapping::{Kind, Table};
use crate::source::SourceFile;
use crate::syntax::Document;

/// Where included files are looked for.
#[derive(Debug)]
pub struct Following<'f> {
    /// Folders of headers, absolute and without links, in order.
    pub folders: &'f [Utf8PathBuf],
    /// The paths that were named. What is found in [`Self::folders`] is taken if it lies in the project of one of them.
    pub named: &'f [Utf8PathBuf],
    /// Headers of CUDA are not followed.
    pub table: &'f Table,
}

impl Following<'_> {
    /// What `files` include, directly and through each other, without these: absolute paths without links, each once.
    ///
    /// A file that cannot be read is left out: who reads it is told why.
    pub fn included(&self, files: &[Utf8PathBuf]) -> Vec<Utf8PathBuf> {
        let tops = self.tops();
        let mut waiting: Vec<Utf8PathBuf> = files.iter().filter_map(|file| file.canonicalize_utf8().ok()).collect();
        let mut seen: FxHashSet<Utf8PathBuf> = waiting.iter().cloned().collect();
        let mut found = Vec::new();
        while let Some(file) = waiting.pop() {
            for included in self.direct(&file, &tops) {
                if seen.insert(included.clone()) {
                    waiting.push(included.clone());
                    found.push(included);
                }
            }
        }
        found.sort();
        found
    }

    /// The projects of what was named: work trees of git, and the current directory where it is above.
    fn tops(&self) -> Vec<Utf8PathBuf> {
        let here = Utf8Path::new(".").canonicalize_utf8().unwrap_or_default();
        let mut tops = Vec::new();
        for path in self.named.iter().filter_map(|path| path.canonicalize_utf8().ok()) {
            let folder = if path.is_dir() { path.as_path() } else { path.parent().unwrap_or(&path) };
            tops.push(project_top(folder).to_owned());
            // The root and the folder of all that a user has are no project.
            if folder.starts_with(&here) && !holds_home(&here) {
                tops.push(here.clone());
            }
        }
        tops
    }

    fn direct(&self, file: &Utf8Path, tops: &[Utf8PathBuf]) -> Vec<Utf8PathBuf> {
        let decoded = read(file).ok().and_then(|bytes| SourceFile::decode(file, bytes).ok());
        let Some(document) = decoded.map(Document::new) else { return Vec::new() };
        let is_of_cuda = |path: &str| self.table.get(path).iter().any(|entry| entry.kind == Kind::Header);
        let includes = document.includes().filter(|include| !is_of_cuda(include.path));
        includes.filter_map(|include| self.find(file, (include.path, include.quoted), tops)).collect()
    }

    /// The file that is included, as a compiler would find it.
    fn find(&self, file: &Utf8Path, (path, is_quoted): (&str, bool), tops: &[Utf8PathBuf]) -> Option<Utf8PathBuf> {
        let path = Utf8Path::new(path);
        if path.is_absolute() {
            return None;
        }
        let regular = |path: Utf8PathBuf| path.canonicalize_utf8().ok().filter(|path| path.is_file());
        let beside = file.parent().filter(|_| is_quoted).and_then(|folder| regular(folder.join(path)));
        if beside.is_some() {
            return beside;
        }
        let first = self.folders.iter().find_map(|folder| regular(folder.join(path)))?;
        tops.iter().any(|top| first.starts_with(top)).then_some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_followed_as_a_compiler_does() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
        let write = |name: &str, text: &str| {
            std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            std::fs::write(root.join(name), text).unwrap();
        };
        write("p/.git/HEAD", "");
        write(
            "p/src/m.cu",
            "#include \"a.cuh\"\n#include <b.h>\n#include <far.h>\n#include <cuda_runtime.h>\n#include NAMED\n",
        );
        write("p/src/a.cuh", "#include \"../common/c.h\"\n#include \"m.cu\"\n#include <a.cuh>\n");
        write("p/src/b.h", "#error \"brackets do not look beside\"\n");
        write("p/common/c.h", "#include \"none.h\"\n");
        write("p/common/b.h", "");
        write("p/common/cuda_runtime.h", "");
        write("other/far.h", "");
        let table = Table::builtin().unwrap();
        let folders = [root.join("other"), root.join("p/common")];
        let named = [root.join("p/src/m.cu")];
        let following = Following { folders: &folders, named: &named, table };
        let found = following.included(&named);
        let found: Vec<&str> = found.iter().map(|path| path.strip_prefix(&root).unwrap().as_str()).collect();
        assert_eq!(found, ["p/common/b.h", "p/common/c.h", "p/src/a.cuh"]);
    }
}
