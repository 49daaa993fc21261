//! How many blocks of a kernel a compute unit holds together.
//!
//! Source: AMD's instruction set manuals, chapters on registers and LDS; LLVM's AMDGPU usage guide, "Occupancy".

use std::ffi::{c_int, c_uint};

use hipshift_emulator::Target;
use hipshift_emulator::object::Kernel;

use crate::abi::{Address, Out};
use crate::call::api;
use crate::error::Error;
use crate::functions::function;
use crate::loaded::Function;
use crate::runtime::gpu;

/// Blocks of `threads` threads with so many bytes of dynamic LDS that one compute unit holds.
fn blocks(target: &Target, kernel: &Kernel, threads: u32, dynamic_lds: usize) -> u32 {
    let processor = target.processor;
    if threads == 0 || threads > kernel.max_workgroup_size.min(processor.max_block) {
        return 0;
    }
    let registers = kernel.vgprs.max(1).next_multiple_of(processor.vgpr_granule);
    let waves_per_simd = (processor.vgprs_per_simd / registers).min(processor.waves_per_simd);
    let waves = threads.div_ceil(processor.wave_size);
    let by_waves = waves_per_simd * processor.simds / waves;
    let lds = kernel.lds_size as usize + dynamic_lds;
    let by_lds = (processor.lds_bytes as usize).checked_div(lds).unwrap_or(usize::MAX);
    by_waves.min(u32::try_from(by_lds).unwrap_or(u32::MAX))
}

/// Fails for flags beyond `hipOccupancyDisableCachingOverride` (1).
fn check_flags(flags: c_uint) -> Result<(), Error> {
    if flags <= 1 { Ok(()) } else { Err(Error::InvalidValue) }
}

/// Bytes of dynamic LDS that each of so many blocks on one compute unit can have.
fn spare(function: &Function, blocks_wanted: c_int, threads: c_int) -> Result<usize, Error> {
    let wanted = usize::try_from(blocks_wanted).ok().filter(|wanted| *wanted > 0).ok_or(Error::InvalidValue)?;
    if active(function, threads, 0)? < blocks_wanted {
        return Err(Error::InvalidValue);
    }
    let own = function.kernel()?.lds_size as usize;
    Ok((gpu().device.target().processor.lds_bytes as usize / wanted).saturating_sub(own))
}

/// The block size, up to a limit, with the most threads on a compute unit, and the blocks that fill the GPU.
fn best(function: &Function, dynamic_lds: usize, limit: c_int) -> Result<(c_int, c_int), Error> {
    let (target, kernel) = (gpu().device.target(), function.kernel()?);
    let processor = target.processor;
    let limit = u32::try_from(limit).ok().filter(|limit| *limit > 0).unwrap_or(processor.max_block);
    let most = limit.min(kernel.max_workgroup_size).min(processor.max_block);
    let sizes = (1..=most / processor.wave_size).rev().map(|waves| waves * processor.wave_size);
    let threads = |size: &u32| size * blocks(target, kernel, *size, dynamic_lds);
    let size = sizes.rev().max_by_key(threads).ok_or(Error::InvalidValue)?;
    let grid = blocks(target, kernel, size, dynamic_lds) * processor.compute_units;
    Ok((grid.cast_signed(), size.cast_signed()))
}

fn active(function: &Function, threads: c_int, dynamic_lds: usize) -> Result<c_int, Error> {
    let threads = u32::try_from(threads).ok().filter(|threads| *threads > 0).ok_or(Error::InvalidValue)?;
    Ok(blocks(gpu().device.target(), function.kernel()?, threads, dynamic_lds).cast_signed())
}

fn set_best(
    grid: Out<c_int>,
    block: Out<c_int>,
    symbol: Address,
    dynamic_lds: usize,
    limit: c_int,
) -> Result<(), Error> {
    let (blocks, threads) = best(&function(symbol)?, dynamic_lds, limit)?;
    grid.set(blocks)?;
    block.set(threads)
}

api! {
    "hip_4.2" fn hipOccupancyMaxActiveBlocksPerMultiprocessor(
        count: Out<c_int>,
        symbol: Address,
        threads: c_int,
        dynamic_lds: usize,
    ) {
        count.check()?;
        count.set(active(&function(symbol)?, threads, dynamic_lds)?)
    }

    "hip_4.2" fn hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        count: Out<c_int>,
        symbol: Address,
        threads: c_int,
        dynamic_lds: usize,
        flags: c_uint,
    ) {
        check_flags(flags)?;
        count.check()?;
        count.set(active(&function(symbol)?, threads, dynamic_lds)?)
    }

    "hip_4.2" fn hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
        count: Out<c_int>,
        handle: Address,
        threads: c_int,
        dynamic_lds: usize,
    ) {
        count.check()?;
        count.set(active(&function(handle)?, threads, dynamic_lds)?)
    }

    "hip_4.2" fn hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        count: Out<c_int>,
        handle: Address,
        threads: c_int,
        dynamic_lds: usize,
        flags: c_uint,
    ) {
        check_flags(flags)?;
        count.check()?;
        count.set(active(&function(handle)?, threads, dynamic_lds)?)
    }

    "hip_4.2" fn hipOccupancyMaxPotentialBlockSize(
        grid: Out<c_int>,
        block: Out<c_int>,
        symbol: Address,
        dynamic_lds: usize,
        limit: c_int,
    ) {
        set_best(grid, block, symbol, dynamic_lds, limit)
    }

    "hip_4.2" fn hipModuleOccupancyMaxPotentialBlockSize(
        grid: Out<c_int>,
        block: Out<c_int>,
        handle: Address,
        dynamic_lds: usize,
        limit: c_int,
    ) {
        set_best(grid, block, handle, dynamic_lds, limit)
    }

    "hip_4.2" fn hipModuleOccupancyMaxPotentialBlockSizeWithFlags(
        grid: Out<c_int>,
        block: Out<c_int>,
        handle: Address,
        dynamic_lds: usize,
        limit: c_int,
        flags: c_uint,
    ) {
        check_flags(flags)?;
        set_best(grid, block, handle, dynamic_lds, limit)
    }

    "hip_7.2" fn hipOccupancyAvailableDynamicSMemPerBlock(
        bytes: Out<usize>,
        symbol: Address,
        blocks: c_int,
        threads: c_int,
    ) {
        bytes.check()?;
        bytes.set(spare(&function(symbol)?, blocks, threads)?)
    }
}
