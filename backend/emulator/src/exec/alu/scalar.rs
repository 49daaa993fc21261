//! Scalar instructions: what they compute, by mnemonic.

use super::scalar_float;
use super::scalar_mode::ScalarEffect;
use super::scalar_values::{Operation, Values};
use crate::exec::number::element::Kind;
use crate::exec::state::wave::Wave;
use crate::isa::{Encoding, Field, Inst, Operand};

/// A scalar instruction, ready to run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scalar {
    operation: Operation,
    src: [Operand; 2],
    dst: Operand,
    literal: u32,
    /// Registers of destination and sources; 0 for none.
    widths: [u8; 3],
    /// The second source, where it is part of the instruction.
    constant: Option<u64>,
    /// The operation changes the active lanes.
    writes_exec: bool,
    /// Floating-point constants are those of 16 bits.
    is_half: bool,
    /// What the mode of floats changes.
    effect: Option<ScalarEffect>,
}

impl Scalar {
    /// Looks the operation up; `None` if there is none.
    pub(crate) fn new(inst: &Inst) -> Option<Scalar> {
        let base = inst.entry.base;
        let operation = find(base)?;
        let width = |field| inst.entry.slot(field).map_or(0, |slot| slot.registers);
        let mut scalar = Scalar {
            operation,
            src: [inst.src[0], inst.src[1]],
            dst: inst.dst,
            literal: inst.literal,
            widths: [width(Field::ScalarDst), width(Field::A), width(Field::B)],
            constant: None,
            writes_exec: base.contains("saveexec") || base.contains("wrexec"),
            is_half: base.ends_with("_f16"),
            effect: ScalarEffect::of(base),
        };
        if inst.entry.encoding == Encoding::Sopk {
            let unsigned = base.starts_with("s_cmpk") && base.ends_with("_u32");
            let value = if unsigned { inst.imm as u32 & 0xffff } else { i32::from(inst.imm as i16).cast_unsigned() };
            scalar.constant = Some(u64::from(value));
            if base.starts_with("s_cmpk") {
                scalar.src[0] = inst.dst;
                scalar.widths = [0, 1, 0];
            }
        }
        Some(scalar)
    }
}

/// Runs one instruction.
#[inline]
pub(crate) fn run(wave: &mut Wave, scalar: &Scalar) {
    let read = |wave: &Wave, operand: Operand, width: u8| match width {
        0 => 0,
        1 if scalar.is_half => wave.scalar_source(operand, scalar.literal, Kind::Float(16)),
        1 => u64::from(wave.scalar32(operand, scalar.literal)),
        _ => wave.scalar64(operand, scalar.literal),
    };
    let [d_width, a_width, b_width] = scalar.widths;
    let mut values = Values {
        a: read(wave, scalar.src[0], a_width),
        b: scalar.constant.unwrap_or_else(|| read(wave, scalar.src[1], b_width)),
        d: match d_width {
            0 => 0,
            1 => u64::from(wave.scalars.get(scalar.dst)),
            _ => wave.scalars.get64(scalar.dst),
        },
        scc: wave.scalars.scc,
        exec: wave.scalars.exec(),
        k: scalar.literal,
    };
    match scalar.effect {
        Some(effect) if !wave.is_plain() => effect.run(scalar.operation, &mut values, wave.mode()),
        _ => (scalar.operation)(&mut values),
    }
    match d_width {
        0 => {}
        1 => wave.scalars.set(scalar.dst, values.d as u32),
        _ => wave.scalars.set64(scalar.dst, values.d),
    }
    if scalar.writes_exec {
        wave.scalars.set64(Operand::EXEC, values.exec & wave.all_lanes());
    }
    wave.scalars.scc = values.scc;
}

fn find(name: &str) -> Option<Operation> {
    arithmetic(name)
        .or_else(|| logic(name))
        .or_else(|| shifts(name))
        .or_else(|| counts(name))
        .or_else(|| moves(name))
        .or_else(|| comparisons(name))
        .or_else(|| masks(name))
        .or_else(|| scalar_float::find(name))
}

fn a32(values: &Values) -> u32 {
    values.a as u32
}

fn b32(values: &Values) -> u32 {
    values.b as u32
}

fn ai(values: &Values) -> i32 {
    a32(values).cast_signed()
}

fn bi(values: &Values) -> i32 {
    b32(values).cast_signed()
}

/// A result whose condition is that it is not zero.
fn logical(values: &mut Values, result: u64) {
    (values.d, values.scc) = (result, result != 0);
}

fn logical32(values: &mut Values, result: u32) {
    logical(values, u64::from(result));
}

/// A result and a condition.
fn with(values: &mut Values, (result, condition): (u32, bool)) {
    (values.d, values.scc) = (u64::from(result), condition);
}

fn with_signed(values: &mut Values, (result, condition): (i32, bool)) {
    with(values, (result.cast_unsigned(), condition));
}

/// A result that leaves the condition alone.
fn plain(values: &mut Values, result: u32) {
    values.d = u64::from(result);
}

fn arithmetic(name: &str) -> Option<Operation> {
    Some(match name {
        "s_add_u32" | "s_add_co_u32" => |v| with(v, a32(v).overflowing_add(b32(v))),
        "s_sub_u32" | "s_sub_co_u32" => |v| with(v, a32(v).overflowing_sub(b32(v))),
        "s_add_i32" | "s_add_co_i32" => |v| with_signed(v, ai(v).overflowing_add(bi(v))),
        "s_sub_i32" | "s_sub_co_i32" => |v| with_signed(v, ai(v).overflowing_sub(bi(v))),
        "s_addk_i32" | "s_addk_co_i32" => |v| with_signed(v, (v.d as i32).overflowing_add(bi(v))),
        "s_mulk_i32" => |v| plain(v, (v.d as u32).wrapping_mul(b32(v))),
        "s_addc_u32" | "s_add_co_ci_u32" => |v| {
            let sum = u64::from(a32(v)) + u64::from(b32(v)) + u64::from(v.scc);
            with(v, (sum as u32, sum >> 32 != 0));
        },
        "s_subb_u32" | "s_sub_co_ci_u32" => |v| {
            let needed = u64::from(b32(v)) + u64::from(v.scc);
            with(v, (u64::from(a32(v)).wrapping_sub(needed) as u32, needed > u64::from(a32(v))));
        },
        "s_add_nc_u64" => |v| v.d = v.a.wrapping_add(v.b),
        "s_sub_nc_u64" => |v| v.d = v.a.wrapping_sub(v.b),
        "s_mul_u64" => |v| v.d = v.a.wrapping_mul(v.b),
        "s_mul_i32" => |v| plain(v, a32(v).wrapping_mul(b32(v))),
        "s_mul_hi_u32" => |v| plain(v, (u64::from(a32(v)) * u64::from(b32(v)) >> 32) as u32),
        "s_mul_hi_i32" => |v| plain(v, (i64::from(ai(v)) * i64::from(bi(v)) >> 32) as u32),
        "s_min_i32" => |v| with_signed(v, (ai(v).min(bi(v)), ai(v) < bi(v))),
        "s_max_i32" => |v| with_signed(v, (ai(v).max(bi(v)), ai(v) > bi(v))),
        "s_min_u32" => |v| with(v, (a32(v).min(b32(v)), a32(v) < b32(v))),
        "s_max_u32" => |v| with(v, (a32(v).max(b32(v)), a32(v) > b32(v))),
        "s_abs_i32" => |v| logical32(v, ai(v).unsigned_abs()),
        "s_absdiff_i32" => |v| logical32(v, ai(v).wrapping_sub(bi(v)).unsigned_abs()),
        "s_lshl1_add_u32" => |v| shift_add(v, 1),
        "s_lshl2_add_u32" => |v| shift_add(v, 2),
        "s_lshl3_add_u32" => |v| shift_add(v, 3),
        "s_lshl4_add_u32" => |v| shift_add(v, 4),
        _ => return None,
    })
}

fn shift_add(values: &mut Values, by: u32) {
    let sum = (u64::from(a32(values)) << by) + u64::from(b32(values));
    with(values, (sum as u32, sum >> 32 != 0));
}

fn logic(name: &str) -> Option<Operation> {
    Some(match name {
        "s_and_b32" | "s_and_b64" => |v| logical(v, v.a & v.b),
        "s_or_b32" | "s_or_b64" => |v| logical(v, v.a | v.b),
        "s_xor_b32" | "s_xor_b64" => |v| logical(v, v.a ^ v.b),
        "s_andn2_b32" | "s_and_not1_b32" => |v| logical32(v, a32(v) & !b32(v)),
        "s_andn2_b64" | "s_and_not1_b64" => |v| logical(v, v.a & !v.b),
        "s_orn2_b32" | "s_or_not1_b32" => |v| logical32(v, a32(v) | !b32(v)),
        "s_orn2_b64" | "s_or_not1_b64" => |v| logical(v, v.a | !v.b),
        "s_nand_b32" => |v| logical32(v, !(a32(v) & b32(v))),
        "s_nand_b64" => |v| logical(v, !(v.a & v.b)),
        "s_nor_b32" => |v| logical32(v, !(a32(v) | b32(v))),
        "s_nor_b64" => |v| logical(v, !(v.a | v.b)),
        "s_xnor_b32" => |v| logical32(v, !(a32(v) ^ b32(v))),
        "s_xnor_b64" => |v| logical(v, !(v.a ^ v.b)),
        "s_not_b32" => |v| logical32(v, !a32(v)),
        "s_not_b64" => |v| logical(v, !v.a),
        _ => return None,
    })
}

/// A field of bits: place in bits 0 to 5, width in bits 16 to 22.
fn field(values: &Values, bits: u32, signed: bool) -> u64 {
    let (offset, width) = (b32(values) & (bits - 1), (b32(values) >> 16 & 127).min(bits));
    if width == 0 {
        return 0;
    }
    let value = if signed && bits == 32 { i64::from(ai(values)).cast_unsigned() } else { values.a };
    if signed {
        let shifted = value.cast_signed() >> offset;
        let unused = 64 - width;
        return (shifted << unused >> unused).cast_unsigned();
    }
    value >> offset & (u64::MAX >> (64 - width))
}

fn shifts(name: &str) -> Option<Operation> {
    Some(match name {
        "s_lshl_b32" => |v| logical32(v, a32(v) << (v.b & 31)),
        "s_lshl_b64" => |v| logical(v, v.a << (v.b & 63)),
        "s_lshr_b32" => |v| logical32(v, a32(v) >> (v.b & 31)),
        "s_lshr_b64" => |v| logical(v, v.a >> (v.b & 63)),
        "s_ashr_i32" => |v| logical32(v, (ai(v) >> (v.b & 31)).cast_unsigned()),
        "s_ashr_i64" => |v| logical(v, (v.a.cast_signed() >> (v.b & 63)).cast_unsigned()),
        "s_bfm_b32" => |v| plain(v, ((1_u32 << (v.a & 31)) - 1) << (v.b & 31)),
        "s_bfm_b64" => |v| v.d = ((1_u64 << (v.a & 63)) - 1) << (v.b & 63),
        "s_bfe_u32" => |v| logical32(v, field(v, 32, false) as u32),
        "s_bfe_i32" => |v| logical32(v, field(v, 32, true) as u32),
        "s_bfe_u64" => |v| logical(v, field(v, 64, false)),
        "s_bfe_i64" => |v| logical(v, field(v, 64, true)),
        "s_bitset0_b32" => |v| v.d &= !(1 << (v.a & 31)),
        "s_bitset1_b32" => |v| v.d |= 1 << (v.a & 31),
        "s_bitset0_b64" => |v| v.d &= !(1 << (v.a & 63)),
        "s_bitset1_b64" => |v| v.d |= 1 << (v.a & 63),
        "s_pack_ll_b32_b16" => |v| plain(v, a32(v) & 0xffff | b32(v) << 16),
        "s_pack_lh_b32_b16" => |v| plain(v, a32(v) & 0xffff | b32(v) & 0xffff_0000),
        "s_pack_hh_b32_b16" => |v| plain(v, a32(v) >> 16 | b32(v) & 0xffff_0000),
        "s_pack_hl_b32_b16" => |v| plain(v, a32(v) >> 16 | b32(v) << 16),
        "s_sext_i32_i8" => |v| plain(v, i32::from(v.a as i8).cast_unsigned()),
        "s_sext_i32_i16" => |v| plain(v, i32::from(v.a as i16).cast_unsigned()),
        _ => return None,
    })
}

/// Number of a bit, all ones if there is none.
fn or_none(number: u32, found: bool) -> u32 {
    if found { number } else { u32::MAX }
}

fn counts(name: &str) -> Option<Operation> {
    Some(match name {
        "s_brev_b32" => |v| plain(v, a32(v).reverse_bits()),
        "s_brev_b64" => |v| v.d = v.a.reverse_bits(),
        "s_bcnt0_i32_b32" => |v| logical32(v, a32(v).count_zeros()),
        "s_bcnt0_i32_b64" => |v| logical32(v, v.a.count_zeros()),
        "s_bcnt1_i32_b32" => |v| logical32(v, a32(v).count_ones()),
        "s_bcnt1_i32_b64" => |v| logical32(v, v.a.count_ones()),
        "s_ff0_i32_b32" => |v| plain(v, or_none(a32(v).trailing_ones(), a32(v) != u32::MAX)),
        "s_ff0_i32_b64" => |v| plain(v, or_none(v.a.trailing_ones(), v.a != u64::MAX)),
        "s_ff1_i32_b32" | "s_ctz_i32_b32" => |v| plain(v, or_none(a32(v).trailing_zeros(), a32(v) != 0)),
        "s_ff1_i32_b64" | "s_ctz_i32_b64" => |v| plain(v, or_none(v.a.trailing_zeros(), v.a != 0)),
        "s_flbit_i32_b32" | "s_clz_i32_u32" => |v| plain(v, or_none(a32(v).leading_zeros(), a32(v) != 0)),
        "s_flbit_i32_b64" | "s_clz_i32_u64" => |v| plain(v, or_none(v.a.leading_zeros(), v.a != 0)),
        "s_flbit_i32" | "s_cls_i32" => |v| {
            let changes = ai(v) ^ (ai(v) >> 31);
            plain(v, or_none(changes.leading_zeros(), changes != 0));
        },
        "s_flbit_i32_i64" | "s_cls_i32_i64" => |v| {
            let changes = v.a.cast_signed() ^ (v.a.cast_signed() >> 63);
            plain(v, or_none(changes.leading_zeros(), changes != 0));
        },
        "s_bitreplicate_b64_b32" => |v| {
            v.d = (0..32).map(|bit| (v.a >> bit & 1) * (3 << (2 * bit))).sum();
        },
        "s_quadmask_b32" | "s_quadmask_b64" => |v| {
            let result = (0..16).map(|quad| u64::from((v.a >> (4 * quad)).trailing_zeros() < 4) << quad).sum();
            logical(v, result);
        },
        "s_wqm_b32" | "s_wqm_b64" => |v| {
            let result =
                (0..16).map(|quad| if (v.a >> (4 * quad)).trailing_zeros() < 4 { 15 << (4 * quad) } else { 0 }).sum();
            logical(v, result);
        },
        _ => return None,
    })
}

fn moves(name: &str) -> Option<Operation> {
    Some(match name {
        "s_mov_b32" | "s_mov_b64" => |v| v.d = v.a,
        "s_movk_i32" => |v| v.d = v.b,
        "s_cmov_b32" | "s_cmov_b64" => |v| v.d = if v.scc { v.a } else { v.d },
        "s_cmovk_i32" => |v| v.d = if v.scc { v.b } else { v.d },
        "s_cselect_b32" | "s_cselect_b64" => |v| v.d = if v.scc { v.a } else { v.b },
        _ => return None,
    })
}

fn comparisons(name: &str) -> Option<Operation> {
    let kind = name.strip_prefix("s_cmpk_").or_else(|| name.strip_prefix("s_cmp_"));
    Some(match kind.unwrap_or(name) {
        "eq_i32" | "eq_u32" => |v| v.scc = a32(v) == b32(v),
        "lg_i32" | "lg_u32" => |v| v.scc = a32(v) != b32(v),
        "eq_u64" => |v| v.scc = v.a == v.b,
        "lg_u64" => |v| v.scc = v.a != v.b,
        "gt_i32" => |v| v.scc = ai(v) > bi(v),
        "ge_i32" => |v| v.scc = ai(v) >= bi(v),
        "lt_i32" => |v| v.scc = ai(v) < bi(v),
        "le_i32" => |v| v.scc = ai(v) <= bi(v),
        "gt_u32" => |v| v.scc = a32(v) > b32(v),
        "ge_u32" => |v| v.scc = a32(v) >= b32(v),
        "lt_u32" => |v| v.scc = a32(v) < b32(v),
        "le_u32" => |v| v.scc = a32(v) <= b32(v),
        "s_bitcmp0_b32" => |v| v.scc = v.a >> (v.b & 31) & 1 == 0,
        "s_bitcmp1_b32" => |v| v.scc = v.a >> (v.b & 31) & 1 != 0,
        "s_bitcmp0_b64" => |v| v.scc = v.a >> (v.b & 63) & 1 == 0,
        "s_bitcmp1_b64" => |v| v.scc = v.a >> (v.b & 63) & 1 != 0,
        _ => return None,
    })
}

/// Keeps the old mask of active lanes and sets another.
fn save(values: &mut Values, exec: u64, width: u32) {
    let kept = u64::MAX >> (64 - width);
    values.d = values.exec & kept;
    values.exec = exec & kept | values.exec & !kept;
    values.scc = exec & kept != 0;
}

/// Sets another mask of active lanes and writes it to the destination too.
fn write(values: &mut Values, exec: u64) {
    (values.exec, values.d, values.scc) = (exec, exec, exec != 0);
}

fn masks(name: &str) -> Option<Operation> {
    Some(match name {
        "s_and_saveexec_b64" => |v| save(v, v.a & v.exec, 64),
        "s_or_saveexec_b64" => |v| save(v, v.a | v.exec, 64),
        "s_xor_saveexec_b64" => |v| save(v, v.a ^ v.exec, 64),
        "s_nand_saveexec_b64" => |v| save(v, !(v.a & v.exec), 64),
        "s_nor_saveexec_b64" => |v| save(v, !(v.a | v.exec), 64),
        "s_xnor_saveexec_b64" => |v| save(v, !(v.a ^ v.exec), 64),
        "s_andn2_saveexec_b64" | "s_and_not1_saveexec_b64" => |v| save(v, v.a & !v.exec, 64),
        "s_orn2_saveexec_b64" | "s_or_not1_saveexec_b64" => |v| save(v, v.a | !v.exec, 64),
        "s_andn1_saveexec_b64" | "s_and_not0_saveexec_b64" => |v| save(v, !v.a & v.exec, 64),
        "s_orn1_saveexec_b64" | "s_or_not0_saveexec_b64" => |v| save(v, !v.a | v.exec, 64),
        "s_and_saveexec_b32" => |v| save(v, v.a & v.exec, 32),
        "s_or_saveexec_b32" => |v| save(v, v.a | v.exec, 32),
        "s_xor_saveexec_b32" => |v| save(v, v.a ^ v.exec, 32),
        "s_nand_saveexec_b32" => |v| save(v, !(v.a & v.exec), 32),
        "s_nor_saveexec_b32" => |v| save(v, !(v.a | v.exec), 32),
        "s_xnor_saveexec_b32" => |v| save(v, !(v.a ^ v.exec), 32),
        "s_andn2_saveexec_b32" | "s_and_not1_saveexec_b32" => |v| save(v, v.a & !v.exec, 32),
        "s_orn2_saveexec_b32" | "s_or_not1_saveexec_b32" => |v| save(v, v.a | !v.exec, 32),
        "s_andn1_saveexec_b32" | "s_and_not0_saveexec_b32" => |v| save(v, !v.a & v.exec, 32),
        "s_orn1_saveexec_b32" | "s_or_not0_saveexec_b32" => |v| save(v, !v.a | v.exec, 32),
        "s_andn1_wrexec_b64" | "s_and_not0_wrexec_b64" => |v| write(v, !v.a & v.exec),
        "s_andn2_wrexec_b64" | "s_and_not1_wrexec_b64" => |v| write(v, v.a & !v.exec),
        "s_andn1_wrexec_b32" | "s_and_not0_wrexec_b32" => |v| write(v, !v.a & v.exec & 0xffff_ffff),
        "s_andn2_wrexec_b32" | "s_and_not1_wrexec_b32" => |v| write(v, v.a & !v.exec & 0xffff_ffff),
        _ => return None,
    })
}
