//! Bytes from disk or standard input.

use std::cell::RefCell;
use std::io::Read as _;

use camino::{Utf8Path, Utf8PathBuf};

use crate::regular_file::{open_regular, read_regular};
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

/// No source is that long, and what is copied is held in memory.
const LONGEST: u64 = 4 << 30;

/// The bytes of a file.
pub fn read(path: &Utf8Path) -> Result<Vec<u8>, ReadError> {
    read_regular(path.as_std_path(), LONGEST).map_err(|source| ReadError::Io { path: path.to_owned(), source })
}

/// Larger files are none that somebody wrote, or a tool for people.
const LONGEST_NAMED: u64 = 256 << 20;

/// The text of a file that a configuration names, or that is one.
pub fn read_named(path: &Utf8Path) -> std::io::Result<String> {
    let bytes = read_regular(path.as_std_path(), LONGEST_NAMED)?;
    String::from_utf8(bytes).map_err(|_| std::io::Error::new(std::io::ErrorKind::InvalidData, "it is not UTF-8"))
}

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Larger buffers are given back, so that one large file does not weigh on the rest of a run.
const KEPT_CAPACITY: usize = 8 << 20;

/// The bytes of a file, as long as nobody asks for them for good.
pub(super) enum FileBytes<'b> {
    /// In a buffer that is used again.
    Buffer(&'b mut Vec<u8>),
    /// Of somebody else.
    Borrowed(&'b [u8]),
}

impl FileBytes<'_> {
    /// The bytes for good. Those of a large file are not copied: its buffer would go anyway.
    pub(super) fn into_vec(self) -> Vec<u8> {
        match self {
            FileBytes::Buffer(buffer) if buffer.capacity() > KEPT_CAPACITY => std::mem::take(buffer),
            bytes => bytes.to_vec(),
        }
    }
}

impl std::ops::Deref for FileBytes<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            FileBytes::Buffer(buffer) => buffer,
            FileBytes::Borrowed(bytes) => bytes,
        }
    }
}

/// Calls `look` with the bytes of a file. The buffer is used again for the next file: most files
/// of a large tree are only looked at, and fresh memory for each costs more than the look.
pub(super) fn read_with<T>(path: &Utf8Path, look: impl FnOnce(FileBytes<'_>) -> T) -> Result<T, ReadError> {
    BUFFER.with_borrow_mut(|buffer| {
        buffer.clear();
        let read = open_regular(path.as_std_path(), LONGEST).and_then(|mut file| file.read_to_end(buffer));
        read.map_err(|source| ReadError::Io { path: path.to_owned(), source })?;
        let result = look(FileBytes::Buffer(buffer));
        if buffer.capacity() > KEPT_CAPACITY {
            *buffer = Vec::new();
        }
        Ok(result)
    })
}

/// The bytes of standard input.
pub fn read_stdin() -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    let result = std::io::stdin().lock().read_to_end(&mut bytes);
    result.map_err(|source| ReadError::Io { path: "-".into(), source })?;
    Ok(bytes)
}
