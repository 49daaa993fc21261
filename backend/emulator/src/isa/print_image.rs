//! Instructions on images as text.

use super::decode_image::{ADDRESSES_APART, COORDINATES, LAYERS, SHORT_ADDRESSES, SHORT_DATA};
use super::inst::Inst;
use super::operand::Operand;
use super::print_cache;
use super::table::Field;
use super::text::Text;
use crate::target::Generation;

/// Names of the shapes of images, by their number.
const SHAPES: [&str; 8] = ["1D", "2D", "3D", "CUBE", "1D_ARRAY", "2D_ARRAY", "2D_MSAA", "2D_MSAA_ARRAY"];

/// Coordinates, a layer, a level.
fn components(inst: &Inst) -> u8 {
    let of_shape = COORDINATES[usize::from(inst.flags >> 1 & 7)] as u8;
    of_shape + u8::from(inst.entry.base.ends_with("_l") || inst.entry.base.ends_with("_mip"))
}

/// Registers of the address: two components fit into one where they have 16 bits.
fn addresses(inst: &Inst) -> u8 {
    if inst.flags & SHORT_ADDRESSES != 0 { components(inst).div_ceil(2) } else { components(inst) }
}

/// Registers of the values: two fit into one where they have 16 bits.
fn values(inst: &Inst) -> u8 {
    let channels = inst.imm.count_ones().max(1);
    (if inst.flags & SHORT_DATA != 0 { channels.div_ceil(2) } else { channels }) as u8
}

/// Writes an instruction.
pub(super) fn write(text: &mut Text) {
    let inst = text.inst;
    let gfx9 = text.generation.is_gfx9();
    text.out.push_str(inst.entry.mnemonic);
    text.out.push(' ');
    text.operand(inst.dst, values(inst));
    text.out.push_str(", ");
    let is_alone = text.generation == Generation::Gfx12 && addresses(inst) == 1;
    if inst.flags & ADDRESSES_APART != 0 && !is_alone {
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
    text.out.push_str(if inst.flags & 16 != 0 { " unorm" } else { "" });
    print_cache::write(text);
    text.out.push_str(if inst.flags & SHORT_ADDRESSES != 0 { " a16" } else { "" });
    text.out.push_str(if inst.flags & LAYERS != 0 { " da" } else { "" });
    text.out.push_str(if inst.flags & SHORT_DATA != 0 { " d16" } else { "" });
}
