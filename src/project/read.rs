//! Bytes from disk or standard input.

use std::io::Read as _;

use camino::{Utf8Path, Utf8PathBuf};

use crate::source::DecodeError;

/// A file that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The disk or the permissions.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: Utf8PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The bytes are no text.
    #[error("{path}: {source}")]
    Decode {
        /// The file.
        path: Utf8PathBuf,
        /// Why.
        source: DecodeError,
    },
}

/// The bytes of a file.
pub fn read(path: &Utf8Path) -> Result<Vec<u8>, ReadError> {
    std::fs::read(path).map_err(|source| ReadError::Io { path: path.to_owned(), source })
}

/// The bytes of standard input.
pub fn read_stdin() -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    let result = std::io::stdin().lock().read_to_end(&mut bytes);
    result.map_err(|source| ReadError::Io { path: "-".into(), source })?;
    Ok(bytes)
}
