//! Work that is put into streams, or recorded in graphs.

use std::ffi::c_void;
use std::sync::Arc;

use crate::abi::Address;
use crate::error::Error;
use crate::event::Event;
use crate::graph::Graph;
use crate::launch::KernelLaunch;
use crate::region::{Copy, Fill};
use crate::runtime::gpu;

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
    /// Takes the time.
    Record(Arc<Event>),
    /// Gives memory back.
    Free(Address),
    /// Writes a value of 4 or 8 bytes.
    Write { to: Address, value: u64, bytes: usize },
    /// All work of another graph.
    Graph(Arc<Graph>),
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
            Operation::Record(event) => {
                event.record();
                Ok(())
            }
            Operation::Free(address) => crate::memory::free(*address),
            Operation::Write { to, value, bytes } => write(*to, *value, *bytes),
            Operation::Graph(graph) => graph.run(),
            Operation::Nothing => Ok(()),
        }
    }
}

/// Writes the low bytes of a value.
fn write(to: Address, value: u64, bytes: usize) -> Result<(), Error> {
    crate::region::check(to, bytes, true)?;
    let value = value.to_le_bytes();
    // SAFETY: the place was checked against the allocation that it lies in.
    unsafe { std::ptr::copy_nonoverlapping(value.as_ptr(), to.pointer(), bytes.min(8)) };
    Ok(())
}
