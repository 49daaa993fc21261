//! Output of kernels comes when the program waits for them, as on NVIDIA's GPUs, and not in between of what it prints
//! meanwhile: the order would hang on the time.

use std::sync::Mutex;

use hipshift_emulator::Stream;

use crate::c_streams::write;
use crate::host_state;
use crate::lock::lock;

/// Bytes that are held back at most: what NVIDIA's GPUs keep at first.
const MOST: usize = 1 << 20;

/// What is held back.
struct Held {
    texts: Vec<(Stream, Vec<u8>)>,
    /// Bytes of all texts.
    bytes: usize,
}

/// What nobody has waited for so far.
static HELD: Mutex<Held> = Mutex::new(Held { texts: Vec::new(), bytes: 0 });

/// Writes what a kernel printed, or holds it back.
pub(crate) fn print(stream: Stream, text: &[u8]) {
    let mut held = lock(&HELD);
    held.texts.push((stream, text.to_vec()));
    held.bytes += text.len();
    if host_state::waiting() > 0 || held.bytes > MOST {
        held.write();
    }
}

/// Writes what was held back.
pub(crate) fn release() {
    lock(&HELD).write();
}

impl Held {
    fn write(&mut self) {
        self.bytes = 0;
        for (stream, text) in self.texts.drain(..) {
            write(stream, &text);
        }
    }
}
