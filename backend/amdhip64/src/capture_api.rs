//! The functions that begin and end captures, and tell about them.

use std::ffi::c_uint;

use crate::abi::{Address, Out};
use crate::call::api;
use crate::capture::Capture;
use crate::error::Error;
use crate::stream;

fn begin(stream: Address) -> Result<(), Error> {
    let owner = stream::get(stream)?.ok_or(Error::StreamCaptureImplicit)?;
    let mut capture = owner.capture();
    if capture.is_some() {
        return Err(Error::IllegalState);
    }
    *capture = Some(Capture::new(stream)?);
    Ok(())
}

fn end(stream: Address, graph: Out<Address>) -> Result<(), Error> {
    graph.check()?;
    let owner = stream::get(stream)?.ok_or(Error::IllegalState)?;
    let mut capture = owner.capture();
    if capture.as_ref().is_some_and(|capture| capture.origin != stream) {
        return Err(Error::StreamCaptureUnmatched);
    }
    let ended = capture.take().ok_or(Error::IllegalState)?;
    ended.end();
    graph.set(ended.handle)
}

/// State and number of a capture: 0 is none, 1 is active.
fn state(stream: Address) -> Result<(c_uint, u64), Error> {
    let Some(stream) = stream::get(stream)? else { return Ok((0, 0)) };
    Ok(stream.capture().as_ref().map_or((0, 0), |capture| (1, capture.handle.get())))
}

api! {
    "hip_4.3" fn hipStreamBeginCapture also "hip_5.3" hipStreamBeginCapture_spt(stream: Address, _mode: c_uint) {
        begin(stream)
    }

    "hip_4.3" fn hipStreamEndCapture also "hip_5.3" hipStreamEndCapture_spt(stream: Address, graph: Out<Address>) {
        end(stream, graph)
    }

    "hip_4.3" fn hipStreamIsCapturing also "hip_5.3" hipStreamIsCapturing_spt(stream: Address, status: Out<c_uint>) {
        status.set(state(stream)?.0)
    }

    "hip_4.5" fn hipStreamGetCaptureInfo also "hip_5.3" hipStreamGetCaptureInfo_spt(
        stream: Address,
        status: Out<c_uint>,
        id: Out<u64>,
    ) {
        let (active, number) = state(stream)?;
        id.set_if_wanted(number);
        status.set(active)
    }

    /// Captures of different threads never disturb each other here, whatever the mode.
    "hip_5.0" fn hipThreadExchangeStreamCaptureMode(mode: Out<c_uint>) { mode.check() }
}
