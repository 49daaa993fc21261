//! Commands that the client has the server carry out. What they change goes to the client as an edit.

use std::sync::Arc;

use lsp_types::{ApplyWorkspaceEditParams, ExecuteCommandParams, MessageType, Range, Uri};
use serde::Deserialize;
use serde_json::{Value, json};

use super::actions::fixes_of_rule;
use super::checks::Analysis;
use super::convert::{convert_all, file_change, selected};
use super::documents::Buffer;
use super::edits::{FileChange, text_edits, workspace_edit};
use super::jobs::Cancel;
use super::progress::Progress;
use super::requests::{Failure, parse};
use super::shared::Shared;
use super::uris::{key_of, rule_uri};
use crate::diagnostic::RuleInfo;
use crate::project::fix_document;
use crate::report::rule_page;
use crate::rules::find;
use crate::source::Patch;

/// The names of all commands.
pub(super) const COMMANDS: &[&str] = &[
    "hipshift.convertFile",
    "hipshift.convertWorkspace",
    "hipshift.convertSelection",
    "hipshift.fixAll",
    "hipshift.fixAllOfRule",
    "hipshift.openRule",
    "hipshift.explain",
];

#[derive(Deserialize)]
struct Document {
    uri: Uri,
}

#[derive(Deserialize)]
struct Selection {
    uri: Uri,
    range: Range,
}

#[derive(Deserialize)]
struct RuleInDocument {
    uri: Uri,
    code: String,
}

#[derive(Deserialize)]
struct Code {
    code: String,
}

impl Shared {
    /// `workspace/executeCommand`
    pub(super) fn execute(
        self: &Arc<Self>,
        params: &ExecuteCommandParams,
        raw: &Value,
        cancel: &Cancel,
    ) -> Result<Value, Failure> {
        let first = params.arguments.first().cloned().unwrap_or_else(|| json!({}));
        match params.command.as_str() {
            "hipshift.convertFile" => {
                let analysis = self.analysis_of(&parse::<Document>(first)?.uri)?;
                self.apply("Convert file to HIP", vec![file_change(self, &analysis)])
            }
            "hipshift.convertSelection" => {
                let Selection { uri, range } = parse(first)?;
                let analysis = self.analysis_of(&uri)?;
                let part = analysis.buffer.text.text_range(range, self.client.encoding);
                self.apply_patch("Convert selection to HIP", &analysis, &selected(&analysis, part))
            }
            "hipshift.fixAll" => {
                let analysis = self.analysis_of(&parse::<Document>(first)?.uri)?;
                let outcome = fix_document(&analysis.document, (analysis.project.lint_run(), &analysis.view.facts));
                self.apply_patch("Make all safe fixes of hipshift", &analysis, &outcome.patch)
            }
            "hipshift.fixAllOfRule" => {
                let RuleInDocument { uri, code } = parse(first)?;
                let analysis = self.analysis_of(&uri)?;
                let rule = rule(&code)?;
                self.apply_patch(&format!("Fix all {}", rule.code), &analysis, &fixes_of_rule(&analysis, rule.code))
            }
            "hipshift.convertWorkspace" => {
                let progress = Progress::of_request(self, "converting".to_owned(), raw);
                let changes = convert_all(self, &progress, cancel)?;
                drop(progress);
                self.apply("Convert workspace to HIP", changes)
            }
            "hipshift.openRule" => self.open_rule(&parse::<Code>(first)?.code),
            "hipshift.explain" => Ok(json!(rule_page(rule(&parse::<Code>(first)?.code)?))),
            other => Err(Failure::InvalidParams(format!("there is no command `{other}`"))),
        }
    }

    /// What is known about an open document.
    pub(super) fn analysis_of(self: &Arc<Self>, uri: &Uri) -> Result<Arc<Analysis>, Failure> {
        Ok(self.analysis(&self.buffer_of(uri)?))
    }

    /// An open document.
    pub(super) fn buffer_of(&self, uri: &Uri) -> Result<Buffer, Failure> {
        let buffer = self.buffer(&key_of(uri.as_str()));
        buffer.ok_or_else(|| Failure::InvalidParams(format!("`{}` is not open", uri.as_str())))
    }

    fn apply_patch(&self, label: &str, analysis: &Analysis, patch: &Patch) -> Result<Value, Failure> {
        let buffer = &analysis.buffer;
        let edits = text_edits(patch, &buffer.text, self.client.encoding);
        let change = FileChange { uri: buffer.uri.clone(), version: Some(buffer.version), edits, renamed: None };
        self.apply(label, vec![change])
    }

    /// Sends changes to the client. The result says how many files they concern.
    fn apply(&self, label: &str, mut changes: Vec<FileChange>) -> Result<Value, Failure> {
        if !self.client.applies_edits {
            return Err(Failure::Failed("the client takes no edits from the server".to_owned()));
        }
        changes.retain(|change| !change.edits.is_empty() || change.renamed.is_some());
        let files = changes.len();
        if changes.is_empty() {
            self.show(MessageType::INFO, "hipshift: there is nothing to change");
        } else {
            let edit = workspace_edit(changes, &self.client);
            self.ask("workspace/applyEdit", ApplyWorkspaceEditParams { label: Some(label.to_owned()), edit });
        }
        Ok(json!({ "files": files }))
    }

    /// Has the client show the page of a rule, and gives its text to those that cannot.
    fn open_rule(&self, code: &str) -> Result<Value, Failure> {
        let rule = rule(code)?;
        let uri = rule_uri(rule.code);
        if self.client.shows_documents {
            self.ask("window/showDocument", json!({ "uri": uri, "external": false, "takeFocus": true }));
        }
        Ok(json!({ "code": rule.code, "uri": uri, "markdown": rule_page(rule) }))
    }
}

fn rule(code: &str) -> Result<&'static RuleInfo, Failure> {
    let found = find(code).map(|registered| registered.info);
    found.ok_or_else(|| Failure::InvalidParams(format!("no rule is called `{code}`")))
}
