//! What stands at a path, known by its SHA-256.

use std::io;

use camino::Utf8Path;

use super::read::read;
use crate::source::digest;

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
    let bytes = read(path).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(Some(digest(&bytes)))
}
