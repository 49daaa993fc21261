//! The launch of a kernel as a piece of work: run, and its faults explained.

use std::sync::Arc;

use hipshift_emulator::{Checks, FaultKind, Launch, LaunchError};

use crate::abi::Dim3;
use crate::error::Error;
use crate::loaded::Function;
use crate::messages::{found, warn};
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

/// The status of a failed launch. None was compared with hardware; for blocks larger than `__launch_bounds__` ROCm's documents speak
/// of a launch failure.
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
