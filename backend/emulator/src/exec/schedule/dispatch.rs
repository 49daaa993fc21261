//! Dispatch of kernels: what a launch has to fulfil, and what is made ready for its blocks.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::device::Device;
use super::hidden_arguments;
use super::runner;
use crate::exec::code::program::Program;
use crate::exec::launch::findings::Findings;
use crate::exec::launch::grid::Grid;
use crate::exec::launch::scratch::Scratch;
use crate::exec::launch::shared::Shared;
use crate::exec::launch::stall::Stall;
use crate::fault::{Fault, LaunchError};
use crate::launch::{Launch, Statistics};
use crate::object::Kernel;

/// Private memory for frames of which the compiler does not know the number, bytes of each lane.
const STACK: u32 = 16 << 10;

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
    let entry = program.listing.find(kernel.descriptor.entry);
    let entry = entry.ok_or_else(|| LaunchError::Configuration("the kernel's entry is no instruction".to_owned()))?;
    let lanes = if kernel.descriptor.is_wave32() { 32 } else { 64 };
    let threads: u32 = launch.block.iter().product();
    let stack = if kernel.uses_dynamic_stack { STACK } else { 0 };
    let mut scratch = Scratch::new(device.memory);
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
        progress: Stall::new(device.pool.current_num_threads()),
        stopped: AtomicBool::new(false),
        started: Instant::now(),
    };
    let printf = hidden_arguments::fill(&mut shared, device, launch, &mut scratch)?;
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
