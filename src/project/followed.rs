//! Files of a project that its sources include and that nobody named.

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;

use super::own_place::{holds_home, project_top};
use super::read::read;
use crate::mapping::{Kind, Table};
use crate::source::SourceFile;
use crate::syntax::{Directive, DirectiveKind, Document};

/// Where included files are looked for.
#[derive(Debug)]
pub struct Following<'f> {
    /// Folders of headers, absolute and without links, in order.
    pub folders: &'f [Utf8PathBuf],
    /// The paths that were named. What is found in [`Self::folders`] is taken if it lies in the project of one of them.
    pub named: &'f [Utf8PathBuf],
    /// Headers of CUDA's toolkit in `<…>` are not followed.
    pub table: &'f Table,
}

/// What files include.
#[derive(Debug, Default)]
pub struct Included {
    /// The files: absolute paths without links, each once.
    pub files: Vec<Utf8PathBuf>,
    /// Files with includes whose macro they do not define, and the macro.
    pub unknown: Vec<(Utf8PathBuf, String)>,
}

impl Following<'_> {
    /// What `files` include, directly and through each other, without these.
    ///
    /// A file that cannot be read is left out: who reads it is told why.
    pub fn included(&self, files: &[Utf8PathBuf]) -> Included {
        let tops = self.tops();
        let mut waiting: Vec<Utf8PathBuf> = files.iter().filter_map(|file| file.canonicalize_utf8().ok()).collect();
        let mut seen: FxHashSet<Utf8PathBuf> = waiting.iter().cloned().collect();
        let mut all = Included::default();
        while let Some(file) = waiting.pop() {
            for included in self.direct(&file, &tops, &mut all.unknown) {
                if seen.insert(included.clone()) {
                    waiting.push(included.clone());
                    all.files.push(included);
                }
            }
        }
        all.files.sort();
        all.unknown.sort();
        all.unknown.dedup();
        all
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

    fn direct(
        &self,
        file: &Utf8Path,
        tops: &[Utf8PathBuf],
        unknown: &mut Vec<(Utf8PathBuf, String)>,
    ) -> Vec<Utf8PathBuf> {
        let decoded = read(file).ok().and_then(|bytes| SourceFile::decode(file, bytes).ok());
        let Some(document) = decoded.map(Document::new) else { return Vec::new() };
        let mut found = Vec::new();
        for directive in document.directives().iter().filter(|directive| directive.kind == DirectiveKind::Include) {
            let is_next = document.token_text(directive.tokens.start + 1) == "include_next";
            let (named, name) = named(&document, directive);
            if named.is_empty() {
                unknown.push((file.to_owned(), name.to_owned()));
            }
            let named = named.into_iter().map(|(path, is_quoted)| Wanted { path, is_quoted, is_next });
            found.extend(named.filter_map(|wanted| self.find(file, wanted, tops)));
        }
        found
    }

    /// The file that is included, as a compiler would find it.
    fn find(&self, file: &Utf8Path, wanted: Wanted<'_>, tops: &[Utf8PathBuf]) -> Option<Utf8PathBuf> {
        let path = wanted.path;
        if path.is_absolute() || (!wanted.is_quoted && self.is_of_toolkit(path)) {
            return None;
        }
        let regular = |path: Utf8PathBuf| path.canonicalize_utf8().ok().filter(|path| path.is_file());
        let is_beside = wanted.is_quoted && !wanted.is_next;
        let beside = file.parent().filter(|_| is_beside).and_then(|folder| regular(folder.join(path)));
        if beside.is_some() {
            return beside;
        }
        let mut folders = self.folders.iter();
        if wanted.is_next {
            // Behind the folder in which this file was found.
            folders.find(|folder| file.starts_with(folder));
        }
        let first = folders.find_map(|folder| regular(folder.join(path)))?;
        tops.iter().any(|top| first.starts_with(top)).then_some(first)
    }

    /// Whether a header is one of CUDA's that HIP has another for. Headers of its samples, which projects carry along, are none.
    fn is_of_toolkit(&self, path: &Utf8Path) -> bool {
        self.table.get(path.as_str()).iter().any(|entry| entry.kind == Kind::Header && !entry.hip.is_empty())
    }
}

/// What an include asks for.
#[derive(Debug, Clone, Copy)]
struct Wanted<'w> {
    path: &'w Utf8Path,
    is_quoted: bool,
    /// `#include_next`
    is_next: bool,
}

/// The paths that an include may name, each with whether it is in quotes, and how it is written: several where a macro of the file has
/// several definitions, none where it is not of the file.
fn named<'d>(document: &'d Document, directive: &'d Directive) -> (Vec<(&'d Utf8Path, bool)>, &'d str) {
    if let Some(include) = document.include(directive) {
        return (vec![(Utf8Path::new(include.path), include.quoted)], include.path);
    }
    let name = document.token_text(directive.tokens.start + 2);
    let defines = document
        .directives()
        .iter()
        .filter(|other| other.kind == DirectiveKind::Define && document.token_text(other.tokens.start + 2) == name);
    let paths = defines.filter_map(|define| {
        let text = document.slice(document.range_of(define.tokens.start + 3..define.tokens.end)).trim();
        let within = |open, close| text.strip_prefix(open).and_then(|text: &str| text.strip_suffix(close));
        let quoted = within('"', '"').map(|path| (Utf8Path::new(path), true));
        quoted.or_else(|| within('<', '>').map(|path| (Utf8Path::new(path), false)))
    });
    (paths.collect(), name)
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
            "#include \"a.cuh\"\n#include <b.h>\n#include <far.h>\n#include <cuda_runtime.h>\n#include <helper_cuda.h>\n\
             #define NAMED <named.h>\n#include NAMED\n#include ELSEWHERE\n",
        );
        write("p/src/a.cuh", "#include \"../common/c.h\"\n#include \"m.cu\"\n#include <a.cuh>\n");
        write("p/src/b.h", "#error \"brackets do not look beside\"\n");
        write("p/common/c.h", "#include \"none.h\"\n");
        write("p/common/b.h", "#include_next <b.h>\n");
        write("p/more/b.h", "");
        write("p/common/helper_cuda.h", "");
        write("p/common/named.h", "");
        write("p/common/cuda_runtime.h", "");
        write("other/far.h", "");
        let table = Table::builtin().unwrap();
        let folders = [root.join("other"), root.join("p/common"), root.join("p/more")];
        let named = [root.join("p/src/m.cu")];
        let following = Following { folders: &folders, named: &named, table };
        let Included { files, unknown } = following.included(&named);
        let found: Vec<&str> = files.iter().map(|path| path.strip_prefix(&root).unwrap().as_str()).collect();
        assert_eq!(
            found,
            ["p/common/b.h", "p/common/c.h", "p/common/helper_cuda.h", "p/common/named.h", "p/more/b.h", "p/src/a.cuh"]
        );
        assert_eq!(unknown, [(root.join("p/src/m.cu"), "ELSEWHERE".to_owned())]);
    }
}
