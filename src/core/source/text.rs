//! A source file whose places can be told as lines and columns.

use std::sync::OnceLock;

use super::{LineIndex, Position, SourceFile, TextRange, TextSize, position};

/// A file and where its lines start.
#[derive(Debug)]
pub struct SourceText {
    file: SourceFile,
    lines: OnceLock<LineIndex>,
    /// How many characters are before each [`FAR`] bytes.
    characters: OnceLock<Vec<usize>>,
}

/// A place this many bytes behind the start of its line is far from it.
const FAR: usize = 1024;

impl SourceText {
    /// The text of a file.
    pub fn new(file: SourceFile) -> SourceText {
        SourceText { file, lines: OnceLock::new(), characters: OnceLock::new() }
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
        let lines = self.lines();
        let col = lines.line_col(offset).col as usize;
        if col <= FAR {
            return position(self.text(), lines, offset);
        }
        // The characters of a long line are not counted for each place in it.
        let start = usize::from(offset) - col;
        let after = &self.text()[start..];
        let marks = (after.len() - after.trim_start_matches('\u{feff}').len()) / '\u{feff}'.len_utf8();
        let before = self.characters_before(usize::from(offset)) - self.characters_before(start);
        let column = u32::try_from(before.saturating_sub(marks)).unwrap_or(u32::MAX).saturating_add(1);
        Position { column, ..position(self.text(), lines, offset - TextSize::new(lines.line_col(offset).col)) }
    }

    /// How many characters start before a byte of the text.
    fn characters_before(&self, at: usize) -> usize {
        let bytes = self.text().as_bytes();
        let starts = |part: &[u8]| part.iter().filter(|&&byte| !matches!(byte, 0x80..=0xbf)).count();
        let counts = self.characters.get_or_init(|| {
            let sum = |sum: &mut usize, part: &[u8]| Some(std::mem::replace(sum, *sum + starts(part)));
            bytes.chunks(FAR).scan(0, sum).collect()
        });
        let chunk = at / FAR;
        counts.get(chunk).copied().unwrap_or_default() + bytes.get(chunk * FAR..at).map_or(0, starts)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_on_long_lines_are_counted_in_characters() {
        let line = "\u{feff}é1".to_owned() + &"äb€".repeat(5 * FAR);
        let source = SourceText::new(SourceFile::from_text("a.cu", format!("x\n{line}\ny{line}")));
        for (at, _) in source.text().char_indices() {
            let offset = TextSize::try_from(at).unwrap();
            assert_eq!(source.position(offset), position(source.text(), source.lines(), offset), "{at}");
        }
    }
}
