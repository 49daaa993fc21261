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
    /// For each thread: the mark of the neighbours since which it repeats the same.
    marks: Vec<AtomicU64>,
}

impl Stall {
    pub(crate) fn new(threads: usize) -> Stall {
        let zeros = || (0..threads).map(|_| AtomicU64::new(0)).collect();
        Stall { changes: AtomicU64::new(0), slots: zeros(), marks: zeros() }
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

    /// Notes that a thread cannot get on unless memory changes, and repeats the same since a mark of the neighbours. If that
    /// holds for all threads, the earliest of their marks.
    pub(crate) fn stuck(&self, thread: usize, changes: u64, mark: u64) -> Option<u64> {
        if let (Some(slot), Some(own)) = (self.slots.get(thread), self.marks.get(thread)) {
            own.store(mark, Ordering::SeqCst);
            slot.store(changes + 1, Ordering::SeqCst);
        }
        let mut earliest = mark;
        for (slot, mark) in self.slots.iter().zip(&self.marks) {
            match slot.load(Ordering::SeqCst) {
                ENDED => {}
                slot if slot == changes + 1 => earliest = earliest.min(mark.load(Ordering::SeqCst)),
                _ => return None,
            }
        }
        (self.changes() == changes).then_some(earliest)
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
        assert_eq!(progress.stuck(0, 0, 5), None);
        progress.change();
        assert_eq!(progress.stuck(1, 1, 7), None, "the other thread has not seen the change");
        assert_eq!(progress.stuck(0, 1, 8), Some(7));
    }
}
