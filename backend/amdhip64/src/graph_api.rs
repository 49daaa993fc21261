//! The functions that build, instantiate and launch graphs.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::{Arc, Mutex};

use crate::abi::{Address, Dim3, In, Out};
use crate::call::api;
use crate::copy::{Parameters3D, line};
use crate::error::Error;
use crate::event::EVENTS;
use crate::functions::{function, symbol_of};
use crate::handles::Handles;
use crate::kernel_launch::{KernelLaunch, Shape};
use crate::launch::{Arguments, arguments};
use crate::lock::lock;
use crate::operation::{GRAPHS, Graph, HostCall, NODES, Node, Operation, work};
use crate::region::{Direction, Extent, Fill, Place};
use crate::stream::submit_graph;

/// A graph that is ready to run: the work in its order, as it was when the graph was instantiated.
struct Plan {
    steps: Mutex<Vec<Step>>,
}

/// One piece of work of a plan.
struct Step {
    node: Address,
    work: Operation,
    enabled: bool,
}

static PLANS: Handles<Plan> = Handles::new("an executable graph");

impl Plan {
    fn new(graph: &Graph) -> Result<Plan, Error> {
        let order = graph.order()?;
        let steps = order.iter().map(|(node, content)| Step { node: *node, work: work(content), enabled: true });
        Ok(Plan { steps: Mutex::new(steps.collect()) })
    }

    /// Changes the step of a node. Fails where the plan has no such node.
    fn change(&self, node: Address, change: impl FnOnce(&mut Step)) -> Result<(), Error> {
        let mut steps = lock(&self.steps);
        change(steps.iter_mut().find(|step| step.node == node).ok_or(Error::InvalidValue)?);
        Ok(())
    }

    fn work(&self) -> Vec<Operation> {
        lock(&self.steps).iter().filter(|step| step.enabled).map(|step| step.work.clone()).collect()
    }
}

/// The graph of a handle.
pub(crate) fn graph(handle: Address) -> Result<Arc<Graph>, Error> {
    GRAPHS.get(handle).map_err(|_| Error::InvalidValue)
}

/// The node of a handle.
pub(crate) fn node(handle: Address) -> Result<Arc<Node>, Error> {
    NODES.get(handle).map_err(|_| Error::InvalidValue)
}

/// The executable graph of a handle.
fn plan_of(handle: Address) -> Result<Arc<Plan>, Error> {
    PLANS.get(handle).map_err(|_| Error::InvalidValue)
}

/// Adds a node to a graph, after others.
pub(crate) fn add(
    out: Out<Address>,
    graph: Address,
    after: &In<Address>,
    count: usize,
    work: Operation,
) -> Result<(), Error> {
    out.check()?;
    let after = after.list(count)?;
    after.iter().try_for_each(|handle| node(*handle).map(|_| ()))?;
    work.check()?;
    out.set(self::graph(graph)?.add(work, after))
}

/// Hands a list to a caller, who asks for its length first with a null pointer.
pub(crate) fn give(nodes: &[Address], place: &Out<Address>, count: Out<usize>) -> Result<(), Error> {
    let room = In::<usize>::at(count.address()).get()?;
    if !place.address().is_null() {
        for (at, node) in nodes.iter().take(room).enumerate() {
            Out::at(Address::new(place.address().get() + (at * size_of::<Address>()) as u64)).set(*node)?;
        }
    }
    count.set(if place.address().is_null() { nodes.len() } else { nodes.len().min(room) })
}

/// `hipKernelNodeParams`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct KernelParameters {
    block: Dim3,
    extra: Address,
    symbol: Address,
    grid: Dim3,
    arguments: Address,
    dynamic_lds: c_uint,
}

impl KernelParameters {
    /// What a launch is described by, with the addresses of its arguments.
    pub(crate) fn of(launch: &KernelLaunch, arguments: Address) -> Result<KernelParameters, Error> {
        let Shape { grid, block, dynamic_lds, .. } = launch.shape;
        let symbol = symbol_of(&launch.function).ok_or(Error::InvalidDeviceFunction)?;
        let dynamic_lds = c_uint::try_from(dynamic_lds).map_err(|_| Error::InvalidValue)?;
        Ok(KernelParameters { block, extra: Address::NULL, symbol, grid, arguments, dynamic_lds })
    }

    /// The launch, with a copy of its arguments.
    fn operation(&self) -> Result<Operation, Error> {
        let function = function(self.symbol)?;
        let shape =
            Shape { grid: self.grid, block: self.block, dynamic_lds: self.dynamic_lds as usize, cooperative: false };
        let arguments = arguments(&function, &Arguments::at(self.arguments), &In::at(self.extra))?;
        Ok(Operation::Launch(KernelLaunch { function, shape, arguments }))
    }
}

/// `hipMemsetParams`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct FillParameters {
    to: Address,
    size: c_uint,
    height: usize,
    pitch: usize,
    value: c_uint,
    width: usize,
}

impl FillParameters {
    /// What a fill is described by.
    pub(crate) fn of(fill: &Fill) -> FillParameters {
        FillParameters {
            to: fill.to.address,
            size: c_uint::try_from(fill.size).unwrap_or(1),
            height: fill.extent.height,
            pitch: fill.to.row,
            value: fill.value,
            width: fill.extent.width / fill.size.max(1),
        }
    }

    fn operation(&self) -> Result<Operation, Error> {
        let size = self.size as usize;
        let width = self.width.checked_mul(size).ok_or(Error::InvalidValue)?;
        let extent = Extent { width, height: self.height, depth: 1 };
        Ok(Operation::Fill(Fill { to: Place::rows(self.to, self.pitch), extent, value: self.value, size }))
    }
}

/// `hipHostNodeParams`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct HostParameters {
    function: Option<extern "C" fn(*mut c_void)>,
    data: Address,
}

impl HostParameters {
    /// What a call of the host is described by.
    pub(crate) fn of(call: &HostCall) -> HostParameters {
        HostParameters { function: Some(call.function), data: call.data }
    }

    fn operation(&self) -> Result<Operation, Error> {
        let function = self.function.ok_or(Error::InvalidValue)?;
        Ok(Operation::Host(HostCall { function, data: self.data }))
    }
}

/// `hipGraphNodeType` of a piece of work.
fn node_type(work: &Operation) -> c_uint {
    match work {
        Operation::Launch(_) => 0,
        Operation::Copy(_) => 1,
        Operation::Fill(_) => 2,
        Operation::Host(_) | Operation::Callback(_) => 3,
        Operation::Graph(..) => 4,
        Operation::Nothing => 5,
        Operation::Wait(..) => 6,
        Operation::Record(..) => 7,
        Operation::Free(_) => 11,
        Operation::Await(_) | Operation::Write { .. } => 14,
    }
}

/// Puts other work into a node.
pub(crate) fn set_work(node: Address, work: Operation) -> Result<(), Error> {
    work.check()?;
    *lock(&self::node(node)?.work) = work;
    Ok(())
}

fn instantiate(plan: Out<Address>, graph: Address) -> Result<(), Error> {
    plan.check()?;
    let graph = self::graph(graph)?;
    plan.set(PLANS.insert(Plan::new(&graph)?))
}

/// Puts other work into a step of an executable graph.
pub(crate) fn change_plan(plan: Address, node: Address, work: Operation) -> Result<(), Error> {
    work.check()?;
    plan_of(plan)?.change(node, |step| step.work = work)
}

api! {
    "hip_4.3" fn hipGraphCreate(graph: Out<Address>, flags: c_uint) {
        graph.check()?;
        if flags != 0 {
            return Err(Error::InvalidValue);
        }
        graph.set(GRAPHS.insert(Graph::default()))
    }

    "hip_4.3" fn hipGraphDestroy(graph: Address) {
        GRAPHS.remove(graph).map_err(|_| Error::InvalidValue)?.clear();
        Ok(())
    }

    "hip_4.3" fn hipGraphAddKernelNode(
        node: Out<Address>,
        graph: Address,
        after: In<Address>,
        count: usize,
        parameters: In<KernelParameters>,
    ) {
        add(node, graph, &after, count, parameters.get()?.operation()?)
    }

    "hip_4.3" fn hipGraphAddMemcpyNode(
        node: Out<Address>,
        graph: Address,
        after: In<Address>,
        count: usize,
        parameters: In<Parameters3D>,
    ) {
        add(node, graph, &after, count, Operation::Copy(parameters.get()?.copy()?))
    }

    "hip_4.3" fn hipGraphAddMemcpyNode1D(
        node: Out<Address>,
        graph: Address,
        after: In<Address>,
        count: usize,
        to: Address,
        from: Address,
        bytes: usize,
        direction: Direction,
    ) {
        add(node, graph, &after, count, Operation::Copy(line(to, from, bytes, direction)))
    }

    "hip_4.3" fn hipGraphAddMemsetNode(
        node: Out<Address>,
        graph: Address,
        after: In<Address>,
        count: usize,
        parameters: In<FillParameters>,
    ) {
        add(node, graph, &after, count, parameters.get()?.operation()?)
    }

    "hip_4.5" fn hipGraphAddHostNode(
        node: Out<Address>,
        graph: Address,
        after: In<Address>,
        count: usize,
        parameters: In<HostParameters>,
    ) {
        add(node, graph, &after, count, parameters.get()?.operation()?)
    }

    "hip_4.4" fn hipGraphAddEmptyNode(node: Out<Address>, graph: Address, after: In<Address>, count: usize) {
        add(node, graph, &after, count, Operation::Nothing)
    }

    "hip_4.5" fn hipGraphAddChildGraphNode(
        node: Out<Address>,
        graph: Address,
        after: In<Address>,
        count: usize,
        child: Address,
    ) {
        let (child, copy) = self::graph(child)?.copy()?;
        add(node, graph, &after, count, Operation::Graph(child, copy))
    }

    "hip_4.5" fn hipGraphAddEventRecordNode(
        node: Out<Address>,
        graph: Address,
        after: In<Address>,
        count: usize,
        event: Address,
    ) {
        add(node, graph, &after, count, Operation::Record(event, EVENTS.get(event)?.timestamp()))
    }

    "hip_4.5" fn hipGraphAddEventWaitNode(
        node: Out<Address>,
        graph: Address,
        after: In<Address>,
        count: usize,
        event: Address,
    ) {
        add(node, graph, &after, count, Operation::Wait(event, EVENTS.get(event)?.timestamp()))
    }

    "hip_4.4" fn hipGraphAddDependencies(graph: Address, from: In<Address>, to: In<Address>, count: usize) {
        self::graph(graph)?;
        for (from, to) in from.list(count)?.into_iter().zip(to.list(count)?) {
            self::node(from)?;
            lock(&self::node(to)?.after).push(from);
        }
        Ok(())
    }

    "hip_4.5" fn hipGraphRemoveDependencies(graph: Address, from: In<Address>, to: In<Address>, count: usize) {
        self::graph(graph)?;
        for (from, to) in from.list(count)?.into_iter().zip(to.list(count)?) {
            lock(&self::node(to)?.after).retain(|node| *node != from);
        }
        Ok(())
    }

    "hip_4.5" fn hipGraphDestroyNode(node: Address) {
        self::node(node)?;
        GRAPHS.all().iter().for_each(|graph| graph.forget(node));
        NODES.remove(node).map(|_| ()).map_err(|_| Error::InvalidValue)
    }

    "hip_4.4" fn hipGraphGetNodes(graph: Address, nodes: Out<Address>, count: Out<usize>) {
        give(&self::graph(graph)?.nodes(), &nodes, count)
    }

    "hip_4.4" fn hipGraphGetRootNodes(graph: Address, nodes: Out<Address>, count: Out<usize>) {
        let graph = self::graph(graph)?;
        let is_root = |node: &Address| self::node(*node).is_ok_and(|node| lock(&node.after).is_empty());
        let roots: Vec<Address> = graph.nodes().into_iter().filter(is_root).collect();
        give(&roots, &nodes, count)
    }

    "hip_4.5" fn hipGraphNodeGetType(node: Address, kind: Out<c_uint>) {
        kind.set(node_type(&work(&*self::node(node)?)))
    }

    "hip_4.5" fn hipGraphNodeGetDependencies(node: Address, nodes: Out<Address>, count: Out<usize>) {
        let after = lock(&self::node(node)?.after).clone();
        give(&after, &nodes, count)
    }

    "hip_4.4" fn hipGraphKernelNodeSetParams(node: Address, parameters: In<KernelParameters>) {
        set_work(node, parameters.get()?.operation()?)
    }

    "hip_4.4" fn hipGraphMemcpyNodeSetParams(node: Address, parameters: In<Parameters3D>) {
        set_work(node, Operation::Copy(parameters.get()?.copy()?))
    }

    "hip_4.4" fn hipGraphMemsetNodeSetParams(node: Address, parameters: In<FillParameters>) {
        set_work(node, parameters.get()?.operation()?)
    }

    "hip_4.5" fn hipGraphHostNodeSetParams(node: Address, parameters: In<HostParameters>) {
        set_work(node, parameters.get()?.operation()?)
    }

    "hip_4.3" fn hipGraphInstantiate(
        plan: Out<Address>,
        graph: Address,
        _error_node: Address,
        _log: *mut c_char,
        _log_bytes: usize,
    ) {
        instantiate(plan, graph)
    }

    "hip_4.5" fn hipGraphInstantiateWithFlags(plan: Out<Address>, graph: Address, _flags: u64) {
        instantiate(plan, graph)
    }

    "hip_4.3" fn hipGraphLaunch also "hip_5.3" hipGraphLaunch_spt(plan: Address, stream: Address) {
        submit_graph(stream, plan_of(plan)?.work())
    }

    /// Nothing needs to be moved before a launch.
    "hip_5.3" fn hipGraphUpload(plan: Address, stream: Address) {
        crate::stream::get(stream)?;
        plan_of(plan).map(|_| ())
    }

    "hip_4.3" fn hipGraphExecDestroy(plan: Address) { PLANS.remove(plan).map(|_| ()).map_err(|_| Error::InvalidValue) }

    "hip_4.4" fn hipGraphExecKernelNodeSetParams(plan: Address, node: Address, parameters: In<KernelParameters>) {
        change_plan(plan, node, parameters.get()?.operation()?)
    }

    "hip_4.5" fn hipGraphExecMemcpyNodeSetParams1D(
        plan: Address,
        node: Address,
        to: Address,
        from: Address,
        bytes: usize,
        direction: Direction,
    ) {
        change_plan(plan, node, Operation::Copy(line(to, from, bytes, direction)))
    }

    "hip_4.5" fn hipGraphExecMemcpyNodeSetParams(plan: Address, node: Address, parameters: In<Parameters3D>) {
        change_plan(plan, node, Operation::Copy(parameters.get()?.copy()?))
    }

    "hip_4.5" fn hipGraphExecMemsetNodeSetParams(plan: Address, node: Address, parameters: In<FillParameters>) {
        change_plan(plan, node, parameters.get()?.operation()?)
    }

    "hip_4.5" fn hipGraphExecHostNodeSetParams(plan: Address, node: Address, parameters: In<HostParameters>) {
        change_plan(plan, node, parameters.get()?.operation()?)
    }

    "hip_5.3" fn hipGraphNodeSetEnabled(plan: Address, node: Address, enabled: c_uint) {
        plan_of(plan)?.change(node, |step| step.enabled = enabled != 0)
    }

    "hip_5.3" fn hipGraphNodeGetEnabled(plan: Address, node: Address, enabled: Out<c_uint>) {
        let mut is_enabled = false;
        plan_of(plan)?.change(node, |step| is_enabled = step.enabled)?;
        enabled.set(is_enabled.into())
    }

    /// The update of a plan from a graph of the same shape: nodes of the same kind, in the same order.
    "hip_4.5" fn hipGraphExecUpdate(plan: Address, graph: Address, error_node: Out<Address>, result: Out<c_int>) {
        let plan = plan_of(plan)?;
        let new = Plan::new(&*self::graph(graph)?)?;
        let mut steps = lock(&plan.steps);
        let new = new.steps.into_inner().map_err(|_| Error::Unknown)?;
        let same = new.len() == steps.len()
            && new.iter().zip(steps.iter()).all(|(new, old)| node_type(&new.work) == node_type(&old.work));
        error_node.set_if_wanted(Address::NULL);
        // hipGraphExecUpdateSuccess, or ...ErrorTopologyChanged.
        result.set(if same { 0 } else { 2 })?;
        if !same {
            return Err(Error::GraphExecUpdateFailure);
        }
        for (old, new) in steps.iter_mut().zip(new) {
            old.work = new.work;
        }
        Ok(())
    }
}
