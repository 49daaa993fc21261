//! Integers, bits and the extremes of integers.

use super::{Case, Kind, Operands, case, short, signed, wide, word};

fn median(mut values: [i64; 3]) -> i64 {
    values.sort_unstable();
    values[1]
}

fn sums() -> Vec<Case> {
    vec![
        word("v_add_u32 v_add_nc_u32 v_add_i32 v_add_nc_i32", |[a, b, _]| a + b),
        word("v_sub_u32 v_sub_nc_u32 v_sub_i32 v_sub_nc_i32", |[a, b, _]| a.wrapping_sub(b)),
        word("v_subrev_u32 v_subrev_nc_u32", |[a, b, _]| b.wrapping_sub(a)),
        short("v_add_u16 v_add_nc_u16 v_add_i16 v_add_nc_i16", |[a, b, _]| a + b),
        short("v_sub_u16 v_sub_nc_u16 v_sub_i16 v_sub_nc_i16", |[a, b, _]| a.wrapping_sub(b)),
        short("v_subrev_u16", |[a, b, _]| b.wrapping_sub(a)),
        word("v_add3_u32", |[a, b, c]| a + b + c),
        word("v_lshl_add_u32", |[a, b, c]| (a << (b % 32)) + c),
        word("v_add_lshl_u32", |[a, b, c]| (a + b) << (c % 32)),
        word("v_xad_u32", |[a, b, c]| (a ^ b) + c),
        word("v_sad_u32", |[a, b, c]| a.abs_diff(b) + c),
        word("v_sad_u16", |[a, b, c]| (a & 0xffff).abs_diff(b & 0xffff) + (a >> 16).abs_diff(b >> 16) + c),
        word("v_lerp_u8", |[a, b, c]| {
            let byte = |value: u64, at: u32| value >> (8 * at) & 0xff;
            // Rounded up where the lowest bit of the third byte is set.
            (0..4).map(|at| (byte(a, at) + byte(b, at) + byte(c, at) % 2) / 2 << (8 * at)).sum()
        }),
        word("v_sad_u8", |[a, b, c]| byte_distance(a, b) + c),
        word("v_sad_hi_u8", |[a, b, c]| (byte_distance(a, b) << 16) + c),
        case("v_lshl_add_u64", [64, 32, 64], Kind::Bits(64), |[a, b, c]| (a << (b % 8)).wrapping_add(c)),
    ]
}

fn byte_distance(a: u64, b: u64) -> u64 {
    (0..4).map(|byte| (a >> (8 * byte) & 0xff).abs_diff(b >> (8 * byte) & 0xff)).sum()
}

fn products() -> Vec<Case> {
    let low = |bits: u64| bits & 0xff_ffff;
    vec![
        word("v_mul_lo_u32", |[a, b, _]| a * b),
        word("v_mul_hi_u32", |[a, b, _]| a * b >> 32),
        word("v_mul_hi_i32", |[a, b, _]| (wide(a) * wide(b) >> 32).cast_unsigned()),
        word("v_mul_u32_u24", move |[a, b, _]| low(a) * low(b)),
        word("v_mul_hi_u32_u24", move |[a, b, _]| low(a) * low(b) >> 32),
        word("v_mul_hi_i32_i24", |[a, b, _]| (signed(a, 24) * signed(b, 24) >> 32).cast_unsigned()),
        word("v_mul_i32_i24", |[a, b, _]| (signed(a, 24) * signed(b, 24)).cast_unsigned()),
        word("v_mad_u32_u24", move |[a, b, c]| low(a) * low(b) + c),
        word("v_mad_i32_i24", |[a, b, c]| (signed(a, 24) * signed(b, 24) + wide(c)).cast_unsigned()),
        short("v_mul_lo_u16", |[a, b, _]| a * b),
        short("v_mad_u16 v_mad_i16 v_mad_legacy_u16 v_mad_legacy_i16", |[a, b, c]| a * b + c),
        case("v_mad_u32_u16", [16, 16, 32], Kind::Bits(32), |[a, b, c]| a * b + c),
        case("v_mad_i32_i16", [16, 16, 32], Kind::Bits(32), |[a, b, c]| {
            (signed(a, 16) * signed(b, 16) + wide(c)).cast_unsigned()
        }),
    ]
}

fn bits() -> Vec<Case> {
    vec![
        word("v_and_b32", |[a, b, _]| a & b),
        word("v_or_b32", |[a, b, _]| a | b),
        word("v_xor_b32", |[a, b, _]| a ^ b),
        word("v_xnor_b32", |[a, b, _]| !(a ^ b)),
        word("v_not_b32", |[a, _, _]| !a),
        word("v_mov_b32", |[a, _, _]| a),
        case("v_mov_b64", [64; 3], Kind::Bits(64), |[a, _, _]| a),
        // A register that is shifted and fed back by its highest bit.
        word("v_prng_b32", |[a, _, _]| (a << 1) ^ (a >> 31) * 0xc5),
        short("v_and_b16", |[a, b, _]| a & b),
        short("v_or_b16", |[a, b, _]| a | b),
        short("v_xor_b16", |[a, b, _]| a ^ b),
        short("v_not_b16", |[a, _, _]| !a),
        short("v_mov_b16", |[a, _, _]| a),
        word("v_and_or_b32", |[a, b, c]| a & b | c),
        word("v_or3_b32", |[a, b, c]| a | b | c),
        word("v_xor3_b32", |[a, b, c]| a ^ b ^ c),
        word("v_lshl_or_b32", |[a, b, c]| a << (b % 32) | c),
        word("v_lshlrev_b32", |[a, b, _]| b << (a % 32)),
        word("v_lshrrev_b32", |[a, b, _]| b >> (a % 32)),
        word("v_ashrrev_i32", |[a, b, _]| (wide(b) >> (a % 32)).cast_unsigned()),
        short("v_lshlrev_b16", |[a, b, _]| b << (a % 16)),
        short("v_lshrrev_b16", |[a, b, _]| b >> (a % 16)),
        short("v_ashrrev_i16", |[a, b, _]| (signed(b, 16) >> (a % 16)).cast_unsigned()),
        case("v_lshlrev_b64", [32, 64, 0], Kind::Bits(64), |[a, b, _]| b << (a % 64)),
        case("v_lshrrev_b64", [32, 64, 0], Kind::Bits(64), |[a, b, _]| b >> (a % 64)),
        case("v_ashrrev_i64", [32, 64, 0], Kind::Bits(64), |[a, b, _]| (b.cast_signed() >> (a % 64)).cast_unsigned()),
        word("v_bfe_u32", |[a, b, c]| (a >> (b % 32)) & ((1 << (c % 32)) - 1)),
        word("v_bfe_i32", |[a, b, c]| {
            let width = (c % 32) as u32;
            let field = wide(a) >> (b % 32);
            if width == 0 { 0 } else { signed(field.cast_unsigned(), width).cast_unsigned() }
        }),
        word("v_bfi_b32", |[a, b, c]| a & b | !a & c),
        word("v_bfm_b32", |[a, b, _]| ((1 << (a % 32)) - 1) << (b % 32)),
        word("v_bfrev_b32", |[a, _, _]| (0..32).map(|bit| (a >> bit & 1) << (31 - bit)).sum()),
        word("v_bcnt_u32_b32", |[a, b, _]| (0..32).map(|bit| a >> bit & 1).sum::<u64>() + b),
        word("v_alignbit_b32", |[a, b, c]| (a << 32 | b) >> (c % 32)),
        word("v_alignbyte_b32", |[a, b, c]| (a << 32 | b) >> (c % 4 * 8)),
        word("v_perm_b32", |[a, b, c]| {
            (0..4).map(|byte| permuted(a << 32 | b, c >> (8 * byte) & 0xff) << (8 * byte)).sum()
        }),
        word("v_ffbh_u32 v_clz_i32_u32", |[a, _, _]| (0..32).find(|bit| a >> (31 - bit) & 1 != 0).unwrap_or(u64::MAX)),
        word("v_ffbl_b32 v_ctz_i32_b32", |[a, _, _]| (0..32).find(|bit| a >> bit & 1 != 0).unwrap_or(u64::MAX)),
        word("v_ffbh_i32 v_cls_i32", |[a, _, _]| {
            (1..32).find(|bit| a >> (31 - bit) & 1 != a >> 31 & 1).unwrap_or(u64::MAX)
        }),
        word("v_cvt_i32_i16", |[a, _, _]| signed(a, 16).cast_unsigned()),
        word("v_cvt_u32_u16", |[a, _, _]| a & 0xffff),
        word("v_cvt_pk_u16_u32", |[a, b, _]| a.min(0xffff) | b.min(0xffff) << 16),
        word("v_cvt_pk_i16_i32", |[a, b, _]| {
            let limited = |value: u64| wide(value).clamp(-0x8000, 0x7fff).cast_unsigned() & 0xffff;
            limited(a) | limited(b) << 16
        }),
        case("v_sat_pk_u8_i16", [32, 0, 0], Kind::Bits(16), |[a, _, _]| {
            let limited = |value: u64| signed(value, 16).clamp(0, 255).cast_unsigned();
            limited(a & 0xffff) | limited(a >> 16) << 8
        }),
    ]
}

/// A byte of eight, the sign of one of the four halfwords, or a constant.
fn permuted(bytes: u64, selector: u64) -> u64 {
    match selector {
        0..=7 => bytes >> (8 * selector) & 0xff,
        8..=11 => 0xff * (bytes >> (16 * (selector - 8) + 15) & 1),
        12 => 0,
        _ => 0xff,
    }
}

fn extremes() -> Vec<Case> {
    let mut cases = Vec::new();
    let types: [(u32, bool, [&str; 7]); 4] = [
        (
            32,
            false,
            ["v_min_u32", "v_max_u32", "v_min3_u32", "v_max3_u32", "v_med3_u32", "v_minmax_u32", "v_maxmin_u32"],
        ),
        (
            32,
            true,
            ["v_min_i32", "v_max_i32", "v_min3_i32", "v_max3_i32", "v_med3_i32", "v_minmax_i32", "v_maxmin_i32"],
        ),
        (16, false, ["v_min_u16", "v_max_u16", "v_min3_u16", "v_max3_u16", "v_med3_u16", "", ""]),
        (16, true, ["v_min_i16", "v_max_i16", "v_min3_i16", "v_max3_i16", "v_med3_i16", "", ""]),
    ];
    let functions: [fn([i64; 3]) -> i64; 7] = [
        |[a, b, _]| a.min(b),
        |[a, b, _]| a.max(b),
        |[a, b, c]| a.min(b).min(c),
        |[a, b, c]| a.max(b).max(c),
        median,
        |[a, b, c]| a.min(b).max(c),
        |[a, b, c]| a.max(b).min(c),
    ];
    for (width, has_sign, names) in types {
        for (name, function) in names.into_iter().zip(functions) {
            let number = move |bits: u64| if has_sign { signed(bits, width) } else { bits.cast_signed() };
            let reference = move |operands: Operands| function(operands.map(number)).cast_unsigned();
            cases.push(case(name, [width; 3], Kind::Bits(width), reference));
        }
    }
    cases
}

pub(super) fn cases() -> Vec<Case> {
    [sums(), products(), bits(), extremes()].into_iter().flatten().collect()
}
