//! Instructions on images: words and text. Forms that kernels of HIP do not have are not decoded: results with a status,
//! halves, short descriptors.

use super::decode::Code;
use super::inst::Inst;
use super::operand::Operand;
use super::print::Text;
use super::table::{Encoding, Field};
use crate::target::Generation;

/// Names of the shapes of images, by their number.
const SHAPES: [&str; 8] = ["1D", "2D", "3D", "CUBE", "1D_ARRAY", "2D_ARRAY", "2D_MSAA", "2D_MSAA_ARRAY"];

/// Reads an instruction. `imm` becomes the mask of channels, `literal` the numbers of further address registers; bits of
/// `flags`: 0 those are given, 1 to 3 the shape, 4 whole coordinates, 5 layers.
pub(super) fn decode(code: &Code) -> Option<Inst> {
    let second = *code.words.get(1)?;
    let gfx9 = code.table.generation == Generation::Gfx9;
    let mut inst = code.start(Encoding::Mimg, code.bits(18, if gfx9 { 7 } else { 8 }))?;
    inst.words = 2;
    inst.imm = code.bits(8, 4).cast_signed();
    let fields = if gfx9 {
        // Status, short descriptors and halves, among what has no meaning here.
        let others = code.bits(0, 8) | code.bits(15, 3) | second >> 26;
        (others, code.bits(12, 1) << 4 | code.bits(14, 1) << 5, second >> 21 & 31)
    } else {
        let others = code.bits(1, 1) | code.bits(5, 2) | code.bits(15, 3) | second >> 21 & 31;
        (others, code.bits(0, 1) | code.bits(2, 3) << 1 | code.bits(7, 1) << 4, second >> 26 & 31)
    };
    let (others, flags, sampler) = fields;
    if others != 0 || (!gfx9 && second >> 31 != 0) {
        return None;
    }
    inst.flags = flags as u8;
    inst.cache.glc = code.bits(if gfx9 { 13 } else { 14 }, 1) != 0;
    inst.cache.slc = code.bits(if gfx9 { 25 } else { 12 }, 1) != 0;
    inst.cache.dlc = !gfx9 && code.bits(13, 1) != 0;
    inst.src = [Operand::vector(second & 255), code.operand((second >> 16 & 31) * 4), code.operand(sampler * 4)];
    inst.dst = Operand::vector(second >> 8 & 255);
    if inst.flags & 1 != 0 {
        inst.literal = *code.words.get(2)?;
        inst.words = 3;
    }
    Some(inst)
}

/// Registers of the address: coordinates, a layer, a level.
fn addresses(inst: &Inst) -> u8 {
    let of_shape = [1, 2, 3, 3, 2, 3, 3, 4][usize::from(inst.flags >> 1 & 7)];
    of_shape + u8::from(inst.entry.base.ends_with("_l"))
}

/// Writes an instruction.
pub(super) fn write(text: &mut Text) {
    let inst = text.inst;
    let gfx9 = text.generation == Generation::Gfx9;
    text.out.push_str(inst.entry.mnemonic);
    text.out.push(' ');
    text.operand(inst.dst, inst.imm.count_ones().max(1) as u8);
    text.out.push_str(", ");
    if inst.flags & 1 != 0 {
        let others = inst.literal.to_le_bytes();
        text.out.push('[');
        text.operand(inst.src[0], 1);
        for number in others.into_iter().take(usize::from(addresses(inst)).saturating_sub(1)) {
            text.out.push_str(", ");
            text.operand(Operand::vector(u32::from(number)), 1);
        }
        text.out.push(']');
    } else {
        text.operand(inst.src[0], if gfx9 { 1 } else { addresses(inst) });
    }
    text.out.push_str(", ");
    text.operand(inst.src[1], 8);
    if inst.entry.slot(Field::C).is_some() {
        text.out.push_str(", ");
        text.operand(inst.src[2], 4);
    }
    if inst.imm != 0 {
        text.put(format_args!(" dmask:{:#x}", inst.imm));
    }
    if !gfx9 {
        text.put(format_args!(" dim:SQ_RSRC_IMG_{}", SHAPES[usize::from(inst.flags >> 1 & 7)]));
    }
    let words = [
        (inst.flags & 16 != 0, " unorm"),
        (inst.cache.glc, " glc"),
        (inst.cache.slc, " slc"),
        (inst.cache.dlc, " dlc"),
        (inst.flags & 32 != 0, " da"),
    ];
    words.into_iter().filter(|(is_set, _)| *is_set).for_each(|(_, word)| text.out.push_str(word));
}
