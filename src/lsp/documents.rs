//! The documents that are open in the editor. Their text counts in place of what is on disk.

use std::collections::HashMap;
use std::sync::Arc;

use camino::Utf8PathBuf;
use lsp_types::{TextDocumentContentChangeEvent, TextDocumentItem, Uri};

use super::positions::{Encoding, LinedText};
use super::uris::{key_of, path_of};

/// Larger documents are checked in the background.
const LARGE: usize = 4 << 20;

/// An open document as it is at one moment.
#[derive(Debug, Clone)]
pub(super) struct Buffer {
    /// Its address as the client writes it.
    pub(super) uri: Uri,
    /// Its path, if it is a file.
    pub(super) path: Option<Utf8PathBuf>,
    /// What the client calls its language.
    pub(super) language: String,
    /// The number that the client gave to this state.
    pub(super) version: i32,
    /// The text.
    pub(super) text: Arc<LinedText>,
}

impl Buffer {
    pub(super) fn key(&self) -> String {
        key_of(self.uri.as_str())
    }

    /// Whether it takes long to check.
    pub(super) fn is_large(&self) -> bool {
        self.text.text().len() > LARGE
    }
}

/// A change that was not made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum ChangeError {
    /// The document is not open.
    #[error("`{0}` is not open")]
    NotOpen(String),
    /// The state that the change leads to is not newer than the one that is known.
    #[error("`{uri}` is at version {known}; the change to version {new} was left out")]
    OutOfOrder {
        /// The document.
        uri: String,
        /// The version that is known.
        known: i32,
        /// The version of the change.
        new: i32,
    },
}

/// All open documents, by key.
#[derive(Debug, Default)]
pub(super) struct Documents {
    open: HashMap<String, Buffer>,
}

impl Documents {
    pub(super) fn open(&mut self, item: TextDocumentItem) -> Buffer {
        let buffer = Buffer {
            path: path_of(item.uri.as_str()),
            language: item.language_id,
            version: item.version,
            text: Arc::new(LinedText::new(item.text)),
            uri: item.uri,
        };
        self.open.insert(buffer.key(), buffer.clone());
        buffer
    }

    pub(super) fn close(&mut self, key: &str) -> Option<Buffer> {
        self.open.remove(key)
    }

    pub(super) fn get(&self, key: &str) -> Option<&Buffer> {
        self.open.get(key)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Buffer> {
        self.open.values()
    }

    /// Makes the changes of one message. Those by range need the state that they were made for.
    pub(super) fn change(
        &mut self,
        uri: &Uri,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) -> Result<Buffer, ChangeError> {
        let not_open = || ChangeError::NotOpen(uri.as_str().to_owned());
        let buffer = self.open.get_mut(&key_of(uri.as_str())).ok_or_else(not_open)?;
        let is_whole = changes.first().is_some_and(|change| change.range.is_none());
        if version <= buffer.version && !is_whole {
            let uri = uri.as_str().to_owned();
            return Err(ChangeError::OutOfOrder { uri, known: buffer.version, new: version });
        }
        buffer.version = version;
        for change in changes {
            match change.range {
                None => buffer.text = Arc::new(LinedText::new(change.text)),
                Some(range) => {
                    let text = Arc::make_mut(&mut buffer.text);
                    text.replace(text.bytes(range, encoding), &change.text);
                }
            }
        }
        Ok(buffer.clone())
    }
}

#[cfg(test)]
mod tests {
    use lsp_types::{Position, Range};
    use proptest::prelude::*;

    use super::*;

    const URI: &str = "file:///a.cu";

    fn opened(text: &str) -> Documents {
        let mut documents = Documents::default();
        let uri: Uri = URI.parse().unwrap();
        documents.open(TextDocumentItem { uri, language_id: "cuda-cpp".into(), version: 1, text: text.into() });
        documents
    }

    fn change(range: Option<Range>, text: &str) -> TextDocumentContentChangeEvent {
        TextDocumentContentChangeEvent { range, range_length: None, text: text.to_owned() }
    }

    fn at(line: u32, from: u32, to: u32) -> Range {
        Range { start: Position { line, character: from }, end: Position { line, character: to } }
    }

    #[test]
    fn changes_of_one_message_follow_each_other() {
        let (mut documents, uri) = (opened("ab\ncd\n"), URI.parse().unwrap());
        let changes = vec![change(Some(at(0, 1, 2)), "x\ny"), change(Some(at(1, 0, 1)), "z")];
        let buffer = documents.change(&uri, 2, changes, Encoding::Utf16).unwrap();
        assert_eq!((buffer.text.text(), buffer.version), ("ax\nz\ncd\n", 2));
        let changes = vec![change(None, "new"), change(Some(at(0, 0, 1)), "N")];
        assert_eq!(documents.change(&uri, 3, changes, Encoding::Utf16).unwrap().text.text(), "New");
    }

    #[test]
    fn a_change_that_comes_late_is_left_out() {
        let (mut documents, uri) = (opened("ab"), URI.parse().unwrap());
        documents.change(&uri, 5, vec![change(Some(at(0, 0, 0)), "x")], Encoding::Utf16).unwrap();
        let late = documents.change(&uri, 4, vec![change(Some(at(0, 0, 0)), "y")], Encoding::Utf16);
        assert!(matches!(late, Err(ChangeError::OutOfOrder { known: 5, new: 4, .. })), "{late:?}");
        assert_eq!(documents.get("/a.cu").unwrap().text.text(), "xab");
        // A whole text depends on nothing.
        assert!(documents.change(&uri, 4, vec![change(None, "z")], Encoding::Utf16).is_ok());
        let other = documents.change(&"file:///b.cu".parse().unwrap(), 9, Vec::new(), Encoding::Utf16);
        assert!(matches!(other, Err(ChangeError::NotOpen(_))));
    }

    proptest! {
        /// The same as edits of a list of units, which know no lines and no bytes.
        #[test]
        fn edits_by_range_are_edits_of_the_text(
            start in "[a\n\r\u{e9}\u{1f600}]{0,12}",
            edits in prop::collection::vec((0_usize..20, 0_usize..20, "[b\n\r\u{1f600}]{0,3}"), 1..20),
        ) {
            let (mut documents, uri) = (opened(&start), URI.parse().unwrap());
            let mut expected: Vec<char> = start.chars().collect();
            for (version, (one, other, new)) in (2..).zip(edits) {
                let (from, to) = (one.min(other).min(expected.len()), one.max(other).min(expected.len()));
                let text: String = expected.iter().collect();
                let lined = LinedText::new(text);
                let byte = |chars: usize| expected[..chars].iter().map(|c| c.len_utf8()).sum::<usize>();
                let position = |chars| lined.position(byte(chars), Encoding::Utf16);
                // Between `\r` and `\n` is no place that an editor can name.
                let is_split = |at: usize| at > 0 && expected[at - 1] == '\r' && expected.get(at) == Some(&'\n');
                prop_assume!(!is_split(from) && !is_split(to));
                let range = Some(Range { start: position(from), end: position(to) });
                let buffer = documents.change(&uri, version, vec![change(range, &new)], Encoding::Utf16).unwrap();
                expected.splice(from..to, new.chars());
                prop_assert_eq!(buffer.text.text(), expected.iter().collect::<String>());
            }
        }
    }
}
