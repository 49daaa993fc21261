//! Splits CUDA C++ text into tokens, comments and preprocessor directives.
//!
//! Knows line continuations, raw strings, digit separators and header names. Never fails: an
//! unterminated literal ends at its line, an unterminated comment or raw string at the end.

use super::directive::{Directive, DirectiveKind};
use super::token::{Token, TokenKind};
use super::tokens::Tokens;
use crate::source::{TextRange, range};

/// The result of [`lex`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lexed {
    /// All tokens, those of directives included, in the order of the text.
    pub tokens: Tokens,
    /// All comments.
    pub comments: Vec<TextRange>,
    /// All directives.
    pub directives: Vec<Directive>,
    /// Whether a line continuation stands within an identifier.
    pub has_split_names: bool,
}

/// Splits `text` into tokens.
pub fn lex(text: &str) -> Lexed {
    let mut lexer = Lexer { bytes: text.as_bytes(), at: 0, out: Lexed::default(), line_start: true, directive: None };
    lexer.out.tokens.reserve(text.len() / 5);
    if text.starts_with('\u{feff}') {
        lexer.at = 3;
    }
    while lexer.at < lexer.bytes.len() {
        lexer.step();
    }
    lexer.end_directive(text.len());
    lexer.out
}

struct Lexer<'t> {
    bytes: &'t [u8],
    at: usize,
    out: Lexed,
    /// Nothing but white space and comments so far on this line.
    line_start: bool,
    /// Index of the directive that is being read.
    directive: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Space,
    Newline,
    Ident,
    Digit,
    Other,
}

const CLASSES: [Class; 256] = classes();

const fn classes() -> [Class; 256] {
    let mut table = [Class::Other; 256];
    let mut byte: u8 = 0;
    loop {
        table[byte as usize] = match byte {
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c | 0 => Class::Space,
            b'\n' => Class::Newline,
            b'0'..=b'9' => Class::Digit,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | 0x80..=0xff => Class::Ident,
            _ => Class::Other,
        };
        if byte == u8::MAX {
            return table;
        }
        byte += 1;
    }
}

fn class(byte: u8) -> Class {
    CLASSES[byte as usize]
}

fn continues_ident(byte: u8) -> bool {
    matches!(class(byte), Class::Ident | Class::Digit)
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn step(&mut self) {
        let byte = self.bytes[self.at];
        match class(byte) {
            Class::Space => self.at += 1,
            Class::Newline => {
                self.end_directive(self.at);
                self.line_start = true;
                self.at += 1;
            }
            Class::Ident => self.ident(),
            Class::Digit => self.number(),
            Class::Other => self.other(byte),
        }
    }

    fn other(&mut self, byte: u8) {
        match byte {
            b'/' if self.peek(1) == b'/' => self.line_comment(),
            b'/' if self.peek(1) == b'*' => self.block_comment(),
            b'\\' if splice_len(&self.bytes[self.at..]) > 0 => self.at += splice_len(&self.bytes[self.at..]),
            b'"' => self.quoted(self.at, b'"', TokenKind::Str),
            b'\'' => self.quoted(self.at, b'\'', TokenKind::Char),
            b'.' if self.peek(1).is_ascii_digit() => self.number(),
            b'#' if self.line_start => self.hash(),
            b'<' if self.expects_header() => self.header_name(),
            b':' if self.peek(1) == b':' => self.push(2, TokenKind::PathSep),
            b'-' if self.peek(1) == b'>' => self.push(2, TokenKind::Arrow),
            _ => self.push(1, TokenKind::Punct(byte)),
        }
    }

    fn push(&mut self, len: usize, kind: TokenKind) {
        let start = self.at;
        self.at += len;
        self.push_from(start, kind);
    }

    #[expect(clippy::cast_possible_truncation, reason = "SourceFile refuses texts over 2 GiB")]
    fn push_from(&mut self, start: usize, kind: TokenKind) {
        self.line_start = false;
        self.out.tokens.push(Token { start: start as u32, end: self.at as u32, kind });
    }

    fn ident(&mut self) {
        let start = self.at;
        self.skip_ident();
        let prefix = &self.bytes[start..self.at];
        match self.peek(0) {
            b'"' if prefix.ends_with(b"R") && is_string_prefix(&prefix[..prefix.len() - 1]) => self.raw_string(start),
            b'"' if is_string_prefix(prefix) => self.quoted(start, b'"', TokenKind::Str),
            b'\'' if is_string_prefix(prefix) => self.quoted(start, b'\'', TokenKind::Char),
            _ => {
                self.push_from(start, TokenKind::Ident);
                self.name_directive();
            }
        }
    }

    fn skip_ident(&mut self) {
        loop {
            while self.at < self.bytes.len() && continues_ident(self.bytes[self.at]) {
                self.at += 1;
            }
            let splice = splice_len(&self.bytes[self.at..]);
            let goes_on = splice > 0 && self.bytes.get(self.at + splice).is_some_and(|&b| continues_ident(b));
            if !goes_on {
                return;
            }
            self.out.has_split_names = true;
            self.at += splice;
        }
    }

    fn number(&mut self) {
        let start = self.at;
        self.at += 1;
        while self.at < self.bytes.len() {
            let byte = self.bytes[self.at];
            let exponent_sign =
                matches!(byte, b'+' | b'-') && matches!(self.bytes[self.at - 1], b'e' | b'E' | b'p' | b'P');
            let hex_e = exponent_sign
                && self.bytes[start..].starts_with(b"0x")
                && matches!(self.bytes[self.at - 1], b'e' | b'E');
            let separator = byte == b'\'' && self.bytes.get(self.at + 1).is_some_and(|&b| continues_ident(b));
            if !(continues_ident(byte) || byte == b'.' || separator || (exponent_sign && !hex_e)) {
                break;
            }
            self.at += 1;
        }
        self.push_from(start, TokenKind::Number);
    }

    fn quoted(&mut self, start: usize, quote: u8, kind: TokenKind) {
        self.at += 1;
        while self.at < self.bytes.len() {
            match self.bytes[self.at] {
                b'\\' => self.at += splice_len(&self.bytes[self.at..]).max(2),
                b'\n' => break,
                byte => {
                    self.at += 1;
                    if byte == quote {
                        break;
                    }
                }
            }
        }
        self.at = self.at.min(self.bytes.len());
        self.push_from(start, kind);
    }

    fn raw_string(&mut self, start: usize) {
        let open = self.at + 1;
        let delimiter_len = self.bytes[open..].iter().take(17).position(|&b| b == b'(');
        let Some(delimiter_len) = delimiter_len else {
            return self.quoted(start, b'"', TokenKind::Str);
        };
        let mut close = vec![b')'];
        close.extend_from_slice(&self.bytes[open..open + delimiter_len]);
        close.push(b'"');
        let body = open + delimiter_len + 1;
        let found = memchr::memmem::find(&self.bytes[body..], &close);
        self.at = found.map_or(self.bytes.len(), |found| body + found + close.len());
        self.push_from(start, TokenKind::RawStr);
    }

    fn line_comment(&mut self) {
        let start = self.at;
        loop {
            let end = memchr::memchr(b'\n', &self.bytes[self.at..]).map_or(self.bytes.len(), |n| self.at + n);
            self.at = end;
            let line = &self.bytes[start..end];
            let spliced = line.strip_suffix(b"\r").unwrap_or(line).ends_with(b"\\");
            if !spliced || end == self.bytes.len() {
                break;
            }
            self.at += 1;
        }
        self.out.comments.push(range(start, self.at));
    }

    fn block_comment(&mut self) {
        let start = self.at;
        let end = memchr::memmem::find(&self.bytes[start + 2..], b"*/");
        self.at = end.map_or(self.bytes.len(), |end| start + 2 + end + 2);
        self.out.comments.push(range(start, self.at));
    }

    fn hash(&mut self) {
        self.directive = Some(self.out.directives.len());
        let first = self.out.tokens.len();
        self.out.directives.push(Directive {
            kind: DirectiveKind::Other,
            range: range(self.at, self.at),
            tokens: first..first + 1,
        });
        self.push(1, TokenKind::Hash);
    }

    /// The identifier just read may be the name of the directive.
    fn name_directive(&mut self) {
        let Some(directive) = self.directive.and_then(|idx| self.out.directives.get_mut(idx)) else { return };
        let is_name = self.out.tokens.len() == directive.tokens.start + 2;
        if let (true, Some(name)) = (is_name, self.out.tokens.last()) {
            directive.kind = DirectiveKind::from_name(&self.bytes[name.start as usize..name.end as usize]);
        }
    }

    fn expects_header(&self) -> bool {
        let directive = self.directive.and_then(|idx| self.out.directives.get(idx));
        directive.is_some_and(|d| d.kind == DirectiveKind::Include && self.out.tokens.len() == d.tokens.start + 2)
    }

    fn header_name(&mut self) {
        let rest = &self.bytes[self.at..];
        let end = memchr::memchr2(b'>', b'\n', rest).unwrap_or(rest.len());
        let len = if rest.get(end) == Some(&b'>') { end + 1 } else { 1 };
        let kind = if len > 1 { TokenKind::HeaderName } else { TokenKind::Punct(b'<') };
        self.push(len, kind);
    }

    fn end_directive(&mut self, end: usize) {
        let Some(directive) = self.directive.take().and_then(|idx| self.out.directives.get_mut(idx)) else { return };
        directive.tokens.end = self.out.tokens.len();
        let end = if end > 0 && self.bytes[end - 1] == b'\r' { end - 1 } else { end };
        directive.range = range(usize::from(directive.range.start()), end);
    }
}

/// Length of a line continuation at the start of `bytes`, or 0.
pub(super) fn splice_len(bytes: &[u8]) -> usize {
    match bytes {
        [b'\\', b'\n', ..] => 2,
        [b'\\', b'\r', b'\n', ..] => 3,
        _ => 0,
    }
}

fn is_string_prefix(prefix: &[u8]) -> bool {
    matches!(prefix, b"" | b"L" | b"u" | b"U" | b"u8")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        lex(text).tokens.iter().map(|token| &text[token.range()]).collect()
    }

    #[track_caller]
    fn check_words(text: &str, expected: &[&str]) {
        assert_eq!(words(text), expected);
    }

    #[test]
    fn splits_operators_into_characters() {
        check_words(
            "k<<<g,b>>>(x->y::z);",
            &["k", "<", "<", "<", "g", ",", "b", ">", ">", ">", "(", "x", "->", "y", "::", "z", ")", ";"],
        );
    }

    #[test]
    fn comments_and_strings_are_opaque() {
        check_words("a /* b \" */ \"c // d\\\" e\" f // g \\\n h\n i", &["a", "\"c // d\\\" e\"", "f", "i"]);
        check_words("'\"' \"'\" L\"x\" u8'y'", &["'\"'", "\"'\"", "L\"x\"", "u8'y'"]);
    }

    #[test]
    fn raw_strings_end_at_their_delimiter() {
        check_words("R\"(a)\" b", &["R\"(a)\"", "b"]);
        check_words("u8R\"x(a)\" )y\" )x\" b", &["u8R\"x(a)\" )y\" )x\"", "b"]);
    }

    #[test]
    fn numbers_are_one_token() {
        check_words(
            "1'000 0x1p-3 1.5e+3f 0xE+1 .5 1..2",
            &["1'000", "0x1p-3", "1.5e+3f", "0xE", "+", "1", ".5", "1..2"],
        );
    }

    #[test]
    fn continuations_join_names() {
        check_words("cuda\\\nMalloc x\\\r\n y", &["cuda\\\nMalloc", "x", "y"]);
    }

    #[test]
    fn unterminated_literals_do_not_swallow_the_file() {
        check_words("\"abc\nd 'e\nf", &["\"abc", "d", "'e", "f"]);
        check_words("a /* b", &["a"]);
        check_words("R\"x(b", &["R\"x(b"]);
    }

    #[test]
    fn directives_cover_their_logical_line() {
        let text = "a\n # define F(x) \\\n x // c\n#include <cuda.h>\n#if A\n";
        let lexed = lex(text);
        let seen: Vec<_> = lexed.directives.iter().map(|d| (d.kind, &text[d.range])).collect();
        assert_eq!(
            seen,
            [
                (DirectiveKind::Define, "# define F(x) \\\n x // c"),
                (DirectiveKind::Include, "#include <cuda.h>"),
                (DirectiveKind::If, "#if A"),
            ]
        );
        assert_eq!(lexed.tokens.iter().filter(|t| t.kind == TokenKind::HeaderName).count(), 1);
    }
}
