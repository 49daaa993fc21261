//! Instructions that access memory.

use super::code::Code;
use super::inst::Inst;
use super::operand::Operand;
use super::table::{Encoding, Field};
use crate::target::Generation;

/// The lowest `bits` bits of a number with sign.
pub(super) fn signed(value: u32, bits: u32) -> i32 {
    (value << (32 - bits)).cast_signed() >> (32 - bits)
}

/// Scalar loads.
pub(super) fn smem(code: &Code) -> Option<Inst> {
    let second = *code.words.get(1)?;
    let mut inst = code.start(Encoding::Smem, code.bits(18, 8))?;
    inst.words = 2;
    inst.dst = code.operand(code.bits(6, 7));
    inst.src[0] = code.operand(code.bits(0, 6) * 2);
    inst.imm = signed(second & 0x1f_ffff, 21);
    if code.table.generation.is_gfx9() {
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
    } else {
        let (glc, dlc) = if code.table.generation == Generation::Gfx10 { (16, 14) } else { (14, 13) };
        inst.cache.glc = code.bits(glc, 1) != 0;
        inst.cache.dlc = code.bits(dlc, 1) != 0;
        scalar_offset(code, &mut inst, second);
    }
    Some(inst)
}

/// A scalar load has an offset in a register, one in the instruction, or both.
pub(super) fn scalar_offset(code: &Code, inst: &mut Inst, second: u32) {
    inst.src[1] = code.operand(second >> 25);
    let has_register = inst.src[1] != Operand::NULL;
    inst.flags = u8::from(inst.imm != 0 || !has_register) | u8::from(has_register) << 1;
}

/// A vector register that holds data, for accumulation or not.
fn data(number: u32, accumulation: bool) -> Operand {
    if accumulation { Operand::accumulator(number) } else { Operand::vector(number) }
}

/// LDS.
pub(super) fn ds(code: &Code) -> Option<Inst> {
    let second = *code.words.get(1)?;
    let gfx9 = code.table.generation.is_gfx9();
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

/// Global, private and flat memory up to gfx11.
pub(super) fn flat(code: &Code) -> Option<Inst> {
    let second = *code.words.get(1)?;
    let generation = code.table.generation;
    let later = generation == Generation::Gfx11;
    let (segment, glc) =
        if later { (code.bits(16, 2), code.bits(14, 1)) } else { (code.bits(14, 2), code.bits(16, 1)) };
    let (plain, returning) = segment_encodings(segment)?;
    let opcode = code.bits(18, 7);
    let returned = if glc != 0 { code.start(returning, opcode) } else { None };
    let mut inst = returned.or_else(|| code.start(plain, opcode))?;
    inst.words = 2;
    inst.cache.glc = glc != 0;
    inst.imm = match generation {
        Generation::Gfx9 | Generation::Gfx940 | Generation::Gfx950 | Generation::Gfx10 if segment == 0 => {
            code.bits(0, 12).cast_signed()
        }
        Generation::Gfx10 => signed(code.bits(0, 12), 12),
        _ => signed(code.bits(0, 13), 13),
    };
    let accumulation = generation.is_gfx9() && second >> 23 & 1 != 0;
    inst.src[0] = Operand::vector(second & 255);
    inst.src[1] = data(second >> 8 & 255, accumulation);
    inst.dst = data(second >> 24, accumulation);
    let scalar = second >> 16 & 0x7f;
    let is_scratch = segment == 1;
    inst.cache.slc = code.bits(if later { 15 } else { 17 }, 1) != 0;
    if generation.is_gfx9() {
        inst.cache.scc = code.bits(25, 1) != 0;
        inst.src[2] = if scalar == 0x7f || segment == 0 { Operand::NULL } else { code.operand(scalar) };
    } else {
        inst.cache.dlc = code.bits(if later { 13 } else { 12 }, 1) != 0;
        // Before gfx11 a private address without registers names EXEC's high half.
        let nothing = generation == Generation::Gfx10 && scalar == 0x7f;
        inst.src[2] = if nothing { Operand::NULL } else { code.operand(scalar) };
    }
    // Before gfx942 a private address is in a vector register or in a scalar one, later in either, both or none.
    let has_vector = match generation {
        _ if !is_scratch => true,
        Generation::Gfx9 => scalar == 0x7f,
        Generation::Gfx940 | Generation::Gfx950 => code.bits(13, 1) != 0,
        Generation::Gfx10 => inst.src[2] == Operand::NULL && scalar != 0x7f,
        _ => second >> 23 & 1 != 0,
    };
    inst.flags = u8::from(has_vector);
    Some(inst)
}

/// What the bits of the segment mean: without and with what atomics found.
pub(super) fn segment_encodings(segment: u32) -> Option<(Encoding, Encoding)> {
    match segment {
        0 => Some((Encoding::Flat, Encoding::FlatReturn)),
        1 => Some((Encoding::Scratch, Encoding::ScratchReturn)),
        2 => Some((Encoding::Global, Encoding::GlobalReturn)),
        _ => None,
    }
}

/// Memory by descriptor up to gfx11; in kernels of HIP private memory, and caches.
pub(super) fn mubuf(code: &Code) -> Option<Inst> {
    let second = *code.words.get(1)?;
    let generation = code.table.generation;
    let opcode = match generation {
        Generation::Gfx11 => code.bits(18, 8),
        Generation::Gfx10 => code.bits(18, 7) | code.bits(25, 1) << 7,
        _ => code.bits(18, 7),
    };
    let mut inst = code.start(Encoding::Mubuf, opcode)?;
    inst.words = 2;
    inst.imm = code.bits(0, 12).cast_signed();
    inst.cache.glc = code.bits(14, 1) != 0;
    if generation == Generation::Gfx11 {
        inst.flags = (second >> 22 & 1 | (second >> 23 & 1) << 1) as u8;
        inst.cache.slc = code.bits(12, 1) != 0;
        inst.cache.dlc = code.bits(13, 1) != 0;
    } else {
        inst.flags = (code.bits(12, 1) | code.bits(13, 1) << 1 | code.bits(16, 1) << 2) as u8;
        let gfx10 = generation == Generation::Gfx10;
        inst.cache.slc = if gfx10 { second >> 22 & 1 != 0 } else { code.bits(17, 1) != 0 };
        inst.cache.dlc = gfx10 && code.bits(15, 1) != 0;
        inst.cache.scc = !gfx10 && code.bits(15, 1) != 0;
    }
    let accumulation = generation.is_gfx9() && second >> 23 & 1 != 0;
    inst.src[0] = Operand::vector(second & 255);
    inst.src[1] = data(second >> 8 & 255, accumulation);
    inst.src[2] = code.operand(second >> 24);
    inst.sdst = code.operand((second >> 16 & 31) * 4);
    if inst.entry.slot(Field::X).is_none() {
        inst.src[1] = Operand::NULL;
    }
    Some(inst)
}
