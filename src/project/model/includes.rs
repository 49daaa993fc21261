//! What sources include, and which of them have `main`.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;

use super::lists::is_source;
use super::tree::Tree;
use crate::analysis::Functions;
use crate::project::read::read;
use crate::project::walk::may_hold_code;
use crate::source::SourceFile;
use crate::syntax::Document;

/// What is known of the sources without a build.
#[derive(Debug, Default)]
pub(super) struct Sources {
    /// Files that a compiler may be started on, with whether they have `main`, sorted.
    pub(super) units: BTreeMap<Utf8PathBuf, bool>,
    /// What each file includes: paths as they are written, and whether they stand in quotes.
    includes: BTreeMap<Utf8PathBuf, Vec<(String, bool)>>,
    /// The files that may be included, by their last names: most of what is included is not of the project.
    by_name: FxHashMap<String, Vec<Utf8PathBuf>>,
}

impl Sources {
    /// Looks at all files of a project.
    pub(super) fn read(tree: &Tree<'_>) -> Sources {
        let mut sources = Sources::default();
        for path in tree.files().filter(|path| may_hold_code(path)) {
            let file = read(&tree.root.join(path)).ok().and_then(|bytes| SourceFile::decode(path, bytes).ok());
            let Some(file) = file else {
                if is_source(path) {
                    tree.note(None, format!("`{path}` cannot be read as text"));
                }
                continue;
            };
            let may_have_main = memchr::memmem::find(file.text.as_bytes(), b"main").is_some();
            let document = Document::new(file);
            let written = document.includes().map(|include| (include.path.to_owned(), include.quoted)).collect();
            sources.includes.insert(path.to_owned(), written);
            let name = path.file_name().unwrap_or_default();
            sources.by_name.entry(name.to_owned()).or_default().push(path.to_owned());
            if is_source(path) {
                sources.units.insert(path.to_owned(), may_have_main && has_main(&document));
            }
        }
        sources
    }

    /// Whether a file has `main`.
    pub(super) fn has_main(&self, path: &Utf8Path) -> bool {
        self.units.get(path).copied().unwrap_or(false)
    }

    /// The files that have the last name of what is included.
    fn named(&self, included: &str) -> &[Utf8PathBuf] {
        let name = included.rsplit('/').next().unwrap_or_default();
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// The files that `path` includes itself, as far as they are part of the project.
    fn direct(&self, path: &Utf8Path, folders: &[Utf8PathBuf], tree: &Tree<'_>) -> Vec<Utf8PathBuf> {
        let folder = path.parent().unwrap_or(Utf8Path::new(""));
        let written = self.includes.get(path).into_iter().flatten().filter(|(name, _)| !self.named(name).is_empty());
        let find = |(name, is_quoted): &(String, bool)| {
            let beside = Some(tree.resolve(folder, name)).filter(|path| *is_quoted && tree.has(path));
            beside.or_else(|| folders.iter().map(|folder| tree.resolve(folder, name)).find(|path| tree.has(path)))
        };
        written.filter_map(find).collect()
    }

    /// Sources that others include, where `folders` are searched for headers.
    pub(super) fn included(&self, folders: &[Utf8PathBuf], tree: &Tree<'_>) -> BTreeSet<Utf8PathBuf> {
        let all = self.includes.keys().flat_map(|path| {
            let direct = self.direct(path, folders, tree);
            direct.into_iter().filter(move |included| included != path)
        });
        all.filter(|path| is_source(path)).collect()
    }

    /// Folders from which files of the project are included that do not lie beside those that include them.
    pub(super) fn folders(&self, tree: &Tree<'_>) -> Vec<Utf8PathBuf> {
        let mut folders = BTreeSet::new();
        for (path, written) in &self.includes {
            let folder = path.parent().unwrap_or(Utf8Path::new(""));
            let is_open = |(name, is_quoted): &&(String, bool)| !(*is_quoted && tree.has(&tree.resolve(folder, name)));
            for (name, _) in written.iter().filter(is_open) {
                let found = self.named(name).iter().filter_map(|file| file.as_str().strip_suffix(name.as_str()));
                let tops = found.filter(|top| top.is_empty() || top.ends_with('/'));
                folders.extend(tops.map(|top| Utf8PathBuf::from(top.trim_end_matches('/'))));
            }
        }
        folders.into_iter().collect()
    }
}

fn has_main(document: &Document) -> bool {
    Functions::of(document).iter().any(|function| function.name.is_some_and(|name| document.token_text(name) == "main"))
}
