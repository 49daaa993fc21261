//! Findings as diagnostics of the protocol: pushed when a check ends, or asked for by the client.

use std::hash::Hasher as _;

use lsp_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location,
    NumberOrString, PublishDiagnosticsParams, Uri,
};
use rustc_hash::FxHasher;
use serde_json::{Value, json};

use super::checks::Analysis;
use super::documents::Buffer;
use super::locks::lock;
use super::positions::{Encoding, LinedText};
use super::shared::Shared;
use super::uris::rule_uri;
use crate::diagnostic::Severity;
use crate::project::{FileReport, Finding};
use crate::report::fingerprint;

/// What every diagnostic names as its source.
pub(super) const SOURCE: &str = "hipshift";

/// Rules about what can go.
const UNNECESSARY: &[&str] = &["unused-suppression"];

/// Rules about what HIP has replaced.
const DEPRECATED: &[&str] = &["obsolete-hip"];

/// The text that findings are about, and how its places are told.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    pub(super) uri: &'p Uri,
    pub(super) text: &'p LinedText,
    pub(super) encoding: Encoding,
}

/// The findings that stand.
pub(super) fn diagnostics(report: &FileReport, place: Place<'_>) -> Vec<Diagnostic> {
    let open = report.findings.iter().filter(|finding| !finding.applied);
    open.map(|finding| diagnostic(report, finding, place)).collect()
}

/// A finding.
pub(super) fn diagnostic(report: &FileReport, finding: &Finding, place: Place<'_>) -> Diagnostic {
    let found = &finding.diagnostic;
    let rule = found.rule;
    let labels = found.labels.iter().map(|label| DiagnosticRelatedInformation {
        location: Location { uri: place.uri.clone(), range: place.text.range(label.range, place.encoding) },
        message: label.message.clone(),
    });
    let labels: Vec<_> = labels.collect();
    let notes = found.notes.iter().flat_map(|note| ["\nnote: ", note]).collect::<String>();
    Diagnostic {
        range: place.text.range(found.range, place.encoding),
        severity: Some(severity(found.severity)),
        code: Some(NumberOrString::String(rule.code.to_owned())),
        code_description: rule_uri(rule.code).map(|href| CodeDescription { href }),
        source: Some(SOURCE.to_owned()),
        message: format!("{}{notes}", found.message),
        related_information: (!labels.is_empty()).then_some(labels),
        tags: tag(rule.name).map(|tag| vec![tag]),
        data: Some(json!({ "fingerprint": fingerprint(report, finding) })),
    }
}

fn severity(severity: Severity) -> DiagnosticSeverity {
    match severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
        Severity::Info => DiagnosticSeverity::INFORMATION,
        Severity::Hint => DiagnosticSeverity::HINT,
    }
}

fn tag(rule: &str) -> Option<DiagnosticTag> {
    if UNNECESSARY.contains(&rule) {
        Some(DiagnosticTag::UNNECESSARY)
    } else {
        DEPRECATED.contains(&rule).then_some(DiagnosticTag::DEPRECATED)
    }
}

impl Analysis {
    /// What places in the document are told by.
    pub(super) fn place(&self, encoding: Encoding) -> Place<'_> {
        Place { uri: &self.buffer.uri, text: &self.buffer.text, encoding }
    }

    /// Differs between results that may differ.
    fn result_id(&self) -> String {
        result_id(self.buffer.text.text().as_bytes(), self.view.number)
    }
}

/// What the result for a text in a view is known by.
pub(super) fn result_id(text: &[u8], view: u64) -> String {
    let mut hasher = FxHasher::default();
    hasher.write(text);
    format!("{view}.{:016x}", hasher.finish())
}

impl Shared {
    /// Sends the findings of a document to a client that does not ask for them, unless newer ones are there.
    pub(super) fn publish(&self, analysis: &Analysis) {
        if self.client.pulls {
            return;
        }
        let buffer = &analysis.buffer;
        let state = (buffer.version, analysis.view.number);
        // The lock is held while sending, so that an older result cannot follow a newer one.
        let mut published = lock(&self.published);
        if self.buffer(&buffer.key()).is_none_or(|open| open.version < buffer.version) {
            return;
        }
        let known = published.get(&buffer.key());
        if known.is_some_and(|known| *known > state) {
            return;
        }
        published.insert(buffer.key(), state);
        let params = PublishDiagnosticsParams {
            uri: buffer.uri.clone(),
            version: Some(buffer.version),
            diagnostics: diagnostics(&analysis.report, analysis.place(self.client.encoding)),
        };
        self.notify("textDocument/publishDiagnostics", params);
    }

    /// Lets a document that was opened anew have a lower version than what was published.
    pub(super) fn begin_again(&self, buffer: &Buffer) {
        let mut published = lock(&self.published);
        if published.get(&buffer.key()).is_some_and(|(version, _)| *version > buffer.version) {
            published.remove(&buffer.key());
        }
    }

    /// Takes the findings of a document that was closed from the client.
    pub(super) fn unpublish(&self, key: &str, uri: &Uri) {
        let mut published = lock(&self.published);
        if published.remove(key).is_some() {
            self.notify("textDocument/publishDiagnostics", json!({ "uri": uri, "diagnostics": [] }));
        }
    }

    /// `textDocument/diagnostic`
    pub(super) fn pull(&self, analysis: &Analysis, previous: Option<&str>) -> Value {
        let id = analysis.result_id();
        if previous == Some(id.as_str()) {
            return json!({ "kind": "unchanged", "resultId": id });
        }
        let items = diagnostics(&analysis.report, analysis.place(self.client.encoding));
        json!({ "kind": "full", "resultId": id, "items": items })
    }
}
