//! Streams. Work is done when it is submitted, by the thread that submits it: an order that every program
//! with correct synchronisation allows. While a stream captures, its work is recorded instead.

use std::ffi::{c_int, c_uint, c_void};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::abi::{Address, Out, Status};
use crate::call::{api, inquiry};
use crate::capture::Capture;
use crate::error::Error;
use crate::handles::Handles;
use crate::lock::lock;
use crate::operation::{HostCall, Operation};
use crate::runtime::gpu;

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

static STREAMS: Handles<Stream> = Handles::new("a stream");

/// Priorities that streams can have, lowest first. A smaller number is a higher priority.
const PRIORITIES: (c_int, c_int) = (1, -1);

/// The stream of a handle; `None` for the default streams, which are 0, 1 (legacy) and 2 (per thread).
pub(crate) fn get(handle: Address) -> Result<Option<Arc<Stream>>, Error> {
    if handle.get() <= 2 { Ok(None) } else { STREAMS.get(handle).map(Some) }
}

/// Does a piece of work, or records it where the stream captures.
pub(crate) fn submit(stream: Address, work: Operation) -> Result<(), Error> {
    if let Some(stream) = get(stream)?
        && let Some(capture) = stream.capture().as_mut()
    {
        capture.add(work);
        return Ok(());
    }
    work.run()
}

/// Fails where the stream captures: what waits for results cannot be recorded.
fn refuse_capture(stream: Address) -> Result<(), Error> {
    match get(stream)? {
        Some(stream) if stream.capture().is_some() => Err(Error::StreamCaptureUnsupported),
        _ => Ok(()),
    }
}

/// Waits for a stream: its work is done, so only what stopped it is left to be told.
fn wait(stream: Address) -> Result<(), Error> {
    refuse_capture(stream)?;
    gpu().check()
}

fn create(out: Out<Address>, flags: c_uint, priority: c_int) -> Result<(), Error> {
    out.check()?;
    if flags > 1 {
        return Err(Error::InvalidValue);
    }
    let priority = priority.clamp(PRIORITIES.1, PRIORITIES.0);
    out.set(STREAMS.insert(Stream { flags, priority, capture: Mutex::new(None) }))
}

/// The function that `hipStreamAddCallback` takes.
type Callback = extern "C" fn(stream: Address, status: Status, data: *mut c_void);

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

    "hip_4.2" fn hipStreamDestroy(stream: Address) { STREAMS.remove(stream).map(|_| ()) }

    "hip_4.2" fn hipStreamQuery also "hip_5.2" hipStreamQuery_spt(stream: Address) { wait(stream) }

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
        let callback = callback.ok_or(Error::InvalidValue)?;
        let status = gpu().check().map_or_else(|error| error as Status, |()| 0);
        callback(stream, status, data.pointer().cast());
        Ok(())
    }

    "hip_5.3" fn hipLaunchHostFunc also "hip_5.3" hipLaunchHostFunc_spt(stream: Address, function: Option<extern "C" fn(*mut c_void)>, data: Address) {
        let function = function.ok_or(Error::InvalidValue)?;
        submit(stream, Operation::Host(HostCall { function, data }))
    }

    "hip_4.2" fn hipStreamAttachMemAsync(stream: Address, memory: Address, _bytes: usize, _flags: c_uint) {
        get(stream)?;
        crate::region::check(memory, 1, true)
    }

    "hip_4.4" fn hipStreamWriteValue32(stream: Address, to: Address, value: u32, _flags: c_uint) {
        submit(stream, Operation::Write { to, value: u64::from(value), bytes: 4 })
    }

    "hip_4.4" fn hipStreamWriteValue64(stream: Address, to: Address, value: u64, _flags: c_uint) {
        submit(stream, Operation::Write { to, value, bytes: 8 })
    }
}
