//! Files that a project names: the name may lead to a pipe that nobody writes to, to a device without an end, or to a file of
//! holes that is larger than the memory.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::{OFlags, SeekFrom, seek};

/// No source that somebody wrote is longer, nor what a compiler or a program says about one.
pub(crate) const LONGEST: u64 = 256 << 20;

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
    if is_hollow(&file, about.len()) {
        return Err(io::Error::other("it is a file of holes"));
    }
    Ok(file)
}

/// Files that are shorter are read, whatever they consist of.
const LONGEST_HOLLOW: u64 = 16 << 20;

/// A file of holes has less than one byte on the disk for so many of its length.
const HOLLOWNESS: u64 = 64;

/// So many parts are looked at.
const PARTS: usize = 4096;

/// Whether a long file consists of holes, as the file system says; one that knows of none has no such files.
fn is_hollow(file: &File, length: u64) -> bool {
    if length <= LONGEST_HOLLOW {
        return false;
    }
    let (mut at, mut filled) = (0, 0);
    for _ in 0..PARTS {
        // Behind the last part there is nothing to find.
        let Ok(start) = seek(file, SeekFrom::Data(at)) else { break };
        let end = seek(file, SeekFrom::Hole(start)).unwrap_or(length);
        filled += end.saturating_sub(start);
        at = end;
        if filled >= length / HOLLOWNESS {
            break;
        }
    }
    // Whoever reads starts at the beginning.
    seek(file, SeekFrom::Start(0)).is_ok() && filled < length / HOLLOWNESS
}

/// The bytes of such a file.
pub fn read_regular(path: &Path, longest: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // It may grow while it is read.
    open_regular(path, longest)?.take(longest).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes a file that was not there before: what has its name goes, and neither a link nor a second name of a file lets the
/// content out.
pub fn write_anew(path: &Path, bytes: &[u8]) -> io::Result<()> {
    remove_if_there(path)?;
    File::create_new(path)?.write_all(bytes)
}

/// Removes a file, or a link and not what it leads to.
pub fn remove_if_there(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
