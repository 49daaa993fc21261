//! Instructions on images, from words. Forms that kernels of HIP do not have are not decoded: results with a status,
//! short descriptors, more than five address registers.

use super::code::Code;
use super::inst::Inst;
use super::operand::Operand;
use super::table::Encoding;
use crate::target::Generation;

/// Flag: the numbers of further address registers are given.
pub(crate) const ADDRESSES_APART: u8 = 1;
/// Flag: a layer stands behind the coordinates. Up to gfx9; later the shape says so.
pub(crate) const LAYERS: u8 = 1 << 5;
/// Flag: components of addresses have 16 bits.
pub(crate) const SHORT_ADDRESSES: u8 = 1 << 6;
/// Flag: values are halves in registers, two in each.
pub(crate) const SHORT_DATA: u8 = 1 << 7;

/// Coordinates of each shape, layers and faces among them: 1D, 2D, 3D, cube, lines in layers, pictures in layers, and those with samples.
pub(crate) const COORDINATES: [usize; 8] = [1, 2, 3, 3, 2, 3, 3, 4];

/// Reads an instruction up to gfx11. `imm` becomes the mask of channels, `literal` the numbers of further address registers;
/// bits of `flags`: 0 those are given, 1 to 3 the shape, 4 whole coordinates, 5 layers, 6 addresses of 16 bits,
/// 7 values of 16 bits.
pub(super) fn mimg(code: &Code) -> Option<Inst> {
    let second = *code.words.get(1)?;
    let generation = code.table.generation;
    let opcode = match generation {
        Generation::Gfx10 => code.bits(18, 7) | code.bits(0, 1) << 7,
        Generation::Gfx11 => code.bits(18, 8),
        _ => code.bits(18, 7),
    };
    let mut inst = code.start(Encoding::Mimg, opcode)?;
    inst.words = 2;
    inst.imm = code.bits(8, 4).cast_signed();
    // What is not read: status, short descriptors, more than one further word of addresses.
    let (others, flags, sampler) = match generation {
        Generation::Gfx10 => {
            let others = code.bits(2, 1) | code.bits(6, 1) | code.bits(14, 4) | second >> 26 & 15;
            let flags = code.bits(1, 1) | code.bits(3, 3) << 1 | code.bits(12, 1) << 4 | (second >> 30) << 6;
            (others, flags, second >> 21 & 31)
        }
        Generation::Gfx11 => {
            let others = code.bits(1, 1) | code.bits(5, 2) | code.bits(15, 1) | second >> 21 & 31;
            let flags = code.bits(0, 1) | code.bits(2, 3) << 1 | code.bits(7, 1) << 4 | code.bits(16, 2) << 6;
            (others | second >> 31, flags, second >> 26 & 31)
        }
        _ => {
            let others = code.bits(0, 8) | code.bits(16, 2) | second >> 26 & 31;
            let flags = code.bits(12, 1) << 4 | code.bits(14, 1) << 5 | code.bits(15, 1) << 6 | (second >> 31) << 7;
            (others, flags, second >> 21 & 31)
        }
    };
    if others != 0 {
        return None;
    }
    inst.flags = flags as u8;
    let later = generation == Generation::Gfx11;
    inst.cache.glc = code.bits(if later { 14 } else { 13 }, 1) != 0;
    inst.cache.slc = code.bits(if later { 12 } else { 25 }, 1) != 0;
    inst.cache.dlc = match generation {
        Generation::Gfx10 => code.bits(7, 1) != 0,
        Generation::Gfx11 => code.bits(13, 1) != 0,
        _ => false,
    };
    inst.src = [Operand::vector(second & 255), code.operand((second >> 16 & 31) * 4), code.operand(sampler * 4)];
    inst.dst = Operand::vector(second >> 8 & 255);
    if inst.flags & ADDRESSES_APART != 0 {
        inst.literal = *code.words.get(2)?;
        inst.words = 3;
    }
    Some(inst)
}

/// Reads an instruction of gfx12, with a sampler or without: three words, each address register with a number of its own.
pub(super) fn gfx12(code: &Code, encoding: Encoding) -> Option<Inst> {
    let [second, third] = [*code.words.get(1)?, *code.words.get(2)?];
    let mut inst = code.start(encoding, code.bits(14, 8))?;
    inst.words = 3;
    inst.imm = code.bits(22, 4).cast_signed();
    let has_sampler = encoding == Encoding::Vsample;
    // Status, short descriptors; a fifth address register where there is no sampler.
    let others = if has_sampler {
        code.bits(3, 2) | code.bits(7, 6) | second >> 8 & 1
    } else {
        code.bits(3, 2) | code.bits(7, 7) | second >> 8 & 1 | second >> 23
    };
    if others != 0 {
        return None;
    }
    let unorm = if has_sampler { code.bits(13, 1) << 4 } else { 0 };
    let short = code.bits(6, 1) << 6 | code.bits(5, 1) << 7;
    inst.flags = (u32::from(ADDRESSES_APART) | code.bits(0, 3) << 1 | unorm | short) as u8;
    inst.cache.hint = (second >> 20 & 7) as u8;
    inst.cache.scope = (second >> 18 & 3) as u8;
    let sampler = if has_sampler { code.operand(second >> 23) } else { Operand::NULL };
    inst.src = [Operand::vector(third & 255), code.operand(second >> 9 & 0x1ff), sampler];
    inst.dst = Operand::vector(second & 255);
    inst.literal = third >> 8;
    Some(inst)
}
