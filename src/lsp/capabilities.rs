//! What the server can do, as it says when a client starts.

use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CompletionOptions, DiagnosticOptions,
    DiagnosticServerCapabilities, DocumentLinkOptions, ExecuteCommandOptions, HoverProviderCapability, OneOf,
    ServerCapabilities, TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions,
    TextDocumentSyncSaveOptions, WorkDoneProgressOptions, WorkspaceFoldersServerCapabilities,
    WorkspaceServerCapabilities,
};
use serde_json::{Value, json};

use super::actions::{CONVERT, FIX_ALL};
use super::client::Client;
use super::commands::COMMANDS;
use super::diagnostics::SOURCE;
use super::uris::SCHEME;

/// The answer to `initialize`.
pub(super) fn initialized(client: &Client) -> Value {
    let mut capabilities = serde_json::to_value(capabilities(client)).unwrap_or_default();
    // Version 3.18 of the protocol.
    capabilities["workspace"]["textDocumentContent"] = json!({ "schemes": [SCHEME] });
    json!({
        "capabilities": capabilities,
        "serverInfo": { "name": "hipshift", "version": env!("CARGO_PKG_VERSION") },
    })
}

fn capabilities(client: &Client) -> ServerCapabilities {
    let without_progress = WorkDoneProgressOptions { work_done_progress: Some(false) };
    let with_progress = || WorkDoneProgressOptions { work_done_progress: Some(true) };
    let kinds = vec![CodeActionKind::QUICKFIX, CodeActionKind::REFACTOR_REWRITE, FIX_ALL, CONVERT];
    let diagnostics = DiagnosticOptions {
        identifier: Some(SOURCE.to_owned()),
        inter_file_dependencies: true,
        workspace_diagnostics: true,
        work_done_progress_options: with_progress(),
    };
    ServerCapabilities {
        position_encoding: Some(client.encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::Supported(false)),
            ..TextDocumentSyncOptions::default()
        })),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(kinds),
            resolve_provider: Some(false),
            work_done_progress_options: without_progress,
        })),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(vec!["/".to_owned()]),
            ..CompletionOptions::default()
        }),
        document_link_provider: Some(DocumentLinkOptions {
            resolve_provider: Some(false),
            work_done_progress_options: without_progress,
        }),
        inlay_hint_provider: Some(OneOf::Left(true)),
        diagnostic_provider: client.pulls.then_some(DiagnosticServerCapabilities::Options(diagnostics)),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: COMMANDS.iter().map(|command| (*command).to_owned()).collect(),
            work_done_progress_options: with_progress(),
        }),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            file_operations: None,
        }),
        ..ServerCapabilities::default()
    }
}
