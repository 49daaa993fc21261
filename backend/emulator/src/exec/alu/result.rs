//! Results of vector instructions that are changed, or that do not fill a register.

use super::lane::Valu;
use crate::exec::number::element::Kind;
use crate::exec::number::half::F16;
use crate::exec::state::wave::Wave;
use crate::isa::{Encoding, Entry, Form, Inst, Select};
use crate::target::Generation;

/// What happens to a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Placement {
    kind: Kind,
    /// Nothing happens to it.
    direct: bool,
    omod: u8,
    clamp: bool,
    /// Part of the register that is written.
    part: Select,
    /// What happens to the rest: 0 zero, 1 sign, 2 kept.
    unused: u8,
}

impl Placement {
    pub(super) fn new(inst: &Inst, entry: &Entry, valu: &Valu, generation: Generation) -> Placement {
        let kind = valu.dst;
        let (mut part, mut unused) = (Select::Dword, 0);
        if let Form::Sdwa(sdwa) = inst.form {
            (part, unused) = (sdwa.dst, sdwa.unused);
        } else if kind.is_short() {
            let high = entry.base == "v_fma_mixhi_f16"
                || (entry.encoding != Encoding::Vop3p && inst.modifiers.op_sel & 8 != 0);
            let keeps = high || valu.keeps_half || !generation.is_gfx9();
            part = if keeps { Select::Word(u8::from(high)) } else { Select::Dword };
            unused = if keeps { 2 } else { 0 };
        }
        let (omod, clamp) = (inst.modifiers.omod, inst.modifiers.clamp && kind.is_float());
        let direct = kind == Kind::None || (omod == 0 && !clamp && part == Select::Dword);
        Placement { kind, direct, omod, clamp, part, unused }
    }

    /// Whether the result can be written by the loop that computes it.
    #[inline]
    pub(super) fn is_direct(self) -> bool {
        self.direct
    }
}

/// Brings a result from one row to another, changed.
pub(super) fn place(wave: &mut Wave, placement: Placement, from: usize, to: usize, lanes: u64) {
    for lane in 0..wave.lanes {
        if lanes >> lane & 1 == 0 {
            continue;
        }
        let bits = modified(placement, wave.rows.lane_of(placement.kind, from, lane));
        let low = insert(placement, bits as u32, wave.rows.lane(to, lane));
        wave.rows.set_lane_of(placement.kind, to, lane, bits >> 32 << 32 | u64::from(low));
    }
}

fn modified(placement: Placement, bits: u64) -> u64 {
    let factor = [1.0, 2.0, 4.0, 0.5][usize::from(placement.omod & 3)];
    let limit = |value: f64| if placement.clamp { if value > 0.0 { value.min(1.0) } else { 0.0 } } else { value };
    if placement.omod == 0 && !placement.clamp {
        return bits;
    }
    let half = |bits: u64| u64::from(F16::nearest_double(limit(F16(bits as u16).double() * factor)).0);
    let single = |bits: u64| u64::from((limit(f64::from(f32::from_bits(bits as u32)) * factor) as f32).to_bits());
    match placement.kind {
        Kind::Float(16) => half(bits),
        Kind::Float(64) => limit(f64::from_bits(bits) * factor).to_bits(),
        Kind::PackedHalf => half(bits & 0xffff) | half(bits >> 16) << 16,
        Kind::PackedSingle => single(bits & 0xffff_ffff) | single(bits >> 32) << 32,
        _ => single(bits),
    }
}

/// Puts a value into a part of a register.
fn insert(placement: Placement, value: u32, old: u32) -> u32 {
    let (shift, width) = match placement.part {
        Select::Byte(byte) => (8 * u32::from(byte), 8),
        Select::Word(word) => (16 * u32::from(word), 16),
        Select::Dword => return value,
    };
    let mask = (1_u32 << width) - 1;
    let placed = (value & mask) << shift;
    match placement.unused {
        0 => placed,
        1 => {
            let unused = 32 - width - shift;
            (placed << unused).cast_signed().wrapping_shr(unused).cast_unsigned()
        }
        _ => placed | old & !(mask << shift),
    }
}
