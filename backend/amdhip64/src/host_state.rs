//! What the threads of the program do, as far as kernels that wait for them have to know it.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Another number whenever somebody may have changed memory.
static MARK: AtomicU64 = AtomicU64::new(1);
/// Threads of the program that wait for the GPU.
static WAITING: AtomicUsize = AtomicUsize::new(0);

/// Until now, somebody may have changed memory.
pub(crate) fn note_change() {
    MARK.fetch_add(1, Ordering::SeqCst);
}

/// The number that changes with memory.
pub(crate) fn mark() -> u64 {
    MARK.load(Ordering::SeqCst)
}

/// One thread of the program more waits for the GPU.
pub(crate) fn begin_to_wait() {
    WAITING.fetch_add(1, Ordering::SeqCst);
}

/// One thread of the program less waits for the GPU.
pub(crate) fn end_to_wait() {
    WAITING.fetch_sub(1, Ordering::SeqCst);
}

/// How many threads of the program wait for the GPU.
pub(crate) fn waiting() -> usize {
    WAITING.load(Ordering::SeqCst)
}
