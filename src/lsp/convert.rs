//! Conversion of a document, a part of it, or all files of a project, as edits for the editor to make.

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::checks::Analysis;
use super::edits::{FileChange, text_edits};
use super::jobs::Cancel;
use super::positions::LinedText;
use super::progress::Progress;
use super::projects::{Project, View};
use super::requests::Failure;
use super::shared::Shared;
use super::uris::uri_of;
use crate::analysis::ProjectFacts;
use crate::engine::{Input, Outcome, convert_with, is_worth_reading};
use crate::project::read;
use crate::settings::ExtensionStyle;
use crate::source::{Patch, SourceFile, TextRange};
use crate::syntax::Document;

/// Converts a document as `hipshift convert --in-place` would in its project.
pub(super) fn convert(document: &Document, project: &Project, view: &View) -> Outcome {
    let facts = ProjectFacts { renamed_files: renamed_files(project), ..view.facts.clone() };
    convert_in(document, project, &facts)
}

fn convert_in(document: &Document, project: &Project, facts: &ProjectFacts) -> Outcome {
    let input = Input { document, project: facts, table: &project.table, settings: &project.settings };
    let path = project.path(&document.file().path);
    let decisions = project.decisions.as_ref().map(|decisions| decisions.of(&path)).unwrap_or_default();
    convert_with(input, decisions)
}

/// The names of files that conversion gives other names.
fn renamed_files(project: &Project) -> FxHashSet<String> {
    let extension = project.settings.extension;
    if extension == ExtensionStyle::Keep {
        return FxHashSet::default();
    }
    let names = project.files().into_iter().filter_map(|path| path.file_name().map(str::to_owned));
    names.filter(|name| extension.rename(name).is_some()).collect()
}

/// The name that conversion gives a file.
pub(super) fn converted_path(path: &Utf8Path, extension: ExtensionStyle) -> Utf8PathBuf {
    let renamed = path.file_name().and_then(|name| extension.rename(name));
    renamed.map_or_else(|| path.to_owned(), |name| path.with_file_name(name))
}

/// The conversion of an open document.
pub(super) fn file_change(shared: &Shared, analysis: &Analysis) -> FileChange {
    let outcome = convert(&analysis.document, &analysis.project, &analysis.view);
    let buffer = &analysis.buffer;
    FileChange {
        edits: text_edits(&outcome.patch, &buffer.text, shared.client.encoding),
        uri: buffer.uri.clone(),
        version: Some(buffer.version),
        renamed: buffer.path.as_deref().and_then(|path| renamed(path, &analysis.project)),
    }
}

fn renamed(path: &Utf8Path, project: &Project) -> Option<lsp_types::Uri> {
    let new = converted_path(path, project.settings.extension);
    if new == path { None } else { uri_of(&new) }
}

/// The fixes of a conversion whose findings start within `part`.
pub(super) fn selected(analysis: &Analysis, part: TextRange) -> Patch {
    let facts = ProjectFacts { renamed_files: renamed_files(&analysis.project), ..analysis.view.facts.clone() };
    let outcome = convert_in(&analysis.document, &analysis.project, &facts);
    let mut patch = Patch::default();
    for finding in outcome.applied.iter().filter(|finding| part.contains_inclusive(finding.range.start())) {
        if let Some(fix) = &finding.fix {
            // They fitted together before, so a part of them does.
            let _ = patch.try_add(&fix.edits);
        }
    }
    patch
}

/// The conversion of all files of the open folders.
pub(super) fn convert_all(
    shared: &Shared,
    progress: &Progress<'_>,
    cancel: &Cancel,
) -> Result<Vec<FileChange>, Failure> {
    let mut changes = Vec::new();
    let mut done: FxHashSet<Utf8PathBuf> = FxHashSet::default();
    // The innermost project of a file decides about it.
    let mut roots = shared.roots();
    roots.sort_by_key(|root| std::cmp::Reverse(root.as_str().len()));
    for root in roots {
        let project = shared.project_at(&root);
        let files: Vec<Utf8PathBuf> = project.files().into_iter().map(|shown| project.path(&shown)).collect();
        let files: Vec<Utf8PathBuf> = files.into_iter().filter(|path| done.insert(path.clone())).collect();
        changes.extend(convert_project(shared, &project, &files, (progress, cancel))?);
    }
    changes.sort_by(|one, other| one.uri.as_str().cmp(other.uri.as_str()));
    Ok(changes)
}

fn convert_project(
    shared: &Shared,
    project: &Project,
    files: &[Utf8PathBuf],
    (progress, cancel): (&Progress<'_>, &Cancel),
) -> Result<Vec<FileChange>, Failure> {
    let view = project.view();
    let facts = ProjectFacts { renamed_files: renamed_files(project), ..view.facts.clone() };
    let done = std::sync::atomic::AtomicUsize::new(0);
    let convert_one = |path: &Utf8PathBuf| {
        cancel.check()?;
        let change = closed_or_open(shared, (project, &facts), path);
        progress.report(done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1, files.len());
        Ok(change)
    };
    let changes: Result<Vec<_>, Failure> = files.par_iter().map(convert_one).collect();
    Ok(changes?.into_iter().flatten().collect())
}

/// The conversion of a file as it is in the editor, else on disk; nothing if nothing changes.
fn closed_or_open(shared: &Shared, (project, facts): (&Project, &ProjectFacts), path: &Utf8Path) -> Option<FileChange> {
    let buffer = shared.buffer(path.as_str());
    let shown = project.shown(path);
    let file = match &buffer {
        Some(buffer) => SourceFile::from_text(shown, buffer.text.text()),
        None => SourceFile::decode(&shown, read(path).ok()?).ok()?,
    };
    let renamed = renamed(path, project);
    let uri = buffer.as_ref().map_or_else(|| uri_of(path), |buffer| Some(buffer.uri.clone()))?;
    let version = buffer.map(|buffer| buffer.version);
    let edits = if is_worth_reading(&file.path, &file.encode(&file.text), &project.table) {
        let document = Document::new(file);
        let outcome = convert_in(&document, project, facts);
        let lined = LinedText::new(document.text().to_owned());
        text_edits(&outcome.patch, &lined, shared.client.encoding)
    } else {
        Vec::new()
    };
    (renamed.is_some() || !edits.is_empty()).then_some(FileChange { uri, version, edits, renamed })
}
