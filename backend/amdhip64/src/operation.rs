//! Work that is put into streams or recorded in graphs, and the graphs, which are work themselves.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex};

use crate::abi::{Address, Status};
use crate::allocation::{check_free, free};
use crate::awaited::Await;
use crate::error::Error;
use crate::handles::Handles;
use crate::kernel_launch::KernelLaunch;
use crate::lines::Ticket;
use crate::lock::lock;
use crate::neighbours::Neighbour;
use crate::region::{Copy, Fill};
use crate::runtime::gpu;
use crate::timestamp::Timestamp;

/// A function of the host that a stream calls.
#[derive(Clone)]
pub(crate) struct HostCall {
    pub(crate) function: extern "C" fn(*mut c_void),
    pub(crate) data: Address,
}

/// The function that `hipStreamAddCallback` takes.
pub(crate) type Callback = extern "C" fn(stream: Address, status: Status, data: *mut c_void);

/// A function of the host that a stream calls, and what it is told.
#[derive(Clone)]
pub(crate) struct StreamCallback {
    pub(crate) function: Callback,
    pub(crate) stream: Address,
    pub(crate) data: Address,
}

impl StreamCallback {
    fn call(&self) {
        let status = gpu().check().map_or_else(|error| error as Status, |()| 0);
        (self.function)(self.stream, status, self.data.pointer().cast());
    }
}

/// One piece of work.
#[derive(Clone)]
pub(crate) enum Operation {
    /// Runs a kernel.
    Launch(KernelLaunch),
    /// Copies memory.
    Copy(Copy),
    /// Fills memory.
    Fill(Fill),
    /// Calls a function of the host.
    Host(HostCall),
    /// Calls a function of the host with the state of the device.
    Callback(StreamCallback),
    /// Takes the time for an event.
    Record(Address, Arc<Timestamp>),
    /// Waits for an event: it is done when the event has happened as it was last recorded.
    Wait(Address, Arc<Timestamp>),
    /// Gives memory back.
    Free(Address),
    /// Waits until a value in memory is as wanted.
    Await(Await),
    /// Writes a value of 4 or 8 bytes.
    Write { to: Address, value: u64, bytes: usize },
    /// All work of another graph, which has a handle.
    Graph(Address, Arc<Graph>),
    /// Nothing: a point that other work waits for.
    Nothing,
}

impl Operation {
    /// Does the work, completely: when this returns, it has happened. `ticket` is its place in the order of all work, and
    /// `neighbour` what others see of it.
    pub(crate) fn run(&self, ticket: Ticket, neighbour: &Neighbour) -> Result<(), Error> {
        if let Operation::Callback(callback) = self {
            // It is told of a failure.
            callback.call();
            return Ok(());
        }
        gpu().check()?;
        match self {
            Operation::Launch(launch) => launch.run(neighbour),
            Operation::Copy(copy) => copy.run(),
            Operation::Fill(fill) => fill.run(),
            Operation::Host(call) => {
                (call.function)(call.data.pointer().cast());
                Ok(())
            }
            Operation::Record(_, timestamp) => {
                timestamp.take(ticket);
                Ok(())
            }
            Operation::Free(address) => free(*address),
            Operation::Await(value) => value.wait(),
            Operation::Write { to, value, bytes } => write(*to, *value, *bytes),
            // The work of graphs is submitted piece by piece.
            Operation::Graph(..) | Operation::Callback(_) | Operation::Wait(..) | Operation::Nothing => Ok(()),
        }
    }
}

impl Operation {
    /// The work that has to be done before, beside that of the stream.
    pub(crate) fn event(&self) -> Option<Ticket> {
        let Operation::Wait(_, timestamp) = self else { return None };
        timestamp.ticket()
    }

    /// Whether the host waits for the work wherever it is submitted: copies of memory that the GPU cannot reach are such
    /// (*CUDA Runtime API*, "API synchronization behavior").
    pub(crate) fn is_bound_to_host(&self) -> bool {
        matches!(self, Operation::Copy(copy) if copy.is_of_host())
    }

    /// Fails where work could not be done that is put into a stream.
    pub(crate) fn check_submitted(&self) -> Result<(), Error> {
        match self {
            Operation::Launch(launch) => launch.check(),
            Operation::Await(value) => value.check(),
            Operation::Write { to, bytes, .. } => crate::region::check(*to, *bytes, true),
            Operation::Free(address) => check_free(*address),
            other => other.check(),
        }
    }

    /// Fails where the work could not be done as it is described: what graphs are told when work is put into them.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match self {
            Operation::Copy(copy) => copy.check(),
            Operation::Fill(fill) => fill.check(),
            _ => Ok(()),
        }
    }
}

/// Writes the low bytes of a value.
fn write(to: Address, value: u64, bytes: usize) -> Result<(), Error> {
    crate::region::check(to, bytes, true)?;
    let value = value.to_le_bytes();
    // SAFETY: the place was checked against the allocation that it lies in.
    unsafe { std::ptr::copy_nonoverlapping(value.as_ptr(), to.pointer(), bytes.min(8)) };
    gpu().device.memory().note_written(to.get(), bytes as u64);
    Ok(())
}

/// Work that is described and not yet done.
#[derive(Default)]
pub(crate) struct Graph {
    /// The nodes, in the order in which they were added.
    nodes: Mutex<Vec<Address>>,
    /// Of a copy: its nodes by those that they were made of.
    copies: Mutex<HashMap<Address, Address>>,
}

/// One piece of work in a graph.
pub(crate) struct Node {
    pub(crate) work: Mutex<Operation>,
    /// The nodes that must be done before.
    pub(crate) after: Mutex<Vec<Address>>,
    /// The arguments of its kernel, once somebody has asked for them.
    pub(crate) told_arguments: Mutex<Option<ToldArguments>>,
}

/// Arguments of a kernel, as a program may look at them.
pub(crate) struct ToldArguments {
    pub(crate) bytes: Arc<[u8]>,
    /// The address of each.
    pub(crate) addresses: Box<[Address]>,
}

pub(crate) static GRAPHS: Handles<Graph> = Handles::new("a graph");
pub(crate) static NODES: Handles<Node> = Handles::new("a node");

impl Graph {
    /// Adds a node, and gives its handle.
    pub(crate) fn add(&self, work: Operation, after: Vec<Address>) -> Address {
        let node =
            NODES.insert(Node { work: Mutex::new(work), after: Mutex::new(after), told_arguments: Mutex::default() });
        lock(&self.nodes).push(node);
        node
    }

    /// The nodes, in the order in which they were added.
    pub(crate) fn nodes(&self) -> Vec<Address> {
        lock(&self.nodes).clone()
    }

    /// Takes a node out, if it is in this graph.
    pub(crate) fn forget(&self, node: Address) {
        lock(&self.nodes).retain(|own| *own != node);
    }

    /// A copy with nodes of its own, and its handle. Graphs within are copied, too.
    pub(crate) fn copy(&self) -> Result<(Address, Arc<Graph>), Error> {
        let (copy, mut names) = (Graph::default(), HashMap::new());
        for old in self.nodes() {
            let work = match work(&*NODES.get(old)?) {
                Operation::Graph(_, child) => child.copy().map(|(handle, child)| Operation::Graph(handle, child))?,
                other => other,
            };
            names.insert(old, copy.add(work, Vec::new()));
        }
        for (old, new) in &names {
            let after = lock(&NODES.get(*old)?.after).iter().filter_map(|node| names.get(node).copied()).collect();
            *lock(&NODES.get(*new)?.after) = after;
        }
        *lock(&copy.copies) = names;
        let handle = GRAPHS.insert(copy);
        Ok((handle, GRAPHS.get(handle)?))
    }

    /// The node of this copy that was made of another one.
    pub(crate) fn copy_of(&self, node: Address) -> Option<Address> {
        lock(&self.copies).get(&node).copied()
    }

    /// Forgets all nodes.
    pub(crate) fn clear(&self) {
        for node in lock(&self.nodes).drain(..) {
            // A node that was destroyed by itself is gone already.
            let _ = NODES.remove(node);
        }
    }

    /// The nodes in an order in which each follows what it waits for. Fails where nodes wait for each other.
    pub(crate) fn order(&self) -> Result<Vec<(Address, Arc<Node>)>, Error> {
        let nodes = self.nodes();
        let mut waiting: HashMap<Address, Vec<Address>> = HashMap::new();
        for &handle in &nodes {
            let after = lock(&NODES.get(handle)?.after).clone();
            waiting.insert(handle, after.into_iter().filter(|node| nodes.contains(node)).collect());
        }
        let mut order = Vec::new();
        while order.len() < nodes.len() {
            let ready = nodes.iter().find(|node| waiting.get(node).is_some_and(Vec::is_empty));
            let ready = *ready.ok_or(Error::InvalidValue)?;
            waiting.remove(&ready);
            for after in waiting.values_mut() {
                after.retain(|node| *node != ready);
            }
            order.push((ready, NODES.get(ready)?));
        }
        Ok(order)
    }
}

/// The work of a node, as it is now.
pub(crate) fn work(node: &Node) -> Operation {
    lock(&node.work).clone()
}
