//! Requests, by method: what each is asked with, and who answers.

use std::sync::Arc;

use lsp_server::{ErrorCode, ResponseError};
use lsp_types::{
    CodeActionParams, CompletionParams, DocumentDiagnosticParams, DocumentLinkParams, ExecuteCommandParams,
    HoverParams, InlayHintParams, TextDocumentIdentifier, TextDocumentPositionParams, Uri, WorkspaceDiagnosticParams,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::actions::actions;
use super::completion::completion;
use super::hover::hover;
use super::inlay::hints;
use super::jobs::Cancel;
use super::links::links;
use super::locks::read;
use super::progress::Progress;
use super::shared::Shared;
use super::uris::{key_of, path_of, rule_of};
use crate::report::{rule_page, wave_reason};
use crate::rules::find;

/// Why a request has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Failure {
    /// Nobody wants it any more.
    Cancelled,
    /// There is no such request.
    UnknownMethod(String),
    /// What it was asked with is not what it takes.
    InvalidParams(String),
    /// It cannot be done.
    Failed(String),
    /// A fault of ours.
    Panicked(String),
}

impl From<Failure> for ResponseError {
    fn from(failure: Failure) -> ResponseError {
        let (code, message) = match failure {
            Failure::Cancelled => (ErrorCode::RequestCanceled, "the request was cancelled".to_owned()),
            Failure::UnknownMethod(method) => (ErrorCode::MethodNotFound, format!("there is no request `{method}`")),
            Failure::InvalidParams(message) => (ErrorCode::InvalidParams, message),
            Failure::Failed(message) => (ErrorCode::RequestFailed, message),
            Failure::Panicked(message) => {
                (ErrorCode::InternalError, format!("this is a bug in hipshift, please report it: {message}"))
            }
        };
        ResponseError { code: code as i32, message, data: None }
    }
}

/// Reads what a request is asked with.
pub(super) fn parse<T: DeserializeOwned>(params: Value) -> Result<T, Failure> {
    serde_json::from_value(params).map_err(|error| Failure::InvalidParams(error.to_string()))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OfDocument {
    text_document: TextDocumentIdentifier,
}

#[derive(Deserialize)]
struct OfUri {
    uri: Uri,
}

/// The document that a request is about, if it is about one.
pub(super) fn document_of(params: &Value) -> Option<String> {
    let uri = params.pointer("/textDocument/uri").or_else(|| params.pointer("/arguments/0/uri"))?;
    uri.as_str().map(key_of)
}

/// Whether a request takes long whatever it is about.
pub(super) fn is_long(method: &str, params: &Value) -> bool {
    let is_workspace = || params.get("command").and_then(Value::as_str) == Some("hipshift.convertWorkspace");
    method == "workspace/diagnostic" || (method == "workspace/executeCommand" && is_workspace())
}

impl Shared {
    /// Answers a request.
    pub(super) fn answer(self: &Arc<Self>, method: &str, params: Value, cancel: &Cancel) -> Result<Value, Failure> {
        cancel.check()?;
        provoke_panic(method);
        let encoding = self.client.encoding;
        match method {
            "textDocument/hover" => {
                let HoverParams { text_document_position_params: at, .. } = parse(params)?;
                let analysis = self.analysis_of(&at.text_document.uri)?;
                Ok(json!(hover(&analysis, at.position, encoding)))
            }
            "textDocument/codeAction" => {
                let params: CodeActionParams = parse(params)?;
                let analysis = self.analysis_of(&params.text_document.uri)?;
                Ok(json!(actions(self, &analysis, &params)))
            }
            "textDocument/diagnostic" => {
                let params: DocumentDiagnosticParams = parse(params)?;
                let (uri, previous) = (&params.text_document.uri, params.previous_result_id.as_deref());
                Ok(match self.buffer(&key_of(uri.as_str())) {
                    Some(buffer) => self.pull(&self.analysis(&buffer), previous),
                    None => self.pull_closed(uri, previous),
                })
            }
            "textDocument/inlayHint" => {
                let params: InlayHintParams = parse(params)?;
                if !read(&self.options).shows_inlay_hints() {
                    return Ok(json!([]));
                }
                let analysis = self.analysis_of(&params.text_document.uri)?;
                Ok(json!(hints(&analysis, params.range, encoding)))
            }
            "textDocument/completion" => {
                let CompletionParams { text_document_position: at, .. } = parse(params)?;
                let buffer = self.buffer_of(&at.text_document.uri)?;
                Ok(json!(completion(&self.reading(&buffer), at.position, encoding)))
            }
            "textDocument/documentLink" => {
                let params: DocumentLinkParams = parse(params)?;
                Ok(json!(links(&self.buffer_of(&params.text_document.uri)?, encoding)))
            }
            "workspace/diagnostic" => {
                let progress = Progress::of_request(self, "looking for findings".to_owned(), &params);
                let params: WorkspaceDiagnosticParams = parse(params)?;
                self.pull_all(params, (&progress, cancel))
            }
            "workspace/executeCommand" => {
                let command: ExecuteCommandParams = parse(params.clone())?;
                self.execute(&command, &params, cancel)
            }
            other => self.answer_own(other, params),
        }
    }

    /// Requests that are no part of the protocol.
    fn answer_own(self: &Arc<Self>, method: &str, params: Value) -> Result<Value, Failure> {
        match method {
            "hipshift/openConverted" => {
                let analysis = self.analysis_of(&parse::<OfDocument>(params)?.text_document.uri)?;
                Ok(self.open_converted(&analysis))
            }
            "hipshift/counterpart" => {
                let at: TextDocumentPositionParams = parse(params)?;
                let path = path_of(at.text_document.uri.as_str());
                Ok(json!(path.and_then(|path| self.counterpart(&path, at.position))))
            }
            "hipshift/status" => Ok(self.status(&params)),
            // Version 3.18 of the protocol: documents that the server has.
            "workspace/textDocumentContent" => {
                let uri = parse::<OfUri>(params)?.uri;
                let rule = rule_of(uri.as_str()).and_then(find);
                let rule = rule.ok_or_else(|| Failure::InvalidParams(format!("there is no `{}`", uri.as_str())))?;
                Ok(json!({ "text": rule_page(rule.info) }))
            }
            other => Err(Failure::UnknownMethod(other.to_owned())),
        }
    }

    /// What holds for a document, or for the first open folder.
    fn status(&self, params: &Value) -> Value {
        let named = document_of(params).map(camino::Utf8PathBuf::from);
        let first = || read(&self.folders).first().cloned();
        let project = match (named, first()) {
            (Some(path), _) => self.project(&path),
            (None, Some(folder)) => self.project_at(&folder),
            (None, None) => return Value::Null,
        };
        let view = project.view();
        let targets: Vec<&str> = project.settings.targets.iter().map(|target| target.name.as_str()).collect();
        let (policy, reason) = view.wave.as_ref().map(wave_reason).unwrap_or_default();
        json!({
            "targets": targets,
            "rocm": project.settings.rocm.to_string(),
            "wavePolicy": policy,
            "wavePolicyReason": reason,
            "root": super::uris::uri_of(&project.root),
        })
    }
}

/// Lets a test see what a bug would do.
#[expect(clippy::panic, reason = "it takes the place of a bug")]
fn provoke_panic(method: &str) {
    if std::env::var("HIPSHIFT_TEST_PANIC").is_ok_and(|wanted| wanted == method) {
        std::panic::panic_any(format!("asked to fail in {method}"));
    }
}
