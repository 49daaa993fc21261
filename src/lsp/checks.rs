//! Checks one document: what `hipshift lint` would say about it.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use camino::Utf8PathBuf;

use super::documents::Buffer;
use super::locks::lock;
use super::projects::{Project, View};
use super::shared::Shared;
use crate::diagnostic::Findings;
use crate::engine::{Checked, is_build_file};
use crate::project::{FileFacts, FileReport, Status};
use crate::source::SourceFile;
use crate::syntax::Document;

/// So many documents are kept as they were read, for the requests that follow a check.
const KEPT: usize = 8;

/// What a check found, and all that requests need to go on from there.
pub(super) struct Analysis {
    pub(super) buffer: Buffer,
    pub(super) document: Document,
    /// What linting says.
    pub(super) report: FileReport,
    /// All findings, hints and those of the baseline included, sorted by place.
    pub(super) all: Findings,
    pub(super) project: Arc<Project>,
    pub(super) view: Arc<View>,
}

impl Analysis {
    /// Whether it is about this state of a document in a project that has not changed since.
    fn is_of(&self, buffer: &Buffer, project: &Arc<Project>) -> bool {
        Arc::ptr_eq(&self.buffer.text, &buffer.text)
            && Arc::ptr_eq(&self.project, project)
            && self.view.number == project.view().number
    }
}

/// The last analyses, newest first.
#[derive(Default)]
pub(super) struct Analyses {
    kept: Mutex<VecDeque<(String, Arc<Analysis>)>>,
    /// A document is checked by one thread at a time; others wait for the result.
    busy: Mutex<HashMap<String, Arc<Mutex<()>>>>,
}

impl Analyses {
    fn get(&self, buffer: &Buffer, project: &Arc<Project>) -> Option<Arc<Analysis>> {
        let key = buffer.key();
        let kept = lock(&self.kept);
        let found = kept.iter().find(|(known, _)| *known == key).map(|(_, analysis)| Arc::clone(analysis));
        drop(kept);
        found.filter(|analysis| analysis.is_of(buffer, project))
    }

    fn put(&self, analysis: &Arc<Analysis>) {
        let key = analysis.buffer.key();
        let mut kept = lock(&self.kept);
        // A check of an older state may end later.
        let is_newer = |known: &Arc<Analysis>| known.buffer.version > analysis.buffer.version;
        if kept.iter().any(|(known, other)| *known == key && is_newer(other)) {
            return;
        }
        kept.retain(|(known, _)| *known != key);
        kept.push_front((key, Arc::clone(analysis)));
        kept.truncate(KEPT);
    }

    /// Forgets a document.
    pub(super) fn remove(&self, key: &str) {
        lock(&self.kept).retain(|(known, _)| known != key);
        lock(&self.busy).remove(key);
    }

    fn turn(&self, key: &str) -> Arc<Mutex<()>> {
        Arc::clone(lock(&self.busy).entry(key.to_owned()).or_default())
    }

    /// Forgets all.
    pub(super) fn clear(&self) {
        lock(&self.kept).clear();
    }
}

impl Shared {
    /// What is known about a document as it is now; it is checked if nobody has done so yet.
    pub(super) fn analysis(self: &Arc<Self>, buffer: &Buffer) -> Arc<Analysis> {
        let project = self.project(&path_of(buffer));
        if let Some(analysis) = self.analyses.get(buffer, &project) {
            return analysis;
        }
        let turn = self.analyses.turn(&buffer.key());
        let _turn = lock(&turn);
        self.analyses.get(buffer, &project).unwrap_or_else(|| self.check(buffer, project))
    }

    /// A document as it is now, with what is known about it already.
    pub(super) fn reading(&self, buffer: &Buffer) -> Arc<Analysis> {
        let project = self.project(&path_of(buffer));
        self.analyses.get(buffer, &project).unwrap_or_else(|| {
            let document = document_of(buffer, &project);
            let (report, all, view) = (nothing(&document), Findings::default(), project.view());
            Arc::new(Analysis { buffer: buffer.clone(), document, report, all, project, view })
        })
    }

    /// Checks a document and keeps the result.
    fn check(self: &Arc<Self>, buffer: &Buffer, project: Arc<Project>) -> Arc<Analysis> {
        let path = path_of(buffer);
        let document = document_of(buffer, &project);
        let is_wanted = buffer.path.is_none() || project.wants(&path);
        let (mut changes_project, mut is_linted) = (false, is_wanted);
        if is_wanted && !is_build_file(&path) {
            let facts = FileFacts::of(&document, &project.table);
            is_linted = facts.may_hold_cuda() || project.has_decisions(&path);
            changes_project = project.update(&document.file().path, Some(facts), &|path| self.unsaved(path));
        }
        let view = project.view();
        let (report, checked) =
            if is_linted { project.lint(&document, &view) } else { (nothing(&document), Checked::default()) };
        let all = checked.found;
        let analysis = Arc::new(Analysis { buffer: buffer.clone(), document, report, all, project, view });
        self.analyses.put(&analysis);
        if changes_project {
            self.check_others(&analysis.project, Some(&buffer.key()));
        }
        analysis
    }
}

/// The result for a document that no rule is about.
fn nothing(document: &Document) -> FileReport {
    FileReport::new(document.file().path.clone(), Status::NoCuda, document.text().len())
}

fn document_of(buffer: &Buffer, project: &Project) -> Document {
    Document::new(SourceFile::from_text(project.shown(&path_of(buffer)), buffer.text.text()))
}

/// The path of a document. One that is no file has a name, and is a project by itself.
fn path_of(buffer: &Buffer) -> Utf8PathBuf {
    if let Some(path) = &buffer.path {
        return path.clone();
    }
    let name = buffer.uri.as_str().rsplit(['/', ':']).next().unwrap_or_default();
    let ending = if buffer.language.contains("hip") { ".hip" } else { ".cu" };
    if name.contains('.') { name.into() } else { format!("{name}{ending}").into() }
}
