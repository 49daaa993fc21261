//! The findings of all files, open or not.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use camino::{Utf8Path, Utf8PathBuf};
use lsp_types::{Uri, WorkspaceDiagnosticParams};
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use serde_json::{Value, json};

use super::diagnostics::{Place, diagnostics, result_id};
use super::documents::Buffer;
use super::jobs::Cancel;
use super::positions::LinedText;
use super::progress::Progress;
use super::projects::{Project, View};
use super::requests::Failure;
use super::shared::Shared;
use super::uris::{key_of, path_of, uri_of};
use crate::engine::{is_build_file, is_worth_reading};
use crate::project::read;
use crate::source::SourceFile;
use crate::syntax::Document;

/// What the client has of earlier times, by document.
type Previous = HashMap<String, String>;

impl Shared {
    /// `workspace/diagnostic`
    pub(super) fn pull_all(
        &self,
        params: WorkspaceDiagnosticParams,
        (progress, cancel): (&Progress<'_>, &Cancel),
    ) -> Result<Value, Failure> {
        // The project knows what an edit changes for other files once the edited document was checked.
        self.queues.checks.drain(cancel)?;
        let known = params.previous_result_ids.into_iter();
        let previous: Previous = known.map(|known| (key_of(known.uri.as_str()), known.value)).collect();
        let mut items = Vec::new();
        let mut done: FxHashSet<Utf8PathBuf> = FxHashSet::default();
        let mut roots = self.roots();
        // The innermost project of a file decides about it.
        roots.sort_by_key(|root| std::cmp::Reverse(root.as_str().len()));
        for root in roots {
            let project = self.project_at(&root);
            let files = project.files().into_iter().map(|shown| project.path(&shown));
            let files: Vec<Utf8PathBuf> = files.filter(|path| done.insert(path.clone())).collect();
            let view = project.view();
            let count = AtomicUsize::new(0);
            let report = |path: &Utf8PathBuf| {
                cancel.check()?;
                let buffer = self.buffer(path.as_str());
                let uri = buffer.as_ref().map_or_else(|| uri_of(path), |buffer| Some(buffer.uri.clone()));
                let known = previous.get(path.as_str()).map(String::as_str);
                let report = uri.and_then(|uri| {
                    let mut report = self.report_of((path, &uri, buffer.as_ref()), (&project, &view), known)?;
                    report["uri"] = json!(uri);
                    report["version"] = json!(buffer.map(|buffer| buffer.version));
                    Some(report)
                });
                progress.report(count.fetch_add(1, Ordering::Relaxed) + 1, files.len());
                Ok(report)
            };
            let reports: Result<Vec<Option<Value>>, Failure> = files.par_iter().map(report).collect();
            items.extend(reports?.into_iter().flatten());
        }
        Ok(json!({ "items": items }))
    }

    /// `textDocument/diagnostic` of a document that is not open: what its file has, if it is one of a project. Clients ask
    /// so when they have closed a document whose file is still there.
    pub(super) fn pull_closed(&self, uri: &Uri, previous: Option<&str>) -> Value {
        let report = path_of(uri.as_str()).and_then(|path| {
            let project = self.project(&path);
            let is_wanted = project.wants(&path);
            is_wanted.then(|| self.report_of((&path, uri, None), (&project, &project.view()), previous)).flatten()
        });
        report.unwrap_or_else(|| json!({ "kind": "full", "items": [] }))
    }

    /// What linting says of a file, or of the document that it is open as.
    fn report_of(
        &self,
        (path, uri, buffer): (&Utf8Path, &Uri, Option<&Buffer>),
        (project, view): (&Project, &View),
        previous: Option<&str>,
    ) -> Option<Value> {
        let shown = project.shown(path);
        let file = match buffer {
            Some(buffer) => SourceFile::from_text(shown, buffer.text.text()),
            None => SourceFile::decode(&shown, read(path).ok()?).ok()?,
        };
        let id = result_id(file.text.as_bytes(), view.number);
        if previous == Some(id.as_str()) {
            return Some(json!({ "kind": "unchanged", "resultId": id }));
        }
        let is_linted = is_build_file(path)
            || is_worth_reading(&file.path, &file.encode(&file.text), &project.table)
            || project.has_decisions(path);
        let items = is_linted.then(|| {
            let document = Document::new(file);
            let (report, _) = project.lint(&document, view);
            let text = LinedText::new(document.text().to_owned());
            diagnostics(&report, Place { uri, text: &text, encoding: self.client.encoding })
        });
        let items = items.unwrap_or_default();
        Some(json!({ "kind": "full", "resultId": id, "items": items }))
    }
}
