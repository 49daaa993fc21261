//! Files that a project names: the name may lead to a pipe that nobody writes to, to a device without an end, or to a file of
//! holes that is larger than the memory.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;

/// Opens a regular file of at most `longest` bytes for reading, without waiting for anybody.
pub fn open_regular(path: &Path, longest: u64) -> io::Result<File> {
    let nonblocking = OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(nonblocking).open(path)?;
    let about = file.metadata()?;
    if about.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !about.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    if about.len() > longest {
        return Err(io::Error::other(format!("it has more than {} MiB", longest >> 20)));
    }
    Ok(file)
}

/// The bytes of such a file.
pub fn read_regular(path: &Path, longest: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // It may grow while it is read.
    open_regular(path, longest)?.take(longest).read_to_end(&mut bytes)?;
    Ok(bytes)
}
