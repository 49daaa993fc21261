//! Recording the work of streams into a graph.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::abi::Address;
use crate::error::Error;
use crate::operation::{GRAPHS, Graph, Operation};

/// A capture as one stream sees it: the graph, and the nodes that its next work depends on.
#[derive(Clone)]
pub(crate) struct Capture {
    graph: Arc<Graph>,
    pub(crate) handle: Address,
    pub(crate) origin: Address,
    after: Vec<Address>,
    over: Arc<AtomicBool>,
}

impl Capture {
    pub(crate) fn new(origin: Address) -> Result<Capture, Error> {
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

    /// Ends the capture for all streams that take part.
    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::Release);
    }

    /// Whether the stream that the capture began on has ended it.
    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }
}
