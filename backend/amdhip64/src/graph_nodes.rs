//! What can be asked about graphs and their nodes, and copies of graphs.

use std::sync::Arc;

use crate::abi::{Address, In, Out};
use crate::call::api;
use crate::copy::line;
use crate::error::Error;
use crate::event::EVENTS;
use crate::graph_api::{
    FillParameters, HostParameters, KernelParameters, add, change_plan, give, graph, node, set_work,
};
use crate::kernel_launch::KernelLaunch;
use crate::lock::lock;
use crate::operation::{Node, Operation, ToldArguments, work};
use crate::region::Direction;
use crate::symbol::{into, out_of};

/// The work of a node.
fn work_of(handle: Address) -> Result<Operation, Error> {
    Ok(work(&*node(handle)?))
}

/// The nodes of a graph that wait for others, as pairs.
fn edges(handle: Address) -> Result<(Vec<Address>, Vec<Address>), Error> {
    let mut found = (Vec::new(), Vec::new());
    for to in graph(handle)?.nodes() {
        for from in lock(&node(to)?.after).iter() {
            found.0.push(*from);
            found.1.push(to);
        }
    }
    Ok(found)
}

/// The nodes that wait for one.
fn dependents(handle: Address) -> Result<Vec<Address>, Error> {
    node(handle)?;
    let graphs = crate::operation::GRAPHS.all();
    let nodes = graphs.iter().map(|graph| graph.nodes()).find(|nodes| nodes.contains(&handle)).unwrap_or_default();
    Ok(nodes.into_iter().filter(|other| node(*other).is_ok_and(|other| lock(&other.after).contains(&handle))).collect())
}

/// The address of a list of the addresses of a kernel's arguments. Both belong to the node, until its kernel is another one
/// (*CUDA Runtime API*, `cudaGraphKernelNodeGetParams`).
fn told_arguments(node: &Node, launch: &KernelLaunch) -> Result<Address, Error> {
    let explicit = launch.function.kernel()?.args.iter().filter(|argument| argument.is_explicit());
    let mut told = lock(&node.told_arguments);
    let known = told.take().filter(|known| Arc::ptr_eq(&known.bytes, &launch.arguments));
    let list = told.insert(known.unwrap_or_else(|| {
        let bytes = launch.arguments.clone();
        let start = bytes.as_ptr().expose_provenance() as u64;
        let addresses = explicit.map(|argument| Address::new(start + u64::from(argument.offset))).collect();
        ToldArguments { bytes, addresses }
    }));
    Ok(Address::new(list.addresses.as_ptr().expose_provenance() as u64))
}

fn record(event: Address) -> Result<Operation, Error> {
    Ok(Operation::Record(event, EVENTS.get(event)?.timestamp()))
}

fn wait(event: Address) -> Result<Operation, Error> {
    Ok(Operation::Wait(event, EVENTS.get(event)?.timestamp()))
}

/// Puts other work into a node that already does work of this kind.
fn replace(handle: Address, is_kind: impl Fn(&Operation) -> bool, new: Operation) -> Result<(), Error> {
    if !is_kind(&work_of(handle)?) {
        return Err(Error::InvalidValue);
    }
    set_work(handle, new)
}

fn is_copy(work: &Operation) -> bool {
    matches!(work, Operation::Copy(_))
}

api! {
    "hip_4.5" fn hipGraphClone(copy: Out<Address>, original: Address) {
        copy.check()?;
        copy.set(graph(original)?.copy()?.0)
    }

    "hip_4.5" fn hipGraphNodeFindInClone(found: Out<Address>, original: Address, copy: Address) {
        found.check()?;
        found.set(graph(copy)?.copy_of(original).ok_or(Error::InvalidValue)?)
    }

    "hip_4.5" fn hipGraphGetEdges(handle: Address, from: Out<Address>, to: Out<Address>, count: Out<usize>) {
        // Both lists are wanted, or neither.
        if from.address().is_null() != to.address().is_null() {
            return Err(Error::InvalidValue);
        }
        let (starts, ends) = edges(handle)?;
        let room = Address::new(count.address().get());
        let left = In::<usize>::at(room).get()?;
        give(&starts, &from, count)?;
        Out::at(room).set(left)?;
        give(&ends, &to, Out::at(room))
    }

    "hip_4.5" fn hipGraphNodeGetDependentNodes(handle: Address, nodes: Out<Address>, count: Out<usize>) {
        give(&dependents(handle)?, &nodes, count)
    }

    "hip_4.5" fn hipGraphChildGraphNodeGetGraph(handle: Address, child: Out<Address>) {
        match work_of(handle)? {
            Operation::Graph(graph, _) => child.set(graph),
            _ => Err(Error::InvalidValue),
        }
    }

    "hip_4.5" fn hipGraphEventRecordNodeGetEvent(handle: Address, event: Out<Address>) {
        match work_of(handle)? {
            Operation::Record(own, _) => event.set(own),
            _ => Err(Error::InvalidValue),
        }
    }

    "hip_4.5" fn hipGraphEventRecordNodeSetEvent(handle: Address, event: Address) {
        replace(handle, |work| matches!(work, Operation::Record(..)), record(event)?)
    }

    "hip_4.5" fn hipGraphEventWaitNodeGetEvent(handle: Address, event: Out<Address>) {
        match work_of(handle)? {
            Operation::Wait(own, _) => event.set(own),
            _ => Err(Error::InvalidValue),
        }
    }

    "hip_4.5" fn hipGraphEventWaitNodeSetEvent(handle: Address, event: Address) {
        replace(handle, |work| matches!(work, Operation::Wait(..)), wait(event)?)
    }

    "hip_4.4" fn hipGraphMemsetNodeGetParams(handle: Address, parameters: Out<FillParameters>) {
        match work_of(handle)? {
            Operation::Fill(fill) => parameters.set(FillParameters::of(&fill)),
            _ => Err(Error::InvalidValue),
        }
    }

    "hip_4.4" fn hipGraphKernelNodeGetParams(handle: Address, parameters: Out<KernelParameters>) {
        let node = node(handle)?;
        let Operation::Launch(launch) = work(&node) else { return Err(Error::InvalidValue) };
        let arguments = told_arguments(&node, &launch)?;
        parameters.set(KernelParameters::of(&launch, arguments)?)
    }

    "hip_4.5" fn hipGraphHostNodeGetParams(handle: Address, parameters: Out<HostParameters>) {
        match work_of(handle)? {
            Operation::Host(call) => parameters.set(HostParameters::of(&call)),
            _ => Err(Error::InvalidValue),
        }
    }

    "hip_4.5" fn hipGraphMemcpyNodeSetParams1D(
        handle: Address,
        to: Address,
        from: Address,
        bytes: usize,
        direction: Direction,
    ) {
        replace(handle, is_copy, Operation::Copy(line(to, from, bytes, direction)))
    }

    "hip_4.5" fn hipGraphAddMemcpyNodeToSymbol(
        handle: Out<Address>,
        graph: Address,
        after: In<Address>,
        count: usize,
        symbol: Address,
        from: Address,
        bytes: usize,
        offset: usize,
        direction: Direction,
    ) {
        add(handle, graph, &after, count, Operation::Copy(into(symbol, from, bytes, offset, direction)?))
    }

    "hip_4.5" fn hipGraphAddMemcpyNodeFromSymbol(
        handle: Out<Address>,
        graph: Address,
        after: In<Address>,
        count: usize,
        to: Address,
        symbol: Address,
        bytes: usize,
        offset: usize,
        direction: Direction,
    ) {
        add(handle, graph, &after, count, Operation::Copy(out_of(to, symbol, bytes, offset, direction)?))
    }

    "hip_4.5" fn hipGraphMemcpyNodeSetParamsToSymbol(
        handle: Address,
        symbol: Address,
        from: Address,
        bytes: usize,
        offset: usize,
        direction: Direction,
    ) {
        replace(handle, is_copy, Operation::Copy(into(symbol, from, bytes, offset, direction)?))
    }

    "hip_4.5" fn hipGraphMemcpyNodeSetParamsFromSymbol(
        handle: Address,
        to: Address,
        symbol: Address,
        bytes: usize,
        offset: usize,
        direction: Direction,
    ) {
        replace(handle, is_copy, Operation::Copy(out_of(to, symbol, bytes, offset, direction)?))
    }

    "hip_4.5" fn hipGraphExecMemcpyNodeSetParamsToSymbol(
        plan: Address,
        handle: Address,
        symbol: Address,
        from: Address,
        bytes: usize,
        offset: usize,
        direction: Direction,
    ) {
        change_plan(plan, handle, Operation::Copy(into(symbol, from, bytes, offset, direction)?))
    }

    "hip_4.5" fn hipGraphExecMemcpyNodeSetParamsFromSymbol(
        plan: Address,
        handle: Address,
        to: Address,
        symbol: Address,
        bytes: usize,
        offset: usize,
        direction: Direction,
    ) {
        change_plan(plan, handle, Operation::Copy(out_of(to, symbol, bytes, offset, direction)?))
    }

    "hip_4.5" fn hipGraphExecChildGraphNodeSetParams(plan: Address, handle: Address, child: Address) {
        let (child, copy) = graph(child)?.copy()?;
        change_plan(plan, handle, Operation::Graph(child, copy))
    }

    "hip_4.5" fn hipGraphExecEventRecordNodeSetEvent(plan: Address, handle: Address, event: Address) {
        change_plan(plan, handle, record(event)?)
    }

    "hip_4.5" fn hipGraphExecEventWaitNodeSetEvent(plan: Address, handle: Address, event: Address) {
        change_plan(plan, handle, wait(event)?)
    }
}
