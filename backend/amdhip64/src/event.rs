//! Events: points in time within a stream.

use std::ffi::{c_float, c_uint};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use crate::abi::{Address, Out};
use crate::call::api;
use crate::capture::Capture;
use crate::error::Error;
use crate::handles::Handles;
use crate::lock::lock;
use crate::operation::Operation;
use crate::schedule;
use crate::stream::{self, submit};
use crate::timestamp::Timestamp;

/// An event of a program.
pub(crate) struct Event {
    /// No time is kept: `hipEventDisableTiming`.
    untimed: bool,
    time: Arc<Timestamp>,
    /// The capture that recorded the event last, as it was then.
    capture: Mutex<Option<Capture>>,
}

pub(crate) static EVENTS: Handles<Event> = Handles::new("an event");

/// `hipEventDisableTiming`.
const DISABLE_TIMING: c_uint = 2;
/// `hipEventInterprocess`.
const INTERPROCESS: c_uint = 4;
/// `hipEventReleaseToDevice`, and to the system.
const RELEASE_TO_DEVICE: c_uint = 0x4000_0000;
const RELEASE_TO_SYSTEM: c_uint = 0x8000_0000;
/// Flags that events can be made with: blocking, without timing, between processes, and AMD's three about caches.
const KNOWN_FLAGS: c_uint = 0x1 | DISABLE_TIMING | INTERPROCESS | 0x2000_0000 | RELEASE_TO_DEVICE | RELEASE_TO_SYSTEM;

/// Fails for flags of a record or a wait beyond "external" (1).
fn check_use(flags: c_uint) -> Result<(), Error> {
    if flags <= 1 { Ok(()) } else { Err(Error::InvalidValue) }
}

impl Event {
    /// Where work that records the event puts its time.
    pub(crate) fn timestamp(&self) -> Arc<Timestamp> {
        Arc::clone(&self.time)
    }

    /// The capture that the event was recorded in, if that still goes on.
    fn captured(&self) -> Option<Capture> {
        lock(&self.capture).clone().filter(|capture| !capture.is_over())
    }

    /// When the event happened. Fails with `hipErrorInvalidHandle` if it was never recorded, and with `hipErrorNotReady` if it
    /// has not happened yet.
    fn time(&self) -> Result<Instant, Error> {
        let ticket = self.time.ticket().filter(|_| !self.untimed).ok_or(Error::InvalidHandle)?;
        schedule::ticket_is_done(Some(ticket))?;
        self.time.get().ok_or(Error::InvalidHandle)
    }
}

fn create(out: Out<Address>, flags: c_uint) -> Result<(), Error> {
    out.check()?;
    let has = |flag| flags & flag != 0;
    // One event is released to one of the two, and one that other processes see has no time.
    let is_contradictory =
        has(RELEASE_TO_DEVICE) && has(RELEASE_TO_SYSTEM) || has(INTERPROCESS) && !has(DISABLE_TIMING);
    if has(!KNOWN_FLAGS) || is_contradictory {
        return Err(Error::InvalidValue);
    }
    let untimed = flags & DISABLE_TIMING != 0;
    out.set(EVENTS.insert(Event { untimed, time: Arc::default(), capture: Mutex::new(None) }))
}

pub(crate) fn record(handle: Address, stream: Address) -> Result<(), Error> {
    let event = EVENTS.get(handle)?;
    if let Some(stream) = stream::get(stream)?
        && let Some(capture) = stream.capture().as_ref()
    {
        *lock(&event.capture) = Some(capture.clone());
        return Ok(());
    }
    *lock(&event.capture) = None;
    submit(stream, Operation::Record(handle, event.timestamp()))
}

/// Makes a stream wait for an event. One of a capture joins the two streams.
fn wait_for_event(stream: Address, handle: Address) -> Result<(), Error> {
    let event = EVENTS.get(handle)?;
    let Some(origin) = event.captured() else {
        let is_captured = stream::captures(stream)?;
        return if is_captured { Ok(()) } else { submit(stream, Operation::Wait(handle, event.timestamp())) };
    };
    let stream = stream::get(stream)?.ok_or(Error::StreamCaptureImplicit)?;
    let mut capture = stream.capture();
    match capture.as_mut() {
        Some(capture) => capture.join(&origin)?,
        None => *capture = Some(origin),
    }
    Ok(())
}

api! {
    "hip_4.2" fn hipStreamWaitEvent also "hip_5.2" hipStreamWaitEvent_spt(stream: Address, event: Address, flags: c_uint) {
        check_use(flags)?;
        wait_for_event(stream, event)
    }

    "hip_4.2" fn hipEventCreate(event: Out<Address>) { create(event, 0) }

    "hip_4.2" fn hipEventCreateWithFlags(event: Out<Address>, flags: c_uint) { create(event, flags) }

    "hip_4.2" fn hipEventDestroy(event: Address) { EVENTS.remove(event).map(|_| ()) }

    "hip_4.2" fn hipEventRecord also "hip_5.2" hipEventRecord_spt(event: Address, stream: Address) {
        record(event, stream)
    }

    "hip_6.4" fn hipEventRecordWithFlags(event: Address, stream: Address, flags: c_uint) {
        check_use(flags)?;
        record(event, stream)
    }

    "hip_4.2" fn hipEventSynchronize(event: Address) {
        schedule::wait_for_ticket(EVENTS.get(event)?.time.ticket())
    }

    "hip_4.2" fn hipEventQuery(event: Address) { schedule::ticket_is_done(EVENTS.get(event)?.time.ticket()) }

    "hip_4.2" fn hipEventElapsedTime(milliseconds: Out<c_float>, start: Address, stop: Address) {
        let (start, stop) = (EVENTS.get(start)?.time()?, EVENTS.get(stop)?.time()?);
        let seconds = stop.saturating_duration_since(start).as_secs_f32() - start.saturating_duration_since(stop).as_secs_f32();
        milliseconds.set(seconds * 1000.0)
    }
}
