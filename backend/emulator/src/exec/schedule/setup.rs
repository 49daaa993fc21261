//! What registers hold before the first instruction.

use crate::exec::launch::shared::Shared;
use crate::exec::memory::buffer::private_descriptor;
use crate::exec::number::float_mode::FloatMode;
use crate::exec::state::evidence::MissingLanes;
use crate::exec::state::registers::{LANES, Scalars};
use crate::exec::state::wave::{State, Wave};
use crate::isa::Operand;
use crate::memory::Cache;
use crate::target::Generation;

/// Registers of the trap handler that hold the block's coordinates on gfx12: y and z, and x.
const TTMP7: Operand = Operand(115);
const TTMP9: Operand = Operand(117);

/// Prepares a wave of the block at `at`.
pub(super) fn wave(wave: &mut Wave, shared: &Shared, at: [u32; 3], number: u32) {
    wave.number = number;
    wave.lanes = shared.lanes;
    wave.state = State::Running;
    wave.pc = shared.entry;
    wave.set_indexing(false);
    wave.set_mode(FloatMode::of(shared.kernel.descriptor.rsrc1, shared.generation));
    wave.rows.clear(0, shared.vector_registers);
    wave.rows.clear(256, shared.accumulation_registers);
    wave.scalars = Scalars::new();
    wave.private.resize(shared.private_bytes, shared.lanes);
    let threads = shared.block.iter().product::<u32>();
    let first = number * shared.lanes as u32;
    let present = threads.saturating_sub(first).min(shared.lanes as u32);
    wave.present = u64::MAX.checked_shr(64 - present).unwrap_or(0);
    wave.missing_lanes = MissingLanes::default();
    wave.last_access = None;
    if wave.heap_call.take().is_some() {
        wave.cache = Cache::default();
    }
    wave.exec_comparison = None;
    wave.scalars.set64(Operand::EXEC, wave.present);
    user_registers(wave, shared);
    block_ids(wave, shared, at);
    thread_ids(wave, shared, first);
}

/// Pointers, in the order of the properties' bits.
fn user_registers(wave: &mut Wave, shared: &Shared) {
    let descriptor = &shared.kernel.descriptor;
    let mut next = 0;
    let pointers = [
        (0, 4, 0),
        (1, 2, shared.packet),
        (2, 2, shared.queue),
        (3, 2, shared.arguments),
        (4, 2, 0),
        (5, 2, 0),
        (6, 1, u64::from(shared.private_bytes)),
    ];
    for (bit, registers, value) in pointers {
        if !descriptor.has(bit) {
            continue;
        }
        if bit == 0 {
            for (at, word) in (next..).zip(private_descriptor()) {
                wave.scalars.set(Operand(at), word);
            }
        } else if registers == 1 {
            wave.scalars.set(Operand(next), value as u32);
        } else {
            wave.scalars.set64(Operand(next), value);
        }
        next += registers;
    }
}

/// Coordinates of the block: in registers of the program, from gfx12 on in registers of the trap handler.
fn block_ids(wave: &mut Wave, shared: &Shared, at: [u32; 3]) {
    let descriptor = &shared.kernel.descriptor;
    if shared.generation == Generation::Gfx12 {
        let given = |dimension: u32| if descriptor.has_block_id(dimension) { at[dimension as usize] } else { 0 };
        wave.scalars.set(TTMP9, at[0]);
        wave.scalars.set(TTMP7, given(1) & 0xffff | given(2) << 16);
        return;
    }
    let mut next = descriptor.user_sgprs() as u16;
    for (dimension, coordinate) in (0..).zip(at) {
        if descriptor.has_block_id(dimension) {
            wave.scalars.set(Operand(next), coordinate);
            next += 1;
        }
    }
}

/// Coordinates of threads: packed in one register, or one register each; only those that are asked for.
fn thread_ids(wave: &mut Wave, shared: &Shared, first: u32) {
    let wanted = shared.kernel.descriptor.thread_ids() as usize;
    let ids = coordinates(shared.block, first, shared.lanes);
    let ids = ids.iter().enumerate().take(wanted);
    if shared.packed_ids {
        let row = wave.rows.row_mut(0).as_flattened_mut();
        row.fill(0);
        for (dimension, ids) in ids {
            row.iter_mut().zip(ids).for_each(|(packed, id)| *packed |= id << (10 * dimension));
        }
    } else {
        ids.for_each(|(dimension, ids)| wave.rows.row_mut(dimension).as_flattened_mut().copy_from_slice(ids));
    }
}

/// Coordinates of `lanes` threads from number `first` on, those of x first. Threads with the same y and z lie side by side.
fn coordinates([width, height, _]: [u32; 3], first: u32, lanes: usize) -> [[u32; LANES]; 3] {
    let mut ids = [[0; LANES]; 3];
    let [mut x, mut y, mut z] = [first % width, first / width % height, first / width / height];
    let mut lane = 0;
    while lane < lanes {
        let run = lane..lanes.min(lane + (width - x) as usize);
        lane = run.end;
        ids[0][run.clone()].iter_mut().zip(x..).for_each(|(id, x)| *id = x);
        ids[1][run.clone()].fill(y);
        ids[2][run].fill(z);
        (x, y) = (0, y + 1);
        if y == height {
            (y, z) = (0, z + 1);
        }
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_counted_along_x_then_y_then_z() {
        for (block, first, lanes) in
            [([256, 1, 1], 64, 64), ([16, 16, 1], 128, 64), ([5, 3, 7], 32, 32), ([1, 1, 64], 0, 64)]
        {
            let ids = coordinates(block, first, lanes);
            for (lane, thread) in (0..lanes).zip(first..) {
                let [width, height, _] = block;
                let expected = [thread % width, thread / width % height, thread / width / height];
                assert_eq!(ids.map(|ids| ids[lane]), expected, "{block:?}, thread {thread}");
            }
        }
    }
}
