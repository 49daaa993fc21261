//! Threads of the program that wait for the GPU, and those that do not.

use std::cell::Cell;
use std::fs;

use crate::held_output;
use crate::host_state;

/// How the names of threads begin that do the work of streams.
pub(crate) const WORKER: &str = "hip-stream";

thread_local! {
    /// The thread is one of this library.
    static SERVES: Cell<bool> = const { Cell::new(false) };
    /// How often the thread has begun to wait and not ended: a call may wait within another one.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Marks the thread as one of this library.
pub(crate) fn serve() {
    SERVES.set(true);
}

/// Whether the thread is one of this library. A function of the program that a stream calls runs on such a thread.
pub(crate) fn serves() -> bool {
    SERVES.get()
}

/// A thread of the program waits for the GPU as long as this lives.
pub(crate) struct Waiting(());

impl Waiting {
    pub(crate) fn new() -> Waiting {
        if !SERVES.get() && DEPTH.replace(DEPTH.get() + 1) == 0 {
            // What the thread did before is done, which whoever sees it wait has to know.
            host_state::note_change();
            host_state::begin_to_wait();
            held_output::release();
        }
        Waiting(())
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if !SERVES.get() {
            DEPTH.set(DEPTH.get().saturating_sub(1));
            if DEPTH.get() == 0 {
                host_state::end_to_wait();
                held_output::release();
            }
        }
    }
}

/// Whether a thread of the program may do something, as it does not wait for the GPU.
pub(crate) fn others_act() -> bool {
    let waiting = host_state::waiting();
    let Ok(tasks) = fs::read_dir("/proc/self/task") else { return true };
    let name = |task: fs::DirEntry| fs::read_to_string(task.path().join("comm")).unwrap_or_default();
    let is_ours = |name: &str| name.starts_with(WORKER) || name.starts_with(hipshift_emulator::THREAD);
    let threads = tasks.flatten().map(name).filter(|name| !is_ours(name)).count();
    threads > waiting
}
