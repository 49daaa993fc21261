//! Arguments that the device fills in, and the dispatch packet.

use std::sync::Mutex;

use super::device::Device;
use crate::exec::launch::hostcall::{Hostcall, PrintBuffer};
use crate::exec::launch::scratch::Scratch;
use crate::exec::launch::shared::Shared;
use crate::fault::LaunchError;
use crate::launch::Launch;
use crate::memory::access;
use crate::object::ArgumentKind;

/// Bytes of the buffer of buffered `printf`.
const PRINT_BUFFER: u32 = 1 << 20;

/// Writes arguments and packet into memory. Returns the buffer of buffered `printf` if the kernel has one.
pub(super) fn fill(
    shared: &mut Shared,
    device: &Device,
    launch: &Launch,
    scratch: &mut Scratch,
) -> Result<Option<PrintBuffer>, LaunchError> {
    let kernel = shared.kernel.clone();
    let end = kernel.args.iter().map(|arg| u64::from(arg.offset) + u64::from(arg.size)).max().unwrap_or(0);
    let bytes = end.max(u64::from(kernel.kernarg_size)).max(launch.arguments.len() as u64);
    // Scalar loads take whole words, and the compiler may load more than the kernel needs.
    shared.arguments = scratch.take(bytes + 64)?;
    access::write_bytes(shared.arguments, launch.arguments);
    if kernel.descriptor.has(1) {
        shared.packet = packet(shared, launch, scratch)?;
    }
    if kernel.descriptor.has(2) {
        shared.queue = scratch.take(4096)?;
    }
    let mut printf = None;
    for arg in &kernel.args {
        let ArgumentKind::Hidden(name) = &arg.kind else { continue };
        let value = match name.as_str() {
            "hostcall_buffer" => {
                let waves = u64::from(shared.waves_per_block) * blocks_at_once(device, launch);
                let hostcall = Hostcall::new(waves, scratch)?;
                let address = hostcall.address();
                shared.hostcall = Some(Mutex::new(hostcall));
                address
            }
            "printf_buffer" => {
                let buffer = PrintBuffer { address: scratch.take(u64::from(PRINT_BUFFER) + 8)?, bytes: PRINT_BUFFER };
                access::store_u32(buffer.address + 4, PRINT_BUFFER);
                let address = buffer.address;
                printf = Some(buffer);
                address
            }
            "multigrid_sync_arg" if launch.cooperative => meeting_place(shared, launch, scratch)?,
            "heap_v1" => device.heap,
            "queue_ptr" => scratch.take(4096)?,
            name => number(name, launch),
        };
        let content = value.to_le_bytes();
        access::write_bytes(shared.arguments + u64::from(arg.offset), &content[..arg.size.min(8) as usize]);
    }
    Ok(printf)
}

/// Blocks that can run at the same time.
fn blocks_at_once(device: &Device, launch: &Launch) -> u64 {
    if launch.cooperative {
        launch.grid.iter().map(|size| u64::from(*size)).product()
    } else {
        device.pool.current_num_threads() as u64
    }
}

/// Arguments that are plain numbers.
fn number(name: &str, launch: &Launch) -> u64 {
    let dimension = match name.as_bytes().last() {
        Some(b'y') => 1,
        Some(b'z') => 2,
        _ => 0,
    };
    let dimensions = |sizes: [u32; 3]| {
        if sizes[2] > 1 {
            3
        } else if sizes[1] > 1 {
            2
        } else {
            1
        }
    };
    match name.trim_end_matches(['x', 'y', 'z']) {
        "block_count_" => u64::from(launch.grid[dimension]),
        "group_size_" => u64::from(launch.block[dimension]),
        "grid_dims" => dimensions(launch.grid).max(dimensions(launch.block)),
        "dynamic_lds_size" => u64::from(launch.dynamic_lds),
        _ => 0,
    }
}

/// What blocks of a cooperative launch meet with.
fn meeting_place(shared: &Shared, launch: &Launch, scratch: &mut Scratch) -> Result<u64, LaunchError> {
    let place = scratch.take(256)?;
    let threads = shared.grid.blocks() * launch.block.iter().map(|size| u64::from(*size)).product::<u64>();
    access::store_u32(place + 12, 1);
    access::store_u64(place + 24, threads);
    access::store_u32(place + 40, shared.grid.blocks() as u32);
    Ok(place)
}

fn packet(shared: &Shared, launch: &Launch, scratch: &mut Scratch) -> Result<u64, LaunchError> {
    let packet = scratch.take(64)?;
    for (dimension, (block, grid)) in (0..).zip(launch.block.iter().zip(launch.grid)) {
        access::store_u16(packet + 4 + 2 * dimension, *block as u16);
        access::store_u32(packet + 12 + 4 * dimension, block.wrapping_mul(grid));
    }
    access::store_u32(packet + 24, shared.private_bytes);
    access::store_u32(packet + 28, shared.lds_bytes);
    access::store_u64(packet + 40, shared.arguments);
    Ok(packet)
}
