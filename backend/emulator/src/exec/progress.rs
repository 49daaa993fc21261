//! Kernels that never end: if the state of all waves repeats while memory does not change, it repeats forever.
//!
//! Looking costs time, so a thread looks only when nothing has come to its end for long. It remembers a digest of all
//! that its blocks consist of, and compares that after each round of turns (Brent's way of finding cycles). Another
//! thread may still change memory; so the kernel is stopped only when all threads have seen this, and none has changed
//! memory since the first of them did.

use std::hash::{DefaultHasher, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

use super::block::Block;
use super::launch::Shared;

/// Instructions of a thread without an end of a block before it looks for the first time.
const PATIENCE: u64 = 1 << 21;
/// Rounds that are compared before the thread takes another long look away.
const ROUNDS: u64 = 1 << 9;

/// The slot of a thread that has nothing left to do.
const ENDED: u64 = u64::MAX;

/// What the threads of a launch know of each other.
pub(crate) struct Progressing {
    /// Counts changes of memory that were seen by threads that look.
    changes: AtomicU64,
    /// For each thread: 0 while it may get on, one more than `changes` where it cannot.
    slots: Vec<AtomicU64>,
}

impl Progressing {
    pub(crate) fn new(threads: usize) -> Progressing {
        Progressing { changes: AtomicU64::new(0), slots: (0..threads).map(|_| AtomicU64::new(0)).collect() }
    }

    /// Only these threads take part.
    pub(crate) fn end(&self, thread: usize) {
        if let Some(slot) = self.slots.get(thread) {
            slot.store(ENDED, Ordering::SeqCst);
        }
    }

    /// Notes that a thread cannot get on unless memory changes; true if that holds for all.
    fn is_stuck(&self, thread: usize, changes: u64) -> bool {
        if let Some(slot) = self.slots.get(thread) {
            slot.store(changes + 1, Ordering::SeqCst);
        }
        let all = self.slots.iter().map(|slot| slot.load(Ordering::SeqCst));
        all.into_iter().all(|slot| slot == ENDED || slot == changes + 1) && self.changes() == changes
    }

    fn changes(&self) -> u64 {
        self.changes.load(Ordering::SeqCst)
    }

    fn change(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
    }
}

/// What a thread has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finding {
    /// Nothing speaks against it getting on.
    Nothing,
    /// Its blocks cannot get on unless others change memory.
    Repeats,
    /// No thread can.
    Stuck,
}

/// A thread's look at its own blocks.
pub(super) struct Watch {
    thread: usize,
    /// Instructions that it waits before it looks.
    patience: u64,
    /// Instructions at which it begins to look.
    begin: u64,
    look: Option<Look>,
}

/// A digest, and what has been seen since.
struct Look {
    digest: u64,
    changes: u64,
    /// Rounds since the digest was taken, and rounds after which another one is taken.
    rounds: u64,
    power: u64,
    total: u64,
    /// It began because no wave could go on by itself, and ends when one does.
    waits: bool,
}

impl Watch {
    pub(super) fn new(thread: usize) -> Watch {
        Watch { thread, patience: PATIENCE, begin: PATIENCE, look: None }
    }

    /// Whether the next round is to be looked at. `all_wait` if no wave can go on by itself.
    pub(super) fn begins(&mut self, shared: &Shared, instructions: u64, all_wait: bool, blocks: &[Block]) -> bool {
        if self.look.is_none() && (instructions >= self.begin || all_wait) {
            // What this thread did so far was not looked at.
            shared.progress.change();
            let changes = shared.progress.changes();
            self.look =
                Some(Look { digest: digest(shared, blocks), changes, rounds: 0, power: 1, total: 0, waits: all_wait });
        }
        self.look.is_some()
    }

    /// A block has begun or ended.
    pub(super) fn event(&mut self, shared: &Shared, instructions: u64) {
        self.patience = PATIENCE;
        self.leave(shared, instructions);
    }

    fn leave(&mut self, shared: &Shared, instructions: u64) {
        self.begin = instructions + self.patience;
        // Only who looks has said that it cannot get on.
        if self.look.take().is_some()
            && let Some(slot) = shared.progress.slots.get(self.thread)
        {
            slot.store(0, Ordering::SeqCst);
        }
    }

    /// Compares after a round. `writes` if memory was changed in it, `all_wait` if no wave can go on by itself.
    pub(super) fn round(
        &mut self,
        shared: &Shared,
        instructions: u64,
        (writes, all_wait): (bool, bool),
        blocks: &[Block],
    ) -> Finding {
        let Some(look) = &mut self.look else { return Finding::Nothing };
        if look.waits && !all_wait {
            self.leave(shared, instructions);
            return Finding::Nothing;
        }
        if writes {
            shared.progress.change();
        }
        let (state, changes) = (digest(shared, blocks), shared.progress.changes());
        look.rounds += 1;
        look.total += 1;
        let repeats = state == look.digest && changes == look.changes;
        if repeats {
            let stuck = shared.progress.is_stuck(self.thread, changes);
            return if stuck { Finding::Stuck } else { Finding::Repeats };
        }
        if changes != look.changes {
            *look = Look { digest: state, changes, rounds: 0, power: 1, total: look.total, waits: look.waits };
        } else if look.rounds == look.power {
            *look =
                Look { digest: state, changes, rounds: 0, power: 2 * look.power, total: look.total, waits: look.waits };
        }
        if look.total >= ROUNDS {
            self.patience = self.patience.saturating_mul(2);
            self.leave(shared, instructions);
        }
        Finding::Nothing
    }
}

fn digest(shared: &Shared, blocks: &[Block]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for block in blocks {
        block.digest(shared, &mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_threads_have_to_be_stuck_since_the_last_change() {
        let progress = Progressing::new(3);
        progress.end(2);
        assert!(!progress.is_stuck(0, 0));
        progress.change();
        assert!(!progress.is_stuck(1, 1), "the other thread has not seen the change");
        assert!(progress.is_stuck(0, 1));
    }
}
