//! Events: points in time within a stream.

use std::ffi::{c_float, c_uint};
use std::sync::Mutex;
use std::time::Instant;

use crate::abi::{Address, Out, api};
use crate::capture::Capture;
use crate::error::Error;
use crate::handles::{Handles, lock};
use crate::operation::Operation;
use crate::runtime::gpu;
use crate::stream::{self, submit};

/// An event of a program.
pub(crate) struct Event {
    /// No time is kept: `hipEventDisableTiming`.
    untimed: bool,
    time: Mutex<Option<Instant>>,
    /// The capture that recorded the event last, as it was then.
    capture: Mutex<Option<Capture>>,
}

pub(crate) static EVENTS: Handles<Event> = Handles::new("an event");

/// `hipEventDisableTiming`.
const DISABLE_TIMING: c_uint = 2;
/// Flags that events can be made with: blocking, without timing, between processes, and AMD's three about caches.
const KNOWN_FLAGS: c_uint = 0x1 | DISABLE_TIMING | 0x4 | 0x2000_0000 | 0x4000_0000 | 0x8000_0000;

impl Event {
    /// Takes the time.
    pub(crate) fn record(&self) {
        *lock(&self.time) = Some(Instant::now());
    }

    /// The capture that the event was recorded in, if that still goes on.
    pub(crate) fn captured(&self) -> Option<Capture> {
        lock(&self.capture).clone().filter(|capture| !capture.is_over())
    }

    /// When the event happened. Fails with `hipErrorInvalidHandle` if it was never recorded.
    fn time(&self) -> Result<Instant, Error> {
        lock(&self.time).filter(|_| !self.untimed).ok_or(Error::InvalidHandle)
    }
}

fn create(out: Out<Address>, flags: c_uint) -> Result<(), Error> {
    out.check()?;
    if flags & !KNOWN_FLAGS != 0 {
        return Err(Error::InvalidValue);
    }
    let untimed = flags & DISABLE_TIMING != 0;
    out.set(EVENTS.insert(Event { untimed, time: Mutex::new(None), capture: Mutex::new(None) }))
}

fn record(event: Address, stream: Address) -> Result<(), Error> {
    let event = EVENTS.get(event)?;
    if let Some(stream) = stream::get(stream)?
        && let Some(capture) = stream.capture().as_ref()
    {
        *lock(&event.capture) = Some(capture.clone());
        return Ok(());
    }
    *lock(&event.capture) = None;
    submit(stream, Operation::Record(event))
}

api! {
    "hip_4.2" fn hipEventCreate(event: Out<Address>) { create(event, 0) }

    "hip_4.2" fn hipEventCreateWithFlags(event: Out<Address>, flags: c_uint) { create(event, flags) }

    "hip_4.2" fn hipEventDestroy(event: Address) { EVENTS.remove(event).map(|_| ()) }

    "hip_4.2" fn hipEventRecord also "hip_5.2" hipEventRecord_spt(event: Address, stream: Address) {
        record(event, stream)
    }

    "hip_6.4" fn hipEventRecordWithFlags(event: Address, stream: Address, _flags: c_uint) { record(event, stream) }

    "hip_4.2" fn hipEventSynchronize(event: Address) {
        EVENTS.get(event)?;
        gpu().check()
    }

    "hip_4.2" fn hipEventQuery(event: Address) {
        EVENTS.get(event)?;
        gpu().check()
    }

    "hip_4.2" fn hipEventElapsedTime(milliseconds: Out<c_float>, start: Address, stop: Address) {
        let (start, stop) = (EVENTS.get(start)?.time()?, EVENTS.get(stop)?.time()?);
        let seconds = stop.saturating_duration_since(start).as_secs_f32() - start.saturating_duration_since(stop).as_secs_f32();
        milliseconds.set(seconds * 1000.0)
    }
}
