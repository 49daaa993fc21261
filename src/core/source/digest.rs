//! Texts known by their SHA-256.

use std::fmt::Write as _;
use std::io;

use sha2::{Digest as _, Sha256};

/// The SHA-256 of `bytes` in hexadecimal digits.
pub fn digest(bytes: &[u8]) -> String {
    in_digits(&Sha256::digest(bytes))
}

fn in_digits(hash: &[u8]) -> String {
    hash.iter().fold(String::with_capacity(64), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

/// Takes the digest of what is written through it, if that is wanted.
pub struct DigestWriter<W> {
    out: W,
    hasher: Option<Sha256>,
}

impl<W: io::Write> DigestWriter<W> {
    /// Writes to `out`; without `is_wanted` nothing is computed.
    pub fn new(out: W, is_wanted: bool) -> DigestWriter<W> {
        DigestWriter { out, hasher: is_wanted.then(Sha256::new) }
    }

    /// The writer below, and the digest; an empty one if it was not wanted.
    pub fn finish(self) -> (W, String) {
        let digest = self.hasher.map(|hasher| in_digits(&hasher.finalize())).unwrap_or_default();
        (self.out, digest)
    }
}

impl<W: io::Write> io::Write for DigestWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        if let Some(hasher) = &mut self.hasher {
            hasher.update(&bytes[..count]);
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
