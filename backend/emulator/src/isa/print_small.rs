//! Text of what only floats of eight bits and fewer have.

use super::inst::Inst;
use super::table::{Encoding, Entry, Slot};

/// Whether it converts from eight bits; such an instruction says nothing about its result with SDWA.
pub(super) fn reads_small_floats(entry: &Entry) -> bool {
    matches!(entry.base, "v_cvt_f32_fp8" | "v_cvt_f32_bf8" | "v_cvt_pk_f32_fp8" | "v_cvt_pk_f32_bf8")
}

/// The byte beside the lowest that a conversion reads or writes.
pub(super) fn byte_sel(inst: &Inst) -> Option<u8> {
    let bits = inst.modifiers.op_sel;
    let byte = match inst.entry.base {
        // The two bits stand in the other order.
        "v_cvt_f32_fp8" | "v_cvt_f32_bf8" => (bits & 1) << 1 | bits >> 1 & 1,
        "v_cvt_sr_fp8_f32" | "v_cvt_sr_bf8_f32" => bits >> 2,
        _ => return None,
    };
    (byte != 0 && inst.entry.encoding == Encoding::Vop3).then_some(byte)
}

/// A factor whose format the instruction chooses has fewer registers for six and for four bits.
pub(super) fn in_format(entry: &Entry, slot: Slot, code: u8) -> Slot {
    let registers = match code {
        _ if !entry.base.ends_with("f8f6f4") => slot.registers,
        2 | 3 => 6,
        4 => 4,
        _ => slot.registers,
    };
    Slot { registers, ..slot }
}
