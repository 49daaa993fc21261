//! Kernels that never end: if the state of all waves repeats while memory does not change, it repeats forever.
//!
//! Looking costs time, so a thread looks only when nothing has come to its end for long. It remembers a digest of all
//! that its blocks consist of, and compares that after each round of turns (Brent's way of finding cycles). Another
//! thread may still change memory; so the kernel is stopped only when all threads have seen this, and none has changed
//! memory since the first of them did. What goes on beside the launch may change memory as well: it is asked each time.

use std::hash::{DefaultHasher, Hasher};

use super::block::Block;
use crate::exec::launch::shared::Shared;

/// Instructions of a thread without an end of a block before it looks for the first time.
const PATIENCE: u64 = 1 << 21;
/// Rounds that are compared before the thread takes another long look away.
const ROUNDS: u64 = 1 << 9;

/// What a thread has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finding {
    /// Nothing speaks against it getting on.
    Nothing,
    /// Its blocks cannot get on unless other threads of the launch change memory.
    Repeats,
    /// No thread can, and what goes on beside the launch may change memory.
    Waits,
    /// No thread can, and nobody will change memory any more.
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

/// What a comparison of digests came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compared {
    /// Nothing is known yet.
    Other,
    /// All is as it was, and a cycle that began at this mark of the neighbours has ended.
    Repeats { since: u64 },
    /// It has taken too many rounds.
    TooLong,
}

/// A digest, and what has been seen since.
struct Look {
    digest: u64,
    changes: u64,
    /// Rounds since the digest was taken, and rounds after which another one is taken.
    rounds: u64,
    power: u64,
    /// Rounds since it began or since something repeated.
    total: u64,
    /// It began because no wave could go on by itself, and ends when one does.
    waits: bool,
    /// The mark of the neighbours when the newest cycle began.
    mark: u64,
}

impl Look {
    fn new(digest: u64, changes: u64, mark: u64, waits: bool) -> Look {
        Look { digest, changes, rounds: 0, power: 1, total: 0, waits, mark }
    }

    fn compare(&mut self, digest: u64, changes: u64, mark: u64) -> Compared {
        self.rounds += 1;
        if digest == self.digest && changes == self.changes {
            // Others may take long to see the same of themselves. When one of them begins to look, this look must still go
            // on, or threads would wait for each other by turns.
            self.total = 0;
            return Compared::Repeats { since: std::mem::replace(&mut self.mark, mark) };
        }
        self.total += 1;
        let is_changed = changes != self.changes;
        if is_changed || self.rounds == self.power {
            let power = if is_changed { 1 } else { 2 * self.power };
            *self = Look { digest, changes, rounds: 0, power, mark, ..*self };
        }
        if self.total >= ROUNDS { Compared::TooLong } else { Compared::Other }
    }
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
            let mark = shared.neighbours.mark();
            self.look = Some(Look::new(digest(shared, blocks), changes, mark, all_wait));
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
        if self.look.take().is_some() {
            shared.progress.go_on(self.thread);
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
        let changes = shared.progress.changes();
        let mark = shared.neighbours.mark();
        match look.compare(digest(shared, blocks), changes, mark) {
            Compared::Other => Finding::Nothing,
            Compared::Repeats { since } => match shared.progress.stuck(self.thread, changes, since) {
                None => Finding::Repeats,
                Some(mark) if shared.neighbours.may_act(mark, changes) => Finding::Waits,
                Some(_) => Finding::Stuck,
            },
            Compared::TooLong => {
                self.patience = self.patience.saturating_mul(2);
                self.leave(shared, instructions);
                Finding::Nothing
            }
        }
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
    fn a_cycle_of_any_length_repeats() {
        for length in [1_u64, 2, 3, 7, 60] {
            let mut look = Look::new(0, 0, 0, false);
            let seen: Vec<Compared> = (1..200).map(|round| look.compare(round % length, 0, 0)).collect();
            assert!(seen.contains(&Compared::Repeats { since: 0 }), "{length}");
        }
        let mut look = Look::new(0, 0, 0, false);
        assert!((1..ROUNDS).all(|round| look.compare(round, 0, 0) == Compared::Other));
        assert_eq!(look.compare(ROUNDS, 0, 0), Compared::TooLong);
    }

    #[test]
    fn a_look_goes_on_when_another_thread_begins_its_own_late() {
        let mut look = Look::new(7, 0, 0, false);
        assert!((0..10 * ROUNDS).all(|_| look.compare(7, 0, 0) == Compared::Repeats { since: 0 }));
        // The other one counts a change.
        assert_eq!(look.compare(7, 1, 0), Compared::Other);
        assert_eq!(look.compare(7, 1, 0), Compared::Repeats { since: 0 });
    }

    #[test]
    fn a_repetition_counts_from_the_mark_at_which_its_cycle_began() {
        let mut look = Look::new(0, 0, 3, false);
        // A cycle of two rounds, of which only one may look at memory: what changes in between is seen in the next cycle.
        assert_eq!(look.compare(1, 0, 3), Compared::Other);
        assert_eq!(look.compare(0, 0, 4), Compared::Other);
        assert_eq!(look.compare(1, 0, 4), Compared::Repeats { since: 3 });
        assert_eq!(look.compare(0, 0, 4), Compared::Other);
        assert_eq!(look.compare(1, 0, 5), Compared::Repeats { since: 4 });
    }
}
