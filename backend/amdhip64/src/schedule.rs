//! When work is done: that of each stream by a thread of its own, one after another, beside that of other streams and the
//! host.

use std::sync::{Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::call::shielded;
use crate::error::Error;
use crate::held_output;
use crate::lines::{LEGACY, Lines, Place, Ticket};
use crate::lock::lock;
use crate::messages::is_wanted;
use crate::neighbours::Neighbour;
use crate::operation::Operation;
use crate::runtime::gpu;
use crate::waiting::{self, WORKER, Waiting};

/// All work that is not done.
static LINES: Mutex<Lines<Operation>> = Mutex::new(Lines::new());
/// Work was added or done.
static CHANGED: Condvar = Condvar::new();

/// The variable that has all work done when it is submitted, by the thread that submits it.
const SYNC: &str = "HIPSHIFT_SYNC";
static IS_SYNCHRONOUS: LazyLock<bool> = LazyLock::new(|| is_wanted(SYNC));
/// How long a worker waits for new work before it ends.
const LINGER: Duration = Duration::from_millis(100);

fn wait(lines: MutexGuard<'_, Lines<Operation>>) -> MutexGuard<'_, Lines<Operation>> {
    CHANGED.wait(lines).unwrap_or_else(PoisonError::into_inner)
}

/// Begins the line of a stream. `is_blocking` if it is ordered with the legacy default stream.
pub(crate) fn open(line: u64, is_blocking: bool) {
    lock(&LINES).open(line, is_blocking);
}

/// Ends the line of a stream when its work is done.
pub(crate) fn close(line: u64) {
    lock(&LINES).close(line);
}

/// Puts work into a line. What the host has to wait for is done when this returns.
pub(crate) fn submit(line: u64, work: Operation) -> Result<(), Error> {
    if work.is_bound_to_host() { run_now(line, &work) } else { leave(line, work) }
}

/// Puts work into a line that the caller does not wait for.
pub(crate) fn leave(line: u64, work: Operation) -> Result<(), Error> {
    if *IS_SYNCHRONOUS {
        return run_now(line, &work);
    }
    gpu().check()?;
    work.check_submitted()?;
    let mut lines = lock(&LINES);
    let place = enter(&mut lines, line, &work);
    let needs_worker = lines.push(place, work);
    drop(lines);
    CHANGED.notify_all();
    if needs_worker {
        let worker = thread::Builder::new().name(WORKER.to_owned());
        let started = worker.spawn(move || {
            waiting::serve();
            work_off(line, LINGER);
        });
        if started.is_err() {
            // Without a thread, this one does the work.
            work_off(line, Duration::ZERO);
        }
    }
    Ok(())
}

/// Takes the next place in a line for a piece of work.
fn enter(lines: &mut Lines<Operation>, line: u64, work: &Operation) -> Place {
    let place = lines.enter(line, work.event());
    if let Operation::Record(_, timestamp) = work {
        timestamp.await_from(place.ticket);
    }
    place
}

/// Does work in a line that the caller waits for.
pub(crate) fn run_now(line: u64, work: &Operation) -> Result<(), Error> {
    gpu().check()?;
    work.check_submitted()?;
    let _waiting = Waiting::new();
    let mut lines = lock(&LINES);
    let place = enter(&mut lines, line, work);
    while !lines.is_next(&place) {
        lines = wait(lines);
    }
    let neighbour = Neighbour::new(only_waits);
    drop(lines);
    perform(place.ticket, work, neighbour, true)
}

/// Does work whose turn it is. `is_awaited` if somebody waits for its result.
fn perform(ticket: Ticket, work: &Operation, neighbour: Neighbour, is_awaited: bool) -> Result<(), Error> {
    let result = shielded("work of a stream", Error::Unknown, || work.run(ticket, &neighbour));
    if let (Err(error), false) = (result, is_awaited) {
        // It is told by later calls, first by those that wait for this work.
        gpu().fail(error);
    }
    lock(&LINES).finish(ticket);
    CHANGED.notify_all();
    // Until now, what follows was not seen to be ready.
    drop(neighbour);
    result
}

/// Does the work of a line until there has been none for a while.
fn work_off(line: u64, linger: Duration) {
    let mut lines = lock(&LINES);
    loop {
        if let Some((place, work)) = lines.take(line) {
            let neighbour = Neighbour::new(only_waits);
            drop(lines);
            let _ = perform(place.ticket, &work, neighbour, false);
            lines = lock(&LINES);
        } else if lines.has_items(line) {
            lines = wait(lines);
        } else {
            let (back, waited) = CHANGED.wait_timeout(lines, linger).unwrap_or_else(PoisonError::into_inner);
            lines = back;
            if waited.timed_out() && !lines.has_items(line) {
                return lines.leave(line);
            }
        }
    }
}

/// Waits for work, and fails with what stopped the device.
fn wait_for(work: impl FnOnce(&Lines<Operation>) -> Vec<Ticket>) -> Result<(), Error> {
    let _waiting = Waiting::new();
    let mut lines = lock(&LINES);
    let tickets = work(&lines);
    while !tickets.iter().all(|ticket| lines.is_done(*ticket)) {
        lines = wait(lines);
    }
    drop(lines);
    gpu().check()
}

/// Waits for a piece of work, if it is not done.
pub(crate) fn wait_for_ticket(ticket: Option<Ticket>) -> Result<(), Error> {
    wait_for(|_| ticket.into_iter().collect())
}

/// Waits for the work of a line, and for what it is ordered with if it is that of the legacy default stream.
pub(crate) fn wait_for_line(line: u64) -> Result<(), Error> {
    wait_for(|lines| of_line(lines, line))
}

/// Waits for all work before something goes that it may use. A failure was told, and is told again by calls that ask.
pub(crate) fn settle() {
    let _ = wait_for_all();
}

/// Waits for all work before the program ends. A function that a stream calls may end it: its own work is not waited for.
pub(crate) fn wait_at_end() {
    if !waiting::serves() {
        settle();
    }
}

/// Waits for all work, and forgets what stopped the device.
pub(crate) fn reset() {
    settle();
    gpu().recover();
}

/// Waits for all work.
pub(crate) fn wait_for_all() -> Result<(), Error> {
    wait_for(Lines::tails)
}

fn of_line(lines: &Lines<Operation>, line: u64) -> Vec<Ticket> {
    if line == LEGACY { lines.tails_of_legacy() } else { lines.tail(line).into_iter().collect() }
}

/// Fails with `hipErrorNotReady` while work is under way.
fn ready(is_done: impl FnOnce(&Lines<Operation>) -> bool) -> Result<(), Error> {
    if !is_done(&lock(&LINES)) {
        // Who asks again and again leaves the processor to the work.
        thread::yield_now();
        return Err(Error::NotReady);
    }
    held_output::release();
    gpu().check()
}

/// Fails with `hipErrorNotReady` while a piece of work is not done.
pub(crate) fn ticket_is_done(ticket: Option<Ticket>) -> Result<(), Error> {
    ready(|lines| ticket.is_none_or(|ticket| lines.is_done(ticket)))
}

/// Fails with `hipErrorNotReady` while a line has work.
pub(crate) fn line_is_done(line: u64) -> Result<(), Error> {
    ready(|lines| of_line(lines, line).is_empty())
}

/// Whether all launches that run have been found to wait for others, and nothing else that the device does can help them.
fn only_waits(launches_wait: &dyn Fn() -> bool) -> bool {
    let lines = lock(&LINES);
    launches_wait() && !lines.has_ready()
}
