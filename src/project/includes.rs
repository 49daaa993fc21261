//! Which files of a project include a header, as far as the text of `#include` tells.

use std::collections::BTreeSet;
use std::sync::Arc;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use memchr::memmem;
use rustc_hash::FxHashMap;

use crate::analysis::{Includers, OwnName};

/// What a file includes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FileIncludes {
    file: Utf8PathBuf,
    /// As they are written, without `./` and `../`.
    paths: Vec<Box<str>>,
    /// Whether a macro names one.
    names_macro: bool,
}

impl FileIncludes {
    /// The includes of a file. What is in a comment or in a branch that is left out counts: rather too many than too few.
    pub(super) fn of(file: &Utf8Path, bytes: &[u8]) -> FileIncludes {
        let mut found = FileIncludes { file: file.to_owned(), ..FileIncludes::default() };
        for at in memmem::find_iter(bytes, b"include") {
            let before = bytes[..at].iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
            if before == Some(&b'#') {
                found.add(&bytes[at + "include".len()..]);
            }
        }
        found
    }

    /// Adds what stands behind the word `include`.
    fn add(&mut self, rest: &[u8]) {
        let line = rest.split(|&byte| byte == b'\n').next().unwrap_or_default().trim_ascii();
        let closing = match line.first() {
            Some(b'"') => b'"',
            Some(b'<') => b'>',
            Some(byte) if byte.is_ascii_alphabetic() || *byte == b'_' => {
                self.names_macro = true;
                return;
            }
            _ => return,
        };
        let path = line[1..].split(|&byte| byte == closing).next().unwrap_or_default();
        if let Ok(path) = str::from_utf8(path) {
            self.paths.push(plain(Utf8Path::new(path)).as_str().into());
        }
    }
}

/// A path without `.` and `..`.
fn plain(path: &Utf8Path) -> Utf8PathBuf {
    path.components().filter(|part| matches!(part, Utf8Component::Normal(_))).collect()
}

/// Says of each name that a header declares which files include that header.
pub(super) fn find_includers<'n>(names: impl Iterator<Item = &'n mut OwnName>, files: &[&FileIncludes]) {
    let mut graph: Option<Graph<'_>> = None;
    let mut known: FxHashMap<Utf8PathBuf, Arc<Includers>> = FxHashMap::default();
    for name in names.filter(|name| name.site.is_in_header()) {
        let found = known.entry(name.file.clone()).or_insert_with(|| {
            let graph = graph.get_or_insert_with(|| Graph::of(files));
            Arc::new(Includers { surely: graph.includers(&name.file), perhaps: graph.unclear.clone() })
        });
        name.includers = Some(Arc::clone(found));
    }
}

/// Who includes whom.
struct Graph<'f> {
    files: &'f [&'f FileIncludes],
    /// By the last part of the path that is included: numbers of files, and the whole path.
    by_name: FxHashMap<&'f str, Vec<(usize, &'f Utf8Path)>>,
    /// Files that include what nobody knows, and those that include them.
    unclear: BTreeSet<Utf8PathBuf>,
}

impl<'f> Graph<'f> {
    fn of(files: &'f [&'f FileIncludes]) -> Graph<'f> {
        let mut by_name: FxHashMap<&str, Vec<(usize, &Utf8Path)>> = FxHashMap::default();
        for (number, file) in files.iter().enumerate() {
            for path in &file.paths {
                let path = Utf8Path::new(&**path);
                by_name.entry(path.file_name().unwrap_or_default()).or_default().push((number, path));
            }
        }
        let mut graph = Graph { files, by_name, unclear: BTreeSet::new() };
        for file in files.iter().filter(|file| file.names_macro) {
            let more = graph.includers(&file.file);
            graph.unclear.extend(more);
        }
        graph
    }

    /// A header, and all that include it, themselves or by others.
    fn includers(&self, header: &Utf8Path) -> BTreeSet<Utf8PathBuf> {
        let mut found = BTreeSet::from([header.to_owned()]);
        let mut waiting = vec![header];
        while let Some(included) = waiting.pop() {
            let named = included.file_name().and_then(|name| self.by_name.get(name)).into_iter().flatten();
            for (number, _) in named.filter(|(_, path)| included.ends_with(path)) {
                let file = &self.files[*number].file;
                if found.insert(file.clone()) {
                    waiting.push(file);
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(all: &[(&str, &str)]) -> Vec<FileIncludes> {
        all.iter().map(|(path, text)| FileIncludes::of(Utf8Path::new(path), text.as_bytes())).collect()
    }

    #[track_caller]
    fn check(all: &[(&str, &str)], header: &str, expected: &[&str]) {
        let files = files(all);
        let files: Vec<&FileIncludes> = files.iter().collect();
        let found = Graph::of(&files).includers(Utf8Path::new(header));
        assert_eq!(found.iter().map(|path| path.as_str()).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn includes_are_followed_by_the_ends_of_paths() {
        let all = [
            ("src/a.cu", "#include \"all.h\"\n"),
            ("src/all.h", "#pragma once\n#  include \"../include/mock/cuda.h\" // here\n"),
            ("src/b.cu", "#include <other/cuda.h>\n// nothing includes this: include \"all.h\"\n"),
            ("src/c.cu", "#include <mock/cuda.h>"),
        ];
        check(&all, "include/mock/cuda.h", &["include/mock/cuda.h", "src/a.cu", "src/all.h", "src/c.cu"]);
        check(&all, "src/all.h", &["src/a.cu", "src/all.h"]);
    }

    #[test]
    fn a_loop_ends_and_macros_are_unclear() {
        let all = [("a.h", "#include \"b.h\"\n"), ("b.h", "#include \"a.h\"\n"), ("c.cu", "#include HEADER\n")];
        check(&all, "a.h", &["a.h", "b.h"]);
        let files = files(&all);
        let files: Vec<&FileIncludes> = files.iter().collect();
        assert_eq!(Graph::of(&files).unclear.iter().map(|path| path.as_str()).collect::<Vec<_>>(), ["c.cu"]);
    }
}
