//! How far long work is, for the client to show.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::shared::Shared;

/// Work that ends sooner is not shown.
const PATIENCE: Duration = Duration::from_millis(300);

/// One piece of work. What takes short is never shown.
pub(super) struct Progress<'s> {
    shared: &'s Shared,
    title: String,
    begun: Instant,
    /// What the client named for it, or what the server does.
    token: Value,
    /// Whether the client named it, and waits for its end.
    is_asked: bool,
    is_shown: AtomicBool,
    percent: AtomicUsize,
}

impl<'s> Progress<'s> {
    pub(super) fn new(shared: &'s Shared, title: String) -> Progress<'s> {
        let token = json!(format!("hipshift: {title}"));
        Progress {
            shared,
            title,
            begun: Instant::now(),
            token,
            is_asked: false,
            is_shown: AtomicBool::new(false),
            percent: AtomicUsize::new(0),
        }
    }

    /// For a request that may name a token.
    pub(super) fn of_request(shared: &'s Shared, title: String, params: &Value) -> Progress<'s> {
        let mut progress = Progress::new(shared, title);
        if let Some(token) = params.get("workDoneToken") {
            progress.token = token.clone();
            progress.is_asked = true;
            progress.begin();
        }
        progress
    }

    /// So many of so many parts are done.
    pub(super) fn report(&self, done: usize, all: usize) {
        if !self.is_shown.load(Ordering::Relaxed) {
            if !self.shared.client.shows_progress || self.begun.elapsed() < PATIENCE {
                return;
            }
            self.begin();
        }
        let percent = done * 100 / all.max(1);
        if self.percent.fetch_max(percent, Ordering::Relaxed) < percent {
            let message = format!("{done} of {all} files");
            self.tell(&json!({ "kind": "report", "message": message, "percentage": percent }));
        }
    }

    fn begin(&self) {
        if self.is_shown.swap(true, Ordering::Relaxed) {
            return;
        }
        if !self.is_asked {
            self.shared.ask("window/workDoneProgress/create", json!({ "token": self.token }));
        }
        self.tell(&json!({ "kind": "begin", "title": self.title, "percentage": 0, "cancellable": false }));
    }

    fn tell(&self, value: &Value) {
        self.shared.notify("$/progress", json!({ "token": self.token, "value": value }));
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        if self.is_shown.load(Ordering::Relaxed) {
            self.tell(&json!({ "kind": "end" }));
        }
    }
}
