//! Places as editors count them: lines, and code units of an encoding that both sides agreed on.

use lsp_types::{Position, PositionEncodingKind, Range};

use crate::source::{TextRange, TextSize};

/// What the column of a position counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Encoding {
    /// Bytes.
    Utf8,
    /// Units of UTF-16, which every client knows.
    #[default]
    Utf16,
    /// Characters.
    Utf32,
}

impl Encoding {
    /// The one that costs least among those that a client offers.
    pub(super) fn choose(offered: Option<&[PositionEncodingKind]>) -> Encoding {
        let has = |kind| offered.is_some_and(|offered| offered.contains(&kind));
        if has(PositionEncodingKind::UTF8) {
            Encoding::Utf8
        } else if has(PositionEncodingKind::UTF16) || !has(PositionEncodingKind::UTF32) {
            Encoding::Utf16
        } else {
            Encoding::Utf32
        }
    }

    /// The protocol's word for it.
    pub(super) fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
            Encoding::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    fn width(self, c: char) -> usize {
        match self {
            Encoding::Utf8 => c.len_utf8(),
            Encoding::Utf16 => c.len_utf16(),
            Encoding::Utf32 => 1,
        }
    }
}

/// A text and where its lines start. A line ends with `\n`, `\r\n` or `\r`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct LinedText {
    text: String,
    starts: Vec<usize>,
}

impl LinedText {
    pub(super) fn new(text: String) -> LinedText {
        let starts = line_starts(&text);
        LinedText { text, starts }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Puts `new` in place of the bytes of a range.
    pub(super) fn replace(&mut self, range: std::ops::Range<usize>, new: &str) {
        self.text.replace_range(range, new);
        self.starts = line_starts(&self.text);
    }

    /// The byte of a position. A column behind the end of its line is that end, a line behind the last the end of the text.
    pub(super) fn offset(&self, position: Position, encoding: Encoding) -> usize {
        let line = position.line as usize;
        let Some(&start) = self.starts.get(line) else { return self.text.len() };
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        let content = self.text[start..end].trim_end_matches(['\n', '\r']);
        let wanted = position.character as usize;
        if encoding == Encoding::Utf8 || content.is_ascii() {
            return start + floor(content, wanted.min(content.len()));
        }
        let mut column = 0;
        for (at, c) in content.char_indices() {
            column += encoding.width(c);
            if column > wanted {
                return start + at;
            }
        }
        start + content.len()
    }

    /// The position of a byte.
    pub(super) fn position(&self, offset: usize, encoding: Encoding) -> Position {
        let offset = floor(&self.text, offset.min(self.text.len()));
        let line = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        let before = &self.text[self.starts.get(line).copied().unwrap_or(0)..offset];
        let column = match encoding {
            Encoding::Utf8 => before.len(),
            _ => before.chars().map(|c| encoding.width(c)).sum(),
        };
        Position { line: saturated(line), character: saturated(column) }
    }

    pub(super) fn range(&self, range: TextRange, encoding: Encoding) -> Range {
        let position = |at: TextSize| self.position(usize::from(at), encoding);
        Range { start: position(range.start()), end: position(range.end()) }
    }

    /// The bytes of a range; an end before the start is the start.
    pub(super) fn bytes(&self, range: Range, encoding: Encoding) -> std::ops::Range<usize> {
        let start = self.offset(range.start, encoding);
        start..self.offset(range.end, encoding).max(start)
    }

    pub(super) fn text_range(&self, range: Range, encoding: Encoding) -> TextRange {
        let bytes = self.bytes(range, encoding);
        crate::source::range(bytes.start, bytes.end)
    }
}

fn saturated(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The start of the character that byte `at` lies in.
fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let ends = memchr::memchr2_iter(b'\n', b'\r', bytes);
    let ends = ends.filter(|&at| bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n'));
    std::iter::once(0).chain(ends.map(|at| at + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, offset: usize, encoding: Encoding, expected: (u32, u32)) {
        let lined = LinedText::new(text.to_owned());
        let position = lined.position(offset, encoding);
        assert_eq!((position.line, position.character), expected, "{text:?} at {offset}");
        assert_eq!(lined.offset(position, encoding), offset, "{text:?} at {expected:?}");
    }

    #[test]
    fn columns_count_what_was_agreed_on() {
        let text = "a\u{e9}\u{1f600}b\nc";
        check(text, 7, Encoding::Utf8, (0, 7));
        check(text, 7, Encoding::Utf16, (0, 4));
        check(text, 7, Encoding::Utf32, (0, 3));
        check(text, 9, Encoding::Utf16, (1, 0));
    }

    #[test]
    fn lines_end_as_the_protocol_says() {
        check("a\r\nb\rc\nd", 3, Encoding::Utf16, (1, 0));
        check("a\r\nb\rc\nd", 5, Encoding::Utf16, (2, 0));
        check("a\r\nb\rc\nd", 7, Encoding::Utf16, (3, 0));
        check("a\r\n", 3, Encoding::Utf16, (1, 0));
        check("", 0, Encoding::Utf16, (0, 0));
    }

    #[test]
    fn places_behind_an_end_are_the_end() {
        let lined = LinedText::new("ab\r\n\u{1f600}".to_owned());
        let offset = |line, character| lined.offset(Position { line, character }, Encoding::Utf16);
        assert_eq!((offset(0, 9), offset(7, 0), offset(1, 9)), (2, 8, 8));
        // In the middle of a pair of units: the start of the character.
        assert_eq!(offset(1, 1), 4);
        let inside = lined.offset(Position { line: 1, character: 2 }, Encoding::Utf8);
        assert_eq!(inside, 4);
    }

    #[test]
    fn the_cheapest_encoding_is_chosen() {
        use PositionEncodingKind as Kind;
        assert_eq!(Encoding::choose(None), Encoding::Utf16);
        assert_eq!(Encoding::choose(Some(&[Kind::UTF16, Kind::UTF8])), Encoding::Utf8);
        assert_eq!(Encoding::choose(Some(&[Kind::UTF32])), Encoding::Utf32);
    }
}
