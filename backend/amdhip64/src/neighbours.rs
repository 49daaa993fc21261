//! What runs beside a launch: a launch that cannot go on by itself is stopped only when nobody can help it any more.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

use hipshift_emulator::Neighbours;

use crate::host_state::{self, note_change};
use crate::lock::lock;
use crate::messages::warn;
use crate::waiting;

/// A launch that has waited so long for a thread of the program is told of.
const LONG: Duration = Duration::from_secs(10);

/// A launch that waits for others.
struct Stuck {
    /// How often it had changed memory itself, and the mark since which nothing has helped it.
    changes: u64,
    mark: u64,
    since: Instant,
    is_told: bool,
}

/// What is under way by its number, and what launches of it wait for.
static UNDER_WAY: LazyLock<Mutex<HashMap<u64, Option<Stuck>>>> = LazyLock::new(Mutex::default);
static NEXT: AtomicU64 = AtomicU64::new(0);

/// A piece of work that is under way as long as this lives.
pub(crate) struct Neighbour(Arc<Own>);

/// Whether nothing that could begin at once would help, where the launches that run say that they only wait.
pub(crate) type OnlyWaits = fn(&dyn Fn() -> bool) -> bool;

impl Neighbour {
    /// Work that begins. `only_waits` knows what has not begun.
    pub(crate) fn new(only_waits: OnlyWaits) -> Neighbour {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        lock(&UNDER_WAY).insert(number, None);
        Neighbour(Arc::new(Own { number, only_waits }))
    }

    /// What a launch asks.
    pub(crate) fn of_launch(&self) -> Arc<dyn Neighbours> {
        self.0.clone()
    }
}

impl Drop for Neighbour {
    fn drop(&mut self) {
        lock(&UNDER_WAY).remove(&self.0.number);
        note_change();
    }
}

/// A launch, as the others see it.
struct Own {
    number: u64,
    only_waits: OnlyWaits,
}

impl Own {
    /// Notes that the launch waits since a mark; true if all that is under way has waited since the newest one.
    fn note(&self, mark: u64, changes: u64) -> bool {
        let mut under_way = lock(&UNDER_WAY);
        match under_way.entry(self.number).or_default() {
            Some(stuck) if stuck.changes == changes => stuck.mark = mark,
            other => {
                // Until now it may have changed what others wait for.
                note_change();
                *other = Some(Stuck { changes, mark, since: Instant::now(), is_told: false });
            }
        }
        let newest = host_state::mark();
        under_way.values().all(|work| work.as_ref().is_some_and(|stuck| stuck.mark == newest))
    }

    /// Tells once that only the program itself can help.
    fn tell(&self) {
        let mut under_way = lock(&UNDER_WAY);
        if let Some(Some(stuck)) = under_way.get_mut(&self.number)
            && !stuck.is_told
            && stuck.since.elapsed() > LONG
        {
            stuck.is_told = true;
            warn("note: a kernel waits for memory to change, and only a thread of the program can change it");
        }
    }
}

impl Neighbours for Own {
    fn mark(&self) -> u64 {
        host_state::mark()
    }

    fn may_act(&self, mark: u64, changes: u64) -> bool {
        if !(self.only_waits)(&|| self.note(mark, changes)) {
            return true;
        }
        let others_act = waiting::others_act();
        if others_act {
            self.tell();
        }
        // A thread that has begun to wait since the launches were asked may have helped before.
        others_act || host_state::mark() != mark
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More threads than the process has.
    const ALL: usize = 1000;

    fn a_thread_helps_and_waits(note: &dyn Fn() -> bool) -> bool {
        let only_waits = note();
        note_change();
        (0..ALL).for_each(|_| host_state::begin_to_wait());
        only_waits
    }

    #[test]
    fn who_helps_at_the_last_moment_has_helped() {
        let work = Neighbour::new(a_thread_helps_and_waits);
        let launch = work.of_launch();
        // The first time it is noted that it waits, which is a change by itself.
        launch.may_act(launch.mark(), 0);
        assert!(launch.may_act(launch.mark(), 0), "the thread changed memory, and waits since");
        drop(work);
        let work = Neighbour::new(|note| note());
        let launch = work.of_launch();
        launch.may_act(launch.mark(), 0);
        assert!(!launch.may_act(launch.mark(), 0), "all wait, and nothing has changed");
        (0..2 * ALL).for_each(|_| host_state::end_to_wait());
    }
}
