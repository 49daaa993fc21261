//! Keeps parts of a long output until they can be written in their order, on disk if there are many.

use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::SpooledTempFile;

/// So many bytes are kept in memory.
const IN_MEMORY: usize = 16 << 20;

/// Parts of an output, which come from any thread in any order.
#[derive(Debug)]
pub struct Spool {
    file: Mutex<SpooledTempFile>,
}

/// Where a part lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spooled {
    start: u64,
    len: usize,
}

impl Default for Spool {
    fn default() -> Spool {
        Spool { file: Mutex::new(SpooledTempFile::new(IN_MEMORY)) }
    }
}

impl Spool {
    /// Keeps a part.
    pub fn push(&self, part: &[u8]) -> io::Result<Spooled> {
        let mut file = self.lock();
        let start = file.seek(SeekFrom::End(0))?;
        file.write_all(part)?;
        Ok(Spooled { start, len: part.len() })
    }

    /// A part that was kept.
    pub fn read(&self, part: Spooled) -> io::Result<Vec<u8>> {
        let mut file = self.lock();
        file.seek(SeekFrom::Start(part.start))?;
        let mut bytes = vec![0; part.len];
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn lock(&self) -> MutexGuard<'_, SpooledTempFile> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_back_in_memory_and_on_disk() {
        let spool = Spool::default();
        let first = spool.push(b"first").unwrap();
        assert_eq!(spool.read(first).unwrap(), b"first");
        let second = spool.push(&vec![7; IN_MEMORY]).unwrap();
        let third = spool.push(b"third").unwrap();
        assert_eq!(spool.read(second).unwrap().len(), IN_MEMORY);
        assert_eq!([spool.read(first).unwrap(), spool.read(third).unwrap()], [b"first", b"third"]);
    }
}
