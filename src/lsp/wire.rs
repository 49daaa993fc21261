//! Messages on a byte stream: a header with the length, and JSON. What cannot be read is told and passed over.

use std::io::{self, BufRead, Read as _, Write};

use lsp_server::Message;
use serde::Serialize;

/// The longest message that is read, in bytes. A wrong length must not take all memory.
const LONGEST: u64 = 1 << 30;

/// The longest line of a header.
const LONGEST_HEADER: u64 = 1 << 12;

/// What was read.
#[derive(Debug)]
pub(super) enum Incoming {
    /// A message.
    Message(Message),
    /// Something else, and what is wrong with it.
    Malformed(String),
}

/// The next message; nothing at the end of the stream.
pub(super) fn read(from: &mut impl BufRead) -> io::Result<Option<Incoming>> {
    let Some(header) = read_header(from)? else { return Ok(None) };
    let length = match header {
        Ok(length) => length,
        Err(problem) => return Ok(Some(Incoming::Malformed(problem))),
    };
    let mut body = Vec::new();
    let read = from.take(length).read_to_end(&mut body)?;
    if u64::try_from(read) != Ok(length) {
        return Ok(None);
    }
    Ok(Some(match serde_json::from_slice(&body) {
        Ok(message) => Incoming::Message(message),
        Err(error) => Incoming::Malformed(error.to_string()),
    }))
}

/// The length of the next message, or what is wrong with its header. Lines that are no header at all are passed over up
/// to one that is.
fn read_header(from: &mut impl BufRead) -> io::Result<Option<Result<u64, String>>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        if from.take(LONGEST_HEADER).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        if line.is_empty() {
            match length {
                Some(length) => return Ok(Some(length)),
                None => continue,
            }
        }
        match line.split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => length = Some(read_length(value)),
            Some((name, _)) if name.eq_ignore_ascii_case("content-type") => {}
            _ => return Ok(Some(Err(format!("`{line}` is no header")))),
        }
    }
}

fn read_length(value: &str) -> Result<u64, String> {
    let length = value.trim().parse().map_err(|_| format!("`{}` is no length", value.trim()))?;
    if length > LONGEST { Err(format!("a message of {length} bytes is too long")) } else { Ok(length) }
}

/// A message as it is written.
#[derive(Serialize)]
struct Versioned<M> {
    jsonrpc: &'static str,
    #[serde(flatten)]
    message: M,
}

/// The JSON of a message.
pub(super) fn body(message: impl Serialize) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(&Versioned { jsonrpc: "2.0", message })
}

/// Writes a message with its header.
pub(super) fn write(to: &mut impl Write, body: &[u8]) -> io::Result<()> {
    write!(to, "Content-Length: {}\r\n\r\n", body.len())?;
    to.write_all(body)?;
    to.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The methods of what is read, and `!` for what cannot be read.
    #[track_caller]
    fn check(stream: &str, expected: &[&str]) {
        let mut from = stream.as_bytes();
        let mut seen = Vec::new();
        while let Some(incoming) = read(&mut from).unwrap() {
            seen.push(match incoming {
                Incoming::Message(Message::Notification(notification)) => notification.method,
                Incoming::Message(other) => format!("{other:?}"),
                Incoming::Malformed(_) => "!".to_owned(),
            });
        }
        assert_eq!(seen, expected);
    }

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    #[test]
    fn what_cannot_be_read_does_not_end_the_stream() {
        let good = framed("{\"jsonrpc\":\"2.0\",\"method\":\"a\"}");
        check(&good, &["a"]);
        check(&format!("{}{good}", framed("{\"jsonrpc\":")), &["!", "a"]);
        check(&format!("{}{good}", framed("[]")), &["!", "a"]);
        check(&format!("{}{good}", framed("\u{fc}")), &["!", "a"]);
        check(&format!("nonsense\r\n\r\n{good}"), &["!", "a"]);
        check(&format!("Content-Length: many\r\n\r\n{good}"), &["!", "a"]);
        check(&format!("Content-Length: 99999999999999\r\n\r\n{good}"), &["!", "a"]);
        check(&format!("Content-Type: x\r\ncontent-length: 2\r\n\r\n{{}}{good}"), &["!", "a"]);
        check(&good[..good.len() - 1], &[]);
        check("", &[]);
    }

    #[test]
    fn what_is_written_is_read_again() {
        let mut out = Vec::new();
        let message = lsp_server::Notification { method: "b".to_owned(), params: serde_json::json!({ "x": "\u{e9}" }) };
        write(&mut out, &body(&message).unwrap()).unwrap();
        check(std::str::from_utf8(&out).unwrap(), &["b"]);
    }
}
