//! What the client can do, as it says when it starts.

use camino::Utf8PathBuf;
use lsp_types::{ClientCapabilities, InitializeParams, ResourceOperationKind};
use serde_json::Value;

use super::positions::Encoding;
use super::uris::path_of;

/// What the client can do, as far as the server asks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is one capability")]
pub(super) struct Client {
    /// What columns count.
    pub(super) encoding: Encoding,
    /// Asks for diagnostics, so that none are pushed.
    pub(super) pulls: bool,
    /// Asks again when it is told that diagnostics changed.
    pub(super) refreshes_diagnostics: bool,
    /// The same for inlay hints.
    pub(super) refreshes_hints: bool,
    /// Takes edits that the server sends.
    pub(super) applies_edits: bool,
    /// Takes lists of changes with the versions of documents.
    pub(super) changes_documents: bool,
    /// Can give files other names.
    pub(super) renames: bool,
    /// Shows how far long work is.
    pub(super) shows_progress: bool,
    /// Can be asked for settings.
    pub(super) has_configuration: bool,
    /// Can be told what to watch.
    pub(super) watches: bool,
    /// Shows documents on request.
    pub(super) shows_documents: bool,
}

impl Client {
    /// From what it says; `raw` has what the types do not know.
    pub(super) fn of(capabilities: &ClientCapabilities, raw: &Value) -> Client {
        let text = capabilities.text_document.as_ref();
        let workspace = capabilities.workspace.as_ref();
        let window = capabilities.window.as_ref();
        let general = capabilities.general.as_ref();
        let edits = workspace.and_then(|workspace| workspace.workspace_edit.as_ref());
        let operations = edits.and_then(|edits| edits.resource_operations.as_deref()).unwrap_or_default();
        let changes_documents = edits.and_then(|edits| edits.document_changes).unwrap_or(false);
        Client {
            encoding: Encoding::choose(general.and_then(|general| general.position_encodings.as_deref())),
            pulls: text.is_some_and(|text| text.diagnostic.is_some()),
            refreshes_diagnostics: raw.pointer("/workspace/diagnostics/refreshSupport") == Some(&Value::Bool(true)),
            refreshes_hints: workspace
                .and_then(|workspace| workspace.inlay_hint.as_ref()?.refresh_support)
                .unwrap_or(false),
            applies_edits: workspace.and_then(|workspace| workspace.apply_edit).unwrap_or(false),
            changes_documents,
            renames: changes_documents && operations.contains(&ResourceOperationKind::Rename),
            shows_progress: window.and_then(|window| window.work_done_progress).unwrap_or(false),
            has_configuration: workspace.and_then(|workspace| workspace.configuration).unwrap_or(false),
            watches: workspace
                .and_then(|workspace| workspace.did_change_watched_files.as_ref()?.dynamic_registration)
                .unwrap_or(false),
            shows_documents: window
                .and_then(|window| window.show_document.as_ref())
                .is_some_and(|document| document.support),
        }
    }
}

/// The folders that are open when the client starts.
pub(super) fn folders(params: &InitializeParams) -> Vec<Utf8PathBuf> {
    if let Some(folders) = &params.workspace_folders {
        return folders.iter().filter_map(|folder| folder_path(folder.uri.as_str())).collect();
    }
    #[expect(deprecated, reason = "what clients say that know no folders")]
    let root = params.root_uri.as_ref();
    root.and_then(|root| folder_path(root.as_str())).into_iter().collect()
}

/// The path of a folder without links and without `/` at its end.
pub(super) fn folder_path(uri: &str) -> Option<Utf8PathBuf> {
    let path = path_of(uri)?;
    let trimmed = path.as_str().trim_end_matches('/');
    Some(if trimmed.is_empty() { Utf8PathBuf::from("/") } else { Utf8PathBuf::from(trimmed) })
}
