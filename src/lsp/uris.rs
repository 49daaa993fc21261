//! Addresses of files and of rules' pages.

use camino::{Utf8Path, Utf8PathBuf};
use lsp_types::Uri;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The scheme of documents that the server itself has: the pages of rules.
pub(super) const SCHEME: &str = "hipshift";

/// What stays as it is in a path.
const PATH: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'+').remove(b'@');

/// The path of a file's address; nothing for other schemes, other machines, and names that are not UTF-8.
pub(super) fn path_of(uri: &str) -> Option<Utf8PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let encoded = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = percent_decode_str(encoded).decode_utf8().ok()?;
    path.starts_with('/').then(|| Utf8PathBuf::from(path.as_ref()))
}

/// The address of a file.
pub(super) fn uri_of(path: &Utf8Path) -> Option<Uri> {
    format!("file://{}", utf8_percent_encode(path.as_str(), PATH)).parse().ok()
}

/// What a document is known by: equal for addresses that are written differently but name one file.
pub(super) fn key_of(uri: &str) -> String {
    path_of(uri).map_or_else(|| uri.to_owned(), Utf8PathBuf::into_string)
}

/// The address of a rule's page.
pub(super) fn rule_uri(code: &str) -> Option<Uri> {
    format!("{SCHEME}:/rules/{code}.md").parse().ok()
}

/// The rule whose page has an address.
pub(super) fn rule_of(uri: &str) -> Option<&str> {
    uri.strip_prefix(SCHEME)?.strip_prefix(":/rules/")?.strip_suffix(".md")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, uri: &str) {
        assert_eq!(uri_of(path.into()).unwrap().as_str(), uri);
        assert_eq!(path_of(uri).unwrap(), path);
    }

    #[test]
    fn paths_survive() {
        check("/a b/c\u{e9}.cu", "file:///a%20b/c%C3%A9.cu");
        check("/a%2f#?.cu", "file:///a%252f%23%3F.cu");
        assert_eq!(path_of("untitled:Untitled-1"), None);
        assert_eq!(path_of("file://other/a.cu"), None);
        assert_eq!(path_of("file://localhost/a.cu").unwrap(), "/a.cu");
    }

    #[test]
    fn one_file_is_one_document() {
        assert_eq!(key_of("file:///a%2Bb%40.cu"), key_of("file:///a+b@.cu"));
        assert_eq!(key_of("untitled:x"), "untitled:x");
    }

    #[test]
    fn pages_have_addresses() {
        assert_eq!(rule_of(rule_uri("W004").unwrap().as_str()), Some("W004"));
        assert_eq!(rule_of("hipshift:/else"), None);
    }
}
