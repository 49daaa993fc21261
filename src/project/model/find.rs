//! Looks for what tells most about a project, and reads the model from it.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

use super::cmake::cmake_targets;
use super::database::with_database;
use super::file_api::{file_api_targets, find_reply};
use super::includes::Sources;
use super::make::make_steps;
use super::shell::shell_steps;
use super::sources::source_targets;
use super::steps::{Step, targets};
use super::tree::Tree;
use super::types::{ModelOrigin, ModelTarget, ProjectModel, TargetKind};
use crate::build::{BuildKind, build_kind};
use crate::project::compile_commands::find_compile_commands;
use crate::project::walk::{Selection, WalkError, walk};

/// The model of the project in `folder`. `database` is a `compile_commands.json` that was named; else one is looked for.
pub fn project_model(
    folder: &Utf8Path,
    selection: &Selection,
    database: Option<&Utf8Path>,
) -> Result<ProjectModel, WalkError> {
    let walked = walk(folder, selection)?;
    let root = folder.canonicalize_utf8().unwrap_or_else(|_| folder.to_owned());
    let all = walked.sources.iter().chain(&walked.builds).chain(&walked.others);
    let files = all.filter_map(|path| Some(path.strip_prefix(folder).ok()?.to_owned())).collect();
    let tree = Tree::new(&root, files);
    walked.left_out.iter().for_each(|message| tree.note(None, message.clone()));
    let sources = Sources::read(&tree);
    let (origin, targets) = find(&tree, &sources, database);
    Ok(finished((origin, unique(targets)), &sources, tree))
}

fn find(tree: &Tree<'_>, sources: &Sources, database: Option<&Utf8Path>) -> (ModelOrigin, Vec<ModelTarget>) {
    if let Some(targets) = find_reply(tree.root).and_then(|reply| file_api_targets(&reply, tree)) {
        return (ModelOrigin::FileApi, targets);
    }
    let described = build_targets(tree);
    let (origin, known) = if described.is_empty() {
        (ModelOrigin::Sources, source_targets(sources, tree))
    } else {
        (ModelOrigin::BuildFiles, described)
    };
    let found = database.map(Utf8Path::to_owned).or_else(|| find_compile_commands(tree.root));
    let Some(database) = found else { return (origin, known) };
    match with_database(known, &database, sources, tree) {
        Ok(targets) => (ModelOrigin::CompileCommands, targets),
        Err(known) => (origin, known),
    }
}

/// The targets of all build files: CMake first, then make, then scripts; in each folder the first that is there.
fn build_targets(tree: &Tree<'_>) -> Vec<ModelTarget> {
    let mut found = Found { tree, targets: Vec::new(), folders: Vec::new() };
    found.cmake();
    found.make();
    found.scripts();
    found.unread();
    found.targets
}

struct Found<'f> {
    tree: &'f Tree<'f>,
    targets: Vec<ModelTarget>,
    /// Folders whose build has been read, with all below.
    folders: Vec<Utf8PathBuf>,
}

impl Found<'_> {
    /// The files of a kind, those nearer to the top first.
    fn files(&self, kind: BuildKind) -> Vec<Utf8PathBuf> {
        let mut files: Vec<Utf8PathBuf> =
            self.tree.files().filter(|path| build_kind(path) == Some(kind)).map(Utf8Path::to_owned).collect();
        files.sort_by_key(|path| (path.components().count(), path.clone()));
        files
    }

    fn is_done(&self, path: &Utf8Path) -> bool {
        let folder = folder_of(path);
        self.folders.iter().any(|done| folder.starts_with(done)) || self.tree.is_read(path)
    }

    fn add(&mut self, folder: &Utf8Path, targets: Vec<ModelTarget>) {
        if !targets.is_empty() {
            self.folders.push(folder.to_owned());
            self.targets.extend(targets);
        }
    }

    fn cmake(&mut self) {
        for path in self.files(BuildKind::CMake) {
            if path.file_name() == Some("CMakeLists.txt") && !self.is_done(&path) {
                let folder = folder_of(&path).to_owned();
                let targets = cmake_targets(self.tree, &folder);
                self.add(&folder, targets);
            }
        }
    }

    fn make(&mut self) {
        let files = self.files(BuildKind::Make);
        let is_start =
            |path: &&Utf8PathBuf| !matches!(path.extension(), Some("mk" | "mak" | "make" | "inc" | "def" | "defs"));
        for path in files.iter().filter(is_start) {
            if self.is_done(path) {
                continue;
            }
            let steps = make_steps(self.tree, path);
            self.steps(path, &steps);
        }
    }

    fn scripts(&mut self) {
        for path in self.files(BuildKind::Shell) {
            if self.is_done(&path) {
                continue;
            }
            let Some(text) = self.tree.text(&path) else { continue };
            let steps = shell_steps(self.tree, &text);
            self.steps(&path, &steps);
        }
    }

    fn steps(&mut self, path: &Utf8Path, steps: &[Step]) {
        let targets = targets(steps, self.tree);
        self.add(folder_of(path), targets);
    }

    /// Build files that nothing reads are told.
    fn unread(&self) {
        for path in self.tree.files() {
            let Some(kind) = build_kind(path).filter(|kind| kind.names_targets() && !kind.is_read()) else { continue };
            self.tree.note(None, format!("`{path}` is written for {}, which is not read", kind.as_str()));
        }
        for path in self.files(BuildKind::CMake).into_iter().filter(|path| path.file_name() == Some("CMakeLists.txt")) {
            if !self.tree.is_read(&path) {
                self.tree.note(None, format!("no file of CMake leads to `{path}`: not read"));
            }
        }
    }
}

fn folder_of(path: &Utf8Path) -> &Utf8Path {
    path.parent().unwrap_or(Utf8Path::new(""))
}

/// Targets of one name are told apart by the folders of their files.
fn unique(mut targets: Vec<ModelTarget>) -> Vec<ModelTarget> {
    let mut known = BTreeSet::new();
    for target in &mut targets {
        if known.contains(&target.name) {
            let folder = target.place.as_ref().map(|place| folder_of(&place.file).to_owned());
            target.name = folder.unwrap_or_default().join(&target.name).into_string();
        }
        let base = target.name.clone();
        let mut number = 2;
        while !known.insert(target.name.clone()) {
            target.name = format!("{base}-{number}");
            number += 1;
        }
    }
    targets
}

/// The model, with the sources that are in no target.
fn finished((origin, targets): (ModelOrigin, Vec<ModelTarget>), sources: &Sources, tree: Tree<'_>) -> ProjectModel {
    let mut folders: Vec<Utf8PathBuf> = targets.iter().flat_map(|target| target.include.clone()).collect();
    folders.sort();
    folders.dedup();
    let used: BTreeSet<&Utf8Path> =
        targets.iter().flat_map(|target| &target.sources).map(|source| source.path.as_path()).collect();
    let is_open = |path: &&Utf8PathBuf| !used.contains(path.as_path());
    let included = sources.included(&folders, &tree);
    let unused = sources.units.keys().filter(is_open).filter(|path| !included.contains(*path)).cloned().collect();
    let included = included.iter().filter(is_open).cloned().collect();
    for target in targets.iter().filter(|target| target.kind != TargetKind::Interface && target.sources.is_empty()) {
        tree.note(target.place.clone(), format!("`{}` has no source that is known", target.name));
    }
    let (read, unread) = tree.notes();
    ProjectModel { origin, read, targets, included, unused, unread }
}
