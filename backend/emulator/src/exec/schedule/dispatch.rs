//! Dispatch of kernels: what a launch has to fulfil, and what is made ready for its blocks.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::device::Device;
use super::hidden_arguments;
use super::runner;
use crate::bounds::Bounds;
use crate::exec::code::program::Program;
use crate::exec::launch::findings::Findings;
use crate::exec::launch::grid::Grid;
use crate::exec::launch::known::Known;
use crate::exec::launch::scratch::Scratch;
use crate::exec::launch::shared::{Shared, TURN};
use crate::exec::launch::stall::Stall;
use crate::fault::{Fault, LaunchError, Refusal};
use crate::launch::{Launch, Options, Statistics};
use crate::object::Kernel;
use crate::target::{Generation, Target};

/// Private memory for frames of which the compiler does not know the number, bytes of each lane.
const STACK: u32 = 16 << 10;
/// As [`TURN`], in code of libraries for GPUs of AMD alone, where races that no GPU shows are not to change what they compute:
/// rocSOLVER 7.2's `potf2_kernel_small` reads an element in all waves and writes it in the first, without a barrier in between.
const LIBRARY_TURN: u32 = 8;

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
    check(&device.target, kernel, launch)?;
    let processor = device.target.processor;
    let entry = program.listing.find(kernel.descriptor.entry);
    let entry = entry.ok_or_else(|| LaunchError::Refused {
        why: Refusal::Other,
        text: "the kernel's entry is no instruction".to_owned(),
    })?;
    let lanes = if kernel.descriptor.is_wave32() { 32 } else { 64 };
    let threads: u32 = launch.block.iter().product();
    let stack = if kernel.uses_dynamic_stack { STACK } else { 0 };
    let lds_bytes = kernel.lds_size + launch.dynamic_lds;
    let bounds = if device.runs_library { Bounds::Granule } else { device.options.bounds };
    let mut scratch = Scratch::new(device.memory);
    let mut shared = Shared {
        options: Options { bounds, ..device.options.clone() },
        memory: Arc::clone(device.memory),
        kernel: kernel.clone(),
        generation: processor.generation,
        packed_ids: processor.packed_ids,
        lanes,
        waves_per_block: threads.div_ceil(lanes as u32),
        block: launch.block,
        grid: Grid::new(launch.grid),
        lds_bytes,
        lds_granted: bounds.granted_lds(lds_bytes, processor.lds_granule),
        turn: if device.runs_library { LIBRARY_TURN } else { TURN },
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
        known: Known::default(),
        progress: Stall::new(device.pool.current_num_threads()),
        neighbours: Arc::clone(&launch.neighbours),
        stopped: AtomicBool::new(false),
        started: Instant::now(),
    };
    if device.heap != 0 && program.listing.heap.is_none() {
        device.memory.forget_blocks();
    }
    let printf = hidden_arguments::fill(&mut shared, device, launch, &mut scratch)?;
    let result = runner::run(device, program, &shared, launch.cooperative);
    shared.serve_host().map_err(|kind| LaunchError::Refused { why: Refusal::Other, text: kind.to_string() })?;
    if let Some(printf) = printf {
        printf.print(&shared.memory, device.formats, &*shared.services);
    }
    result.map_err(LaunchError::Fault)
}

/// Fails unless a device can run the launch.
pub(crate) fn check(target: &Target, kernel: &Kernel, launch: &Launch) -> Result<(), LaunchError> {
    let wrong = |(why, text): (Refusal, String)| {
        let text = format!("kernel `{}`: {text}", kernel.name);
        LaunchError::Refused { why, text }
    };
    let processor = target.processor;
    let threads = check_block(target, kernel, launch).map_err(wrong)?;
    let blocks = check_grid(target, launch).map_err(wrong)?;
    if kernel.descriptor.limits_overflow() {
        let text = "its mode limits short floats to the largest number, which is not implemented";
        return Err(wrong((Refusal::Other, text.to_owned())));
    }
    let lds = u64::from(kernel.lds_size) + u64::from(launch.dynamic_lds);
    if lds > u64::from(processor.lds_bytes) {
        let text = format!("{lds} bytes of LDS, a block can have {}", processor.lds_bytes);
        return Err(wrong((Refusal::Lds, text)));
    }
    check_private(kernel, processor.generation).map_err(wrong)?;
    let needed =
        kernel.args.iter().filter(|arg| arg.is_explicit()).map(|arg| u64::from(arg.offset) + u64::from(arg.size));
    let needed = needed.max().unwrap_or(0);
    if (launch.arguments.len() as u64) < needed {
        let given = launch.arguments.len();
        let text = format!("{given} bytes of arguments, the kernel needs {needed}");
        return Err(wrong((Refusal::Other, text)));
    }
    if launch.cooperative {
        let waves = threads.div_ceil(processor.wave_size);
        let held = u64::from(processor.simds * processor.waves_per_simd / waves.max(1)).max(1);
        let most = held * u64::from(processor.compute_units);
        if blocks > most {
            return Err(LaunchError::TooLarge { blocks, most });
        }
    }
    Ok(())
}

/// Private memory of a wave: what the register for its size can say (LLVM's AMDGPU backend, `GCNSubtarget`: 13 bits for units
/// of 1 KiB, from gfx11 on 15 bits and from gfx12 on 18 bits for units of 256 bytes).
fn check_private(kernel: &Kernel, generation: Generation) -> Result<(), (Refusal, String)> {
    let most: u64 = match generation {
        Generation::Gfx9 | Generation::Gfx940 | Generation::Gfx950 | Generation::Gfx10 => ((1 << 13) - 1) * 1024,
        Generation::Gfx11 => ((1 << 15) - 1) * 256,
        Generation::Gfx12 => ((1 << 18) - 1) * 256,
    };
    let lanes = if kernel.descriptor.is_wave32() { 32 } else { 64 };
    let bytes = u64::from(kernel.private_size);
    if bytes * lanes <= most {
        return Ok(());
    }
    let text = format!("{bytes} bytes of private memory for a lane, at most {} are possible", most / lanes);
    Err((Refusal::Other, text))
}

fn shape([x, y, z]: [u32; 3]) -> String {
    format!("{x} x {y} x {z}")
}

/// Threads of a block.
fn check_block(target: &Target, kernel: &Kernel, launch: &Launch) -> Result<u32, (Refusal, String)> {
    let most = target.processor.max_block;
    let bound = if kernel.max_workgroup_size == 0 { most } else { kernel.max_workgroup_size.min(most) };
    let threads = launch.block.iter().try_fold(1_u32, |product, size| product.checked_mul(*size)).unwrap_or(u32::MAX);
    let too_many = |most: u32| format!("a block of {} threads, at most {most} are possible", shape(launch.block));
    match threads {
        0 => Err((Refusal::Empty, "a block without threads".to_owned())),
        _ if threads > most => Err((Refusal::Block, too_many(bound))),
        _ if threads > bound => Err((Refusal::Bound, too_many(bound))),
        _ => Ok(threads),
    }
}

/// Blocks of a grid. HIP takes less than 2^32 threads in each dimension; on gfx12, waves have 16 bits for the second and
/// the third coordinate of their block.
fn check_grid(target: &Target, launch: &Launch) -> Result<u64, (Refusal, String)> {
    if launch.grid.contains(&0) {
        return Err((Refusal::Empty, format!("a grid of {} blocks", shape(launch.grid))));
    }
    let has_short_ids = target.processor.generation == Generation::Gfx12;
    let is_long = |(blocks, threads): (&u32, &u32)| u64::from(*blocks) * u64::from(*threads) > u64::from(u32::MAX);
    let is_too_large = launch.grid.iter().zip(&launch.block).any(is_long)
        || has_short_ids && launch.grid[1..].iter().any(|blocks| *blocks > 1 << 16);
    let blocks = launch.grid.iter().try_fold(1_u64, |product, size| product.checked_mul(u64::from(*size)));
    match blocks {
        Some(blocks) if !is_too_large => Ok(blocks),
        _ => {
            let text = format!(
                "a grid of {} blocks of {} threads, more than a GPU takes",
                shape(launch.grid),
                shape(launch.block)
            );
            Err((Refusal::Grid, text))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::Checks;
    use crate::memory::Memory;

    #[test]
    fn private_memory_is_bound_by_what_a_wave_can_have() {
        let most = |target: Target| {
            let mut kernel = Shared::bare(&target, Checks::None, Arc::new(Memory::new())).kernel;
            let mut takes = |bytes: u32| {
                kernel.private_size = bytes;
                check_private(&kernel, target.processor.generation).is_ok()
            };
            // Larger than what 64 lanes have of 64 MiB.
            assert!(!takes(u32::MAX));
            (0..20).rev().map(|bit| 1 << bit).find(|bytes| takes(*bytes))
        };
        assert_eq!(most(Target::GFX90A), Some(1 << 16));
        assert_eq!(most(Target::GFX1100), Some(1 << 16));
        assert_eq!(most(Target::parse("gfx1201").unwrap()), Some(1 << 19));
    }
}
