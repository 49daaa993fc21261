//! Output of kernels comes when the program waits for them, as on NVIDIA's GPUs, and not in between of what it prints
//! meanwhile: the order would hang on the time.

use std::sync::Mutex;

use hipshift_emulator::Stream;

use crate::c_streams::write;
use crate::host_state;
use crate::lock::lock;

/// Bytes that are held back at most: what NVIDIA's GPUs keep at first.
const MOST: usize = 1 << 20;

/// What nobody has waited for so far.
static HELD: Mutex<Vec<(Stream, Vec<u8>)>> = Mutex::new(Vec::new());

/// Writes what a kernel printed, or holds it back.
pub(crate) fn print(stream: Stream, text: &[u8]) {
    let mut held = lock(&HELD);
    held.push((stream, text.to_vec()));
    let bytes: usize = held.iter().map(|(_, text)| text.len()).sum();
    if host_state::waiting() > 0 || bytes > MOST {
        write_all(&mut held);
    }
}

/// Writes what was held back.
pub(crate) fn release() {
    write_all(&mut lock(&HELD));
}

fn write_all(held: &mut Vec<(Stream, Vec<u8>)>) {
    for (stream, text) in held.drain(..) {
        write(stream, &text);
    }
}
