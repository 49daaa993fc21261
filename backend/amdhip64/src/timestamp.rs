//! Points in time that work takes, for events.

use std::sync::Mutex;
use std::time::Instant;

use crate::lines::Ticket;
use crate::lock::lock;

/// The work that takes the time, and when that was.
#[derive(Default)]
struct Moment {
    ticket: Option<Ticket>,
    time: Option<Instant>,
}

/// When something happened last, if it ever did, or what is waited for until it does.
#[derive(Default)]
pub(crate) struct Timestamp(Mutex<Moment>);

impl Timestamp {
    /// This work will take the time.
    pub(crate) fn await_from(&self, ticket: Ticket) {
        *lock(&self.0) = Moment { ticket: Some(ticket), time: None };
    }

    /// Takes the time, unless it is other work by now that shall do so.
    pub(crate) fn take(&self, ticket: Ticket) {
        let mut moment = lock(&self.0);
        if moment.ticket == Some(ticket) {
            moment.time = Some(Instant::now());
        }
    }

    /// The work that takes the time.
    pub(crate) fn ticket(&self) -> Option<Ticket> {
        lock(&self.0).ticket
    }

    /// The time that was taken last.
    pub(crate) fn get(&self) -> Option<Instant> {
        lock(&self.0).time
    }
}
