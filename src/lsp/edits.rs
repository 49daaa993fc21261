//! Patches as edits of the protocol.

use std::collections::HashMap;

use lsp_types::{
    DocumentChangeOperation, DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier, RenameFile, ResourceOp,
    TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};

use super::client::Client;
use super::positions::{Encoding, LinedText};
use crate::source::{Edit, Patch};

/// A patch as edits that lie side by side.
pub(super) fn text_edits(patch: &Patch, text: &LinedText, encoding: Encoding) -> Vec<TextEdit> {
    let flat = patch.flattened(text.text());
    flat.into_iter().map(|edit| TextEdit { range: text.range(edit.range, encoding), new_text: edit.text }).collect()
}

/// Edits that belong together as a patch; nothing if they do not fit.
pub(super) fn patch_of(edits: &[Edit]) -> Option<Patch> {
    let mut patch = Patch::default();
    patch.try_add(edits).ok()?;
    Some(patch)
}

/// The change of one file.
pub(super) struct FileChange {
    pub(super) uri: Uri,
    /// The version of an open document.
    pub(super) version: Option<i32>,
    pub(super) edits: Vec<TextEdit>,
    /// Its new name, if it gets one.
    pub(super) renamed: Option<Uri>,
}

/// Changes of files as one edit, as far as the client can make it: one that knows no renames gets the texts only.
pub(super) fn workspace_edit(changes: Vec<FileChange>, client: &Client) -> WorkspaceEdit {
    if !client.changes_documents {
        let changes = changes.into_iter().filter(|change| !change.edits.is_empty());
        #[expect(clippy::mutable_key_type, reason = "nobody changes an address that is a key")]
        let changes: HashMap<Uri, Vec<TextEdit>> = changes.map(|change| (change.uri, change.edits)).collect();
        return WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() };
    }
    let mut operations = Vec::new();
    for change in changes {
        if !change.edits.is_empty() {
            operations.push(DocumentChangeOperation::Edit(TextDocumentEdit {
                text_document: OptionalVersionedTextDocumentIdentifier {
                    uri: change.uri.clone(),
                    version: change.version,
                },
                edits: change.edits.into_iter().map(OneOf::Left).collect(),
            }));
        }
        if let Some(new_uri) = change.renamed.filter(|_| client.renames) {
            let rename = RenameFile { old_uri: change.uri, new_uri, options: None, annotation_id: None };
            operations.push(DocumentChangeOperation::Op(ResourceOp::Rename(rename)));
        }
    }
    WorkspaceEdit { document_changes: Some(DocumentChanges::Operations(operations)), ..WorkspaceEdit::default() }
}
