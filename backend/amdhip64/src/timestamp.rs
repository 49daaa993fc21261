//! Points in time that work takes, for events.

use std::sync::Mutex;
use std::time::Instant;

use crate::lock::lock;

/// When something happened last, if it ever did.
#[derive(Default)]
pub(crate) struct Timestamp(Mutex<Option<Instant>>);

impl Timestamp {
    /// Takes the time.
    pub(crate) fn take(&self) {
        *lock(&self.0) = Some(Instant::now());
    }

    /// The time that was taken last.
    pub(crate) fn get(&self) -> Option<Instant> {
        *lock(&self.0)
    }
}
