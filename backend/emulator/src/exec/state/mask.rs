//! Masks: one bit for each lane, in one or two scalar registers.

use super::wave::Wave;
use crate::isa::Operand;

/// Reads a mask; constants are masks too.
#[inline]
pub(crate) fn read(wave: &Wave, operand: Operand) -> u64 {
    let bits = match operand.0 {
        0..=127 => wave.scalars.get64(operand),
        _ => operand.integer().map_or(0, |value| i64::from(value).cast_unsigned()),
    };
    let nothing = operand == Operand::NULL;
    if nothing { 0 } else { bits & wave.all_lanes() }
}

/// Writes a mask: one register where waves have 32 lanes.
#[inline]
pub(crate) fn write(wave: &mut Wave, operand: Operand, bits: u64) {
    if wave.lanes == 64 {
        wave.scalars.set64(operand, bits);
    } else {
        wave.scalars.set(operand, bits as u32);
    }
}
