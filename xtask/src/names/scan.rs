//! Finds the identifiers of a C++ header.
//!
//! Comments, literals and the text of `#include`, `#error`, `#warning` and `#pragma` lines do not
//! count: a name that is only talked about is not there.

/// Calls `found` for every identifier, repetitions included.
pub(super) fn identifiers<'text>(text: &'text str, mut found: impl FnMut(&'text str)) {
    let mut scanner = Scanner { text, at: 0 };
    while let Some(identifier) = scanner.next_identifier() {
        found(identifier);
    }
}

struct Scanner<'text> {
    text: &'text str,
    at: usize,
}

impl<'text> Scanner<'text> {
    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn next_identifier(&mut self) -> Option<&'text str> {
        loop {
            match self.byte(0)? {
                b'/' if self.byte(1) == Some(b'/') => self.skip_line(),
                b'/' if self.byte(1) == Some(b'*') => self.skip_past("*/"),
                b'#' => self.skip_directive(),
                quote @ (b'"' | b'\'') => self.skip_literal(quote),
                byte if byte.is_ascii_digit() => self.skip_number(),
                byte if is_identifier(byte) => {
                    let word = self.take_word();
                    if !self.skip_raw_string(word) {
                        return Some(word);
                    }
                }
                _ => self.at += 1,
            }
        }
    }

    fn take_word(&mut self) -> &'text str {
        let start = self.at;
        while self.byte(0).is_some_and(is_identifier) {
            self.at += 1;
        }
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// Moves behind the line, following the backslashes that continue it.
    fn skip_line(&mut self) {
        while let Some(byte) = self.byte(0) {
            self.at += 1;
            if byte == b'\\' && self.byte(0).is_some() {
                self.at += 1;
            } else if byte == b'\n' {
                return;
            }
        }
    }

    fn skip_past(&mut self, end: &str) {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let length = rest.windows(end.len()).position(|part| part == end.as_bytes());
        self.at += length.map_or(rest.len(), |length| length + end.len());
    }

    /// Skips `#` and the word behind it, and the whole line where it holds prose or a path.
    fn skip_directive(&mut self) {
        self.at += 1;
        while matches!(self.byte(0), Some(b' ' | b'\t' | b'#')) {
            self.at += 1;
        }
        let word = self.take_word();
        if matches!(word, "include" | "include_next" | "error" | "warning" | "pragma") {
            self.skip_line();
        }
    }

    fn skip_literal(&mut self, quote: u8) {
        self.at += 1;
        while let Some(byte) = self.byte(0) {
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'\n' => return,
                byte if byte == quote => return,
                _ => {}
            }
        }
    }

    /// Skips digits with their separators and suffixes, so that `1'000` opens no literal.
    fn skip_number(&mut self) {
        while self.byte(0).is_some_and(|byte| is_identifier(byte) || matches!(byte, b'.' | b'\'')) {
            self.at += 1;
        }
    }

    /// Skips `R"x(…)x"` if the word just read opens one.
    fn skip_raw_string(&mut self, word: &str) -> bool {
        if !matches!(word, "R" | "LR" | "uR" | "UR" | "u8R") || self.byte(0) != Some(b'"') {
            return false;
        }
        let rest = self.text.get(self.at + 1..).unwrap_or_default();
        let delimiter = rest.split('(').next().unwrap_or_default();
        let end = format!("){delimiter}\"");
        self.skip_past(&end);
        true
    }
}

fn is_identifier(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let mut found = Vec::new();
        identifiers(text, |identifier| found.push(identifier));
        assert_eq!(found, expected);
    }

    #[test]
    fn comments_and_literals_hold_no_names() {
        check("a // b\nc /* d\n e */ f", &["a", "c", "f"]);
        check(r#"a("b \" c", 'd') e"#, &["a", "e"]);
        check("a R\"x(b)\" c)x\" d", &["a", "d"]);
        check("// a \\\n b\nc", &["c"]);
    }

    #[test]
    fn numbers_hold_no_names() {
        check("0x1fULL + 1'000 + a1", &["a1"]);
    }

    #[test]
    fn directives_count_unless_they_hold_prose() {
        check("#define A B\n", &["A", "B"]);
        check("#  include <hip/a.h>\nb", &["b"]);
        check("#error use c\nd", &["d"]);
    }
}
