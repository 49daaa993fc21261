//! The order of work: lines of work that is done one after another, each of a stream, and what they wait for.

use std::collections::{BTreeMap, VecDeque};

/// The line of the legacy default stream: its work waits for that of all blocking lines, and theirs for its.
pub(crate) const LEGACY: u64 = 0;

/// A piece of work by its line, and its number there; the first has number 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticket {
    line: u64,
    number: u64,
}

/// A place in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) ticket: Ticket,
    /// Work of other lines that has to be done before.
    waits: Vec<Ticket>,
}

/// Work of one stream, in order.
struct Line<W> {
    /// It is ordered with the legacy default stream.
    is_blocking: bool,
    /// Places that were given, and how many of them are done: the first ones.
    given: u64,
    done: u64,
    /// Work that the worker of the line is to do. Other places are of threads that do their work themselves.
    items: VecDeque<(Place, W)>,
    has_worker: bool,
    /// The stream is gone; the line goes when its work is done.
    is_closed: bool,
}

/// All lines.
pub(crate) struct Lines<W> {
    lines: BTreeMap<u64, Line<W>>,
}

impl<W> Lines<W> {
    /// The line of the legacy default stream alone.
    pub(crate) const fn new() -> Lines<W> {
        Lines { lines: BTreeMap::new() }
    }

    /// Begins a line. `is_blocking` if it is ordered with the legacy default stream.
    pub(crate) fn open(&mut self, line: u64, is_blocking: bool) {
        let items = VecDeque::new();
        let new = Line { is_blocking, given: 0, done: 0, items, has_worker: false, is_closed: false };
        self.lines.entry(line).or_insert(new);
    }

    /// Ends a line when its work is done.
    pub(crate) fn close(&mut self, line: u64) {
        if let Some(closed) = self.lines.get_mut(&line) {
            closed.is_closed = true;
        }
        self.sweep(line);
    }

    /// Takes the next place of a line, behind `after` too.
    pub(crate) fn enter(&mut self, line: u64, after: Option<Ticket>) -> Place {
        self.open(line, true);
        let mut waits: Vec<Ticket> = after.into_iter().filter(|ticket| !self.is_done(*ticket)).collect();
        if line == LEGACY {
            waits.extend(self.lines.keys().filter(|other| self.is_blocking(**other)).filter_map(|id| self.tail(*id)));
        } else if self.is_blocking(line) {
            waits.extend(self.tail(LEGACY));
        }
        waits.retain(|ticket| ticket.line != line);
        let number = self.lines.get_mut(&line).map_or(0, |own| {
            own.given += 1;
            own.given
        });
        Place { ticket: Ticket { line, number }, waits }
    }

    fn is_blocking(&self, line: u64) -> bool {
        line != LEGACY && self.lines.get(&line).is_some_and(|line| line.is_blocking)
    }

    /// Whether all that a place waits for is done.
    pub(crate) fn is_next(&self, place: &Place) -> bool {
        let Ticket { line, number } = place.ticket;
        let is_first = self.lines.get(&line).is_none_or(|line| line.done + 1 == number);
        is_first && place.waits.iter().all(|ticket| self.is_done(*ticket))
    }

    /// Leaves work to the worker of its line. Gives whether the line needs one.
    pub(crate) fn push(&mut self, place: Place, work: W) -> bool {
        let Some(line) = self.lines.get_mut(&place.ticket.line) else { return false };
        line.items.push_back((place, work));
        !std::mem::replace(&mut line.has_worker, true)
    }

    /// Whether work is left to the worker of a line.
    pub(crate) fn has_items(&self, line: u64) -> bool {
        self.lines.get(&line).is_some_and(|line| !line.items.is_empty())
    }

    /// The work that the worker of a line can do now.
    pub(crate) fn take(&mut self, line: u64) -> Option<(Place, W)> {
        let (place, _) = self.lines.get(&line)?.items.front()?;
        if self.is_next(place) { self.lines.get_mut(&line)?.items.pop_front() } else { None }
    }

    /// The worker of a line has ended.
    pub(crate) fn leave(&mut self, line: u64) {
        if let Some(left) = self.lines.get_mut(&line) {
            left.has_worker = false;
        }
        self.sweep(line);
    }

    /// The work of a ticket is done.
    pub(crate) fn finish(&mut self, ticket: Ticket) {
        if let Some(line) = self.lines.get_mut(&ticket.line) {
            line.done = ticket.number;
        }
        self.sweep(ticket.line);
    }

    /// Forgets a line that is over.
    fn sweep(&mut self, line: u64) {
        let is_over = |line: &Line<W>| line.is_closed && !line.has_worker && line.done == line.given;
        if self.lines.get(&line).is_some_and(is_over) {
            self.lines.remove(&line);
        }
    }

    /// Whether work is done.
    pub(crate) fn is_done(&self, ticket: Ticket) -> bool {
        self.lines.get(&ticket.line).is_none_or(|line| line.done >= ticket.number)
    }

    /// The last work of a line, unless it is done.
    pub(crate) fn tail(&self, line: u64) -> Option<Ticket> {
        let own = self.lines.get(&line)?;
        (own.done < own.given).then_some(Ticket { line, number: own.given })
    }

    /// The last work of all lines, where it is not done.
    pub(crate) fn tails(&self) -> Vec<Ticket> {
        self.lines.keys().filter_map(|line| self.tail(*line)).collect()
    }

    /// As [`tails`](Self::tails), of the lines that the legacy default stream waits for, and its own.
    pub(crate) fn tails_of_legacy(&self) -> Vec<Ticket> {
        let ordered = self.lines.keys().filter(|line| **line == LEGACY || self.is_blocking(**line));
        ordered.filter_map(|line| self.tail(*line)).collect()
    }

    /// Whether some worker has work that it can do at once, and has not begun.
    pub(crate) fn has_ready(&self) -> bool {
        self.lines.values().any(|line| line.items.front().is_some_and(|(place, _)| self.is_next(place)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: u64 = 16;
    const OTHER: u64 = 24;
    const FREE: u64 = 32;

    fn lines() -> Lines<()> {
        let mut lines = Lines::new();
        for (line, is_blocking) in [(OWN, true), (OTHER, true), (FREE, false)] {
            lines.open(line, is_blocking);
        }
        lines
    }

    #[test]
    fn work_of_a_line_is_done_in_order_and_that_of_others_beside_it() {
        let mut lines = lines();
        let [first, second, other] = [OWN, OWN, OTHER].map(|line| lines.enter(line, None));
        assert!(lines.is_next(&first) && !lines.is_next(&second) && lines.is_next(&other));
        lines.finish(first.ticket);
        assert!(lines.is_next(&second) && lines.is_done(first.ticket) && !lines.is_done(second.ticket));
    }

    #[test]
    fn the_legacy_stream_is_ordered_with_all_that_block() {
        let mut lines = lines();
        let [own, free, legacy, behind, later] = [OWN, FREE, LEGACY, OTHER, FREE].map(|line| lines.enter(line, None));
        assert!(lines.is_next(&own) && lines.is_next(&free) && !lines.is_next(&legacy) && !lines.is_next(&behind));
        lines.finish(own.ticket);
        assert!(lines.is_next(&legacy) && !lines.is_next(&behind));
        lines.finish(legacy.ticket);
        lines.finish(free.ticket);
        assert!(lines.is_next(&behind) && lines.is_next(&later));
    }

    #[test]
    fn a_closed_line_is_waited_for_until_its_work_is_done() {
        let mut lines = lines();
        let own = lines.enter(OWN, None);
        lines.close(OWN);
        let legacy = lines.enter(LEGACY, None);
        let event = lines.enter(FREE, Some(own.ticket));
        assert!(!lines.is_next(&legacy) && !lines.is_next(&event));
        lines.finish(own.ticket);
        assert!(lines.is_next(&legacy) && lines.is_next(&event) && lines.is_done(own.ticket));
        assert_eq!(lines.tail(OWN), None);
    }

    #[test]
    fn a_worker_takes_what_is_next() {
        let mut lines = lines();
        let first = lines.enter(OWN, None);
        let second = lines.enter(OWN, None);
        assert!(lines.push(second.clone(), ()), "the line has no worker");
        assert!(!lines.has_ready() && lines.take(OWN).is_none());
        lines.finish(first.ticket);
        assert!(lines.has_ready());
        assert_eq!(lines.take(OWN), Some((second, ())));
        assert!(!lines.has_items(OWN));
    }
}
