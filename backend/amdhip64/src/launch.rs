//! Launches of kernels: arguments put in place, work submitted.

use std::cell::RefCell;
use std::ffi::{c_int, c_uint};
use std::sync::Arc;

use hipshift_emulator::object::Kernel;

use crate::abi::{Address, Dim3, In, Out};
use crate::call::api;
use crate::error::Error;
use crate::event;
use crate::functions::function;
use crate::kernel_launch::{KernelLaunch, Shape};
use crate::loaded::Function;
use crate::operation::Operation;
use crate::stream::submit;

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
    if !list.0.address().is_null() && !extra.address().is_null() {
        return Err(Error::InvalidValue);
    }
    if extra.address().is_null() { list.pack(kernel) } else { packed(extra, kernel) }
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

/// Whether attributes of a launch ask for one whose blocks run together.
fn is_cooperative(attributes: Address, count: c_uint) -> Result<bool, Error> {
    let attributes = In::<LaunchAttribute>::at(attributes).list(count as usize)?;
    Ok(attributes.iter().any(|attribute| attribute.id == COOPERATIVE && attribute.value[0] != 0))
}

impl LaunchConfig {
    fn shape(&self) -> Result<Shape, Error> {
        let cooperative = is_cooperative(self.attributes, self.attribute_count)?;
        Ok(Shape { grid: self.grid, block: self.block, dynamic_lds: self.dynamic_lds, cooperative })
    }
}

/// `HIP_LAUNCH_CONFIG`.
#[derive(Clone, Copy)]
#[repr(C)]
struct DriverConfig {
    grid: Dim3,
    block: Dim3,
    dynamic_lds: c_uint,
    stream: Address,
    attributes: Address,
    attribute_count: c_uint,
}

impl DriverConfig {
    fn shape(&self) -> Result<Shape, Error> {
        let cooperative = is_cooperative(self.attributes, self.attribute_count)?;
        Ok(Shape { grid: self.grid, block: self.block, dynamic_lds: self.dynamic_lds as usize, cooperative })
    }
}

/// The shape of a launch that is told in threads. All blocks are whole: code is compiled for nothing else.
fn by_threads(threads: Dim3, block: Dim3, dynamic_lds: usize) -> Result<Shape, Error> {
    let blocks = |threads: u32, block: u32| threads.checked_div(block).filter(|count| count * block == threads);
    let grid = blocks(threads.x, block.x).zip(blocks(threads.y, block.y)).zip(blocks(threads.z, block.z));
    let ((x, y), z) = grid.ok_or(Error::InvalidValue)?;
    Ok(Shape { grid: Dim3 { x, y, z }, block, dynamic_lds, cooperative: false })
}

/// Puts a launch between two events, each of which may be missing, into a stream.
fn launch_timed(
    handle: Address,
    shape: Shape,
    (list, extra): (&Arguments, &In<Address>),
    stream: Address,
    [start, stop]: [Address; 2],
) -> Result<(), Error> {
    let function = function(handle)?;
    let arguments = arguments(&function, list, extra)?;
    record(start, stream)?;
    launch(function, shape, arguments, stream)?;
    record(stop, stream)
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
        record(start, stream)?;
        launch_with(function(symbol)?, Shape { grid, block, dynamic_lds, cooperative: false }, &arguments, stream)?;
        record(stop, stream)
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

    "hip_4.2" fn hipExtModuleLaunchKernel also "hip_4.2" _Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j(
        handle: Address,
        threads_x: c_uint,
        threads_y: c_uint,
        threads_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        dynamic_lds: usize,
        stream: Address,
        arguments: Arguments,
        extra: In<Address>,
        start: Address,
        stop: Address,
        _flags: c_uint,
    ) {
        let threads = Dim3 { x: threads_x, y: threads_y, z: threads_z };
        let shape = by_threads(threads, Dim3 { x: block_x, y: block_y, z: block_z }, dynamic_lds)?;
        launch_timed(handle, shape, (&arguments, &extra), stream, [start, stop])
    }

    "hip_4.2" fn hipHccModuleLaunchKernel also "hip_4.2" _Z24hipHccModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_(
        handle: Address,
        threads_x: c_uint,
        threads_y: c_uint,
        threads_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        dynamic_lds: usize,
        stream: Address,
        arguments: Arguments,
        extra: In<Address>,
        start: Address,
        stop: Address,
    ) {
        let threads = Dim3 { x: threads_x, y: threads_y, z: threads_z };
        let shape = by_threads(threads, Dim3 { x: block_x, y: block_y, z: block_z }, dynamic_lds)?;
        launch_timed(handle, shape, (&arguments, &extra), stream, [start, stop])
    }

    "hip_6.5" fn hipDrvLaunchKernelEx(
        config: In<DriverConfig>,
        handle: Address,
        arguments: Arguments,
        extra: In<Address>,
    ) {
        let config = config.get()?;
        launch_timed(handle, config.shape()?, (&arguments, &extra), config.stream, [Address::NULL; 2])
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
fn record(event: Address, stream: Address) -> Result<(), Error> {
    if event.is_null() { Ok(()) } else { event::record(event, stream) }
}
