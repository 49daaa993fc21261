//! What string literals hold.

use std::ops::Range;

use super::document::Document;
use super::token::{Token, TokenIdx, TokenKind};
use crate::source::{TextRange, range};

/// String literals that the compiler joins into one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literals {
    /// Their tokens.
    pub tokens: Range<TokenIdx>,
    /// From the first character of the first to the last character of the last.
    pub range: TextRange,
    /// The text of `range` with all that is no plain text of the literals blanked out: quotes,
    /// what stands between them, and escapes; an escaped line end becomes a line end. Each byte
    /// stays at its place.
    pub text: String,
    /// Whether all of them are raw strings, so that any text can be put in.
    pub raw: bool,
}

impl Literals {
    /// The literals that start at the token `first`; `None` if another literal precedes it.
    pub fn starting_at(document: &Document, first: TokenIdx) -> Option<Literals> {
        let is_literal = |idx| document.token(idx).is_some_and(is_string);
        if !is_literal(first) || first.checked_sub(1).is_some_and(is_literal) {
            return None;
        }
        let mut end = first + 1;
        while is_literal(end) {
            end += 1;
        }
        let tokens = first..end;
        let contents = tokens.clone().map(|idx| content(document, idx)).collect::<Option<Vec<TextRange>>>()?;
        let whole = contents.first()?.cover(*contents.last()?);
        let mut bytes = vec![b' '; usize::from(whole.len())];
        for (idx, inner) in tokens.clone().zip(contents) {
            let at = usize::from(inner.start() - whole.start());
            let plain = plain_bytes(document.slice(inner), is_raw(document, idx));
            for (place, byte) in bytes.iter_mut().skip(at).zip(plain) {
                *place = byte;
            }
        }
        let raw = tokens.clone().all(|idx| is_raw(document, idx));
        Some(Literals { tokens, range: whole, text: String::from_utf8(bytes).ok()?, raw })
    }
}

fn is_string(token: Token) -> bool {
    matches!(token.kind, TokenKind::Str | TokenKind::RawStr)
}

fn is_raw(document: &Document, idx: TokenIdx) -> bool {
    document.token(idx).is_some_and(|token| token.kind == TokenKind::RawStr)
}

/// What stands between the quotes of a string literal, without the delimiters of a raw one.
fn content(document: &Document, literal: TokenIdx) -> Option<TextRange> {
    let token = document.token(literal)?;
    let text = document.token_text(literal);
    let open = text.find('"')? + 1;
    let (start, end) = match token.kind {
        TokenKind::Str => (open, text.len() - usize::from(text.len() > open && text.ends_with('"'))),
        TokenKind::RawStr => {
            let delimiter = text.get(open..)?.find('(')?;
            let start = open + delimiter + 1;
            let close = format!("){}\"", text.get(open..open + delimiter)?);
            // An unterminated one ends with the file.
            let terminated = text.get(start..)?.ends_with(&close);
            (start, if terminated { text.len() - close.len() } else { text.len() })
        }
        _ => return None,
    };
    let base = token.start as usize;
    (start <= end).then(|| range(base + start, base + end))
}

/// The bytes of a literal's content with escapes blanked out.
fn plain_bytes(content: &str, raw: bool) -> Vec<u8> {
    let mut bytes = content.as_bytes().to_vec();
    let mut rest: &mut [u8] = if raw { &mut [] } else { &mut bytes };
    while let Some(at) = memchr::memchr(b'\\', rest) {
        rest = &mut rest[at..];
        let len = escape_len(rest);
        let (escape, after) = rest.split_at_mut(len);
        let meant = match escape.get(1) {
            // The line end first, so that a `\` before it continues the line as it would.
            Some(b'n') => Some((0, b'\n')),
            Some(b'\\') => Some((1, b'\\')),
            Some(b'"') => Some((1, b'"')),
            Some(b'\'') => Some((1, b'\'')),
            _ => None,
        };
        escape.fill(b' ');
        if let Some((place, byte)) = meant.and_then(|(at, byte)| Some((escape.get_mut(at)?, byte))) {
            *place = byte;
        }
        rest = after;
    }
    bytes
}

/// The length of the escape sequence that `bytes` starts with.
fn escape_len(bytes: &[u8]) -> usize {
    let digits = |most: usize, is_digit: fn(&u8) -> bool| {
        2 + bytes.iter().skip(2).take(most).take_while(|byte| is_digit(byte)).count()
    };
    let len = match bytes.get(1) {
        Some(b'x') => digits(usize::MAX, u8::is_ascii_hexdigit),
        Some(b'u') => digits(4, u8::is_ascii_hexdigit),
        Some(b'U') => digits(8, u8::is_ascii_hexdigit),
        Some(b'0'..=b'7') => digits(2, |byte| matches!(byte, b'0'..=b'7')),
        Some(b'\r') => 3,
        // A character of several bytes after a `\` is no escape.
        Some(byte) if !byte.is_ascii() => 1,
        _ => 2,
    };
    len.min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    #[track_caller]
    fn check_text(text: &str, expected: &str) {
        let document = Document::new(SourceFile::from_text("a.cu", text));
        let first = document.tokens().iter().position(is_string).unwrap();
        let literals = Literals::starting_at(&document, first).unwrap();
        assert_eq!(literals.text, expected, "{text}");
        assert_eq!(literals.text.len(), usize::from(literals.range.len()));
    }

    #[test]
    fn quotes_and_escapes_are_blanked_out() {
        check_text(r#"f("a\tb\n" u8"c\"d\\\n")"#, "a  b\n      c \"d \\\n ");
        check_text(r#""\x41bcd\1234\u00e9é\é""#, &format!("{:11}4{:6}é é", "", ""));
        check_text("\"a\" /* é */ \"b\"", &format!("a{:12}b", ""));
        check_text("\"\"", "");
    }

    #[test]
    fn raw_strings_stay() {
        check_text("R\"x(a\\n\")b)x\"", "a\\n\")b");
        check_text("R\"(a)\"\n\"b\"", "a    b");
        check_text("R\"(a", "a");
    }
}
