//! Which default stream a call means by stream 0: the legacy one, or that of the thread.

use std::cell::Cell;

thread_local! {
    /// Stream 0 is that of the thread, for the calls that are under way.
    static PER_THREAD: Cell<bool> = const { Cell::new(false) };
}

/// Whether stream 0 is that of the thread.
pub(crate) fn is_per_thread() -> bool {
    PER_THREAD.get()
}

/// Makes a call for which stream 0 is that of the thread: HIP's `_spt` forms.
pub(crate) fn per_thread<T>(call: impl FnOnce() -> T) -> T {
    let before = PER_THREAD.replace(true);
    let result = call();
    PER_THREAD.set(before);
    result
}
