//! Work that is put into streams or recorded in graphs, and the graphs, which are work themselves.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex};

use crate::abi::Address;
use crate::allocation::free;
use crate::error::Error;
use crate::handles::Handles;
use crate::kernel_launch::KernelLaunch;
use crate::lock::lock;
use crate::region::{Copy, Fill};
use crate::runtime::gpu;
use crate::timestamp::Timestamp;

/// A function of the host that a stream calls.
#[derive(Clone)]
pub(crate) struct HostCall {
    pub(crate) function: extern "C" fn(*mut c_void),
    pub(crate) data: Address,
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
    /// Takes the time for an event.
    Record(Address, Arc<Timestamp>),
    /// Waits for an event: work is done in order, so there is never anything to wait for.
    Wait(Address),
    /// Gives memory back.
    Free(Address),
    /// Writes a value of 4 or 8 bytes.
    Write { to: Address, value: u64, bytes: usize },
    /// All work of another graph, which has a handle.
    Graph(Address, Arc<Graph>),
    /// Nothing: a point that other work waits for.
    Nothing,
}

impl Operation {
    /// Does the work, completely: when this returns, it has happened.
    pub(crate) fn run(&self) -> Result<(), Error> {
        gpu().check()?;
        match self {
            Operation::Launch(launch) => launch.run(),
            Operation::Copy(copy) => copy.run(),
            Operation::Fill(fill) => fill.run(),
            Operation::Host(call) => {
                (call.function)(call.data.pointer().cast());
                Ok(())
            }
            Operation::Record(_, timestamp) => {
                timestamp.take();
                Ok(())
            }
            Operation::Free(address) => free(*address),
            Operation::Write { to, value, bytes } => write(*to, *value, *bytes),
            Operation::Graph(_, graph) => graph.run(),
            Operation::Wait(_) | Operation::Nothing => Ok(()),
        }
    }
}

impl Operation {
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
}

pub(crate) static GRAPHS: Handles<Graph> = Handles::new("a graph");
pub(crate) static NODES: Handles<Node> = Handles::new("a node");

impl Graph {
    /// Adds a node, and gives its handle.
    pub(crate) fn add(&self, work: Operation, after: Vec<Address>) -> Address {
        let node = NODES.insert(Node { work: Mutex::new(work), after: Mutex::new(after) });
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

    /// Does all work.
    pub(crate) fn run(&self) -> Result<(), Error> {
        self.order()?.iter().try_for_each(|(_, node)| work(node).run())
    }
}

/// The work of a node, as it is now.
pub(crate) fn work(node: &Node) -> Operation {
    lock(&node.work).clone()
}
