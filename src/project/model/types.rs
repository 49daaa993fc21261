//! The model itself. Paths are relative to the folder of the project where they lie below it.

use std::hash::Hash;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a project consists of, as far as that could be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectModel {
    /// What it was read from.
    pub origin: ModelOrigin,
    /// The files that it was read from, sorted.
    pub read: Vec<Utf8PathBuf>,
    /// Programs and libraries, in the order in which they were found.
    pub targets: Vec<ModelTarget>,
    /// Sources that other sources include, so that they are compiled there.
    pub included: Vec<Utf8PathBuf>,
    /// Sources that belong to no target and are included by none.
    pub unused: Vec<Utf8PathBuf>,
    /// What could not be read, in the order of the files.
    pub unread: Vec<Unread>,
}

/// What a model was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelOrigin {
    /// The reply of CMake's file API in a build folder.
    FileApi,
    /// `compile_commands.json`.
    CompileCommands,
    /// Files of CMake, make or a shell.
    BuildFiles,
    /// The sources alone.
    Sources,
}

impl ModelOrigin {
    /// The word that reports have for it.
    pub fn as_str(self) -> &'static str {
        match self {
            ModelOrigin::FileApi => "CMake's file API",
            ModelOrigin::CompileCommands => "compile_commands.json",
            ModelOrigin::BuildFiles => "build files",
            ModelOrigin::Sources => "sources",
        }
    }
}

/// A program or library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelTarget {
    /// Its name; unique among targets of the model.
    pub name: String,
    /// What it becomes.
    pub kind: TargetKind,
    /// What is compiled for it.
    pub sources: Vec<ModelSource>,
    /// Folders that are searched for headers, with those that libraries hand on.
    pub include: Vec<Utf8PathBuf>,
    /// Macros, as `NAME` or `NAME=VALUE`, with those that libraries hand on.
    pub definitions: Vec<String>,
    /// Libraries of the project and others, in their order.
    pub libraries: Vec<LibraryUse>,
    /// Where it is described.
    pub place: Option<Place>,
}

/// What a target becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TargetKind {
    /// It is linked and started.
    Program,
    /// It is linked into others.
    Library,
    /// Nothing is compiled for it: headers and what goes with them.
    Interface,
}

impl TargetKind {
    /// The word that reports have for it.
    pub fn as_str(self) -> &'static str {
        match self {
            TargetKind::Program => "program",
            TargetKind::Library => "library",
            TargetKind::Interface => "interface",
        }
    }
}

/// A source of a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelSource {
    /// The file.
    pub path: Utf8PathBuf,
    /// Options of its compiler, without folders of headers and macros.
    pub flags: Vec<String>,
}

/// What a target is linked with.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum LibraryUse {
    /// A target of the project, by its name.
    Own(String),
    /// Another library, as the project names it: behind `-l`, or as an imported target.
    Other(String),
}

impl LibraryUse {
    /// Its name.
    pub fn name(&self) -> &str {
        let (LibraryUse::Own(name) | LibraryUse::Other(name)) = self;
        name
    }
}

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// The file.
    pub file: Utf8PathBuf,
    /// The line, from 1 on.
    pub line: usize,
}

impl std::fmt::Display for Place {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}:{}", self.file, self.line)
    }
}

/// Something that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Unread {
    /// Where, if that is known.
    pub place: Option<Place>,
    /// What, and what that means.
    pub message: String,
}

impl ProjectModel {
    /// The target of a name.
    pub fn target(&self, name: &str) -> Option<&ModelTarget> {
        self.targets.iter().find(|target| target.name == name)
    }

    /// A target and the libraries of the project that it is linked with, directly or by way of others; each once.
    pub fn linked<'m>(&'m self, target: &'m ModelTarget) -> Vec<&'m ModelTarget> {
        // Of several targets of a name the first is meant.
        let named: FxHashMap<&str, &ModelTarget> =
            self.targets.iter().rev().map(|own| (own.name.as_str(), own)).collect();
        let mut known = FxHashSet::from_iter([target.name.as_str()]);
        let mut all = vec![target];
        let mut at = 0;
        while let Some(next) = all.get(at).copied() {
            let own = next.libraries.iter().filter_map(|library| match library {
                LibraryUse::Own(name) => named.get(name.as_str()).copied(),
                LibraryUse::Other(_) => None,
            });
            all.extend(own.filter(|library| known.insert(&library.name)));
            at += 1;
        }
        all
    }
}

impl ModelTarget {
    /// A target that nothing is known of.
    pub(super) fn new(name: impl Into<String>, kind: TargetKind, place: Option<Place>) -> ModelTarget {
        let (sources, include, definitions, libraries) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        ModelTarget { name: name.into(), kind, sources, include, definitions, libraries, place }
    }

    /// Adds a source, or options to one that is there.
    pub(super) fn add_source(&mut self, path: &Utf8Path, flags: &[String]) {
        match self.sources.iter_mut().find(|source| source.path == path) {
            Some(source) => add_new(&mut source.flags, flags.iter().cloned()),
            None => self.sources.push(ModelSource { path: path.to_owned(), flags: flags.to_vec() }),
        }
    }
}

/// Adds what is not there yet, each once. Takes time for all of `list`, so that a loop should gather what it adds.
pub(super) fn add_new<T: Eq + Hash>(list: &mut Vec<T>, more: impl IntoIterator<Item = T>) {
    let known = list.len();
    list.extend(more);
    if list.len() == known {
        return;
    }
    let mut seen = FxHashSet::default();
    let are_new: Vec<bool> = list.iter().map(|item| seen.insert(item)).collect();
    let mut are_kept = are_new.into_iter().enumerate().map(|(at, is_new)| is_new || at < known);
    list.retain(|_| are_kept.next().unwrap_or(true));
}
