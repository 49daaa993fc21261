//! Instructions that access memory.

use super::decode::Code;
use super::inst::Inst;
use super::operand::Operand;
use super::table::{Encoding, Field};
use crate::target::Generation;

/// The lowest `bits` bits of a number with sign.
fn signed(value: u32, bits: u32) -> i32 {
    (value << (32 - bits)).cast_signed() >> (32 - bits)
}

/// Scalar loads.
pub(super) fn smem(code: &Code) -> Option<Inst> {
    let second = *code.words.get(1)?;
    let mut inst = code.start(Encoding::Smem, code.bits(18, 8))?;
    inst.words = 2;
    inst.dst = code.operand(code.bits(6, 7));
    inst.src[0] = Operand((code.bits(0, 6) * 2) as u16);
    inst.imm = signed(second & 0x1f_ffff, 21);
    match code.table.generation {
        Generation::Gfx9 => {
            inst.cache.glc = code.bits(16, 1) != 0;
            let (has_imm, has_register) = (code.bits(17, 1) != 0, code.bits(14, 1) != 0);
            inst.flags = u8::from(has_imm) | u8::from(has_register) << 1;
            if has_register {
                inst.src[1] = code.operand(second >> 25);
            } else if !has_imm {
                inst.src[1] = code.operand(second & 0x7f);
                inst.flags = 2;
            }
            if !has_imm {
                inst.imm = 0;
            }
        }
        Generation::Gfx11 => {
            inst.cache.glc = code.bits(14, 1) != 0;
            inst.cache.dlc = code.bits(13, 1) != 0;
            inst.src[1] = code.operand(second >> 25);
            let has_register = inst.src[1] != Operand::NULL;
            inst.flags = u8::from(inst.imm != 0 || !has_register) | u8::from(has_register) << 1;
        }
    }
    Some(inst)
}

/// A vector register that holds data, for accumulation or not.
fn data(number: u32, accumulation: bool) -> Operand {
    if accumulation { Operand::accumulator(number) } else { Operand::vector(number) }
}

/// LDS.
pub(super) fn ds(code: &Code) -> Option<Inst> {
    let second = *code.words.get(1)?;
    let gfx9 = code.table.generation == Generation::Gfx9;
    let mut inst = code.start(Encoding::Ds, if gfx9 { code.bits(17, 8) } else { code.bits(18, 8) })?;
    inst.words = 2;
    inst.imm = code.bits(0, 16).cast_signed();
    inst.flags = code.bits(if gfx9 { 16 } else { 17 }, 1) as u8;
    let accumulation = gfx9 && code.bits(25, 1) != 0;
    inst.src =
        [Operand::vector(second & 255), data(second >> 8 & 255, accumulation), data(second >> 16 & 255, accumulation)];
    inst.dst = data(second >> 24, accumulation);
    Some(inst)
}

/// Global, private and flat memory.
pub(super) fn flat(code: &Code) -> Option<Inst> {
    let second = *code.words.get(1)?;
    let gfx9 = code.table.generation == Generation::Gfx9;
    let (segment, glc) = if gfx9 { (code.bits(14, 2), code.bits(16, 1)) } else { (code.bits(16, 2), code.bits(14, 1)) };
    let (plain, returning) = match segment {
        0 => (Encoding::Flat, Encoding::FlatReturn),
        1 => (Encoding::Scratch, Encoding::ScratchReturn),
        2 => (Encoding::Global, Encoding::GlobalReturn),
        _ => return None,
    };
    let opcode = code.bits(18, 7);
    let returned = if glc != 0 { code.start(returning, opcode) } else { None };
    let mut inst = returned.or_else(|| code.start(plain, opcode))?;
    inst.words = 2;
    inst.cache.glc = glc != 0;
    let unsigned = gfx9 && segment == 0;
    inst.imm = if unsigned { code.bits(0, 12).cast_signed() } else { signed(code.bits(0, 13), 13) };
    let accumulation = gfx9 && second >> 23 & 1 != 0;
    inst.src[0] = Operand::vector(second & 255);
    inst.src[1] = data(second >> 8 & 255, accumulation);
    inst.dst = data(second >> 24, accumulation);
    let scalar = second >> 16 & 0x7f;
    if gfx9 {
        inst.cache.slc = code.bits(17, 1) != 0;
        inst.cache.scc = code.bits(25, 1) != 0;
        inst.src[2] = if scalar == 0x7f || segment == 0 { Operand::NULL } else { code.operand(scalar) };
        // A private address is in a vector register or in a scalar one.
        inst.flags = u8::from(segment != 1 || scalar == 0x7f);
    } else {
        inst.cache.slc = code.bits(15, 1) != 0;
        inst.cache.dlc = code.bits(13, 1) != 0;
        inst.src[2] = code.operand(scalar);
        inst.flags = u8::from(segment != 1 || second >> 23 & 1 != 0);
    }
    Some(inst)
}

/// Memory by descriptor; in kernels of HIP private memory, and caches.
pub(super) fn mubuf(code: &Code) -> Option<Inst> {
    let second = *code.words.get(1)?;
    let gfx9 = code.table.generation == Generation::Gfx9;
    let mut inst = code.start(Encoding::Mubuf, if gfx9 { code.bits(18, 7) } else { code.bits(18, 8) })?;
    inst.words = 2;
    inst.imm = code.bits(0, 12).cast_signed();
    inst.cache.glc = code.bits(14, 1) != 0;
    if gfx9 {
        inst.flags = (code.bits(12, 1) | code.bits(13, 1) << 1 | code.bits(16, 1) << 2) as u8;
        inst.cache.slc = code.bits(17, 1) != 0;
        inst.cache.scc = code.bits(15, 1) != 0;
    } else {
        inst.flags = (second >> 22 & 1 | (second >> 23 & 1) << 1) as u8;
        inst.cache.slc = code.bits(12, 1) != 0;
        inst.cache.dlc = code.bits(13, 1) != 0;
    }
    let accumulation = gfx9 && second >> 23 & 1 != 0;
    inst.src[0] = Operand::vector(second & 255);
    inst.src[1] = data(second >> 8 & 255, accumulation);
    inst.src[2] = code.operand(second >> 24);
    inst.sdst = Operand(((second >> 16 & 31) * 4) as u16);
    if inst.entry.slot(Field::X).is_none() {
        inst.src[1] = Operand::NULL;
    }
    Some(inst)
}
