//! What follows from a change: checks of the document, of others that it concerns, and of all after new settings.

use std::sync::Arc;

use camino::Utf8Path;
use lsp_types::MessageType;
use serde_json::{Value, json};

use super::documents::Buffer;
use super::locks::{read, write};
use super::options::Options;
use super::preview::CHANGED;
use super::projects::{Project, root_of};
use super::shared::Shared;
use crate::engine::is_build_file;
use crate::project::{FileFacts, read as read_file};
use crate::source::SourceFile;
use crate::syntax::Document;

/// Files whose change changes settings.
const SETTINGS: &[&str] = &["hipshift.toml", ".gitignore", "decisions.toml"];

impl Shared {
    /// Has a document checked.
    pub(super) fn check_soon(self: &Arc<Self>, buffer: &Buffer) {
        self.begin_again(buffer);
        let queue = if buffer.is_large() { &self.queues.slow } else { &self.queues.checks };
        let (shared, key) = (Arc::clone(self), buffer.key());
        queue.push(Some(format!("check {key}")), move || shared.check_now(&key));
    }

    fn check_now(self: &Arc<Self>, key: &str) {
        let Some(buffer) = self.buffer(key) else { return };
        let analysis = self.analysis(&buffer);
        self.publish(&analysis);
        if self.is_previewed(key) {
            self.notify(CHANGED, json!({ "uri": buffer.uri }));
        }
    }

    /// Has the other open documents of a project checked again, as what its files say together has changed.
    pub(super) fn check_others(self: &Arc<Self>, project: &Project, except: Option<&str>) {
        let others: Vec<String> =
            self.open_in(project).into_iter().filter(|key| Some(key.as_str()) != except).collect();
        if others.is_empty() {
            return;
        }
        for key in others {
            let (shared, name) = (Arc::clone(self), format!("check {key}"));
            self.queues.slow.push(Some(name), move || shared.check_now(&key));
        }
        self.refresh();
    }

    /// Has a client that asks for results ask again.
    fn refresh(&self) {
        if self.client.pulls && self.client.refreshes_diagnostics {
            self.ask("workspace/diagnostic/refresh", json!(null));
        }
        if self.client.refreshes_hints && read(&self.options).shows_inlay_hints() {
            self.ask("workspace/inlayHint/refresh", json!(null));
        }
    }

    /// Reads settings and files anew, and checks all open documents again.
    pub(super) fn reload(self: &Arc<Self>) {
        self.projects.clear();
        self.analyses.clear();
        let open: Vec<Buffer> = read(&self.documents).iter().cloned().collect();
        for buffer in &open {
            self.check_soon(buffer);
        }
        self.refresh();
    }

    /// Takes in settings of the editor. One that has none says nothing about those that it gave when it started.
    pub(super) fn set_options(self: &Arc<Self>, settings: &Value) {
        if settings.is_null() || settings.as_object().is_some_and(serde_json::Map::is_empty) {
            return;
        }
        match Options::read(settings) {
            Ok(options) => {
                let is_new = *read(&self.options) != options;
                if is_new {
                    *write(&self.options) = options;
                    self.reload();
                }
            }
            Err(error) => self.show(MessageType::ERROR, &format!("hipshift: settings: {error}")),
        }
    }

    /// Takes in that a file was made, changed or removed on disk.
    pub(super) fn file_changed(self: &Arc<Self>, path: &Utf8Path) {
        let name = path.file_name().unwrap_or_default();
        let root = root_of(path, &read(&self.folders));
        let is_baseline = read(&self.options).baseline(&root).as_deref() == Some(path);
        if SETTINGS.contains(&name) || is_baseline {
            self.reload();
        } else if self.buffer(path.as_str()).is_none() {
            let (shared, path) = (Arc::clone(self), path.to_owned());
            self.queues.slow.push(Some(format!("read {path}")), move || shared.read_again(&path));
        }
    }

    /// Takes in what a file on disk says to the others of its project, if that is in use.
    fn read_again(self: &Arc<Self>, path: &Utf8Path) {
        let root = root_of(path, &read(&self.folders));
        let Some(project) = self.projects.loaded().into_iter().find(|project| project.root == root) else { return };
        // Who opened it meanwhile knows better.
        if self.buffer(path.as_str()).is_some() {
            return;
        }
        let shown = project.shown(path);
        if is_build_file(path) {
            return project.update_build_file(&shown, path.is_file() && project.wants(path));
        }
        let bytes = if project.wants(path) { read_file(path).ok() } else { None };
        let file = bytes.and_then(|bytes| SourceFile::decode(&shown, bytes).ok());
        let facts = file.map(|file| FileFacts::of(&Document::new(file), &project.table));
        if project.update(&shown, facts, &|path: &Utf8Path| self.unsaved(path)) {
            self.check_others(&project, None);
        }
    }

    /// Forgets a document that was closed; what is on disk counts again. Its converted form may still be shown, and is told of
    /// when the document is opened again.
    pub(super) fn close(self: &Arc<Self>, key: &str) {
        let Some(buffer) = write(&self.documents).close(key) else { return };
        self.analyses.remove(key);
        self.unpublish(key, &buffer.uri);
        if let Some(path) = &buffer.path {
            self.file_changed(path);
        }
    }
}
