//! Launches of kernels: arguments put in place, work submitted, faults explained.

use std::cell::RefCell;
use std::ffi::{c_int, c_uint};
use std::sync::Arc;

use hipshift_emulator::object::Kernel;
use hipshift_emulator::{Checks, FaultKind, Launch, LaunchError};

use crate::abi::{Address, Dim3, In, Out, api};
use crate::error::Error;
use crate::event::EVENTS;
use crate::loaded::Function;
use crate::messages::{found, warn};
use crate::module::FUNCTIONS;
use crate::operation::Operation;
use crate::registry;
use crate::runtime::gpu;
use crate::stream::submit;

/// A launch with everything that it needs.
#[derive(Clone)]
pub(crate) struct KernelLaunch {
    pub(crate) function: Function,
    pub(crate) shape: Shape,
    /// The explicit arguments, laid out as the kernel reads them.
    pub(crate) arguments: Arc<[u8]>,
}

/// Sizes of a launch.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    /// Blocks.
    pub(crate) grid: Dim3,
    /// Threads of a block.
    pub(crate) block: Dim3,
    /// Dynamic LDS of a block, in bytes.
    pub(crate) dynamic_lds: usize,
    /// All blocks are resident together.
    pub(crate) cooperative: bool,
}

impl KernelLaunch {
    /// Runs the kernel. A fault is explained on the error stream, and stops all later work.
    pub(crate) fn run(&self) -> Result<(), Error> {
        let Shape { grid, block, dynamic_lds, cooperative } = self.shape;
        let launch = Launch {
            grid: grid.array(),
            block: block.array(),
            dynamic_lds: u32::try_from(dynamic_lds).map_err(|_| Error::InvalidValue)?,
            arguments: &self.arguments,
            cooperative,
        };
        let result = gpu().device.launch(&self.function.module, &self.function.name, &launch);
        result.map(|_| ()).map_err(|error| {
            match error {
                LaunchError::Fault(_) => found(&error.to_string()),
                // The program is told by a status, and may go on.
                _ if gpu().checks == Checks::All => found(&error.to_string()),
                _ => warn(&error.to_string()),
            }
            status(&error)
        })
    }
}

/// The status that a failed launch has on hardware.
fn status(error: &LaunchError) -> Error {
    match error {
        LaunchError::UnknownKernel(_) => Error::InvalidDeviceFunction,
        LaunchError::Configuration(_) => Error::InvalidConfiguration,
        LaunchError::TooLarge { .. } => Error::CooperativeLaunchTooLarge,
        LaunchError::OutOfMemory(_) => Error::LaunchOutOfResources,
        LaunchError::Fault(fault) => {
            let error = match fault.kind {
                FaultKind::OutOfBounds { .. } => Error::IllegalAddress,
                FaultKind::Assert => Error::Assert,
                FaultKind::StepLimit(_) => Error::LaunchTimeOut,
                _ => Error::LaunchFailure,
            };
            gpu().fail(error);
            error
        }
    }
}

/// The arguments of a launch: an array with the address of each.
#[repr(transparent)]
pub(crate) struct Arguments(In<Address>);

impl Arguments {
    /// An array at an address that the caller handed over within a structure.
    pub(crate) fn at(address: Address) -> Arguments {
        Arguments(In::at(address))
    }

    /// Copies the arguments to where the kernel reads them.
    fn pack(&self, kernel: &Kernel) -> Result<Arc<[u8]>, Error> {
        let explicit: Vec<_> = kernel.args.iter().filter(|argument| argument.is_explicit()).collect();
        let addresses = self.0.list(explicit.len())?;
        let mut packed = vec![0; kernel.kernarg_size as usize];
        for (argument, address) in explicit.into_iter().zip(addresses) {
            let (start, bytes) = (argument.offset as usize, argument.size as usize);
            let place = packed.get_mut(start..start + bytes).ok_or(Error::InvalidImage)?;
            if address.is_null() {
                return Err(Error::InvalidValue);
            }
            // SAFETY: the caller passes the address of each argument, whose size the compiler wrote down.
            unsafe { std::ptr::copy_nonoverlapping(address.pointer().cast_const(), place.as_mut_ptr(), bytes) };
        }
        Ok(packed.into())
    }
}

/// Markers in the `extra` list of a launch: the buffer of packed arguments, its size, and the end.
const BUFFER: u64 = 1;
const BUFFER_SIZE: u64 = 2;
const END: u64 = 3;

/// The `extra` list of a launch, which hands over arguments that are packed already.
fn packed(extra: &In<Address>, kernel: &Kernel) -> Result<Arc<[u8]>, Error> {
    let (mut buffer, mut bytes) = (Address::NULL, 0);
    let mut at = 0;
    loop {
        let list = extra.list(at + 1)?;
        match list[at].get() {
            BUFFER => buffer = extra.list(at + 2)?[at + 1],
            BUFFER_SIZE => bytes = In::<usize>::at(extra.list(at + 2)?[at + 1]).get()?,
            END => break,
            _ => return Err(Error::InvalidValue),
        }
        at += 2;
    }
    if buffer.is_null() && bytes != 0 {
        return Err(Error::InvalidValue);
    }
    let mut packed = In::<u8>::at(buffer).list(bytes.min(kernel.kernarg_size as usize))?;
    packed.resize(kernel.kernarg_size as usize, 0);
    Ok(packed.into())
}

/// The arguments of a launch that may be given in either way.
pub(crate) fn arguments(function: &Function, list: &Arguments, extra: &In<Address>) -> Result<Arc<[u8]>, Error> {
    let kernel = function.kernel()?;
    if extra.address().is_null() { list.pack(kernel) } else { packed(extra, kernel) }
}

/// The kernel behind a host symbol, or behind a handle that `hipModuleGetFunction` gave.
pub(crate) fn function(symbol: Address) -> Result<Function, Error> {
    match registry::function(symbol) {
        Ok(entry) => Function::new(entry.binary.load()?, entry.name),
        Err(error) => FUNCTIONS.get(symbol).map(|function| (*function).clone()).map_err(|_| error),
    }
}

/// Puts a launch into a stream.
fn launch(function: Function, shape: Shape, arguments: Arc<[u8]>, stream: Address) -> Result<(), Error> {
    submit(stream, Operation::Launch(KernelLaunch { function, shape, arguments }))
}

/// Puts a launch into a stream, with arguments as an array of addresses.
pub(crate) fn launch_with(
    function: Function,
    shape: Shape,
    arguments: &Arguments,
    stream: Address,
) -> Result<(), Error> {
    let arguments = arguments.pack(function.kernel()?)?;
    launch(function, shape, arguments, stream)
}

/// A configuration of `kernel<<<...>>>`, between the push of the caller and the pop of the stub.
#[derive(Clone, Copy)]
struct Configuration {
    grid: Dim3,
    block: Dim3,
    dynamic_lds: usize,
    stream: Address,
}

thread_local! {
    static CONFIGURATIONS: RefCell<Vec<Configuration>> = const { RefCell::new(Vec::new()) };
}

/// `hipLaunchConfig_t`.
#[derive(Clone, Copy)]
#[repr(C)]
struct LaunchConfig {
    grid: Dim3,
    block: Dim3,
    dynamic_lds: usize,
    stream: Address,
    attributes: Address,
    attribute_count: c_uint,
}

/// One entry of the attributes of [`LaunchConfig`]: 72 bytes, of which the number and the first word of the value matter.
#[derive(Clone, Copy)]
#[repr(C)]
struct LaunchAttribute {
    id: c_uint,
    padding: c_uint,
    value: [u32; 16],
}

/// `hipLaunchAttributeCooperative`.
const COOPERATIVE: c_uint = 2;

impl LaunchConfig {
    fn shape(&self) -> Result<Shape, Error> {
        let attributes = In::<LaunchAttribute>::at(self.attributes).list(self.attribute_count as usize)?;
        let cooperative = attributes.iter().any(|attribute| attribute.id == COOPERATIVE && attribute.value[0] != 0);
        Ok(Shape { grid: self.grid, block: self.block, dynamic_lds: self.dynamic_lds, cooperative })
    }
}

api! {
    "hip_4.2" fn __hipPushCallConfiguration(grid: Dim3, block: Dim3, dynamic_lds: usize, stream: Address) {
        let configuration = Configuration { grid, block, dynamic_lds, stream };
        CONFIGURATIONS.with_borrow_mut(|configurations| configurations.push(configuration));
        Ok(())
    }

    "hip_4.2" fn __hipPopCallConfiguration(
        grid: Out<Dim3>,
        block: Out<Dim3>,
        dynamic_lds: Out<usize>,
        stream: Out<Address>,
    ) {
        let configuration = CONFIGURATIONS.with_borrow_mut(Vec::pop).ok_or(Error::MissingConfiguration)?;
        grid.set(configuration.grid)?;
        block.set(configuration.block)?;
        dynamic_lds.set(configuration.dynamic_lds)?;
        stream.set(configuration.stream)
    }

    "hip_4.2" fn hipLaunchKernel also "hip_5.2" hipLaunchKernel_spt(
        symbol: Address,
        grid: Dim3,
        block: Dim3,
        arguments: Arguments,
        dynamic_lds: usize,
        stream: Address,
    ) {
        launch_with(function(symbol)?, Shape { grid, block, dynamic_lds, cooperative: false }, &arguments, stream)
    }

    "hip_4.2" fn hipLaunchCooperativeKernel also "hip_5.2" hipLaunchCooperativeKernel_spt(
        symbol: Address,
        grid: Dim3,
        block: Dim3,
        arguments: Arguments,
        dynamic_lds: c_uint,
        stream: Address,
    ) {
        let shape = Shape { grid, block, dynamic_lds: dynamic_lds as usize, cooperative: true };
        launch_with(function(symbol)?, shape, &arguments, stream)
    }

    "hip_4.2" fn hipExtLaunchKernel(
        symbol: Address,
        grid: Dim3,
        block: Dim3,
        arguments: Arguments,
        dynamic_lds: usize,
        stream: Address,
        start: Address,
        stop: Address,
        _flags: c_int,
    ) {
        record(start)?;
        launch_with(function(symbol)?, Shape { grid, block, dynamic_lds, cooperative: false }, &arguments, stream)?;
        record(stop)
    }

    "hip_6.5" fn hipLaunchKernelExC(config: In<LaunchConfig>, symbol: Address, arguments: Arguments) {
        let config = config.get()?;
        launch_with(function(symbol)?, config.shape()?, &arguments, config.stream)
    }

    "hip_4.2" fn hipModuleLaunchKernel(
        handle: Address,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        dynamic_lds: c_uint,
        stream: Address,
        arguments: Arguments,
        extra: In<Address>,
    ) {
        let function = function(handle)?;
        let shape = Shape {
            grid: Dim3 { x: grid_x, y: grid_y, z: grid_z },
            block: Dim3 { x: block_x, y: block_y, z: block_z },
            dynamic_lds: dynamic_lds as usize,
            cooperative: false,
        };
        let arguments = crate::launch::arguments(&function, &arguments, &extra)?;
        launch(function, shape, arguments, stream)
    }

    "hip_5.5" fn hipModuleLaunchCooperativeKernel(
        handle: Address,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        dynamic_lds: c_uint,
        stream: Address,
        arguments: Arguments,
    ) {
        let shape = Shape {
            grid: Dim3 { x: grid_x, y: grid_y, z: grid_z },
            block: Dim3 { x: block_x, y: block_y, z: block_z },
            dynamic_lds: dynamic_lds as usize,
            cooperative: true,
        };
        launch_with(function(handle)?, shape, &arguments, stream)
    }
}

/// Records an event that may be missing.
fn record(event: Address) -> Result<(), Error> {
    if !event.is_null() {
        EVENTS.get(event)?.record();
    }
    Ok(())
}
