//! What all blocks of a launch share.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::findings::Findings;
use super::grid::Grid;
use super::hostcall::Hostcall;
use super::known::Known;
use super::stall::Stall;
#[cfg(test)]
use crate::checks::Checks;
use crate::fault::FaultKind;
use crate::launch::Options;
use crate::memory::Memory;
#[cfg(test)]
use crate::neighbours::Alone;
use crate::neighbours::Neighbours;
#[cfg(test)]
use crate::object::Descriptor;
use crate::object::Kernel;
use crate::services::HostServices;
#[cfg(test)]
use crate::services::Silent;
use crate::target::Generation;
#[cfg(test)]
use crate::target::Target;

/// Instructions of a wave before another one has its turn.
pub(crate) const TURN: u32 = 4096;

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
    /// Bytes of LDS that a block has, with those that it did not ask for.
    pub(crate) lds_granted: u32,
    /// Instructions of a wave before another one has its turn.
    pub(crate) turn: u32,
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
    pub(crate) hostcall: Option<Mutex<Hostcall>>,
    pub(crate) services: Arc<dyn HostServices>,
    pub(crate) findings: Arc<Findings>,
    /// What checks have found out about the code.
    pub(crate) known: Known,
    pub(crate) progress: Stall,
    pub(crate) neighbours: Arc<dyn Neighbours>,
    pub(crate) stopped: AtomicBool,
    pub(crate) started: Instant,
}

#[cfg(test)]
impl Shared {
    /// What a single instruction needs: a block of one wave, without a kernel.
    pub(crate) fn bare(target: &Target, checks: Checks, memory: Arc<Memory>) -> Shared {
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
            lds_granted: 0,
            turn: TURN,
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
            known: Known::default(),
            progress: Stall::new(1),
            neighbours: Arc::new(Alone),
            stopped: AtomicBool::new(false),
            started: Instant::now(),
        }
    }
}

impl Shared {
    /// Whether a fault of one block ends all.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Ends all blocks.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// A clock of 100 MHz.
    pub(crate) fn clock(&self) -> u64 {
        (self.started.elapsed().as_nanos() / 10) as u64
    }

    /// Answers what waves have asked of the host.
    pub(crate) fn serve_host(&self) -> Result<(), FaultKind> {
        let Some(hostcall) = &self.hostcall else { return Ok(()) };
        hostcall.lock().unwrap_or_else(PoisonError::into_inner).serve(&self.memory, &*self.services)
    }

    /// What a trap means.
    pub(crate) fn trap(&self, number: u8) -> FaultKind {
        let asserted = self
            .hostcall
            .as_ref()
            .is_some_and(|hostcall| hostcall.lock().unwrap_or_else(PoisonError::into_inner).has_failed_assertion());
        if asserted { FaultKind::Assert } else { FaultKind::Trap(number) }
    }
}
