//! Characters that nobody sees, or that reorder what everybody sees, as escapes: names and sources may come from anybody.

use std::borrow::Cow;
use std::io::{self, Write};

/// The longest sequence for a colour, in bytes.
const LONGEST: usize = 32;

/// Whether a terminal would not show a character as it is.
pub(super) fn is_hidden(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        '\u{ad}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{3164}'
        | '\u{ffa0}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' => true,
        // The last two of each plane are no characters.
        _ => character.is_control() || u32::from(character) & 0xfffe == 0xfffe,
    }
}

/// A text of one line, such as a name, with escapes in place of what is hidden and of what would end the line or leave room in it.
pub fn one_line(text: &str) -> Cow<'_, str> {
    if !text.contains(['\n', '\t']) {
        return escaped(text);
    }
    escaped(text).replace('\n', "\\n").replace('\t', "\\t").into()
}

/// What begins a line that GitHub takes for a command, behind any blanks.
const COMMAND: &str = "::";

/// What GitHub takes for a command anywhere in a line, and how it is shown instead.
const OLD_COMMAND: [&str; 2] = ["##[", "\\u{23}#["];

/// A message of several lines with escapes in place of what is hidden, and none that GitHub takes for a command.
pub fn message(text: &str) -> String {
    let line = |line: &str| {
        let inner = line.trim_start();
        let blanks = &line[..line.len() - inner.len()];
        let shown = escaped(inner);
        match shown.strip_prefix(COMMAND) {
            Some(rest) => format!("{blanks}\\u{{3a}}:{rest}"),
            None => format!("{}{shown}", escaped(blanks)),
        }
    };
    let [command, instead] = OLD_COMMAND;
    text.split('\n').map(line).collect::<Vec<_>>().join("\n").replace(command, instead)
}

/// The same of one line that a name begins.
pub fn line_start(name: &str) -> String {
    message(&one_line(name))
}

/// `text` with escapes in place of what is hidden.
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        push(&mut shown, character);
    }
    shown.into()
}

fn push(shown: &mut String, character: char) {
    match character {
        '\r' => shown.push_str("\\r"),
        _ if is_hidden(character) => shown.extend(character.escape_unicode()),
        _ => shown.push(character),
    }
}

/// A writer that shows what is hidden in the text it is given.
#[derive(Debug)]
pub struct Visible<W: Write> {
    out: W,
    /// Whether the styles of findings and differences pass.
    is_styled: bool,
    /// The begin of a character or a sequence whose rest is still to come.
    pending: Vec<u8>,
}

impl<W: Write> Visible<W> {
    /// In front of `out`.
    pub fn new(out: W) -> Visible<W> {
        Visible { out, is_styled: false, pending: Vec::new() }
    }

    /// The same for a text with findings or differences, whose styles pass.
    pub fn styled(out: W) -> Visible<W> {
        Visible { is_styled: true, ..Visible::new(out) }
    }

    /// Writes what is whole of `bytes`, or all of it, and returns what is not.
    fn pass<'b>(&mut self, mut bytes: &'b [u8], is_all: bool) -> io::Result<&'b [u8]> {
        while !bytes.is_empty() {
            let (text, rest, is_odd) = match std::str::from_utf8(bytes) {
                Ok(text) => (text, &bytes[bytes.len()..], false),
                Err(error) => {
                    let (good, rest) = bytes.split_at(error.valid_up_to());
                    let is_odd = is_all || error.error_len().is_some();
                    (std::str::from_utf8(good).unwrap_or_default(), rest, is_odd)
                }
            };
            let left = self.show(text, is_all)?;
            if !left.is_empty() {
                return Ok(&bytes[text.len() - left.len()..]);
            }
            if !is_odd {
                return Ok(rest);
            }
            // Bytes of another encoding are nothing that a terminal acts on.
            let (odd, rest) = rest.split_at(1);
            self.out.write_all(odd)?;
            bytes = rest;
        }
        Ok(bytes)
    }

    /// Writes a text, and returns the end that may go on.
    fn show<'t>(&mut self, text: &'t str, is_all: bool) -> io::Result<&'t str> {
        let mut shown = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(character) = rest.chars().next() {
            let mut step = character.len_utf8();
            match character {
                '\u{1b}' if self.is_styled => match colour(rest) {
                    Colour::Whole(length) => {
                        step = length;
                        shown.push_str(&rest[..length]);
                    }
                    Colour::Begun if !is_all => break,
                    Colour::Begun | Colour::None => push(&mut shown, character),
                },
                '\r' if rest.starts_with("\r\n") => shown.push('\r'),
                '\r' if rest.len() == 1 && !is_all => break,
                _ => push(&mut shown, character),
            }
            rest = &rest[step..];
        }
        self.out.write_all(shown.as_bytes())?;
        Ok(rest)
    }
}

/// What a text begins with.
enum Colour {
    /// A sequence for a colour, of so many bytes.
    Whole(usize),
    /// What may become one.
    Begun,
    None,
}

/// Numbers of the styles in findings and differences: none, bold, dimmed, exchanged, and colours that are seen on any ground.
const STYLES: &[&str] =
    &["", "0", "1", "2", "7", "31", "32", "33", "34", "35", "36", "91", "92", "93", "94", "95", "96"];

/// Sequences that set such styles; one that hides text is none of ours.
fn colour(text: &str) -> Colour {
    let Some(inner) = text.strip_prefix("\u{1b}[") else {
        return if text.len() == 1 { Colour::Begun } else { Colour::None };
    };
    match inner.find(|c: char| !c.is_ascii_digit() && c != ';') {
        Some(end) if inner[end..].starts_with('m') && inner[..end].split(';').all(|part| STYLES.contains(&part)) => {
            Colour::Whole(end + 3)
        }
        None if inner.len() < LONGEST => Colour::Begun,
        _ => Colour::None,
    }
}

impl<W: Write> Write for Visible<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let is_plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
        if self.pending.is_empty() && bytes.iter().all(is_plain) {
            return self.out.write_all(bytes).map(|()| bytes.len());
        }
        let mut all = std::mem::take(&mut self.pending);
        all.extend_from_slice(bytes);
        self.pending = self.pass(&all, false)?.to_vec();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let pending = std::mem::take(&mut self.pending);
        self.pass(&pending, true)?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(parts: &[&[u8]]) -> String {
        let mut out = Vec::new();
        let mut visible = Visible::styled(&mut out);
        for part in parts {
            visible.write_all(part).unwrap();
        }
        visible.flush().unwrap();
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn what_hides_or_reorders_is_shown() {
        assert_eq!(escaped("a\u{202e}b\u{200b}\u{1b}[2J"), "a\\u{202e}b\\u{200b}\\u{1b}[2J");
        assert_eq!(escaped("caf\u{e9}\n\tx"), "caf\u{e9}\n\tx");
        assert_eq!(
            written(&[b"\x1b[1;31mred\x1b[0m \x1b[8mhid\x1b]0;title\x07"]),
            "\u{1b}[1;31mred\u{1b}[0m \\u{1b}[8mhid\\u{1b}]0;title\\u{7}"
        );
    }

    #[test]
    fn a_name_has_one_line_and_no_message_is_a_command() {
        assert_eq!(line_start("::error::\n::b"), "\\u{3a}:error::\\n::b");
        assert_eq!(one_line("a\n::b\r\t\u{fffe}\u{1b}.cu"), "a\\n::b\\r\\t\\u{fffe}\\u{1b}.cu");
        assert_eq!(
            message("a: b::c\n  ::error::x\n##[group] a##[error]b\n\u{200b}y"),
            "a: b::c\n  \\u{3a}:error::x\n\\u{23}#[group] a\\u{23}#[error]b\n\\u{200b}y"
        );
    }

    #[test]
    fn only_styles_of_ours_pass() {
        for hiding in ["08", "30", "38;5;0", "1;8", "40", "90"] {
            let text = format!("a\u{1b}[{hiding}mb");
            assert_eq!(written(&[text.as_bytes()]), format!("a\\u{{1b}}[{hiding}mb"));
        }
        let mut out = Vec::new();
        let mut visible = Visible::new(&mut out);
        visible.write_all(b"a\x1b[31mb").unwrap();
        visible.flush().unwrap();
        assert_eq!(out, b"a\\u{1b}[31mb");
    }

    #[test]
    fn it_does_not_matter_where_a_text_is_cut() {
        let text = "a\r\nb\rc\u{1b}[31mx\u{202e}\u{e9}\u{1b}[2Jy\u{1b}".as_bytes();
        let whole = written(&[text]);
        assert_eq!(whole, "a\r\nb\\rc\u{1b}[31mx\\u{202e}\u{e9}\\u{1b}[2Jy\\u{1b}");
        for cut in 0..text.len() {
            assert_eq!(written(&[&text[..cut], &text[cut..]]), whole, "{cut}");
        }
    }

    #[test]
    fn bytes_of_another_encoding_pass() {
        let mut out = Vec::new();
        let mut visible = Visible::new(&mut out);
        visible.write_all(b"caf\xe9 \xc3").unwrap();
        visible.flush().unwrap();
        assert_eq!(out, b"caf\xe9 \xc3");
    }
}
