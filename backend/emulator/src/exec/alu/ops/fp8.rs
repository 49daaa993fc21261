//! Conversions from and to floats of eight bits. Their forms are from AMD's manuals: "Instinct CDNA 4 ISA", 7.3 "BF8 /
//! FP8 and Smaller Formats and Conversions", and "RDNA 4 ISA", 7.6.2 "OPSEL with FP8 and BF8 Conversions". Results are
//! rounded to the nearest whatever the mode says. Forms that only one of compiler and manual has are left out, and so is
//! stochastic rounding: the text of the manuals adds and truncates, their code adds without a carry and rounds.

use crate::exec::alu::lane::{Valu, accumulate, ternary, unary};
use crate::exec::number::element::Pair;
use crate::exec::number::fp8::Fp8;
use crate::isa::{Form, Inst, Select};
use crate::target::Generation;

/// The conversion that an instruction is; `None` for others, and for forms that are not known.
pub(in crate::exec::alu) fn small_float(inst: &Inst, generation: Generation) -> Option<Valu> {
    let name = inst.entry.base.strip_prefix("v_cvt_")?;
    if let Some(name) = name.strip_prefix("pk_f32_") {
        let (format, first) = (Fp8::named(name, generation)?, 8 * source(inst, generation, true)?);
        let number = move |bits: u32, at: u32| format.single((bits >> (first + at)) as u8);
        return Some(unary(move |bits: u32| Pair(number(bits, 0), number(bits, 8))));
    }
    if let Some(name) = name.strip_prefix("f32_") {
        let (format, first) = (Fp8::named(name, generation)?, 8 * source(inst, generation, false)?);
        return Some(unary(move |bits: u32| format.single((bits >> first) as u8)));
    }
    let format = Fp8::named(name.strip_prefix("pk_")?.strip_suffix("_f32")?, generation)?;
    let first = 8 * destination(inst, generation)?;
    Some(accumulate(move |low: f32, high: f32, old: u32| {
        let pair = u32::from(format.nearest(low)) | u32::from(format.nearest(high)) << 8;
        old & !(0xffff << first) | pair << first
    }))
}

/// A sum of four products of floats of eight bits, each step rounded ("RDNA 4 ISA", `V_DOT4_F32_FP8_BF8` and its like).
/// The compiler has signs for the summand, the manual has none.
pub(in crate::exec::alu) fn small_float_dot(inst: &Inst, generation: Generation) -> Option<Valu> {
    let (first, second) = inst.entry.base.strip_prefix("v_dot4_f32_")?.split_once('_')?;
    let formats = [Fp8::named(first, generation)?, Fp8::named(second, generation)?];
    let modifiers = inst.modifiers;
    if modifiers.clamp || (modifiers.abs, modifiers.neg, modifiers.op_sel) != (0, 0, 0) {
        return None;
    }
    Some(ternary(move |a: u32, b: u32, c: f32| {
        let number = |format: Fp8, bits: u32, at: u32| format.single((bits >> (8 * at)) as u8);
        (0..4).fold(c, |sum, at| number(formats[0], a, at).mul_add(number(formats[1], b, at), sum))
    }))
}

/// The first byte of the source of a conversion from one or two floats of eight bits. SDWA takes it out before.
fn source(inst: &Inst, generation: Generation, is_pair: bool) -> Option<u32> {
    let modifiers = inst.modifiers;
    if modifiers.clamp || (modifiers.omod, modifiers.abs, modifiers.neg) != (0, 0, 0) {
        return None;
    }
    if let Form::Sdwa(sdwa) = inst.form {
        let takes_part = match sdwa.src[0] {
            Select::Byte(_) => !is_pair,
            Select::Word(_) => is_pair,
            Select::Dword => false,
        };
        return (takes_part && sdwa.dst == Select::Dword && !sdwa.sext[0]).then_some(0);
    }
    match (modifiers.op_sel, is_pair) {
        (0, _) => Some(0),
        _ if generation != Generation::Gfx12 => None,
        // The bits of a byte's number stand in the other order.
        (1, _) => Some(2),
        (2, false) => Some(1),
        (3, false) => Some(3),
        _ => None,
    }
}

/// The first byte that a pair is written to; others are kept.
fn destination(inst: &Inst, generation: Generation) -> Option<u32> {
    let modifiers = inst.modifiers;
    let signs = modifiers.abs | modifiers.neg;
    let has_signs = if generation == Generation::Gfx12 { signs == 0 } else { signs < 4 };
    match modifiers.op_sel {
        _ if modifiers.clamp || modifiers.omod != 0 || !has_signs => None,
        0 => Some(0),
        8 => Some(2),
        _ => None,
    }
}
