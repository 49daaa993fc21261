//! A device: loads code objects and launches kernels.

use std::collections::{HashMap, HashSet};
use std::mem::{Discriminant, discriminant};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::exec::{self, Program};
use crate::fault::{Fault, FaultKind, LaunchError};
use crate::launch::{Launch, Options, Statistics};
use crate::lines::Lines;
use crate::memory::{Kind, Memory, MemoryError, access};
use crate::object::{ArgumentKind, CodeObject, Kernel, RelocationKind};
use crate::services::HostServices;
use crate::target::Target;

/// Bytes of the block that device code manages its heap with.
const HEAP: u64 = 128 << 10;
/// How the names of threads begin that run blocks.
pub const THREAD: &str = "emulator-";

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
    /// Threads that run blocks, of launches before: each launch that runs has threads of its own, so that launches can wait
    /// for each other.
    pools: Mutex<Vec<ThreadPool>>,
    /// Blocks for the next launch.
    free_blocks: exec::FreeBlocks,
    /// What device code manages its heap with; made when it is first needed.
    heap: OnceLock<u64>,
    /// Findings that were reported: kernel, address, kind.
    reported: Mutex<HashSet<(String, u64, Discriminant<FaultKind>)>>,
}

/// A loaded code object. Its memory is freed with it; no kernel of it may be running then.
pub struct Module {
    object: CodeObject,
    base: u64,
    memory: Arc<Memory>,
    program: OnceLock<Program>,
    formats: HashMap<u64, Vec<u8>>,
    lines: OnceLock<Lines>,
    /// Whether it is code of a library for GPUs of AMD alone.
    is_of_library: bool,
}

impl Device {
    /// A device without memory in use. `services` take what kernels print.
    pub fn new(target: Target, options: Options, services: Arc<dyn HostServices>) -> Device {
        let memory = if options.checks.are_all() { Memory::tracking_writes() } else { Memory::new() };
        let memory = Arc::new(memory.in_granules(options.bounds.memory_granule()));
        Device {
            target,
            memory,
            options,
            services,
            pools: Mutex::default(),
            free_blocks: exec::FreeBlocks::default(),
            heap: OnceLock::new(),
            reported: Mutex::default(),
        }
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
            self.memory.note_segment(base + segment.address, segment.size);
        }
        for relocation in &object.relocations {
            let value = match relocation.kind {
                RelocationKind::Relative => base.wrapping_add(relocation.value),
                RelocationKind::Absolute => relocation.value,
            };
            access::store_u64(base + relocation.address, value);
        }
        Ok(Module {
            formats: formats(&object.printf),
            object: object.clone(),
            base,
            memory: Arc::clone(&self.memory),
            program: OnceLock::new(),
            lines: OnceLock::new(),
            is_of_library: false,
        })
    }

    /// Fails where [`launch`](Self::launch) would not even begin.
    pub fn check(&self, module: &Module, kernel: &str, launch: &Launch) -> Result<(), LaunchError> {
        exec::check(&self.target, module.known(kernel)?, launch)
    }

    /// Runs a kernel to its end, or to the first fault.
    pub fn launch(&self, module: &Module, kernel: &str, launch: &Launch) -> Result<Statistics, LaunchError> {
        let kernel = module.known(kernel)?;
        let program = self.program(module);
        let uses_heap = kernel.args.iter().any(|arg| arg.kind == ArgumentKind::Hidden("heap_v1".to_owned()));
        let heap = if uses_heap { self.heap()? } else { 0 };
        let pool = self.pool()?;
        let device = exec::Device {
            target: self.target,
            options: &self.options,
            memory: &self.memory,
            services: &self.services,
            pool: &pool,
            free_blocks: &self.free_blocks,
            formats: &module.formats,
            runs_library: module.is_of_library,
            heap,
        };
        let (result, findings) = exec::run(&device, program, module.base, kernel, launch);
        self.pools.lock().unwrap_or_else(PoisonError::into_inner).push(pool);
        for finding in findings {
            self.report(module, finding);
        }
        result.map_err(|error| match error {
            LaunchError::Fault(mut fault) => {
                module.find_lines(&mut fault);
                LaunchError::Fault(fault)
            }
            other => other,
        })
    }

    /// Address in the code object and text of each instruction that would stop a launch, as the executor does not know it.
    pub fn unimplemented(&self, module: &Module) -> Vec<(u64, String)> {
        self.program(module).unimplemented().collect()
    }

    /// The instructions of a module.
    fn program<'m>(&self, module: &'m Module) -> &'m Program {
        module.program.get_or_init(|| Program::new(&module.object, self.target.processor))
    }

    /// Hands a finding to the host, unless it was told before or is none in this module.
    fn report(&self, module: &Module, mut finding: Fault) {
        if module.is_of_library && matches!(finding.kind, FaultKind::DivergentBarrier { .. }) {
            return;
        }
        let key = (finding.kernel.clone(), finding.pc, discriminant(&finding.kind));
        if self.reported.lock().unwrap_or_else(PoisonError::into_inner).insert(key) {
            module.find_lines(&mut finding);
            self.services.report(&finding, module.is_of_library);
        }
    }

    /// Threads that no other launch uses.
    fn pool(&self) -> Result<ThreadPool, LaunchError> {
        let free = self.pools.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(pool) = free {
            return Ok(pool);
        }
        let name = |n| format!("{THREAD}{n}");
        let pool = ThreadPoolBuilder::new().num_threads(self.options.threads).thread_name(name);
        pool.build().map_err(|error| LaunchError::OutOfMemory(error.to_string()))
    }

    /// The block that device code manages its heap with.
    fn heap(&self) -> Result<u64, LaunchError> {
        if let Some(heap) = self.heap.get() {
            return Ok(*heap);
        }
        let made = self.memory.allocate(HEAP, 4096, Kind::Runtime);
        let made = made.map_err(|error| LaunchError::OutOfMemory(error.to_string()))?;
        Ok(*self.heap.get_or_init(|| made))
    }
}

impl Module {
    /// Address and bytes of a variable or function.
    pub fn symbol(&self, name: &str) -> Option<(u64, u64)> {
        let symbol = self.object.symbol(name)?;
        Some((self.base.checked_add(symbol.offset)?, symbol.size))
    }

    /// As [`kernel`](Self::kernel), with an error where there is none.
    fn known(&self, name: &str) -> Result<&Kernel, LaunchError> {
        self.kernel(name).ok_or_else(|| LaunchError::UnknownKernel(name.to_owned()))
    }

    /// The kernel of a mangled name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.object.kernel(name)
    }

    /// Adds the source lines of a fault.
    fn find_lines(&self, fault: &mut Fault) {
        let lines = self.lines.get_or_init(|| Lines::new(&self.object));
        fault.source = lines.find(fault.pc);
        if let Some(other) = fault.kind.other_mut() {
            other.source = lines.find(other.pc);
        }
    }

    /// Says that the code is that of a library for GPUs of AMD alone, which may count on more than HIP promises: barriers count
    /// waves, LDS reaches to the end of its granule, and waves get on about as fast as each other.
    pub fn treat_as_library(&mut self) {
        self.is_of_library = true;
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
        for segment in &self.object.segments {
            self.memory.forget_segment(self.base + segment.address);
        }
        // The address came from `allocate`, and only this value frees it.
        let _ = self.memory.free(self.base);
    }
}

/// Formats of buffered `printf`, each written as `0:0:HASH,FORMAT`.
fn formats(lines: &[String]) -> HashMap<u64, Vec<u8>> {
    let parts = lines.iter().filter_map(|line| {
        let (head, format) = line.split_once(',')?;
        let hash = u64::from_str_radix(head.rsplit(':').next()?, 16).ok()?;
        Some((hash, format.as_bytes().to_vec()))
    });
    parts.collect()
}
