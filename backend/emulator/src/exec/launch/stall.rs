//! What the threads of a launch know of each other: whether any of them still gets on.

use std::sync::atomic::{AtomicU64, Ordering};

/// The slot of a thread that has nothing left to do.
const ENDED: u64 = u64::MAX;

/// What the threads of a launch know of each other.
pub(crate) struct Stall {
    /// Counts changes of memory that were seen by threads that look.
    changes: AtomicU64,
    /// For each thread: 0 while it may get on, one more than `changes` where it cannot.
    slots: Vec<AtomicU64>,
}

impl Stall {
    pub(crate) fn new(threads: usize) -> Stall {
        Stall { changes: AtomicU64::new(0), slots: (0..threads).map(|_| AtomicU64::new(0)).collect() }
    }

    /// Only these threads take part.
    pub(crate) fn end(&self, thread: usize) {
        if let Some(slot) = self.slots.get(thread) {
            slot.store(ENDED, Ordering::SeqCst);
        }
    }

    /// Notes that a thread may get on after all.
    pub(crate) fn go_on(&self, thread: usize) {
        if let Some(slot) = self.slots.get(thread) {
            slot.store(0, Ordering::SeqCst);
        }
    }

    /// Notes that a thread cannot get on unless memory changes; true if that holds for all.
    pub(crate) fn is_stuck(&self, thread: usize, changes: u64) -> bool {
        if let Some(slot) = self.slots.get(thread) {
            slot.store(changes + 1, Ordering::SeqCst);
        }
        let all = self.slots.iter().map(|slot| slot.load(Ordering::SeqCst));
        all.into_iter().all(|slot| slot == ENDED || slot == changes + 1) && self.changes() == changes
    }

    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::SeqCst)
    }

    pub(crate) fn change(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_threads_have_to_be_stuck_since_the_last_change() {
        let progress = Stall::new(3);
        progress.end(2);
        assert!(!progress.is_stuck(0, 0));
        progress.change();
        assert!(!progress.is_stuck(1, 1), "the other thread has not seen the change");
        assert!(progress.is_stuck(0, 1));
    }
}
