//! What all threads of the server share.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, RwLock};

use camino::{Utf8Path, Utf8PathBuf};
use crossbeam_channel::Sender;
use lsp_server::{Notification, Request, RequestId};
use serde::Serialize;
use serde_json::json;

use super::checks::Analyses;
use super::client::Client;
use super::documents::{Buffer, Documents};
use super::jobs::{Cancel, Queues};
use super::locks::{lock, read};
use super::options::Options;
use super::progress::Progress;
use super::projects::{Project, Projects, root_of};
use super::wire;
use crate::mapping::Table;

/// What all threads of the server share. Nobody holds a lock while working.
pub(super) struct Shared {
    /// What the client can do.
    pub(super) client: Client,
    pub(super) documents: RwLock<Documents>,
    pub(super) options: RwLock<Options>,
    /// The open folders.
    pub(super) folders: RwLock<Vec<Utf8PathBuf>>,
    pub(super) projects: Projects,
    /// What the last checks found.
    pub(super) analyses: Analyses,
    /// What was published last for each document: its version and the number of the view.
    pub(super) published: Mutex<HashMap<String, (i32, u64)>>,
    /// The documents whose converted form the client shows.
    pub(super) previewed: Mutex<HashSet<String>>,
    pub(super) queues: Queues,
    /// Requests that wait for an answer.
    pub(super) pending: Mutex<HashMap<RequestId, Cancel>>,
    out: Sender<Vec<u8>>,
    next_request: AtomicI32,
}

impl Shared {
    pub(super) fn new(client: Client, builtin: &'static Table, (queues, out): (Queues, Sender<Vec<u8>>)) -> Shared {
        Shared {
            client,
            documents: RwLock::default(),
            options: RwLock::default(),
            folders: RwLock::default(),
            projects: Projects::new(builtin),
            analyses: Analyses::default(),
            published: Mutex::default(),
            previewed: Mutex::default(),
            queues,
            pending: Mutex::default(),
            out,
            next_request: AtomicI32::new(1),
        }
    }

    /// Sends a message. Once the client is gone, nobody listens.
    pub(super) fn send(&self, message: impl Serialize) {
        if let Ok(body) = wire::body(message) {
            let _ = self.out.send(body);
        }
    }

    pub(super) fn notify(&self, method: &str, params: impl Serialize) {
        let params = serde_json::to_value(params).unwrap_or_default();
        self.send(Notification { method: method.to_owned(), params });
    }

    /// Sends a request to the client.
    pub(super) fn ask(&self, method: &str, params: impl Serialize) -> RequestId {
        let id = RequestId::from(self.next_request.fetch_add(1, Ordering::Relaxed));
        let params = serde_json::to_value(params).unwrap_or_default();
        self.send(Request { id: id.clone(), method: method.to_owned(), params });
        id
    }

    /// Shows a message to the user.
    pub(super) fn show(&self, kind: lsp_types::MessageType, message: &str) {
        self.notify("window/showMessage", json!({ "type": kind, "message": message }));
    }

    /// Writes a line to the client's log.
    pub(super) fn log(&self, message: &str) {
        self.notify("window/logMessage", json!({ "type": lsp_types::MessageType::WARNING, "message": message }));
    }

    /// An open document as it is now.
    pub(super) fn buffer(&self, key: &str) -> Option<Buffer> {
        read(&self.documents).get(key).cloned()
    }

    /// The text of a file that is open.
    pub(super) fn unsaved(&self, path: &Utf8Path) -> Option<String> {
        self.buffer(path.as_str()).map(|buffer| buffer.text.text().to_owned())
    }

    /// The project of a file. Whoever asks first waits until it is loaded.
    pub(super) fn project(&self, path: &Utf8Path) -> Arc<Project> {
        let root = root_of(path, &read(&self.folders));
        self.project_at(&root)
    }

    /// The project with this root.
    pub(super) fn project_at(&self, root: &Utf8Path) -> Arc<Project> {
        let options = || read(&self.options).clone();
        let progress = Progress::new(self, format!("reading {root}"));
        let tick = |done: usize, all: usize| progress.report(done, all);
        let (project, is_new) = self.projects.get(root, &options, &|path: &Utf8Path| self.unsaved(path), &tick);
        if is_new {
            for trouble in &project.trouble {
                self.show(lsp_types::MessageType::ERROR, &format!("hipshift: {trouble}"));
            }
        }
        project
    }

    /// The roots of the projects of all open folders: those of directories with a configuration of their own are found when a
    /// file in them is asked for.
    pub(super) fn roots(&self) -> Vec<Utf8PathBuf> {
        let mut roots = read(&self.folders).clone();
        roots.extend(self.projects.loaded().iter().map(|project| project.root.clone()));
        roots.retain(|root| root.is_dir());
        roots.sort();
        roots.dedup();
        roots
    }

    /// The open documents of a project.
    pub(super) fn open_in(&self, project: &Project) -> Vec<String> {
        let folders = read(&self.folders);
        let documents = read(&self.documents);
        let is_in = |buffer: &&Buffer| buffer.path.as_ref().is_some_and(|path| root_of(path, &folders) == project.root);
        documents.iter().filter(is_in).map(Buffer::key).collect()
    }

    /// Whether the client shows the converted form of a document.
    pub(super) fn is_previewed(&self, key: &str) -> bool {
        lock(&self.previewed).contains(key)
    }
}
