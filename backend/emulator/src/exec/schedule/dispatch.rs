//! Launches: what all blocks share, and what a launch has to fulfil.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use rayon::ThreadPool;

use super::hidden_arguments;
use crate::exec::launch::hostcall::Hostcall;
use crate::exec::code::program::Program;
use crate::exec::launch::stall::Progressing;
use crate::exec::launch::findings::Findings;
use super::runner;
use super::free_blocks::Spare;
#[cfg(test)]
use crate::checks::Checks;
use crate::device::{Launch, Options, Statistics};
use crate::fault::{Fault, FaultKind, LaunchError};
use crate::memory::{Kind, Memory};
#[cfg(test)]
use crate::object::Descriptor;
use crate::object::Kernel;
use crate::services::HostServices;
#[cfg(test)]
use crate::services::Silent;
use crate::target::{Generation, Target};

/// Private memory for frames of which the compiler does not know the number, bytes of each lane.
const STACK: u32 = 16 << 10;

/// What all blocks of a launch share.
pub(crate) struct Shared {
    pub(crate) options: Options,
    pub(crate) memory: Arc<Memory>,
    pub(crate) kernel: Kernel,
    pub(crate) generation: Generation,
    pub(crate) packed_ids: bool,
    /// Lanes of a wave.
    pub(crate) lanes: usize,
    pub(crate) waves_per_block: u32,
    pub(crate) block: [u32; 3],
    pub(crate) grid: Grid,
    pub(crate) lds_bytes: u32,
    pub(crate) private_bytes: u32,
    /// Registers that the kernel itself uses: those of waves before it are cleared.
    pub(crate) vector_registers: usize,
    pub(crate) accumulation_registers: usize,
    /// Address of the code object.
    pub(crate) base: u64,
    /// Number of the first step.
    pub(crate) entry: usize,
    /// Addresses of arguments, dispatch packet and queue.
    pub(crate) arguments: u64,
    pub(crate) packet: u64,
    pub(crate) queue: u64,
    pub(super) hostcall: Option<Mutex<Hostcall>>,
    services: Arc<dyn HostServices>,
    pub(super) findings: Arc<Findings>,
    pub(super) progress: Progressing,
    stopped: AtomicBool,
    started: Instant,
}

/// What the device keeps for its launches.
pub(crate) struct Device<'d> {
    pub(crate) target: Target,
    pub(crate) options: &'d Options,
    pub(crate) memory: &'d Arc<Memory>,
    pub(crate) services: &'d Arc<dyn HostServices>,
    pub(crate) pool: &'d ThreadPool,
    pub(crate) spare: &'d Spare,
    /// Formats of buffered `printf` by their hash.
    pub(crate) formats: &'d HashMap<u64, Vec<u8>>,
    /// Address of the block that device code manages its heap with.
    pub(crate) heap: u64,
}

/// The place where all blocks of a grid meet.
#[derive(Debug)]
pub(crate) struct Grid {
    pub(crate) size: [u32; 3],
    arrived: Mutex<u64>,
    meetings: AtomicU64,
}

impl Grid {
    fn new(size: [u32; 3]) -> Grid {
        Grid { size, arrived: Mutex::new(0), meetings: AtomicU64::new(0) }
    }

    /// Blocks of the grid.
    pub(crate) fn blocks(&self) -> u64 {
        self.size.iter().map(|size| u64::from(*size)).product()
    }

    /// How often all blocks have met.
    pub(crate) fn meetings(&self) -> u64 {
        self.meetings.load(Ordering::Acquire)
    }

    /// Announces a block. Returns how often all have met before.
    pub(crate) fn arrive(&self) -> u64 {
        let mut arrived = self.arrived.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.meetings();
        *arrived += 1;
        if *arrived == self.blocks() {
            *arrived = 0;
            self.meetings.store(before + 1, Ordering::Release);
        }
        before
    }

    pub(crate) fn coordinates(&self, number: u64) -> [u32; 3] {
        let [width, height, _] = self.size.map(u64::from);
        [number % width, number / width % height, number / width / height].map(|coordinate| coordinate as u32)
    }
}

#[cfg(test)]
impl Shared {
    /// What a single instruction needs: a block of one wave, without a kernel.
    pub(super) fn bare(target: &Target, checks: Checks, memory: Arc<Memory>) -> Shared {
        let descriptor = Descriptor {
            lds_size: 0,
            private_size: 0,
            kernarg_size: 0,
            entry: 0,
            rsrc3: 0,
            rsrc1: 0,
            rsrc2: 0,
            properties: 0,
        };
        let kernel = Kernel {
            name: String::new(),
            args: Vec::new(),
            kernarg_size: 0,
            lds_size: 0,
            private_size: 0,
            uses_dynamic_stack: false,
            max_workgroup_size: 0,
            wave_size: target.processor.wave_size,
            sgprs: 0,
            vgprs: 0,
            agprs: 0,
            spills: (0, 0),
            descriptor,
        };
        Shared {
            options: Options { checks, ..Options::default() },
            memory,
            kernel,
            generation: target.processor.generation,
            packed_ids: target.processor.packed_ids,
            lanes: target.processor.wave_size as usize,
            waves_per_block: 1,
            block: [1; 3],
            grid: Grid::new([1; 3]),
            lds_bytes: 0,
            private_bytes: 0,
            vector_registers: 256,
            accumulation_registers: 256,
            base: 0,
            entry: 0,
            arguments: 0,
            packet: 0,
            queue: 0,
            hostcall: None,
            services: Arc::new(Silent),
            findings: Arc::default(),
            progress: Progressing::new(1),
            stopped: AtomicBool::new(false),
            started: Instant::now(),
        }
    }
}

impl Shared {
    /// Whether a fault of one block ends all.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Ends all blocks.
    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// A clock of 100 MHz.
    pub(super) fn clock(&self) -> u64 {
        (self.started.elapsed().as_nanos() / 10) as u64
    }

    /// Answers what waves have asked of the host.
    pub(super) fn serve_host(&self) -> Result<(), FaultKind> {
        let Some(hostcall) = &self.hostcall else { return Ok(()) };
        hostcall.lock().unwrap_or_else(PoisonError::into_inner).serve(&self.memory, &*self.services)
    }

    /// What a trap means.
    pub(super) fn trap(&self, number: u8) -> FaultKind {
        let asserted = self
            .hostcall
            .as_ref()
            .is_some_and(|hostcall| hostcall.lock().unwrap_or_else(PoisonError::into_inner).has_failed_assertion());
        if asserted { FaultKind::Assert } else { FaultKind::Trap(number) }
    }
}

/// Memory of a launch, given back at its end.
pub(super) struct Scratch<'m> {
    memory: &'m Memory,
    addresses: Vec<u64>,
}

impl Scratch<'_> {
    /// Zeroed memory for the launch.
    pub(super) fn take(&mut self, bytes: u64) -> Result<u64, LaunchError> {
        let address = self.memory.allocate(bytes.max(1), 256, Kind::Runtime);
        let address = address.map_err(|error| LaunchError::OutOfMemory(error.to_string()))?;
        self.addresses.push(address);
        Ok(address)
    }
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        for address in &self.addresses {
            // Each address came from `allocate` and is freed here only.
            let _ = self.memory.free(*address);
        }
    }
}

/// Checks a launch and runs it.
pub(crate) fn run(
    device: &Device,
    program: &Program,
    base: u64,
    kernel: &Kernel,
    launch: &Launch,
) -> (Result<Statistics, LaunchError>, Vec<Fault>) {
    let findings = Arc::new(Findings::default());
    let result = run_with(device, (program, base), kernel, launch, &findings);
    (result, findings.take())
}

fn run_with(
    device: &Device,
    (program, base): (&Program, u64),
    kernel: &Kernel,
    launch: &Launch,
    findings: &Arc<Findings>,
) -> Result<Statistics, LaunchError> {
    check(device, kernel, launch)?;
    let processor = device.target.processor;
    let entry = program.find(kernel.descriptor.entry);
    let entry = entry.ok_or_else(|| LaunchError::Configuration("the kernel's entry is no instruction".to_owned()))?;
    let lanes = if kernel.descriptor.is_wave32() { 32 } else { 64 };
    let threads: u32 = launch.block.iter().product();
    let stack = if kernel.uses_dynamic_stack { STACK } else { 0 };
    let mut scratch = Scratch { memory: device.memory, addresses: Vec::new() };
    let mut shared = Shared {
        options: device.options.clone(),
        memory: Arc::clone(device.memory),
        kernel: kernel.clone(),
        generation: processor.generation,
        packed_ids: processor.packed_ids,
        lanes,
        waves_per_block: threads.div_ceil(lanes as u32),
        block: launch.block,
        grid: Grid::new(launch.grid),
        lds_bytes: kernel.lds_size + launch.dynamic_lds,
        private_bytes: kernel.private_size.saturating_add(stack),
        vector_registers: kernel.vgprs.min(256) as usize,
        accumulation_registers: kernel.agprs.min(256) as usize,
        base,
        entry,
        arguments: 0,
        packet: 0,
        queue: 0,
        hostcall: None,
        services: Arc::clone(device.services),
        findings: Arc::clone(findings),
        progress: Progressing::new(device.pool.current_num_threads()),
        stopped: AtomicBool::new(false),
        started: Instant::now(),
    };
    let printf = hidden::fill(&mut shared, device, launch, &mut scratch)?;
    let result = runner::run(device, program, &shared, launch.cooperative);
    shared.serve_host().map_err(|kind| LaunchError::Configuration(kind.to_string()))?;
    if let Some(printf) = printf {
        printf.print(&shared.memory, device.formats, &*shared.services);
    }
    result.map_err(LaunchError::Fault)
}

fn check(device: &Device, kernel: &Kernel, launch: &Launch) -> Result<(), LaunchError> {
    let wrong = |text: String| Err(LaunchError::Configuration(format!("kernel `{}`: {text}", kernel.name)));
    let shape = |[x, y, z]: [u32; 3]| format!("{x} x {y} x {z}");
    let processor = device.target.processor;
    let threads = launch.block.iter().try_fold(1_u32, |product, size| product.checked_mul(*size));
    let most = if kernel.max_workgroup_size == 0 { processor.max_block } else { kernel.max_workgroup_size };
    match threads {
        Some(0) => return wrong("a block without threads".to_owned()),
        Some(threads) if threads <= most.min(processor.max_block) => {}
        _ => return wrong(format!("a block of {} threads, at most {most} are possible", shape(launch.block))),
    }
    let total = launch.grid.iter().try_fold(1_u64, |product, size| product.checked_mul(u64::from(*size)));
    if launch.grid.contains(&0) || total.is_none() {
        return wrong(format!("a grid of {} blocks", shape(launch.grid)));
    }
    if kernel.descriptor.limits_overflow() {
        return wrong("its mode limits short floats to the largest number, which is not implemented".to_owned());
    }
    let lds = u64::from(kernel.lds_size) + u64::from(launch.dynamic_lds);
    if lds > u64::from(processor.lds_bytes) {
        return wrong(format!("{lds} bytes of LDS, a block can have {}", processor.lds_bytes));
    }
    let needed =
        kernel.args.iter().filter(|arg| arg.is_explicit()).map(|arg| u64::from(arg.offset) + u64::from(arg.size));
    let needed = needed.max().unwrap_or(0);
    if (launch.arguments.len() as u64) < needed {
        return wrong(format!("{} bytes of arguments, the kernel needs {needed}", launch.arguments.len()));
    }
    if launch.cooperative {
        let waves = threads.unwrap_or(1).div_ceil(processor.wave_size);
        let held = u64::from(processor.simds * processor.waves_per_simd / waves.max(1)).max(1);
        let (blocks, most) = (total.unwrap_or(0), held * u64::from(processor.compute_units));
        if blocks > most {
            return Err(LaunchError::TooLarge { blocks, most });
        }
    }
    Ok(())
}
