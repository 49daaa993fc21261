//! Decodes string literals.

use crate::syntax::{Document, TokenIdx, TokenKind};

/// The text that the string literal at `idx` stands for; `None` if there is none.
pub(super) fn decode(document: &Document, idx: TokenIdx) -> Option<String> {
    let text = document.token_text(idx);
    match document.token(idx)?.kind {
        TokenKind::Str => unescape(text.split_once('"')?.1.strip_suffix('"')?),
        TokenKind::RawStr => {
            let (_, rest) = text.split_once('"')?;
            let (delimiter, body) = rest.split_once('(')?;
            Some(body.strip_suffix(&format!("){delimiter}\""))?.to_owned())
        }
        _ => None,
    }
}

fn unescape(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        if char != '\\' {
            out.push(char);
            continue;
        }
        match chars.next()? {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'v' | 'f' => out.push(' '),
            same @ ('"' | '\\' | '\'' | '?') => out.push(same),
            // A line continuation.
            '\n' => {}
            '\r' if chars.as_str().starts_with('\n') => drop(chars.next()),
            // Octal and hexadecimal escapes have no place in PTX.
            _ => return None,
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    #[track_caller]
    fn check_decode(source: &str, expected: Option<&str>) {
        let document = Document::new(SourceFile::from_text("a.cu", source));
        assert_eq!(decode(&document, 0).as_deref(), expected);
    }

    #[test]
    fn escapes_are_decoded() {
        check_decode(r#""a;\n\t\"b\\""#, Some("a;\n\t\"b\\"));
        check_decode("\"a\\\nb\"", Some("ab"));
        check_decode(r#"R"x(a\n)x""#, Some(r"a\n"));
        check_decode(r#""\x41""#, None);
        check_decode("name", None);
    }
}
