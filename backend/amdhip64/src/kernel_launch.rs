//! The launch of a kernel as a piece of work: run, and its faults explained.

use std::sync::Arc;

use hipshift_emulator::{Alone, Checks, FaultKind, Launch, LaunchError, Neighbours, Refusal};

use crate::abi::Dim3;
use crate::error::Error;
use crate::loaded::Function;
use crate::messages::{end_process, found, warn};
use crate::neighbours::Neighbour;
use crate::runtime::gpu;

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
    /// Fails where the kernel could not be started so, and tells why.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let launch = self.launch(Arc::new(Alone))?;
        let result = gpu().device.check(&self.function.module, &self.function.name, &launch);
        result.map_err(|error| self.explain(&error))
    }

    /// Runs the kernel. A fault is explained on the error stream, and stops all later work.
    pub(crate) fn run(&self, neighbour: &Neighbour) -> Result<(), Error> {
        let launch = self.launch(neighbour.of_launch())?;
        let result = gpu().device.launch(&self.function.module, &self.function.name, &launch);
        result.map(|_| ()).map_err(|error| self.explain(&error))
    }

    fn launch(&self, neighbours: Arc<dyn Neighbours>) -> Result<Launch<'_>, Error> {
        let Shape { grid, block, dynamic_lds, cooperative } = self.shape;
        let dynamic_lds = u32::try_from(dynamic_lds).map_err(|_| Error::InvalidValue)?;
        let (grid, block) = (grid.array(), block.array());
        Ok(Launch { grid, block, dynamic_lds, arguments: &self.arguments, cooperative, neighbours })
    }

    /// Tells what became of the launch, and gives its status.
    fn explain(&self, error: &LaunchError) -> Error {
        match error {
            LaunchError::Fault(_) => found(&error.to_string()),
            // The program is told by a status, and may go on.
            _ if gpu().checks == Checks::All => found(&error.to_string()),
            _ => warn(&error.to_string()),
        }
        status(error, self.shape.cooperative)
    }
}

/// The status of a failed launch. None was compared with hardware.
fn status(error: &LaunchError, cooperative: bool) -> Error {
    match error {
        LaunchError::UnknownKernel(_) => Error::InvalidDeviceFunction,
        LaunchError::Refused { why, .. } => refused(*why, cooperative),
        LaunchError::TooLarge { .. } => Error::CooperativeLaunchTooLarge,
        LaunchError::OutOfMemory(_) => Error::LaunchOutOfResources,
        LaunchError::Fault(fault) => {
            // An assertion that does not hold says so, and then traps.
            let is_trap = matches!(fault.kind, FaultKind::Trap(2) | FaultKind::SyncMask { .. } | FaultKind::Assert);
            if is_trap && traps_end_programs() {
                end_process();
            }
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

/// What HIP's documents name for a launch that cannot be: *HIP API 7.0 changes*, "Kernel launch APIs"; for blocks larger than
/// `__launch_bounds__` they speak of a launch failure.
fn refused(why: Refusal, cooperative: bool) -> Error {
    match why {
        Refusal::Lds if cooperative => Error::CooperativeLaunchTooLarge,
        Refusal::Empty | Refusal::Lds => Error::InvalidValue,
        Refusal::Bound => Error::LaunchFailure,
        Refusal::Block | Refusal::Grid | Refusal::Other => Error::InvalidConfiguration,
    }
}

/// The variable by which AMD's library lets programs go on after an error of the GPU.
const GO_ON: &str = "HIP_SKIP_ABORT_ON_GPU_ERROR";

/// Whether `abort` and `__builtin_trap` of a kernel end the program, as HIP's documents say, and not only the kernel, as in
/// CUDA.
fn traps_end_programs() -> bool {
    std::env::var(GO_ON).map_or(true, |value| value.is_empty() || value == "0")
}
