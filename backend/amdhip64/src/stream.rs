//! Streams. Their work is done beside the host and beside that of other streams (see [`schedule`](crate::schedule)). While a
//! stream captures, its work is recorded instead.

use std::ffi::{c_int, c_uint, c_void};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::abi::{Address, Out};
use crate::awaited::Await;
use crate::call::{api, inquiry};
use crate::capture::Capture;
use crate::default_stream;
use crate::error::Error;
use crate::handles::Handles;
use crate::lines::LEGACY;
use crate::lock::lock;
use crate::operation::{self, Callback, HostCall, Operation, StreamCallback};
use crate::schedule;

/// A stream of a program.
pub(crate) struct Stream {
    flags: c_uint,
    priority: c_int,
    capture: Mutex<Option<Capture>>,
}

impl Stream {
    /// What is being recorded, between begin and end of a capture. Ends with the capture that it was forked from.
    pub(crate) fn capture(&self) -> MutexGuard<'_, Option<Capture>> {
        let mut capture = lock(&self.capture);
        if capture.as_ref().is_some_and(Capture::is_over) {
            *capture = None;
        }
        capture
    }
}

pub(crate) static STREAMS: Handles<Stream> = Handles::new("a stream");

/// Priorities that streams can have, lowest first. A smaller number is a higher priority.
const PRIORITIES: (c_int, c_int) = (1, -1);
/// `hipStreamNonBlocking`.
const NON_BLOCKING: c_uint = 1;

/// The stream of a handle; `None` for the default streams, which are 0, 1 (legacy) and 2 (per thread).
pub(crate) fn get(handle: Address) -> Result<Option<Arc<Stream>>, Error> {
    if handle.get() <= 2 { Ok(None) } else { STREAMS.get(handle).map(Some) }
}

/// Records work where the stream captures; else gives it back.
fn capture(stream: Address, work: Operation) -> Result<Option<Operation>, Error> {
    if let Some(stream) = get(stream)?
        && let Some(capture) = stream.capture().as_mut()
    {
        capture.add(work);
        return Ok(None);
    }
    Ok(Some(work))
}

/// Puts a piece of work into a stream, or records it where the stream captures.
pub(crate) fn submit(stream: Address, work: Operation) -> Result<(), Error> {
    match capture(stream, work)? {
        Some(work) => schedule::submit(line(stream), work),
        None => Ok(()),
    }
}

/// Puts the work of a graph into a stream, or records it where the stream captures.
pub(crate) fn submit_graph(stream: Address, pieces: Vec<Operation>) -> Result<(), Error> {
    for work in pieces {
        match capture(stream, work)? {
            Some(Operation::Graph(_, graph)) => {
                submit_graph(stream, graph.order()?.iter().map(|(_, node)| operation::work(node)).collect())?;
            }
            Some(work) => schedule::leave(line(stream), work)?,
            None => {}
        }
    }
    Ok(())
}

/// Does work in a stream that the caller waits for. It cannot be recorded.
pub(crate) fn run_now(stream: Address, work: &Operation) -> Result<(), Error> {
    refuse_capture(stream)?;
    schedule::run_now(line(stream), work)
}

thread_local! {
    /// The line of the default stream of the thread, when it has been used.
    static OWN_LINE: OwnLine = OwnLine::new();
}

/// Numbers of the lines of threads, which are no handles.
static NEXT_LINE: AtomicU64 = AtomicU64::new(1 << 63);

/// The line of a thread's default stream.
struct OwnLine(u64);

impl OwnLine {
    fn new() -> OwnLine {
        let line = NEXT_LINE.fetch_add(1, Ordering::Relaxed);
        schedule::open(line, true);
        OwnLine(line)
    }
}

impl Drop for OwnLine {
    fn drop(&mut self) {
        schedule::close(self.0);
    }
}

/// The line of a stream that exists.
fn line(stream: Address) -> u64 {
    match stream.get() {
        0 if !default_stream::is_per_thread() => LEGACY,
        1 => LEGACY,
        0 | 2 => OWN_LINE.with(|own| own.0),
        handle => handle,
    }
}

/// Whether the work of a stream is recorded.
pub(crate) fn captures(stream: Address) -> Result<bool, Error> {
    Ok(get(stream)?.is_some_and(|stream| stream.capture().is_some()))
}

/// Fails where the stream captures: what waits for results cannot be recorded.
fn refuse_capture(stream: Address) -> Result<(), Error> {
    if captures(stream)? { Err(Error::StreamCaptureUnsupported) } else { Ok(()) }
}

/// Waits for a stream.
fn wait(stream: Address) -> Result<(), Error> {
    refuse_capture(stream)?;
    schedule::wait_for_line(line(stream))
}

/// Fails with `hipErrorNotReady` while a stream has work.
fn query(stream: Address) -> Result<(), Error> {
    refuse_capture(stream)?;
    schedule::line_is_done(line(stream))
}

fn create(out: Out<Address>, flags: c_uint, priority: c_int) -> Result<(), Error> {
    out.check()?;
    if flags > 1 {
        return Err(Error::InvalidValue);
    }
    let priority = priority.clamp(PRIORITIES.1, PRIORITIES.0);
    let handle = STREAMS.insert(Stream { flags, priority, capture: Mutex::new(None) });
    schedule::open(handle.get(), flags & NON_BLOCKING == 0);
    out.set(handle)
}

/// Forgets a stream. Its work goes on.
fn destroy(stream: Address) -> Result<(), Error> {
    STREAMS.remove(stream)?;
    schedule::close(stream.get());
    Ok(())
}

inquiry! { "hip_4.2" fn hipGetStreamDeviceId(_stream: Address) -> c_int { 0 } }

api! {
    "hip_4.2" fn hipStreamCreate(stream: Out<Address>) { create(stream, 0, 0) }

    "hip_4.2" fn hipStreamCreateWithFlags(stream: Out<Address>, flags: c_uint) { create(stream, flags, 0) }

    "hip_4.2" fn hipStreamCreateWithPriority(stream: Out<Address>, flags: c_uint, priority: c_int) {
        create(stream, flags, priority)
    }

    "hip_4.2" fn hipDeviceGetStreamPriorityRange(least: Out<c_int>, greatest: Out<c_int>) {
        least.set_if_wanted(PRIORITIES.0);
        greatest.set_if_wanted(PRIORITIES.1);
        Ok(())
    }

    "hip_4.2" fn hipStreamDestroy(stream: Address) { destroy(stream) }

    "hip_4.2" fn hipStreamQuery also "hip_5.2" hipStreamQuery_spt(stream: Address) { query(stream) }

    "hip_4.2" fn hipStreamSynchronize also "hip_5.2" hipStreamSynchronize_spt(stream: Address) { wait(stream) }

    "hip_4.2" fn hipStreamGetFlags also "hip_5.2" hipStreamGetFlags_spt(stream: Address, flags: Out<c_uint>) {
        flags.set(get(stream)?.map_or(0, |stream| stream.flags))
    }

    "hip_4.2" fn hipStreamGetPriority also "hip_5.2" hipStreamGetPriority_spt(stream: Address, priority: Out<c_int>) {
        priority.set(get(stream)?.map_or(0, |stream| stream.priority))
    }

    "hip_7.1" fn hipStreamGetId(stream: Address, number: Out<u64>) {
        get(stream)?;
        number.set(stream.get())
    }

    "hip_4.2" fn hipStreamGetDevice(stream: Address, device: Out<c_int>) {
        get(stream)?;
        device.set(0)
    }

    "hip_4.2" fn hipStreamAddCallback also "hip_5.3" hipStreamAddCallback_spt(stream: Address, callback: Option<Callback>, data: Address, flags: c_uint) {
        get(stream)?;
        // No flags are defined.
        if flags != 0 {
            return Err(Error::InvalidValue);
        }
        let function = callback.ok_or(Error::InvalidValue)?;
        submit(stream, Operation::Callback(StreamCallback { function, stream, data }))
    }

    "hip_5.3" fn hipLaunchHostFunc also "hip_5.3" hipLaunchHostFunc_spt(stream: Address, function: Option<extern "C" fn(*mut c_void)>, data: Address) {
        let function = function.ok_or(Error::InvalidValue)?;
        submit(stream, Operation::Host(HostCall { function, data }))
    }

    "hip_4.2" fn hipStreamAttachMemAsync(stream: Address, memory: Address, _bytes: usize, _flags: c_uint) {
        get(stream)?;
        crate::region::check(memory, 1, true)
    }

    "hip_4.4" fn hipStreamWaitValue32(stream: Address, at: Address, value: u32, flags: c_uint, mask: u32) {
        submit(stream, Operation::Await(Await::new(at, 4, (value.into(), mask.into()), flags)?))
    }

    "hip_4.4" fn hipStreamWaitValue64(stream: Address, at: Address, value: u64, flags: c_uint, mask: u64) {
        submit(stream, Operation::Await(Await::new(at, 8, (value, mask), flags)?))
    }

    "hip_4.4" fn hipStreamWriteValue32(stream: Address, to: Address, value: u32, _flags: c_uint) {
        submit(stream, Operation::Write { to, value: u64::from(value), bytes: 4 })
    }

    "hip_4.4" fn hipStreamWriteValue64(stream: Address, to: Address, value: u64, _flags: c_uint) {
        submit(stream, Operation::Write { to, value, bytes: 8 })
    }
}
