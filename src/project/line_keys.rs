//! The lines that findings are on, and are known by. A line is read once, however many findings are on it.

use std::ops::{Deref, Range};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::source::{SourceText, TextRange, TextSize, single_blanks};

/// A line with single blanks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineKey {
    /// The text.
    pub(super) text: Arc<str>,
    /// Which of the different texts of the file it is.
    pub(super) number: usize,
}

/// The text that a finding is about, its first line only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// A line that findings share, or this text alone.
    line: Arc<str>,
    part: Range<usize>,
}

impl Deref for Subject {
    type Target = str;

    fn deref(&self) -> &str {
        self.line.get(self.part.clone()).unwrap_or_default()
    }
}

/// A longer text is kept as a part of its line.
const LONG: usize = 256;

/// The lines of one file that were asked for.
#[derive(Debug, Clone, Default)]
pub(super) struct LineKeys {
    /// By the number of the line.
    lines: FxHashMap<u32, LineKey>,
    numbers: FxHashMap<Arc<str>, usize>,
    /// Lines as they are, by their number, with long subjects on them.
    long: FxHashMap<u32, Arc<str>>,
}

impl LineKeys {
    /// The line that `offset` lies in.
    pub(super) fn at(&mut self, source: &SourceText, offset: TextSize) -> LineKey {
        let line = source.lines().line_col(offset).line;
        if let Some(known) = self.lines.get(&line) {
            return known.clone();
        }
        let text: Arc<str> = single_blanks(source.line_text(offset)).into();
        let next = self.numbers.len();
        let number = *self.numbers.entry(Arc::clone(&text)).or_insert(next);
        let key = LineKey { text, number };
        self.lines.insert(line, key.clone());
        key
    }

    /// The text of a range, its first line only.
    pub(super) fn subject(&mut self, source: &SourceText, range: TextRange) -> Subject {
        let text = source.slice(range);
        let len = memchr::memchr(b'\n', text.as_bytes()).unwrap_or(text.len());
        let text = text[..len].strip_suffix('\r').unwrap_or(&text[..len]);
        if text.len() <= LONG {
            return Subject { line: text.into(), part: 0..text.len() };
        }
        let place = source.lines().line_col(range.start());
        let line = self.long.entry(place.line).or_insert_with(|| source.line_text(range.start()).into());
        let start = place.col as usize;
        Subject { line: Arc::clone(line), part: start..start + text.len() }
    }
}
