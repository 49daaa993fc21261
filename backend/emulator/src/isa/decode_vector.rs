//! Vector instructions.

use super::code::Code;
use super::inst::{Dpp, Form, Inst, Sdwa, Select};
use super::operand::Operand;
use super::table::{Encoding, Field};
use crate::target::Generation;

const SDWA: u32 = 249;
const DPP: u32 = 250;
const DPP8: u32 = 233;
const DPP8_ANY: u32 = 234;

/// VOP1, VOP2 and VOPC: one word, and one more for variants.
pub(super) fn short(code: &Code) -> Option<Inst> {
    let mut inst = match code.bits(25, 6) {
        0x3f => code.start(Encoding::Vop1, code.bits(9, 8))?,
        0x3e => code.start(Encoding::Vopc, code.bits(17, 8))?,
        opcode => code.start(Encoding::Vop2, opcode)?,
    };
    let has_second = inst.entry.encoding != Encoding::Vop1;
    let first = code.bits(0, 9);
    if inst.entry.encoding != Encoding::Vopc {
        inst.dst = destination(code, &inst, code.bits(17, 8));
    }
    if has_second {
        inst.src[1] = Operand::vector(code.bits(9, 8));
    }
    match (code.table.generation, first) {
        (Generation::Gfx9 | Generation::Gfx940 | Generation::Gfx950 | Generation::Gfx10, SDWA) => sdwa(code, inst),
        (_, DPP) => with_dpp(code, inst).map(halves),
        (Generation::Gfx10 | Generation::Gfx11 | Generation::Gfx12, DPP8 | DPP8_ANY) => {
            with_dpp8(code, inst, first == DPP8_ANY).map(halves)
        }
        _ => {
            inst.src[0] = code.operand(first);
            code.with_literal(accumulators(inst)).map(halves)
        }
    }
}

/// `v_accvgpr_mov_b32` names accumulation registers only.
fn accumulators(mut inst: Inst) -> Inst {
    if inst.entry.base == "v_accvgpr_mov_b32" {
        inst.dst = Operand(inst.dst.0 + 256);
        if inst.src[0].row().is_some() {
            inst.src[0].0 += 256;
        }
    }
    inst
}

/// A destination field of eight bits: a scalar register if the instruction writes one.
fn destination(code: &Code, inst: &Inst, field: u32) -> Operand {
    if inst.entry.slot(Field::ScalarDst).is_some() { code.operand(field) } else { Operand::vector(field) }
}

/// In short encodings bit 7 of a 16-bit operand tells the half.
fn halves(mut inst: Inst) -> Inst {
    let is_half = |field| inst.entry.slot(field).is_some_and(|slot| slot.registers == 0);
    let fields = [(Field::A, 0), (Field::B, 1)].map(|(field, bit)| (is_half(field), bit));
    for (half, bit) in fields {
        let source = &mut inst.src[bit];
        if half && source.0 >= 256 && source.0 & 128 != 0 {
            source.0 &= !128;
            inst.modifiers.op_sel |= 1 << bit;
        }
    }
    if inst.entry.slot(Field::Dst).is_some_and(|slot| slot.registers == 0) && inst.dst.0 & 128 != 0 {
        inst.dst.0 &= !128;
        inst.modifiers.op_sel |= 8;
    }
    inst
}

fn sdwa(code: &Code, mut inst: Inst) -> Option<Inst> {
    let word = *code.words.get(1)?;
    let bits = |low: u32, count: u32| word >> low & ((1 << count) - 1);
    let bit = |at: u32| word >> at & 1 != 0;
    let register = |number: u32, is_scalar: bool| {
        if is_scalar { code.operand(number) } else { Operand::vector(number) }
    };
    inst.words = 2;
    inst.src[0] = register(bits(0, 8), bit(23));
    if inst.src[1] != Operand::NULL {
        inst.src[1] = register(u32::from(inst.src[1].0) & 255, bit(31));
    }
    let mut sdwa = Sdwa {
        dst: Select::Dword,
        unused: 0,
        src: [select(bits(16, 3))?, select(bits(24, 3))?],
        sext: [bit(19), bit(27)],
    };
    inst.modifiers.neg = u8::from(bit(20)) | u8::from(bit(28)) << 1;
    inst.modifiers.abs = u8::from(bit(21)) | u8::from(bit(29)) << 1;
    if inst.entry.encoding == Encoding::Vopc {
        let default = if inst.entry.slot(Field::Vcc).is_some() { Operand::VCC } else { Operand::EXEC };
        inst.sdst = if bit(15) { code.operand(bits(8, 7)) } else { default };
    } else {
        sdwa.dst = select(bits(8, 3))?;
        sdwa.unused = bits(11, 2) as u8;
        inst.modifiers.clamp = bit(13);
        inst.modifiers.omod = bits(14, 2) as u8;
    }
    inst.form = Form::Sdwa(sdwa);
    Some(inst)
}

fn select(code: u32) -> Option<Select> {
    Some(match code {
        0..=3 => Select::Byte(code as u8),
        4 | 5 => Select::Word(code as u8 - 4),
        6 => Select::Dword,
        _ => return None,
    })
}

/// The word behind the instruction holds a first source from other lanes.
fn with_dpp(code: &Code, mut inst: Inst) -> Option<Inst> {
    let word = *code.words.get(usize::from(inst.words))?;
    let bit = |at: u32| word >> at & 1 != 0;
    inst.words += 1;
    inst.src[0] = Operand::vector(word & 255);
    let is_short = matches!(inst.entry.encoding, Encoding::Vop1 | Encoding::Vop2 | Encoding::Vopc);
    if is_short {
        inst.modifiers.neg = u8::from(bit(20)) | u8::from(bit(22)) << 1;
        inst.modifiers.abs = u8::from(bit(21)) | u8::from(bit(23)) << 1;
    }
    inst.form = Form::Dpp(Dpp {
        control: (word >> 8 & 0x1ff) as u16,
        row_mask: (word >> 28) as u8,
        bank_mask: (word >> 24 & 15) as u8,
        bound_control: bit(19),
        fetch_inactive: bit(18) && !code.table.generation.is_gfx9(),
    });
    Some(inst)
}

fn with_dpp8(code: &Code, mut inst: Inst, any: bool) -> Option<Inst> {
    let word = *code.words.get(usize::from(inst.words))?;
    inst.words += 1;
    inst.src[0] = Operand::vector(word & 255);
    inst.form = Form::Dpp8(word >> 8, any);
    Some(inst)
}

/// VOP3: two words with three sources.
pub(super) fn vop3(code: &Code) -> Option<Inst> {
    let second = *code.words.get(1)?;
    let mut inst = code.start(Encoding::Vop3, code.bits(16, 10))?;
    inst.words = 2;
    inst.dst = destination(code, &inst, code.bits(0, 8));
    inst.src = sources(code, second);
    inst.modifiers.clamp = code.bits(15, 1) != 0;
    inst.modifiers.omod = (second >> 27 & 3) as u8;
    inst.modifiers.neg = (second >> 29) as u8;
    if inst.entry.slot(Field::CarryOut).is_some() {
        inst.sdst = code.operand(code.bits(8, 7));
    } else {
        inst.modifiers.abs = code.bits(8, 3) as u8;
        inst.modifiers.op_sel = code.bits(11, 4) as u8;
    }
    if inst.entry.base.starts_with("v_bitop3_") {
        truth_table(&mut inst);
    }
    unused_sources(&mut inst);
    finish(code, inst, second)
}

/// The bits of modifiers are a result for each combination of three bits.
fn truth_table(inst: &mut Inst) {
    let bits = [inst.modifiers.omod, inst.modifiers.abs, inst.modifiers.neg].map(i32::from);
    inst.imm = bits[0] << 6 | bits[1] << 3 | bits[2];
    (inst.modifiers.omod, inst.modifiers.abs, inst.modifiers.neg) = (0, 0, 0);
}

/// Fields of operands that an instruction does not have say nothing.
fn unused_sources(inst: &mut Inst) {
    for (source, field) in inst.src.iter_mut().zip([Field::A, Field::B, Field::C]) {
        let is_used = inst.entry.slot(field).is_some();
        if !is_used {
            *source = Operand::NULL;
        }
    }
}

fn finish(code: &Code, inst: Inst, second: u32) -> Option<Inst> {
    match second & 0x1ff {
        DPP if code.table.generation.is_gfx11_or_later() => with_dpp(code, inst),
        field @ (DPP8 | DPP8_ANY) if code.table.generation.is_gfx11_or_later() => {
            with_dpp8(code, inst, field == DPP8_ANY)
        }
        _ => code.with_literal(inst),
    }
}

fn sources(code: &Code, second: u32) -> [Operand; 3] {
    [second & 0x1ff, second >> 9 & 0x1ff, second >> 18 & 0x1ff].map(|field| code.operand(field))
}

/// VOP3P: packed halves, matrices.
pub(super) fn packed(code: &Code) -> Option<Inst> {
    let second = *code.words.get(1)?;
    let mut inst = code.start(Encoding::Vop3p, code.bits(16, 7))?;
    inst.words = 2;
    inst.dst = destination(code, &inst, code.bits(0, 8));
    inst.src = sources(code, second);
    inst.modifiers.neg = (second >> 29) as u8;
    inst.modifiers.abs = code.bits(8, 3) as u8;
    if inst.entry.names_accumulators() {
        matrix(code, &mut inst, second);
    } else {
        inst.modifiers.clamp = code.bits(15, 1) != 0;
        inst.modifiers.op_sel = code.bits(11, 3) as u8;
        inst.modifiers.op_sel_hi = (second >> 27 & 3) as u8 | (code.bits(14, 1) as u8) << 2;
    }
    unused_sources(&mut inst);
    finish(code, inst, second)
}

/// Matrix instructions name accumulation registers by bits of their own; `cbsz` and `abid` take the place of
/// `abs` and `op_sel`, `blgp` that of `neg`.
fn matrix(code: &Code, inst: &mut Inst, second: u32) {
    inst.modifiers.op_sel = code.bits(11, 4) as u8;
    let accumulates =
        code.bits(15, 1) != 0 || (code.table.always_accumulates && inst.entry.base.starts_with("v_mfma_"));
    let is_accumulator = [second >> 27 & 1 != 0, second >> 28 & 1 != 0, accumulates];
    let writes_only = inst.entry.base == "v_accvgpr_write_b32";
    // The index of a sparse product is never accumulated to.
    let sources = if inst.entry.base.starts_with("v_smfmac") { 2 } else { 3 };
    for (source, accumulator) in inst.src.iter_mut().zip(is_accumulator).take(sources) {
        if accumulator && !writes_only && source.row().is_some() {
            source.0 += 256;
        }
    }
    let writes_accumulator = accumulates || writes_only;
    if writes_accumulator && inst.dst.row().is_some() {
        inst.dst.0 += 256;
    }
}

/// VOPD: two operations.
pub(super) fn dual(code: &Code) -> Option<Inst> {
    let second = *code.words.get(1)?;
    let mut inst = code.start(Encoding::VopdX, code.bits(22, 4))?;
    let other = code.table.get(Encoding::VopdY, code.bits(17, 5))?;
    inst.words = 2;
    inst.dst = Operand::vector(second >> 24);
    inst.src = [code.operand(code.bits(0, 9)), Operand::vector(code.bits(9, 8)), Operand::NULL];
    let other_dst = (second >> 17 & 0x7f) << 1 | u32::from(second >> 24 & 1 == 0);
    let other_sources = [code.operand(second & 0x1ff), Operand::vector(second >> 9 & 0xff)];
    inst.dual = Some((other, Operand::vector(other_dst), other_sources));
    code.with_literal(inst)
}
