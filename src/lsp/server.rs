//! The main loop: takes messages in their order, changes documents, and hands everything else to other threads.

use std::io::{self, BufReader, Read, Write};
use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender, unbounded};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response, ResponseError};
use lsp_types::{
    CancelParams, DidChangeConfigurationParams, DidChangeTextDocumentParams, DidChangeWatchedFilesParams,
    DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams, InitializeParams,
    MessageType, NumberOrString,
};
use serde_json::{Value, json};

use super::capabilities::initialized;
use super::client::{Client, folder_path, folders};
use super::jobs::{Cancel, Queues, guarded};
use super::locks::{lock, read, write};
use super::options::Options;
use super::requests::{Failure, document_of, is_long, parse};
use super::shared::Shared;
use super::uris::{key_of, path_of};
use super::wire::{self, Incoming};
use crate::engine::{BUILD_FILE_EXTENSIONS, BUILD_FILE_NAMES};
use crate::mapping::Table;
use crate::project::EXTENSIONS;

/// Serves one client on standard input and output until it leaves. Whether it took its leave as the protocol says.
pub fn serve(table: &'static Table) -> io::Result<bool> {
    serve_on(table, || io::stdin().lock(), || io::stdout().lock())
}

/// The same on other streams. Each is opened by the thread that uses it.
pub fn serve_on<R: Read, W: Write>(
    table: &'static Table,
    input: impl FnOnce() -> R + Send + 'static,
    output: impl FnOnce() -> W + Send + 'static,
) -> io::Result<bool> {
    let (out, written) = unbounded::<Vec<u8>>();
    let write = move || write_all(output(), &written);
    let writer = std::thread::Builder::new().name("writer".to_owned()).spawn(write)?;
    let (incoming, messages) = unbounded();
    // It may wait for input for ever, so nobody waits for it.
    std::thread::Builder::new().name("reader".to_owned()).spawn(move || read_all(input(), &incoming))?;
    let mut server = Server { table, out, state: State::New };
    let is_clean = server.run(&messages);
    drop(server);
    // What was answered last is still to be written; a job that goes on must not hold up the end.
    let patience = std::time::Instant::now() + std::time::Duration::from_secs(1);
    while !writer.is_finished() && std::time::Instant::now() < patience {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    Ok(is_clean)
}

fn read_all(from: impl Read, incoming: &Sender<Incoming>) {
    let mut input = BufReader::with_capacity(1 << 16, from);
    while let Ok(Some(message)) = wire::read(&mut input) {
        if incoming.send(message).is_err() {
            return;
        }
    }
}

fn write_all(to: impl Write, bodies: &Receiver<Vec<u8>>) {
    let mut output = io::BufWriter::new(to);
    for body in bodies {
        if wire::write(&mut output, &body).is_err() {
            return;
        }
    }
}

struct Server {
    table: &'static Table,
    out: Sender<Vec<u8>>,
    state: State,
}

enum State {
    /// `initialize` has not come.
    New,
    /// At work.
    Running(Running),
    /// `shutdown` has come.
    ShutDown,
}

struct Running {
    shared: Arc<Shared>,
    /// The request for settings that waits for an answer.
    asked: Option<RequestId>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.shared.queues.close();
    }
}

impl Server {
    fn run(&mut self, messages: &Receiver<Incoming>) -> bool {
        for incoming in messages {
            match incoming {
                Incoming::Malformed(problem) => self.send(&json!({
                    "id": null,
                    "error": { "code": ErrorCode::ParseError as i32, "message": problem },
                })),
                Incoming::Message(Message::Request(request)) => self.request(request),
                Incoming::Message(Message::Notification(notification)) if notification.method == "exit" => {
                    return matches!(self.state, State::ShutDown);
                }
                Incoming::Message(Message::Notification(notification)) => self.notification(notification),
                Incoming::Message(Message::Response(response)) => self.response(&response),
            }
        }
        // The client is gone without a word.
        matches!(self.state, State::ShutDown)
    }

    fn send(&self, message: &impl serde::Serialize) {
        if let Ok(body) = wire::body(message) {
            let _ = self.out.send(body);
        }
    }

    fn refuse(&self, id: RequestId, code: ErrorCode, message: &str) {
        let error = ResponseError { code: code as i32, message: message.to_owned(), data: None };
        self.send(&Response { id, response_result: Err(error) });
    }

    fn request(&mut self, request: Request) {
        match (&self.state, request.method.as_str()) {
            (State::New, "initialize") => self.initialize(request),
            (State::New, _) => {
                self.refuse(request.id, ErrorCode::ServerNotInitialized, "`initialize` has to come first");
            }
            (State::Running(_), "initialize") => {
                self.refuse(request.id, ErrorCode::InvalidRequest, "`initialize` came before");
            }
            (State::Running(_), "shutdown") => {
                self.state = State::ShutDown;
                self.send(&Response { id: request.id, response_result: Ok(Value::Null) });
            }
            (State::Running(running), _) => running.request(request),
            (State::ShutDown, _) => {
                self.refuse(request.id, ErrorCode::InvalidRequest, "the server is shutting down");
            }
        }
    }

    fn initialize(&mut self, request: Request) {
        let raw = request.params.get("capabilities").cloned().unwrap_or_default();
        let params: InitializeParams = match parse(request.params) {
            Ok(params) => params,
            Err(failure) => return self.send(&Response { id: request.id, response_result: Err(failure.into()) }),
        };
        let client = Client::of(&params.capabilities, &raw);
        let out = self.out.clone();
        let tell = move |message: &str| {
            let params =
                json!({ "type": MessageType::ERROR, "message": format!("this is a bug in hipshift: {message}") });
            if let Ok(body) = wire::body(&Notification { method: "window/logMessage".to_owned(), params }) {
                let _ = out.send(body);
            }
        };
        let queues = match Queues::start(tell) {
            Ok(queues) => queues,
            Err(error) => return self.refuse(request.id, ErrorCode::InternalError, &error.to_string()),
        };
        let shared = Arc::new(Shared::new(client, self.table, (queues, self.out.clone())));
        *write(&shared.folders) = folders(&params);
        self.send(&Response { id: request.id, response_result: Ok(initialized(&client)) });
        match Options::read(params.initialization_options.as_ref().unwrap_or(&Value::Null)) {
            Ok(options) => *write(&shared.options) = options,
            Err(error) => shared.show(MessageType::ERROR, &format!("hipshift: settings: {error}")),
        }
        self.state = State::Running(Running { shared, asked: None });
    }

    fn notification(&mut self, notification: Notification) {
        let State::Running(running) = &mut self.state else { return };
        let method = notification.method.clone();
        // A fault here must not end the loop.
        let outcome = guarded(|| running.notification(notification));
        let problem = match outcome {
            Ok(Ok(())) => return,
            Ok(Err(Failure::InvalidParams(problem) | Failure::Failed(problem))) | Err(problem) => problem,
            Ok(Err(other)) => format!("{other:?}"),
        };
        running.shared.log(&format!("{method}: {problem}"));
    }

    fn response(&mut self, response: &Response) {
        let State::Running(running) = &mut self.state else { return };
        if running.asked.as_ref() == Some(&response.id) {
            running.asked = None;
            if let Ok(Value::Array(values)) = &response.response_result
                && let [settings, ..] = values.as_slice()
            {
                running.shared.set_options(settings);
            }
        }
    }
}

impl Running {
    fn request(&self, request: Request) {
        let Request { id, method, params } = request;
        let cancel = Cancel::default();
        lock(&self.shared.pending).insert(id.clone(), cancel.clone());
        let large =
            || document_of(&params).and_then(|key| self.shared.buffer(&key)).is_some_and(|buffer| buffer.is_large());
        let queues = &self.shared.queues;
        let queue = if is_long(&method, &params) || large() { &queues.slow } else { &queues.requests };
        let shared = Arc::clone(&self.shared);
        queue.push(None, move || {
            let answer = guarded(|| shared.answer(&method, params, &cancel));
            let result = answer.unwrap_or_else(|message| Err(Failure::Panicked(message)));
            lock(&shared.pending).remove(&id);
            shared.send(Response { id, response_result: result.map_err(ResponseError::from) });
        });
    }

    fn notification(&mut self, notification: Notification) -> Result<(), Failure> {
        let params = notification.params;
        match notification.method.as_str() {
            "initialized" => self.begin(),
            "textDocument/didOpen" => {
                let DidOpenTextDocumentParams { text_document } = parse(params)?;
                let buffer = write(&self.shared.documents).open(text_document);
                if buffer.is_large() {
                    let text = format!("hipshift: {} is large; its findings come later", buffer.uri.as_str());
                    self.shared.show(MessageType::INFO, &text);
                }
                self.shared.check_soon(&buffer);
            }
            "textDocument/didChange" => {
                let DidChangeTextDocumentParams { text_document: changed, content_changes } = parse(params)?;
                let encoding = self.shared.client.encoding;
                let mut documents = write(&self.shared.documents);
                let buffer = documents.change(&changed.uri, changed.version, content_changes, encoding);
                drop(documents);
                self.shared.check_soon(&buffer.map_err(|error| Failure::Failed(error.to_string()))?);
            }
            "textDocument/didClose" => {
                let DidCloseTextDocumentParams { text_document } = parse(params)?;
                self.shared.close(&key_of(text_document.uri.as_str()));
            }
            "workspace/didChangeConfiguration" => {
                let DidChangeConfigurationParams { settings } = parse(params)?;
                // Clients that are asked for settings send none.
                if self.shared.client.has_configuration {
                    self.ask_for_settings();
                } else {
                    self.shared.set_options(&settings);
                }
            }
            "workspace/didChangeWatchedFiles" => {
                let DidChangeWatchedFilesParams { changes } = parse(params)?;
                let paths = changes.iter().filter_map(|change| path_of(change.uri.as_str()));
                paths.for_each(|path| self.shared.file_changed(&path));
            }
            "workspace/didChangeWorkspaceFolders" => {
                let DidChangeWorkspaceFoldersParams { event } = parse(params)?;
                let path = |folder: &lsp_types::WorkspaceFolder| folder_path(folder.uri.as_str());
                let removed: Vec<_> = event.removed.iter().filter_map(path).collect();
                let mut folders = write(&self.shared.folders);
                folders.retain(|folder| !removed.contains(folder));
                folders.extend(event.added.iter().filter_map(path));
                drop(folders);
                self.shared.reload();
            }
            "$/cancelRequest" => {
                let CancelParams { id } = parse(params)?;
                let id = match id {
                    NumberOrString::Number(number) => RequestId::from(number),
                    NumberOrString::String(text) => RequestId::from(text),
                };
                if let Some(cancel) = lock(&self.shared.pending).get(&id) {
                    cancel.cancel();
                }
            }
            // What begins with `$` may be left out, and the rest concerns nobody.
            _ => {}
        }
        Ok(())
    }

    /// Asks for what the client tells only now.
    fn begin(&mut self) {
        if self.shared.client.watches {
            let settings = ["**/hipshift.toml", "**/.gitignore", "**/.hipshift/decisions.toml"].map(str::to_owned);
            let extensions = [EXTENSIONS, BUILD_FILE_EXTENSIONS].concat().join(",");
            let files = [format!("**/*.{{{extensions}}}"), format!("**/{{{}}}", BUILD_FILE_NAMES.join(","))];
            let watchers = settings.into_iter().chain(files);
            let watchers: Vec<Value> = watchers.map(|glob| json!({ "globPattern": glob })).collect();
            let registration = json!({
                "id": "watched files",
                "method": "workspace/didChangeWatchedFiles",
                "registerOptions": { "watchers": watchers },
            });
            self.shared.ask("client/registerCapability", json!({ "registrations": [registration] }));
        }
        self.ask_for_settings();
        // Small projects are read before the first document is opened.
        for folder in read(&self.shared.folders).clone() {
            let shared = Arc::clone(&self.shared);
            self.shared.queues.slow.push(None, move || drop(shared.project_at(&folder)));
        }
    }

    fn ask_for_settings(&mut self) {
        if self.shared.client.has_configuration {
            let params = json!({ "items": [{ "section": "hipshift" }] });
            self.asked = Some(self.shared.ask("workspace/configuration", params));
        }
    }
}
