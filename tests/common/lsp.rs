//! A client of the language server, which speaks to the real process.

#![allow(clippy::needless_pass_by_value, reason = "`json!` stands where its value is used")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// Longer than any answer takes, also beside other builds.
const PATIENCE: Duration = Duration::from_secs(120);

/// A server and what it has sent.
pub(crate) struct Server {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    next_id: i64,
    /// The last findings that were published for each document.
    pub(crate) published: HashMap<String, Value>,
    /// Notifications and requests of the server, in their order; findings are left out.
    pub(crate) seen: Vec<Value>,
    /// What the server is told when it asks for settings.
    pub(crate) settings: Value,
}

/// The address of a file.
pub(crate) fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// What a client can do that can do everything but ask for diagnostics.
pub(crate) fn capabilities() -> Value {
    json!({
        "general": { "positionEncodings": ["utf-16"] },
        "window": { "workDoneProgress": true, "showDocument": { "support": true } },
        "workspace": {
            "applyEdit": true,
            "workspaceEdit": { "documentChanges": true, "resourceOperations": ["create", "rename", "delete"] },
            "didChangeWatchedFiles": { "dynamicRegistration": true },
        },
    })
}

impl Server {
    /// Starts a server without a word.
    pub(crate) fn spawn(variables: &[(&str, &str)]) -> Server {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
        command.args(["lsp", "--stdio"]).envs(variables.iter().copied());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let output = child.stdout.take().unwrap();
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        let (published, seen) = (HashMap::new(), Vec::new());
        Server { child, input, messages, next_id: 1, published, seen, settings: Value::Null }
    }

    /// Starts a server for some folders.
    pub(crate) fn start_with(folders: &[&Path], capabilities: &Value, options: &Value) -> Server {
        Server::spawn(&[]).initialized(folders, capabilities, options)
    }

    pub(crate) fn initialized(mut self, folders: &[&Path], capabilities: &Value, options: &Value) -> Server {
        let folders: Vec<Value> = folders.iter().map(|path| json!({ "uri": uri(path), "name": "folder" })).collect();
        let answer = self.request(
            "initialize",
            json!({
                "processId": null,
                "capabilities": capabilities,
                "workspaceFolders": folders,
                "initializationOptions": options,
            }),
        );
        assert!(answer["capabilities"].is_object(), "{answer}");
        self.notify("initialized", json!({}));
        self
    }

    pub(crate) fn start(folder: &Path) -> Server {
        Server::start_with(&[folder], &capabilities(), &Value::Null)
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Writes bytes as they are.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    pub(crate) fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.write(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and tells its number.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> i64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The answer to a request, which may be an error.
    pub(crate) fn answer(&mut self, id: i64) -> Value {
        loop {
            let message = self.receive();
            if message.get("method").is_none() && message["id"] == json!(id) {
                return message;
            }
        }
    }

    /// The next answer to something that was no request.
    pub(crate) fn receive_answer_without_id(&mut self) -> Value {
        loop {
            let message = self.receive();
            if message.get("method").is_none() && message["id"].is_null() {
                return message;
            }
        }
    }

    /// The result of a request.
    #[track_caller]
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        let answer = self.answer(id);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// The next message; requests of the server are answered, findings are kept.
    #[track_caller]
    pub(crate) fn receive(&mut self) -> Value {
        let message = self.messages.recv_timeout(PATIENCE);
        let message = message.unwrap_or_else(|_| panic!("the server says nothing"));
        self.take(&message);
        message
    }

    fn take(&mut self, message: &Value) {
        let Some(method) = message.get("method").and_then(Value::as_str) else { return };
        if method == "textDocument/publishDiagnostics" {
            let params = &message["params"];
            self.published.insert(params["uri"].as_str().unwrap().to_owned(), params.clone());
            return;
        }
        self.seen.push(message.clone());
        if let Some(id) = message.get("id") {
            let result = match method {
                "workspace/configuration" => json!([self.settings]),
                "workspace/applyEdit" => json!({ "applied": true }),
                "window/showDocument" => json!({ "success": true }),
                _ => Value::Null,
            };
            self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
        }
    }

    /// Waits for a message of the server with this method.
    pub(crate) fn wait_for(&mut self, method: &str) -> Value {
        if let Some(at) = self.seen.iter().position(|message| message["method"] == method) {
            return self.seen.remove(at);
        }
        loop {
            if self.receive()["method"] == method {
                return self.seen.pop().unwrap_or_default();
            }
        }
    }

    pub(crate) fn open(&mut self, uri: &str, language: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Opens a file as it is on disk.
    pub(crate) fn open_file(&mut self, path: &Path) -> String {
        let (uri, text) = (uri(path), std::fs::read_to_string(path).unwrap());
        self.open(&uri, "cuda-cpp", &text);
        uri
    }

    pub(crate) fn change(&mut self, uri: &str, version: i64, changes: Value) {
        let document = json!({ "uri": uri, "version": version });
        self.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    /// The findings for a version of a document, once they are published.
    #[track_caller]
    pub(crate) fn findings(&mut self, uri: &str, version: i64) -> Vec<Value> {
        self.findings_where(uri, |params| params["version"] == json!(version))
    }

    /// The findings of a document, once they are such as `is_wanted` wants.
    #[track_caller]
    pub(crate) fn findings_where(&mut self, uri: &str, is_wanted: impl Fn(&Value) -> bool) -> Vec<Value> {
        loop {
            if let Some(params) = self.published.get(uri).filter(|params| is_wanted(params)) {
                return params["diagnostics"].as_array().unwrap().clone();
            }
            self.receive();
        }
    }

    /// Takes leave as the protocol says; the exit code.
    pub(crate) fn stop(mut self) -> Option<i32> {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        self.child.wait().unwrap().code()
    }

    /// Closes the server's input; the exit code.
    pub(crate) fn hang_up(mut self) -> Option<i32> {
        self.input = None;
        self.child.wait().unwrap().code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It has ended where a test went well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(from: &mut impl BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if from.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some(("Content-Length", value)) => length = value.parse().ok(),
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length?];
    from.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

/// The byte of a position in UTF-16 units.
pub(crate) fn offset(text: &str, position: &Value) -> usize {
    let (line, wanted) = (position["line"].as_u64().unwrap(), position["character"].as_u64().unwrap());
    let start: usize = text.split_inclusive('\n').take(usize::try_from(line).unwrap()).map(str::len).sum();
    let mut units = 0;
    for (at, c) in text[start..].char_indices() {
        if units >= wanted {
            return start + at;
        }
        units += u64::try_from(c.len_utf16()).unwrap();
    }
    text.len()
}

/// The position of a byte in UTF-16 units.
pub(crate) fn position(text: &str, at: usize) -> Value {
    let before = &text[..at];
    let line = before.matches('\n').count();
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    json!({ "line": line, "character": before[start..].encode_utf16().count() })
}

/// The range of the first `part` in a text.
#[track_caller]
pub(crate) fn range_of(text: &str, part: &str) -> Value {
    let start = text.find(part).unwrap_or_else(|| panic!("no `{part}`"));
    json!({ "start": position(text, start), "end": position(text, start + part.len()) })
}

/// A text after edits, which do not overlap.
pub(crate) fn edited(text: &str, edits: &[Value]) -> String {
    let place = |edit: &Value| (offset(text, &edit["range"]["start"]), offset(text, &edit["range"]["end"]));
    let mut edits: Vec<_> = edits.iter().map(|edit| (place(edit), edit["newText"].as_str().unwrap())).collect();
    edits.sort_by_key(|(place, _)| std::cmp::Reverse(*place));
    let mut text = text.to_owned();
    for ((start, end), new) in edits {
        text.replace_range(start..end, new);
    }
    text
}
