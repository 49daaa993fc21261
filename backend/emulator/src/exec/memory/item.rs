//! Values of one lane on their way between registers and memory.

use super::shape::Item;
use crate::exec::state::wave::Wave;

/// Brings a value from memory into registers.
pub(super) fn load_item(wave: &mut Wave, dst: usize, lane: usize, item: Item, mut load: impl FnMut(u32, u32) -> u32) {
    if item.bytes >= 4 {
        for register in 0..item.registers() {
            let value = load(4 * register, 4);
            wave.rows.set_lane(dst + register as usize, lane, value);
        }
        return;
    }
    let raw = load(0, item.bytes);
    let unused = 32 - 8 * item.bytes;
    let value = if item.signed { ((raw << unused).cast_signed() >> unused).cast_unsigned() } else { raw };
    let old = if item.clears { 0 } else { wave.rows.lane(dst, lane) };
    let merged = match item.half {
        None => value,
        Some(false) => old & 0xffff_0000 | value & 0xffff,
        Some(true) => old & 0xffff | value << 16,
    };
    wave.rows.set_lane(dst, lane, merged);
}

/// Brings a value from registers into memory.
pub(super) fn store_item(wave: &Wave, data: usize, lane: usize, item: Item, mut store: impl FnMut(u32, u32, u32)) {
    if item.bytes >= 4 {
        for register in 0..item.registers() {
            store(4 * register, 4, wave.rows.lane(data + register as usize, lane));
        }
        return;
    }
    let value = wave.rows.lane(data, lane);
    let value = if item.half == Some(true) { value >> 16 } else { value };
    store(0, item.bytes, value & (u32::MAX >> (32 - 8 * item.bytes)));
}
