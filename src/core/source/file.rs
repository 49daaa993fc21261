//! One source file: its text, and what is needed to write it back byte for byte.

use std::borrow::Cow;

use camino::{Utf8Path, Utf8PathBuf};

/// How the bytes of a file map to its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Valid UTF-8, with or without a byte order mark (which stays part of the text).
    Utf8,
    /// Not valid UTF-8: every byte stands for the character of the same number, and is
    /// written back as that byte. A byte order mark at the start is one here, too.
    Latin1,
}

/// The line end that a file uses most, for lines that we insert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Newline {
    /// `\n`
    Lf,
    /// `\r\n`
    CrLf,
}

impl Newline {
    /// The characters of the line end.
    pub fn as_str(self) -> &'static str {
        match self {
            Newline::Lf => "\n",
            Newline::CrLf => "\r\n",
        }
    }
}

/// A file that cannot be read as text at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The file starts with the byte order mark of UTF-16 or UTF-32.
    #[error("the file is UTF-16 or UTF-32; convert it to UTF-8 first, for example with `iconv`")]
    WideEncoding,
    /// Offsets are 32 bits wide.
    #[error("the file is larger than 1 GiB")]
    TooLarge,
}

/// A source file in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// The path as the user gave it; for messages only.
    pub path: Utf8PathBuf,
    /// The text. All offsets of this crate are byte offsets into it.
    pub text: String,
    /// How to get the bytes back.
    pub encoding: Encoding,
    /// The line end for inserted lines.
    pub newline: Newline,
}

const MAX_BYTES: usize = i32::MAX as usize / 2;

/// How much of a file tells whether its characters are wide.
const HEAD_BYTES: usize = 64 << 10;

/// Whether bytes are UTF-16 or UTF-32: by the mark at the start, or because zeros stand where characters of ASCII have them, and
/// nearly nowhere else.
pub fn is_wide(bytes: &[u8]) -> bool {
    let marked = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    marked || head.len() >= 4 && memchr::memchr(0, head).is_some() && has_wide_characters(head)
}

fn has_wide_characters(head: &[u8]) -> bool {
    let [first, second, third, fourth] = zeros(head);
    // Comments may be in any language, and their characters have no zeros.
    let mostly = |odd: usize, other: usize| odd * 10 >= head.len() / 4 * 4 && other * 20 <= odd;
    mostly(first + third, second + fourth) || mostly(second + fourth, first + third) || has_long_characters(head)
}

/// Whether two of each four bytes are zero, as in UTF-32, and not all are.
fn has_long_characters(head: &[u8]) -> bool {
    let whole = &head[..head.len() / 4 * 4];
    let zeros = zeros(whole);
    let nearly_all = |at: usize| zeros[at] * 20 >= whole.len() / 4 * 19;
    let is_empty = whole.iter().all(|byte| *byte == 0);
    !is_empty && ((nearly_all(0) && nearly_all(1)) || (nearly_all(2) && nearly_all(3)))
}

/// How many zeros stand in each place of four.
fn zeros(bytes: &[u8]) -> [usize; 4] {
    let mut zeros = [0; 4];
    for (at, _) in bytes.iter().enumerate().filter(|(_, byte)| **byte == 0) {
        zeros[at % 4] += 1;
    }
    zeros
}

impl SourceFile {
    /// A file from text that is at hand already (an editor's buffer, a test).
    pub fn from_text(path: impl Into<Utf8PathBuf>, text: impl Into<String>) -> SourceFile {
        let text = text.into();
        let newline = newline_of(&text);
        SourceFile { path: path.into(), text, encoding: Encoding::Utf8, newline }
    }

    /// A file from the bytes on disk. Invalid UTF-8 is no error: it is kept byte for byte.
    pub fn decode(path: &Utf8Path, bytes: Vec<u8>) -> Result<SourceFile, DecodeError> {
        if bytes.len() > MAX_BYTES {
            return Err(DecodeError::TooLarge);
        }
        if is_wide(&bytes) {
            return Err(DecodeError::WideEncoding);
        }
        let (text, encoding) = match String::from_utf8(bytes) {
            Ok(text) => (text, Encoding::Utf8),
            Err(error) => (one_character_a_byte(error.as_bytes()), Encoding::Latin1),
        };
        let newline = newline_of(&text);
        Ok(SourceFile { path: path.to_owned(), text, encoding, newline })
    }

    /// The bytes of `text`, which is this file's text or a patched form of it.
    pub fn encode<'t>(&self, text: &'t str) -> Cow<'t, [u8]> {
        self.encoding.encode(text)
    }
}

impl Encoding {
    /// The bytes of `text`, which is a file of this encoding, a patched form of it, or a part of either.
    pub fn encode<'t>(self, text: &'t str) -> Cow<'t, [u8]> {
        match self {
            Encoding::Utf8 => Cow::Borrowed(text.as_bytes()),
            // Inserted text is ASCII, so every character but the mark came from one byte.
            Encoding::Latin1 => {
                let mut bytes = Vec::with_capacity(text.len());
                for c in text.chars() {
                    match u8::try_from(u32::from(c)) {
                        Ok(byte) => bytes.push(byte),
                        Err(_) if c == MARK => bytes.extend(MARK_BYTES),
                        Err(_) => bytes.push(b'?'),
                    }
                }
                Cow::Owned(bytes)
            }
        }
    }
}

/// The byte order mark, and how it is written in UTF-8.
const MARK: char = '\u{feff}';
const MARK_BYTES: [u8; 3] = [0xef, 0xbb, 0xbf];

fn one_character_a_byte(bytes: &[u8]) -> String {
    let behind = bytes.strip_prefix(&MARK_BYTES);
    behind.map(|_| MARK).into_iter().chain(behind.unwrap_or(bytes).iter().map(|&byte| char::from(byte))).collect()
}

fn newline_of(text: &str) -> Newline {
    match memchr::memchr(b'\n', text.as_bytes()) {
        Some(at) if at > 0 && text.as_bytes()[at - 1] == b'\r' => Newline::CrLf,
        _ => Newline::Lf,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_round_trip(bytes: &[u8], encoding: Encoding, newline: Newline) {
        let file = SourceFile::decode(Utf8Path::new("a.cu"), bytes.to_vec()).unwrap();
        assert_eq!(file.encoding, encoding);
        assert_eq!(file.newline, newline);
        assert_eq!(*file.encode(&file.text), *bytes);
    }

    #[test]
    fn bytes_survive() {
        check_round_trip(b"int a;\n", Encoding::Utf8, Newline::Lf);
        check_round_trip(b"\xef\xbb\xbfint a;\r\n", Encoding::Utf8, Newline::CrLf);
        check_round_trip(b"// caf\xe9\r\nint a;\n", Encoding::Latin1, Newline::CrLf);
        check_round_trip(b"\xef\xbb\xbf// caf\xe9\nint a;\n", Encoding::Latin1, Newline::Lf);
        check_round_trip(b"a\0b", Encoding::Utf8, Newline::Lf);
        check_round_trip(b"", Encoding::Utf8, Newline::Lf);
    }

    #[test]
    fn wide_characters_are_known_without_a_mark() {
        let little: Vec<u8> = "int x;\n".bytes().flat_map(|byte| [byte, 0]).collect();
        let big: Vec<u8> = "int x;\n".bytes().flat_map(|byte| [0, byte]).collect();
        assert!(is_wide(&little) && is_wide(&big) && is_wide(&big[..9]));
        for narrow in [&b""[..], b"a", b"a\0", b"int x;\n", b"a\0b\0\0\0", b"\0\0\0\0\0\0\0\0", b"text\0with a zero"] {
            assert!(!is_wide(narrow), "{narrow:?}");
        }
    }

    #[test]
    fn wide_encodings_are_refused() {
        let decoded = SourceFile::decode(Utf8Path::new("a.cu"), b"\xff\xfei\0".to_vec());
        assert_eq!(decoded, Err(DecodeError::WideEncoding));
    }
}
