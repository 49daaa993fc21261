//! A source file whose places can be told as lines and columns.

use std::sync::OnceLock;

use super::{LineIndex, Position, SourceFile, TextRange, TextSize, position};

/// A file and where its lines start.
#[derive(Debug)]
pub struct SourceText {
    file: SourceFile,
    lines: OnceLock<LineIndex>,
}

impl SourceText {
    /// The text of a file.
    pub fn new(file: SourceFile) -> SourceText {
        SourceText { file, lines: OnceLock::new() }
    }

    /// The file.
    pub fn file(&self) -> &SourceFile {
        &self.file
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.file.text
    }

    /// The text of a range.
    pub fn slice(&self, range: TextRange) -> &str {
        &self.file.text[range]
    }

    /// Line and column of a byte offset.
    pub fn position(&self, offset: TextSize) -> Position {
        position(self.text(), self.lines(), offset)
    }

    /// The line that `offset` lies in, without its end.
    pub fn line_text(&self, offset: TextSize) -> &str {
        let (text, at) = (self.text(), usize::from(offset));
        let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[at..].find('\n').map_or(text.len(), |newline| at + newline);
        text[start..end].trim_end_matches('\r')
    }

    /// The line index, made on first use.
    pub fn lines(&self) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(self.text()))
    }
}
