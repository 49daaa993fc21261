//! From words to instructions: the choice of the encoding, and scalar instructions.

use super::code::Code;
use super::decode_gfx12;
use super::decode_image;
use super::decode_memory;
use super::decode_vector;
use super::inst::Inst;
use super::operand::Operand;
use super::table::{Encoding, Table};
use crate::target::Generation;

/// Reads the instruction at the start of `words`; `None` if there is none, or if it is cut off.
pub fn decode(table: &'static Table, words: &[u32]) -> Option<Inst> {
    let word = *words.first()?;
    let code = Code { table, words, word };
    let inst = any(&code)?;
    let dual = inst.dual.iter().flat_map(|(_, _, sources)| sources);
    inst.src.iter().chain(dual).all(|source| !source.is_reserved()).then_some(inst)
}

fn any(code: &Code) -> Option<Inst> {
    let (table, word) = (code.table, code.word);
    match word >> 30 {
        0 | 1 => decode_vector::short(code),
        2 => scalar(code),
        _ if table.generation.is_gfx9() => match word >> 26 {
            0x30 => decode_memory::smem(code),
            0x34 if word >> 23 == 0x1a7 => decode_vector::packed(code),
            0x34 => decode_vector::vop3(code),
            0x36 => decode_memory::ds(code),
            0x37 => decode_memory::flat(code),
            0x38 => decode_memory::mubuf(code),
            0x3c => decode_image::mimg(code),
            _ => None,
        },
        _ => match (table.generation, word >> 26) {
            (Generation::Gfx12, 0x3d) => decode_gfx12::smem(code),
            (Generation::Gfx12, 0x3b) => decode_gfx12::flat(code),
            (Generation::Gfx12, 0x31) => decode_gfx12::buffer(code),
            (_, 0x3d) => decode_memory::smem(code),
            (_, 0x35) => decode_vector::vop3(code),
            (_, 0x33) if word >> 24 == 0xcc => decode_vector::packed(code),
            (Generation::Gfx11 | Generation::Gfx12, 0x32) => decode_vector::dual(code),
            (_, 0x36) => decode_memory::ds(code),
            (Generation::Gfx10 | Generation::Gfx11, 0x37) => decode_memory::flat(code),
            (Generation::Gfx10 | Generation::Gfx11, 0x38) => decode_memory::mubuf(code),
            (Generation::Gfx10 | Generation::Gfx11, 0x3c) => decode_image::mimg(code),
            (Generation::Gfx12, 0x34) => decode_image::gfx12(code, Encoding::Mimg),
            (Generation::Gfx12, 0x39) => decode_image::gfx12(code, Encoding::Vsample),
            _ => None,
        },
    }
}

fn scalar(code: &Code) -> Option<Inst> {
    match code.word >> 23 {
        0x17d => {
            let mut inst = code.start(Encoding::Sop1, code.bits(8, 8))?;
            inst.dst = code.operand(code.bits(16, 7));
            inst.src[0] = code.operand(code.bits(0, 8));
            code.with_literal(inst)
        }
        0x17e => {
            let mut inst = code.start(Encoding::Sopc, code.bits(16, 7))?;
            inst.src[0] = code.operand(code.bits(0, 8));
            if inst.entry.base == "s_set_gpr_idx_on" {
                // The field is a number, not an operand.
                inst.imm = code.bits(8, 8).cast_signed();
            } else {
                inst.src[1] = code.operand(code.bits(8, 8));
            }
            code.with_literal(inst)
        }
        0x17f => {
            let mut inst = code.start(Encoding::Sopp, code.bits(16, 7))?;
            inst.imm = code.bits(0, 16).cast_signed();
            Some(inst)
        }
        _ if code.word >> 28 == 0xb => {
            let mut inst = code.start(Encoding::Sopk, code.bits(23, 5))?;
            inst.dst = code.operand(code.bits(16, 7));
            inst.imm = code.bits(0, 16).cast_signed();
            code.with_literal(inst)
        }
        _ => {
            let mut inst = code.start(Encoding::Sop2, code.bits(23, 7))?;
            inst.dst = code.operand(code.bits(16, 7));
            inst.src = [code.operand(code.bits(0, 8)), code.operand(code.bits(8, 8)), Operand::NULL];
            code.with_literal(inst)
        }
    }
}
