//! Integers of 32 and 64 bits.

use super::registry::Registry;
use crate::exec::alu::lane::{MaskSource, Valu, binary, carry_out, general, ternary, unary, with_carry};

fn low24(value: u32) -> u32 {
    value & 0xff_ffff
}

/// The low 24 bits with their sign.
fn signed24(value: u32) -> i32 {
    (value << 8).cast_signed() >> 8
}

/// Number of a highest or lowest bit, all ones if there is none.
fn or_none(value: u32, found: bool) -> u32 {
    if found { value } else { u32::MAX }
}

fn leading_sign_bits(value: i32) -> u32 {
    let changes = value ^ (value >> 31);
    or_none(changes.leading_zeros(), changes != 0)
}

fn bit_field(value: u32, offset: u32, width: u32) -> u32 {
    let width = width & 31;
    (value >> (offset & 31)) & ((1 << width) - 1)
}

fn signed_bit_field(value: u32, offset: u32, width: u32) -> u32 {
    let (offset, width) = (offset & 31, width & 31);
    if width == 0 {
        return 0;
    }
    let shifted = value.cast_signed() >> offset;
    let unused = 32 - width;
    (shifted << unused >> unused).cast_unsigned()
}

/// One byte of eight, or a constant, for `v_perm_b32`.
fn permuted(bytes: u64, selector: u32) -> u32 {
    let byte = |index: u32| (bytes >> (8 * index) & 255) as u32;
    match selector & 255 {
        index @ 0..=7 => byte(index),
        sign @ 8..=11 => {
            if byte((sign - 8) * 2 + 1) & 128 != 0 {
                255
            } else {
                0
            }
        }
        12 => 0,
        _ => 255,
    }
}

fn permute(high: u32, low: u32, selectors: u32) -> u32 {
    let bytes = u64::from(low) | u64::from(high) << 32;
    (0..4).map(|index| permuted(bytes, selectors >> (8 * index)) << (8 * index)).sum()
}

fn difference_of_bytes(a: u32, b: u32) -> u32 {
    (0..4).map(|byte| (a >> (8 * byte) & 255).abs_diff(b >> (8 * byte) & 255)).sum()
}

/// Any operation on three bits; bit `4 a + 2 b + c` of the table is the result for the bits `a`, `b`, `c`.
pub(in crate::exec::alu) fn truth_table(table: u8, is_short: bool) -> Valu {
    let combined = move |a: u32, b: u32, c: u32| {
        (0..8).filter(|row| table >> row & 1 != 0).fold(0, |result, row| {
            let matching = |bits: u32, bit: u32| if row >> bit & 1 != 0 { bits } else { !bits };
            result | matching(a, 2) & matching(b, 1) & matching(c, 0)
        })
    };
    if is_short {
        let short = move |a: u16, b: u16, c: u16| combined(u32::from(a), u32::from(b), u32::from(c)) as u16;
        return ternary(short).keeping();
    }
    ternary(combined)
}

fn median<T: Ord + Copy>(a: T, b: T, c: T) -> T {
    a.min(b).max(a.max(b).min(c))
}

pub(super) fn add(registry: &mut Registry) {
    sums(registry);
    products(registry);
    bits(registry);
    fused(registry);
    extremes(registry);
    lanes(registry);
}

fn sums(registry: &mut Registry) {
    registry.add("v_add_u32 v_add_nc_u32", binary(u32::wrapping_add));
    registry.add("v_sub_u32 v_sub_nc_u32", binary(u32::wrapping_sub));
    registry.add("v_subrev_u32 v_subrev_nc_u32", binary(|a: u32, b: u32| b.wrapping_sub(a)));
    registry.add("v_add_u32/clamp v_add_nc_u32/clamp", binary(u32::saturating_add));
    registry.add("v_sub_u32/clamp v_sub_nc_u32/clamp", binary(u32::saturating_sub));
    registry.add("v_subrev_u32/clamp v_subrev_nc_u32/clamp", binary(|a: u32, b: u32| b.saturating_sub(a)));
    registry.add("v_add_i32 v_add_nc_i32", binary(i32::wrapping_add));
    registry.add("v_sub_i32 v_sub_nc_i32", binary(i32::wrapping_sub));
    registry.add("v_add_i32/clamp v_add_nc_i32/clamp", binary(i32::saturating_add));
    registry.add("v_sub_i32/clamp v_sub_nc_i32/clamp", binary(i32::saturating_sub));
    registry.add("v_add_co_u32", carry_out(u32::overflowing_add));
    registry.add("v_sub_co_u32", carry_out(u32::overflowing_sub));
    registry.add("v_subrev_co_u32", carry_out(|a, b| b.overflowing_sub(a)));
    let add = |a: u32, b: u32, carry: bool| {
        let (sum, first) = a.overflowing_add(b);
        let (sum, second) = sum.overflowing_add(u32::from(carry));
        (sum, first || second)
    };
    let subtract = |a: u32, b: u32, borrow: bool| {
        let (difference, first) = a.overflowing_sub(b);
        let (difference, second) = difference.overflowing_sub(u32::from(borrow));
        (difference, first || second)
    };
    registry.add("v_addc_co_u32 v_add_co_ci_u32", with_carry(add));
    registry.add("v_subb_co_u32 v_sub_co_ci_u32", with_carry(subtract));
    registry.add("v_subbrev_co_u32 v_subrev_co_ci_u32", with_carry(move |a, b, borrow| subtract(b, a, borrow)));
}

fn products(registry: &mut Registry) {
    registry.add("v_mul_lo_u32", binary(u32::wrapping_mul));
    registry.add("v_mul_hi_u32", binary(|a: u32, b: u32| (u64::from(a) * u64::from(b) >> 32) as u32));
    registry.add("v_mul_hi_i32", binary(|a: i32, b: i32| (i64::from(a) * i64::from(b) >> 32) as i32));
    registry.add("v_mul_u32_u24", binary(|a: u32, b: u32| low24(a).wrapping_mul(low24(b))));
    registry.add("v_mul_i32_i24", binary(|a: u32, b: u32| signed24(a).wrapping_mul(signed24(b))));
    registry.add("v_mul_hi_u32_u24", binary(|a: u32, b: u32| (u64::from(low24(a)) * u64::from(low24(b)) >> 32) as u32));
    registry.add(
        "v_mul_hi_i32_i24",
        binary(|a: u32, b: u32| (i64::from(signed24(a)) * i64::from(signed24(b)) >> 32) as i32),
    );
    let mad_u24 = |a: u32, b: u32, c: u32| low24(a).wrapping_mul(low24(b)).wrapping_add(c);
    registry.add("v_mad_u32_u24", ternary(mad_u24));
    registry.add(
        "v_mad_u32_u24/clamp",
        ternary(|a: u32, b: u32, c: u32| {
            let sum = u64::from(low24(a)) * u64::from(low24(b)) + u64::from(c);
            u32::try_from(sum).unwrap_or(u32::MAX)
        }),
    );
    registry
        .add("v_mad_i32_i24", ternary(|a: u32, b: u32, c: i32| signed24(a).wrapping_mul(signed24(b)).wrapping_add(c)));
    registry.add(
        "v_mad_u64_u32 v_mad_co_u64_u32",
        Valu {
            gives_mask: true,
            ..general(|_, a: u32, b: u32, c: u64, _| (u64::from(a) * u64::from(b)).overflowing_add(c))
        },
    );
    let signed = |a: i32, b: i32, c: i64| (i64::from(a) * i64::from(b)).overflowing_add(c);
    registry.add(
        "v_mad_i64_i32 v_mad_co_i64_i32",
        Valu { gives_mask: true, ..general(move |_, a: i32, b: i32, c: i64, _| signed(a, b, c)) },
    );
}

fn bits(registry: &mut Registry) {
    registry.add("v_mov_b32", unary(|a: u32| a));
    registry.add("v_accvgpr_read_b32 v_accvgpr_write_b32 v_accvgpr_mov_b32", unary(|a: u32| a));
    registry.add("v_mov_b64", unary(|a: u64| a));
    registry.add("v_not_b32", unary(|a: u32| !a));
    registry.add("v_bfrev_b32", unary(u32::reverse_bits));
    registry.add("v_ffbh_u32 v_clz_i32_u32", unary(|a: u32| or_none(a.leading_zeros(), a != 0)));
    registry.add("v_ffbl_b32 v_ctz_i32_b32", unary(|a: u32| or_none(a.trailing_zeros(), a != 0)));
    registry.add("v_ffbh_i32 v_cls_i32", unary(leading_sign_bits));
    registry.add("v_and_b32", binary(|a: u32, b: u32| a & b));
    registry.add("v_or_b32", binary(|a: u32, b: u32| a | b));
    registry.add("v_xor_b32", binary(|a: u32, b: u32| a ^ b));
    registry.add("v_xnor_b32", binary(|a: u32, b: u32| !(a ^ b)));
    registry.add("v_lshlrev_b32", binary(|by: u32, value: u32| value << (by & 31)));
    registry.add("v_lshrrev_b32", binary(|by: u32, value: u32| value >> (by & 31)));
    registry.add("v_ashrrev_i32", binary(|by: u32, value: i32| value >> (by & 31)));
    registry.add("v_lshlrev_b64", binary(|by: u32, value: u64| value << (by & 63)));
    registry.add("v_lshrrev_b64", binary(|by: u32, value: u64| value >> (by & 63)));
    registry.add("v_ashrrev_i64", binary(|by: u32, value: i64| value >> (by & 63)));
    registry.add("v_bfm_b32", binary(|width: u32, offset: u32| ((1_u32 << (width & 31)) - 1) << (offset & 31)));
    registry.add("v_bcnt_u32_b32", binary(|a: u32, b: u32| a.count_ones().wrapping_add(b)));
    registry.add(
        "v_cndmask_b32",
        Valu { mask: MaskSource::Third, ..general(|_, a: u32, b: u32, (), bit| (if bit { b } else { a }, false)) },
    );
}

fn fused(registry: &mut Registry) {
    registry.add("v_bfe_u32", ternary(bit_field));
    registry.add("v_bfe_i32", ternary(signed_bit_field));
    registry.add("v_bfi_b32", ternary(|mask: u32, a: u32, b: u32| mask & a | !mask & b));
    registry.add("v_add3_u32", ternary(|a: u32, b: u32, c: u32| a.wrapping_add(b).wrapping_add(c)));
    registry.add("v_add_lshl_u32", ternary(|a: u32, b: u32, by: u32| a.wrapping_add(b) << (by & 31)));
    registry.add("v_lshl_add_u32", ternary(|a: u32, by: u32, c: u32| (a << (by & 31)).wrapping_add(c)));
    registry.add("v_lshl_add_u64", ternary(|a: u64, by: u32, c: u64| (a << (by & 7)).wrapping_add(c)));
    registry.add("v_lshl_or_b32", ternary(|a: u32, by: u32, c: u32| a << (by & 31) | c));
    registry.add("v_and_or_b32", ternary(|a: u32, b: u32, c: u32| a & b | c));
    registry.add("v_or3_b32", ternary(|a: u32, b: u32, c: u32| a | b | c));
    registry.add("v_xor3_b32", ternary(|a: u32, b: u32, c: u32| a ^ b ^ c));
    registry.add("v_xad_u32", ternary(|a: u32, b: u32, c: u32| (a ^ b).wrapping_add(c)));
    let align = |high: u32, low: u32, by: u32| ((u64::from(high) << 32 | u64::from(low)) >> by) as u32;
    registry.add("v_alignbit_b32", ternary(move |high: u32, low: u32, by: u32| align(high, low, by & 31)));
    registry.add("v_alignbyte_b32", ternary(move |high: u32, low: u32, by: u32| align(high, low, 8 * (by & 3))));
    registry.add("v_perm_b32", ternary(permute));
    registry.add("v_sad_u32", ternary(|a: u32, b: u32, c: u32| a.abs_diff(b).wrapping_add(c)));
    registry.add("v_sad_u8", ternary(|a: u32, b: u32, c: u32| difference_of_bytes(a, b).wrapping_add(c)));
    registry.add("v_sad_hi_u8", ternary(|a: u32, b: u32, c: u32| (difference_of_bytes(a, b) << 16).wrapping_add(c)));
    registry.add(
        "v_sad_u16",
        ternary(|a: u32, b: u32, c: u32| {
            let (low, high) = ((a & 0xffff).abs_diff(b & 0xffff), (a >> 16).abs_diff(b >> 16));
            low.wrapping_add(high).wrapping_add(c)
        }),
    );
    registry.add("v_prng_b32", unary(|a: u32| a << 1 ^ if a >> 31 != 0 { 0xc5 } else { 0 }));
    registry.add(
        "v_lerp_u8",
        ternary(|a: u32, b: u32, c: u32| {
            let byte = |value: u32, index: u32| value >> (8 * index) & 255;
            let mean = |index| (byte(a, index) + byte(b, index) + (byte(c, index) & 1)) >> 1;
            (0..4).map(|index| mean(index) << (8 * index)).sum::<u32>()
        }),
    );
}

fn extremes(registry: &mut Registry) {
    registry.add("v_min_u32", binary(|a: u32, b: u32| a.min(b)));
    registry.add("v_max_u32", binary(|a: u32, b: u32| a.max(b)));
    registry.add("v_min_i32", binary(|a: i32, b: i32| a.min(b)));
    registry.add("v_max_i32", binary(|a: i32, b: i32| a.max(b)));
    registry.add("v_min3_u32", ternary(|a: u32, b: u32, c: u32| a.min(b).min(c)));
    registry.add("v_max3_u32", ternary(|a: u32, b: u32, c: u32| a.max(b).max(c)));
    registry.add("v_min3_i32", ternary(|a: i32, b: i32, c: i32| a.min(b).min(c)));
    registry.add("v_max3_i32", ternary(|a: i32, b: i32, c: i32| a.max(b).max(c)));
    registry.add("v_med3_u32", ternary(median::<u32>));
    registry.add("v_med3_i32", ternary(median::<i32>));
    registry.add("v_minmax_u32", ternary(|a: u32, b: u32, c: u32| a.min(b).max(c)));
    registry.add("v_maxmin_u32", ternary(|a: u32, b: u32, c: u32| a.max(b).min(c)));
    registry.add("v_minmax_i32", ternary(|a: i32, b: i32, c: i32| a.min(b).max(c)));
    registry.add("v_maxmin_i32", ternary(|a: i32, b: i32, c: i32| a.max(b).min(c)));
}

fn lanes(registry: &mut Registry) {
    // Bits below the lane: the first operation counts in lanes 0 to 31, the second in the others.
    let low = |lane: usize| if lane >= 32 { u32::MAX } else { (1 << lane) - 1 };
    let high = |lane: usize| if lane < 32 { 0 } else { (1_u32 << (lane - 32)) - 1 };
    let count = |bits: u32, sum: u32| (sum.wrapping_add(bits.count_ones()), false);
    registry.add("v_mbcnt_lo_u32_b32", general(move |lane, a: u32, b: u32, (), _| count(a & low(lane), b)));
    registry.add("v_mbcnt_hi_u32_b32", general(move |lane, a: u32, b: u32, (), _| count(a & high(lane), b)));
}
