//! The lines that findings are on, and are known by. A line is read once, however many findings are on it.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::shown_line::beginning;
use crate::source::{SourceText, TextRange, TextSize, digest, single_blanks};

/// A line by what it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineKey {
    /// The text.
    pub(super) text: Arc<str>,
    /// Which of the different texts of the file it is.
    pub(super) number: usize,
}

/// Bytes of a line that is a key as it is.
const LONG: usize = 2000;

/// Bytes of a longer line that stand in its key.
const KEPT: usize = 200;

/// Bytes of the text that a finding is about.
const SUBJECT: usize = 500;

/// What a line is known by: itself with single blanks; if it is very long, its beginning and a digest.
fn key_of(line: &str) -> Arc<str> {
    let text = single_blanks(line);
    if text.len() <= LONG {
        return text.into();
    }
    format!("{} {}", beginning(&text, KEPT), digest(text.as_bytes())).into()
}

/// The text that a finding of `range` is about: its first line only, and of that the beginning.
pub(super) fn subject(source: &SourceText, range: TextRange) -> String {
    let text = source.slice(range);
    let text = beginning(text, LONG);
    let len = memchr::memchr(b'\n', text.as_bytes()).unwrap_or(text.len());
    beginning(text[..len].strip_suffix('\r').unwrap_or(&text[..len]), SUBJECT)
}

/// The lines of one file that were asked for.
#[derive(Debug, Clone, Default)]
pub(super) struct LineKeys {
    /// By the number of the line.
    lines: FxHashMap<u32, LineKey>,
    numbers: FxHashMap<Arc<str>, usize>,
}

impl LineKeys {
    /// The line that `offset` lies in.
    pub(super) fn at(&mut self, source: &SourceText, offset: TextSize) -> LineKey {
        let line = source.lines().line_col(offset).line;
        if let Some(known) = self.lines.get(&line) {
            return known.clone();
        }
        let text = key_of(source.line_text(offset));
        let next = self.numbers.len();
        let number = *self.numbers.entry(Arc::clone(&text)).or_insert(next);
        let key = LineKey { text, number };
        self.lines.insert(line, key.clone());
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{SourceFile, range};

    #[test]
    fn a_key_is_the_line_or_for_a_long_one_its_beginning_and_a_digest() {
        assert_eq!(&*key_of("  a \t b "), "a b");
        let long = |last: &str| key_of(&("a ".repeat(LONG) + last));
        assert!(long("b").len() < KEPT + 80 && long("b").starts_with("a a a"));
        assert_ne!(long("b"), long("c"));
        assert_eq!(long("b"), long("  b"));
    }

    #[test]
    fn a_subject_is_the_first_line_and_not_too_long() {
        let text = "k<<<1,\r\n2>>>();\n".to_owned() + &"x".repeat(3 * LONG);
        let source = SourceText::new(SourceFile::from_text("a.cu", &*text));
        assert_eq!(subject(&source, range(0, text.len())), "k<<<1,");
        assert_eq!(subject(&source, range(1, 4)), "<<<");
        let long = subject(&source, range(18, text.len()));
        assert!(long.ends_with("x…") && long.len() < SUBJECT + 8);
    }
}
