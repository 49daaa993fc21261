//! The findings of all files, open or not.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use camino::{Utf8Path, Utf8PathBuf};
use lsp_types::WorkspaceDiagnosticParams;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use serde_json::{Value, json};

use super::diagnostics::{Place, diagnostics, result_id};
use super::jobs::Cancel;
use super::positions::LinedText;
use super::progress::Progress;
use super::projects::{Project, View};
use super::requests::Failure;
use super::shared::Shared;
use super::uris::{key_of, uri_of};
use crate::engine::{is_build_file, may_hold_cuda};
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
                let report = self.report_of(path, (&project, &view), &previous);
                progress.report(count.fetch_add(1, Ordering::Relaxed) + 1, files.len());
                Ok(report)
            };
            let reports: Result<Vec<Option<Value>>, Failure> = files.par_iter().map(report).collect();
            items.extend(reports?.into_iter().flatten());
        }
        Ok(json!({ "items": items }))
    }

    fn report_of(&self, path: &Utf8Path, (project, view): (&Project, &View), previous: &Previous) -> Option<Value> {
        let buffer = self.buffer(path.as_str());
        let shown = project.shown(path);
        let file = match &buffer {
            Some(buffer) => SourceFile::from_text(shown, buffer.text.text()),
            None => SourceFile::decode(&shown, read(path).ok()?).ok()?,
        };
        let uri = buffer.as_ref().map_or_else(|| uri_of(path), |buffer| Some(buffer.uri.clone()))?;
        let version = buffer.map(|buffer| buffer.version);
        let id = result_id(file.text.as_bytes(), view.number);
        if previous.get(path.as_str()) == Some(&id) {
            return Some(json!({ "kind": "unchanged", "uri": uri, "version": version, "resultId": id }));
        }
        let is_linted = is_build_file(path)
            || may_hold_cuda(&file.encode(&file.text), &project.table)
            || project.has_decisions(path);
        let items = is_linted.then(|| {
            let document = Document::new(file);
            let (report, _) = project.lint(&document, path, view)?;
            let text = LinedText::new(document.text().to_owned());
            Some(diagnostics(&report, Place { uri: &uri, text: &text, encoding: self.client.encoding }))
        });
        let items = items.flatten().unwrap_or_default();
        Some(json!({ "kind": "full", "uri": uri, "version": version, "resultId": id, "items": items }))
    }
}
