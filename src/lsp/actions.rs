//! Code actions: fixes of findings, of a rule, of a file; suppressions; conversions; pages of rules.

use lsp_types::{CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, Command, Diagnostic, TextEdit};
use serde_json::json;

use super::checks::Analysis;
use super::convert::{file_change, selected};
use super::diagnostics::diagnostic;
use super::edits::{FileChange, patch_of, text_edits, workspace_edit};
use super::shared::Shared;
use crate::diagnostic::{Applicability, RuleInfo};
use crate::engine::Language;
use crate::project::{Finding, fix_document, suppression};
use crate::source::{Patch, TextRange};

/// `source.fixAll.hipshift`
pub(super) const FIX_ALL: CodeActionKind = CodeActionKind::new("source.fixAll.hipshift");

/// `source.convert.hipshift`
pub(super) const CONVERT: CodeActionKind = CodeActionKind::new("source.convert.hipshift");

/// All actions for a range.
pub(super) fn actions(shared: &Shared, analysis: &Analysis, params: &CodeActionParams) -> Vec<CodeActionOrCommand> {
    let place = analysis.place(shared.client.encoding);
    let range = place.text.text_range(params.range, place.encoding);
    let wants = |kind: &CodeActionKind| {
        let includes = |wanted: &CodeActionKind| {
            kind.as_str().strip_prefix(wanted.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        params.context.only.as_ref().is_none_or(|only| only.iter().any(includes))
    };
    let mut made = Making { shared, analysis, actions: Vec::new() };
    if wants(&CodeActionKind::QUICKFIX) {
        made.quick_fixes(range);
    }
    if wants(&CodeActionKind::REFACTOR_REWRITE) && !range.is_empty() {
        made.patch("Convert selection to HIP", CodeActionKind::REFACTOR_REWRITE, &selected(analysis, range));
    }
    // What concerns the whole file is offered where it is asked for.
    let is_asked = |kind: &CodeActionKind| params.context.only.is_some() && wants(kind);
    if is_asked(&FIX_ALL) {
        let outcome = fix_document(&analysis.document, (analysis.project.lint_run(), &analysis.view.facts));
        made.patch("Make all safe fixes of hipshift", FIX_ALL, &outcome.patch);
    }
    let is_cuda = crate::engine::language(&analysis.document, &analysis.project.table) == Language::Cuda;
    if wants(&CONVERT) && is_cuda {
        made.convert_file();
    }
    made.actions.into_iter().map(CodeActionOrCommand::CodeAction).collect()
}

/// The edits of all fixes of one rule that are at least as sure as the settings want.
pub(super) fn fixes_of_rule(analysis: &Analysis, code: &str) -> Patch {
    let mut patch = Patch::default();
    for head in analysis.all.heads().enumerate().filter(|(_, head)| head.rule.code == code) {
        let fix = analysis.all.get(head.0).and_then(|finding| finding.fix);
        if let Some(fix) = fix.filter(|fix| fix.applicability >= analysis.project.settings.applicability) {
            // What does not fit beside another one waits for the next time.
            let _ = patch.try_add(&fix.edits);
        }
    }
    patch
}

struct Making<'m> {
    shared: &'m Shared,
    analysis: &'m Analysis,
    actions: Vec<CodeAction>,
}

impl Making<'_> {
    fn quick_fixes(&mut self, range: TextRange) {
        let report = &self.analysis.report;
        let is_here = |finding: &&Finding| finding.diagnostic.range.intersect(range).is_some();
        let mut rules: Vec<&'static RuleInfo> = Vec::new();
        for finding in report.findings.iter().filter(|finding| !finding.applied).filter(is_here) {
            let shown = diagnostic(report, finding, self.analysis.place(self.shared.client.encoding));
            self.quick_fix(finding, &shown);
            self.suppress(finding, shown);
            if !rules.contains(&finding.diagnostic.rule) {
                rules.push(finding.diagnostic.rule);
            }
        }
        for rule in rules {
            let patch = fixes_of_rule(self.analysis, rule.code);
            self.patch(&format!("Fix all {} in this file", rule.code), CodeActionKind::QUICKFIX, &patch);
            self.open_page(rule);
        }
    }

    fn quick_fix(&mut self, finding: &Finding, shown: &Diagnostic) {
        let Some(fix) = &finding.diagnostic.fix else { return };
        let Some(patch) = patch_of(&fix.edits).filter(|_| fix.applicability > Applicability::DisplayOnly) else {
            return;
        };
        let is_safe = fix.applicability == Applicability::Safe;
        let caution = if is_safe { "" } else { " (may change behaviour)" };
        let title = format!("{}{caution}", capitalised(&fix.title));
        self.patch(&title, CodeActionKind::QUICKFIX, &patch);
        if let Some(action) = self.actions.last_mut().filter(|action| action.title == title) {
            action.diagnostics = Some(vec![shown.clone()]);
            action.is_preferred = is_safe.then_some(true);
        }
    }

    fn suppress(&mut self, finding: &Finding, shown: Diagnostic) {
        let Some((at, new_text)) = suppression(&self.analysis.document, &finding.diagnostic) else { return };
        let place = self.analysis.place(self.shared.client.encoding);
        let edit = TextEdit { range: place.text.range(TextRange::empty(at), place.encoding), new_text };
        let title = format!("Suppress {} with a reason", finding.diagnostic.rule.code);
        self.edits(title, CodeActionKind::QUICKFIX, vec![edit]);
        if let Some(action) = self.actions.last_mut() {
            action.diagnostics = Some(vec![shown]);
        }
    }

    fn open_page(&mut self, rule: &RuleInfo) {
        let title = format!("Open the page of {}", rule.code);
        let command = Command {
            title: title.clone(),
            command: "hipshift.openRule".to_owned(),
            arguments: Some(vec![json!({ "code": rule.code })]),
        };
        let kind = Some(CodeActionKind::QUICKFIX);
        self.actions.push(CodeAction { title, kind, command: Some(command), ..CodeAction::default() });
    }

    fn convert_file(&mut self) {
        let change = file_change(self.shared, self.analysis);
        if change.edits.is_empty() && change.renamed.is_none() {
            return;
        }
        self.push("Convert file to HIP".to_owned(), CONVERT, change);
    }

    /// Adds an action that makes the edits of a patch; nothing for an empty one.
    fn patch(&mut self, title: &str, kind: CodeActionKind, patch: &Patch) {
        let place = self.analysis.place(self.shared.client.encoding);
        let edits = text_edits(patch, place.text, place.encoding);
        if !edits.is_empty() {
            self.edits(title.to_owned(), kind, edits);
        }
    }

    fn edits(&mut self, title: String, kind: CodeActionKind, edits: Vec<TextEdit>) {
        let buffer = &self.analysis.buffer;
        let change = FileChange { uri: buffer.uri.clone(), version: Some(buffer.version), edits, renamed: None };
        self.push(title, kind, change);
    }

    fn push(&mut self, title: String, kind: CodeActionKind, change: FileChange) {
        let edit = Some(workspace_edit(vec![change], &self.shared.client));
        self.actions.push(CodeAction { title, kind: Some(kind), edit, ..CodeAction::default() });
    }
}

/// With a capital at its start, as editors show titles, unless it starts with a name.
fn capitalised(title: &str) -> String {
    let mut chars = title.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
