//! Contents known by their SHA-256.

use std::fmt::Write as _;
use std::io;

use camino::Utf8Path;
use sha2::{Digest as _, Sha256};

/// The SHA-256 of `bytes` in hexadecimal digits.
pub(super) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

/// What stands at `path`: the digest of a file's content, or of where a link leads; `None` if nothing is there.
pub(super) fn digest_of(path: &Utf8Path) -> io::Result<Option<String>> {
    let metadata = match std::fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if metadata.is_symlink() {
        let leads_to = std::fs::read_link(path)?;
        return Ok(Some(digest(format!("link to {}", leads_to.display()).as_bytes())));
    }
    Ok(Some(digest(&std::fs::read(path)?)))
}
