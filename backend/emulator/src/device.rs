//! A device: loads code objects and launches kernels.

use std::sync::Arc;

use crate::fault::LaunchError;
use crate::memory::{Kind, Memory, MemoryError, access};
use crate::object::{CodeObject, Kernel, RelocationKind};
use crate::services::HostServices;
use crate::target::Target;

/// How kernels run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Threads that run blocks; 0 takes as many as the machine has.
    pub threads: usize,
    /// Changes the order in which waves of a block take turns; the same seed gives the same order. `None` is the
    /// order of their numbers.
    pub schedule_seed: Option<u64>,
    /// Instructions that the waves of one block may execute together; `None` for no limit.
    pub step_limit: Option<u64>,
    /// What is checked beside what has to be.
    pub checks: Checks,
}

/// Checks that cost time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checks {
    /// Fill LDS with a pattern before each block, so that reading what was not written shows.
    pub fill_lds: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { threads: 0, schedule_seed: None, step_limit: None, checks: Checks { fill_lds: true } }
    }
}

/// A kernel launch.
#[derive(Debug, Clone)]
pub struct Launch<'a> {
    /// Blocks in each dimension.
    pub grid: [u32; 3],
    /// Threads of a block in each dimension.
    pub block: [u32; 3],
    /// Bytes of LDS beside what the kernel declares.
    pub dynamic_lds: u32,
    /// The explicit arguments, laid out as [`Kernel::args`] says. Hidden arguments are filled in.
    pub arguments: &'a [u8],
    /// All blocks run together, so that they can wait for each other.
    pub cooperative: bool,
}

/// What a launch did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Waves that ran.
    pub waves: u64,
    /// Instructions that they executed, one for all lanes of a wave.
    pub instructions: u64,
}

/// Why a code object could not be loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The code is for another target.
    #[error("the code object is for {code}, the device is {device}")]
    Target {
        /// Target of the code.
        code: String,
        /// Target of the device.
        device: String,
    },
    /// No memory for it.
    #[error(transparent)]
    Memory(#[from] MemoryError),
}

/// A device that runs kernels on the CPU.
pub struct Device {
    target: Target,
    memory: Arc<Memory>,
    options: Options,
    services: Arc<dyn HostServices>,
}

/// A loaded code object. Its memory is freed with it; no kernel of it may be running then.
pub struct Module {
    object: CodeObject,
    base: u64,
    memory: Arc<Memory>,
}

impl Device {
    /// A device without memory in use. `services` take what kernels print.
    pub fn new(target: Target, options: Options, services: Arc<dyn HostServices>) -> Device {
        Device { target, memory: Arc::new(Memory::new()), options, services }
    }

    /// What the device is.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// The memory that kernels see.
    pub fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    /// Puts a code object into memory and relocates it.
    pub fn load(&self, object: &CodeObject) -> Result<Module, LoadError> {
        if !object.fits(&self.target) {
            let code = object.target.clone().unwrap_or_else(|| "an unknown target".to_owned());
            return Err(LoadError::Target { code, device: self.target.to_string() });
        }
        let base = self.memory.allocate(object.memory_size.max(1), 4096, Kind::Module)?;
        for segment in &object.segments {
            let content = object.bytes.get(segment.file.clone()).unwrap_or_default();
            access::write_bytes(base + segment.address, content);
        }
        for relocation in &object.relocations {
            let value = match relocation.kind {
                RelocationKind::Relative => base.wrapping_add(relocation.value),
                RelocationKind::Absolute => relocation.value,
            };
            access::store_u64(base + relocation.address, value);
        }
        Ok(Module { object: object.clone(), base, memory: Arc::clone(&self.memory) })
    }

    /// Runs a kernel to its end, or to the first fault.
    pub fn launch(&self, module: &Module, kernel: &str, launch: &Launch) -> Result<Statistics, LaunchError> {
        let Some(kernel) = module.object.kernel(kernel) else {
            return Err(LaunchError::UnknownKernel(kernel.to_owned()));
        };
        let _ = (kernel, launch, &self.options, &self.services);
        Err(LaunchError::Configuration("this device has no executor".to_owned()))
    }
}

impl Module {
    /// Address and bytes of a variable or function.
    pub fn symbol(&self, name: &str) -> Option<(u64, u64)> {
        let symbol = self.object.symbol(name)?;
        Some((self.base.checked_add(symbol.offset)?, symbol.size))
    }

    /// The kernel of a mangled name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.object.kernel(name)
    }

    /// The code object.
    pub fn object(&self) -> &CodeObject {
        &self.object
    }

    /// Address of the code object's first byte.
    pub fn base(&self) -> u64 {
        self.base
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // The address came from `allocate`, and only this value frees it.
        let _ = self.memory.free(self.base);
    }
}
