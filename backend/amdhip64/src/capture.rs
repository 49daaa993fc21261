//! Recording the work of streams into a graph.

use std::ffi::c_uint;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::abi::{Address, Out, api};
use crate::error::Error;
use crate::graph::{GRAPHS, Graph};
use crate::operation::Operation;
use crate::stream;

/// A capture as one stream sees it: the graph, and the nodes that its next work depends on.
#[derive(Clone)]
pub(crate) struct Capture {
    graph: Arc<Graph>,
    handle: Address,
    origin: Address,
    after: Vec<Address>,
    over: Arc<AtomicBool>,
}

impl Capture {
    fn new(origin: Address) -> Result<Capture, Error> {
        let handle = GRAPHS.insert(Graph::default());
        let over = Arc::new(AtomicBool::new(false));
        Ok(Capture { graph: GRAPHS.get(handle)?, handle, origin, after: Vec::new(), over })
    }

    /// Records work, after all that the stream recorded before.
    pub(crate) fn add(&mut self, work: Operation) {
        let node = self.graph.add(work, std::mem::take(&mut self.after));
        self.after = vec![node];
    }

    /// Makes the next work wait for another stream of the same capture.
    pub(crate) fn join(&mut self, other: &Capture) -> Result<(), Error> {
        if !Arc::ptr_eq(&self.graph, &other.graph) {
            return Err(Error::StreamCaptureMerge);
        }
        self.after.extend(&other.after);
        Ok(())
    }

    /// Whether the stream that the capture began on has ended it.
    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }
}

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
    ended.over.store(true, Ordering::Release);
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
