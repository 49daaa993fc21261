//! Instructions that access memory, as gfx12 lays them out.

use super::code::Code;
use super::decode_memory::{scalar_offset, segment_encodings, signed};
use super::inst::{Cache, Inst};
use super::operand::Operand;
use super::table::{Encoding, Field};

/// Scalar loads: an offset of 24 bits, and what caches are told in the first word.
pub(super) fn smem(code: &Code) -> Option<Inst> {
    let second = *code.words.get(1)?;
    let mut inst = code.start(Encoding::Smem, code.bits(13, 6))?;
    inst.words = 2;
    inst.dst = code.operand(code.bits(6, 7));
    inst.src[0] = code.operand(code.bits(0, 6) * 2);
    inst.imm = signed(second & 0xff_ffff, 24);
    inst.cache.scope = code.bits(21, 2) as u8;
    inst.cache.hint = code.bits(23, 2) as u8;
    scalar_offset(code, &mut inst, second);
    Some(inst)
}

/// Global, private and flat memory: three words.
pub(super) fn flat(code: &Code) -> Option<Inst> {
    let [second, third] = [*code.words.get(1)?, *code.words.get(2)?];
    let segment = code.bits(24, 2);
    let (plain, returning) = segment_encodings(segment)?;
    let opcode = code.bits(14, 8);
    let cache = cache(second);
    let returned = if cache.glc { code.start(returning, opcode) } else { None };
    let mut inst = returned.or_else(|| code.start(plain, opcode))?;
    inst.words = 3;
    inst.cache = cache;
    inst.src = [Operand::vector(third & 255), Operand::vector(second >> 23 & 255), code.operand(code.bits(0, 7))];
    inst.dst = Operand::vector(second & 255);
    inst.imm = signed(third >> 8, 24);
    inst.flags = u8::from(segment != 1 || second >> 17 & 1 != 0);
    Some(inst)
}

/// Memory by descriptor: three words.
pub(super) fn buffer(code: &Code) -> Option<Inst> {
    let [second, third] = [*code.words.get(1)?, *code.words.get(2)?];
    let mut inst = code.start(Encoding::Mubuf, code.bits(14, 8))?;
    inst.words = 3;
    inst.cache = cache(second);
    inst.src = [Operand::vector(third & 255), Operand::vector(second & 255), code.operand(code.bits(0, 7))];
    if inst.entry.slot(Field::X).is_none() {
        inst.src[1] = Operand::NULL;
    }
    inst.sdst = code.operand(second >> 9 & 0x1ff);
    inst.imm = signed(third >> 8, 24);
    inst.flags = (second >> 30 & 3) as u8;
    Some(inst)
}

/// The lowest bit of the hint of an atomic asks for what it found.
fn cache(second: u32) -> Cache {
    let hint = (second >> 20 & 7) as u8;
    Cache { glc: hint & 1 != 0, hint, scope: (second >> 18 & 3) as u8, ..Cache::default() }
}
