//! Vector instructions against references that share no code with them: integers as numbers of any size, floats in
//! software (`rustc_apfloat`). Each runs on all triples of edge values, on a target of each generation that has it.

use std::collections::BTreeSet;

use rustc_apfloat::ieee::{Double, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

use super::vector::{self, Vector};
use super::wave::Wave;
use crate::isa::{Encoding, Entry, Field, Inst, Operand, Table, decode};
use crate::target::{Generation, Target};

/// Operands, each in the low bits.
type Operands = [u64; 3];

/// How a result is compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The low bits of the result, of this width.
    Bits(u32),
    /// A float of this width: all NaNs are one, and so are the zeros where the flag says so.
    Float(u32, bool),
}

/// An instruction by what it computes: names, widths of the sources, kind of the result, reference.
struct Case {
    names: &'static str,
    sources: [u32; 3],
    result: Kind,
    reference: Box<dyn Fn(Operands) -> u64>,
}

fn case(names: &'static str, sources: [u32; 3], result: Kind, reference: impl Fn(Operands) -> u64 + 'static) -> Case {
    Case { names, sources, result, reference: Box::new(reference) }
}

/// An operation on integers of 32 bits with results of 32 bits.
fn word(names: &'static str, reference: impl Fn(Operands) -> u64 + 'static) -> Case {
    case(names, [32; 3], Kind::Bits(32), reference)
}

fn short(names: &'static str, reference: impl Fn(Operands) -> u64 + 'static) -> Case {
    case(names, [16; 3], Kind::Bits(16), reference)
}

/// A number with a sign, of so many bits.
fn signed(bits: u64, width: u32) -> i64 {
    let unused = 64 - width;
    (bits << unused).cast_signed() >> unused
}

fn wide(bits: u64) -> i64 {
    signed(bits, 32)
}

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

/// Operations that each width of floats has, under the names of that width.
fn floats<F: Float + 'static>(width: u32, names: [&'static str; 12]) -> Vec<Case> {
    let number = |bits: u64| F::from_bits(u128::from(bits));
    let bits = |value: F| value.to_bits() as u64;
    let nearest = Round::NearestTiesToEven;
    let [add, sub, subrev, mul, fma, min, max, trunc, ceil, floor, rndne, fmac] = names;
    let exact = Kind::Float(width, false);
    let extreme = Kind::Float(width, true);
    let integral = move |round: Round| move |[a, _, _]: Operands| bits(number(a).round_to_integral(round).value);
    let fused = move |[a, b, c]: Operands| bits(number(a).mul_add_r(number(b), number(c), nearest).value);
    vec![
        case(add, [width; 3], exact, move |[a, b, _]| bits(number(a).add_r(number(b), nearest).value)),
        case(sub, [width; 3], exact, move |[a, b, _]| bits(number(a).sub_r(number(b), nearest).value)),
        case(subrev, [width; 3], exact, move |[a, b, _]| bits(number(b).sub_r(number(a), nearest).value)),
        case(mul, [width; 3], exact, move |[a, b, _]| bits(number(a).mul_r(number(b), nearest).value)),
        case(fma, [width; 3], exact, fused),
        case(fmac, [width, width, width], exact, fused),
        // A number wins over what is none.
        case(min, [width; 3], extreme, move |[a, b, _]| bits(number(a).min(number(b)))),
        case(max, [width; 3], extreme, move |[a, b, _]| bits(number(a).max(number(b)))),
        case(trunc, [width; 3], exact, integral(Round::TowardZero)),
        case(ceil, [width; 3], exact, integral(Round::TowardPositive)),
        case(floor, [width; 3], exact, integral(Round::TowardNegative)),
        case(rndne, [width; 3], exact, integral(nearest)),
    ]
}

/// Exponents apart from the rest, under the names of a width: `ldexp`, mantissa, exponent, fraction.
fn parts<F: Float + 'static>(width: u32, shift: u32, exponent: u32, names: [&'static str; 4]) -> Vec<Case> {
    let number = |bits: u64| F::from_bits(u128::from(bits));
    let bits = |value: F| value.to_bits() as u64;
    let nearest = Round::NearestTiesToEven;
    let [ldexp, mantissa, place, fract] = names;
    let split = move |bits: u64| {
        let mut exponent = 0;
        let mantissa = number(bits).frexp_r(&mut exponent, nearest);
        (mantissa, if number(bits).is_finite_non_zero() { exponent } else { 0 })
    };
    vec![
        case(ldexp, [width, shift, 0], Kind::Float(width, false), move |[a, b, _]| {
            // More than any float can be scaled by.
            let by = signed(b, shift).clamp(-5000, 5000) as i32;
            bits(number(a).scalbn_r(by, nearest))
        }),
        case(mantissa, [width; 3], Kind::Float(width, false), move |[a, _, _]| bits(split(a).0)),
        case(place, [width; 3], Kind::Bits(exponent), move |[a, _, _]| i64::from(split(a).1).cast_unsigned()),
        case(fract, [width; 3], Kind::Float(width, true), move |[a, _, _]| {
            let value = number(a);
            let rest = value.sub_r(value.round_to_integral(Round::TowardNegative).value, nearest).value;
            // Always less than one.
            let most = F::from_u128(1).value.next_down().value;
            bits(if rest.is_nan() { rest } else { rest.min(most) })
        }),
    ]
}

/// A float as another.
fn converted<A: Float + FloatConvert<B>, B: Float>(bits: u64) -> u64 {
    let value: B = A::from_bits(u128::from(bits)).convert_r(Round::NearestTiesToEven, &mut false).value;
    value.to_bits() as u64
}

/// A float as an integer: towards zero, limited; no number is 0.
fn integer<F: Float>(bits: u64, width: usize, has_sign: bool) -> u64 {
    let value = F::from_bits(u128::from(bits));
    if value.is_nan() {
        return 0;
    }
    if has_sign {
        (value.to_i128_r(width, Round::TowardZero, &mut false).value as i64).cast_unsigned()
    } else {
        value.to_u128_r(width, Round::TowardZero, &mut false).value as u64
    }
}

/// An integer as a float.
fn float<F: Float>(value: i64) -> u64 {
    F::from_i128_r(i128::from(value), Round::NearestTiesToEven).value.to_bits() as u64
}

fn conversions() -> Vec<Case> {
    let single = Kind::Float(32, false);
    let double = Kind::Float(64, false);
    let half = Kind::Float(16, false);
    let byte = |number: u32| move |[a, _, _]: Operands| float::<Single>((a >> (8 * number) & 0xff).cast_signed());
    vec![
        case("v_cvt_f32_f16", [16; 3], single, |[a, _, _]| converted::<Half, Single>(a)),
        case("v_cvt_f16_f32", [32; 3], half, |[a, _, _]| converted::<Single, Half>(a)),
        case("v_cvt_f64_f32", [32; 3], double, |[a, _, _]| converted::<Single, Double>(a)),
        case("v_cvt_f32_f64", [64; 3], single, |[a, _, _]| converted::<Double, Single>(a)),
        case("v_cvt_f32_i32", [32; 3], single, |[a, _, _]| float::<Single>(wide(a))),
        case("v_cvt_f32_u32", [32; 3], single, |[a, _, _]| float::<Single>(a.cast_signed())),
        case("v_cvt_f64_i32", [32; 3], double, |[a, _, _]| float::<Double>(wide(a))),
        case("v_cvt_f64_u32", [32; 3], double, |[a, _, _]| float::<Double>(a.cast_signed())),
        case("v_cvt_f16_i16", [16; 3], half, |[a, _, _]| float::<Half>(signed(a, 16))),
        case("v_cvt_f16_u16", [16; 3], half, |[a, _, _]| float::<Half>(a.cast_signed())),
        case("v_cvt_i32_f32", [32; 3], Kind::Bits(32), |[a, _, _]| integer::<Single>(a, 32, true)),
        case("v_cvt_u32_f32", [32; 3], Kind::Bits(32), |[a, _, _]| integer::<Single>(a, 32, false)),
        case("v_cvt_i32_f64", [64; 3], Kind::Bits(32), |[a, _, _]| integer::<Double>(a, 32, true)),
        case("v_cvt_u32_f64", [64; 3], Kind::Bits(32), |[a, _, _]| integer::<Double>(a, 32, false)),
        case("v_cvt_i16_f16", [16; 3], Kind::Bits(16), |[a, _, _]| integer::<Half>(a, 16, true)),
        case("v_cvt_u16_f16", [16; 3], Kind::Bits(16), |[a, _, _]| integer::<Half>(a, 16, false)),
        case("v_cvt_f32_ubyte0", [32; 3], single, byte(0)),
        case("v_cvt_f32_ubyte1", [32; 3], single, byte(1)),
        case("v_cvt_f32_ubyte2", [32; 3], single, byte(2)),
        case("v_cvt_f32_ubyte3", [32; 3], single, byte(3)),
    ]
}

fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = [sums(), products(), bits(), extremes(), conversions()].into_iter().flatten().collect();
    let of_half = ["v_ldexp_f16", "v_frexp_mant_f16", "v_frexp_exp_i16_f16", "v_fract_f16"];
    let of_single = ["v_ldexp_f32", "v_frexp_mant_f32", "v_frexp_exp_i32_f32", "v_fract_f32"];
    let of_double = ["v_ldexp_f64", "v_frexp_mant_f64", "v_frexp_exp_i32_f64", "v_fract_f64"];
    cases.extend(parts::<Half>(16, 16, 16, of_half));
    cases.extend(parts::<Single>(32, 32, 32, of_single));
    cases.extend(parts::<Double>(64, 32, 32, of_double));
    cases.extend(floats::<Half>(
        16,
        [
            "v_add_f16",
            "v_sub_f16",
            "v_subrev_f16",
            "v_mul_f16",
            "v_fma_f16",
            "v_min_f16 v_min_num_f16",
            "v_max_f16 v_max_num_f16",
            "v_trunc_f16",
            "v_ceil_f16",
            "v_floor_f16",
            "v_rndne_f16",
            "v_fmac_f16",
        ],
    ));
    cases.extend(floats::<Single>(
        32,
        [
            "v_add_f32",
            "v_sub_f32",
            "v_subrev_f32",
            "v_mul_f32",
            "v_fma_f32",
            "v_min_f32 v_min_num_f32",
            "v_max_f32 v_max_num_f32",
            "v_trunc_f32",
            "v_ceil_f32",
            "v_floor_f32",
            "v_rndne_f32",
            "v_fmac_f32",
        ],
    ));
    cases.extend(floats::<Double>(
        64,
        [
            "v_add_f64",
            "",
            "",
            "v_mul_f64",
            "v_fma_f64",
            "v_min_f64 v_min_num_f64",
            "v_max_f64 v_max_num_f64",
            "v_trunc_f64",
            "v_ceil_f64",
            "v_floor_f64",
            "v_rndne_f64",
            "v_fmac_f64",
        ],
    ));
    cases
}

/// Values where results change: for integers and, as bits, for floats of a width.
fn edges(width: u32) -> Vec<u64> {
    let words = [0, 1, 2, 7, 31, 32, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
    let floats: &[u64] = match width {
        16 => &[0x0001, 0x03ff, 0x0400, 0x3800, 0x3c00, 0x3e00, 0x4248, 0x7bff, 0x7c00, 0x7e00, 0x8001, 0xbc01, 0xfc00],
        64 => &[
            0x0000_0000_0000_0001,
            0x000f_ffff_ffff_ffff,
            0x3fe0_0000_0000_0000,
            0x3ff0_0000_0000_0000,
            0x3ff8_0000_0000_0000,
            0x4009_21fb_5444_2d18,
            0x41df_ffff_ffff_ffff,
            0x47ef_ffff_f000_0000,
            0x7fef_ffff_ffff_ffff,
            0x7ff0_0000_0000_0000,
            0x7ff8_0000_0000_0000,
            0xbff0_0000_0000_0001,
            0xc1e0_0000_0020_0000,
            0xffff_ffff_ffff_ffff,
            0x8000_0000_0000_0000,
        ],
        _ => &[
            0x0000_0001,
            0x007f_ffff,
            0x0080_0000,
            0x3f00_0000,
            0x3f80_0000,
            0x3fc0_0000,
            0x4049_0fdb,
            0x4eff_ffff,
            0x4f00_0000,
            0x477f_e000,
            0x477f_f000,
            0x7f7f_ffff,
            0x7f80_0000,
            0x7fc0_0000,
            0xbf80_0001,
            0xff80_0000,
        ],
    };
    let limit = if width == 64 { u64::MAX } else { (1 << width) - 1 };
    let mut all: Vec<u64> = words.into_iter().map(|value| value & limit).chain(floats.iter().copied()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The instruction on `v[0:1]` with sources `v[2:3]`, `v[4:5]`, `v[6:7]`.
fn instruction(table: &'static Table, entry: &Entry) -> Inst {
    let prefix = if table.generation.is_gfx9() { 0xd000_0000 } else { 0xd400_0000 };
    decode(table, &[prefix | u32::from(entry.opcode) << 16, 0x102 | 0x104 << 9 | 0x106 << 18]).unwrap()
}

/// Runs an instruction on operands, one triple a lane, and gives each lane's result.
fn results(vector: &Vector, generation: Generation, operands: &[Operands], accumulates: bool) -> Vec<u64> {
    let mut wave = Wave::new(if generation.is_gfx9() { 64 } else { 32 });
    wave.scalars.set64(Operand::EXEC, wave.all_lanes());
    for (lane, triple) in operands.iter().enumerate() {
        let third = if accumulates { 0 } else { 6 };
        for (value, row) in triple.iter().zip([2, 4, third]) {
            wave.rows.set_lane(row, lane, *value as u32);
            wave.rows.set_lane(row + 1, lane, (*value >> 32) as u32);
        }
    }
    vector::run(&mut wave, vector);
    (0..operands.len()).map(|lane| wave.rows.lane64(0, lane)).collect()
}

/// Whether a result is what the reference says.
fn agrees(kind: Kind, found: u64, expected: u64) -> bool {
    let (Kind::Bits(width) | Kind::Float(width, _)) = kind;
    let limit = if width == 64 { u64::MAX } else { (1 << width) - 1 };
    let (found, expected) = (found & limit, expected & limit);
    let Kind::Float(_, zeros_alike) = kind else { return found == expected };
    let (exponent, sign) = match width {
        16 => (0x7c00, 0x8000),
        32 => (0x7f80_0000, 0x8000_0000),
        _ => (0x7ff0_0000_0000_0000, 1 << 63),
    };
    let is_nan = |bits: u64| bits & !sign > exponent;
    let is_zero = |bits: u64| bits & !sign == 0;
    found == expected || is_nan(found) && is_nan(expected) || zeros_alike && is_zero(found) && is_zero(expected)
}

fn check(table: &'static Table, case: &Case, entry: &Entry) {
    let accumulates = entry.base.starts_with("v_fmac");
    let count = [Field::A, Field::B, Field::C].iter().filter(|field| entry.slot(**field).is_some()).count();
    let values = |at: usize| if at < count + usize::from(accumulates) { edges(case.sources[at]) } else { vec![0] };
    let (first, second, third) = (values(0), values(1), values(2));
    let pairs = first.iter().flat_map(|a| second.iter().map(move |b| (*a, *b)));
    let all: Vec<Operands> = pairs.flat_map(|(a, b)| third.iter().map(move |c| [a, b, *c])).collect();
    let vector = Vector::new(&instruction(table, entry), table.generation).unwrap();
    for chunk in all.chunks(32) {
        let found = results(&vector, table.generation, chunk, accumulates);
        for (operands, found) in chunk.iter().zip(found) {
            let expected = (case.reference)(*operands);
            let is_right = agrees(case.result, found, expected);
            assert!(is_right, "{} {operands:x?}: {found:#x}, not {expected:#x}", entry.base);
        }
    }
}

#[test]
fn instructions_compute_what_references_say() {
    let cases = cases();
    let mut checked = BTreeSet::new();
    for target in ["gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"] {
        let table = Table::of(Target::parse(target).unwrap().processor);
        for case in &cases {
            for name in case.names.split_whitespace() {
                let mut entries = table.entries().filter(|entry| entry.encoding == Encoding::Vop3);
                let Some(entry) = entries.find(|entry| entry.base == name) else { continue };
                check(table, case, entry);
                checked.insert(entry.base);
            }
        }
    }
    assert!(checked.len() >= 140, "{}: {checked:?}", checked.len());
}

/// Both halves of packed instructions do what the instruction for one half does.
#[test]
fn packed_instructions_compute_each_half() {
    let cases = cases();
    let mut checked = BTreeSet::new();
    for target in ["gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"] {
        let table = Table::of(Target::parse(target).unwrap().processor);
        for entry in table.entries().filter(|entry| entry.encoding == Encoding::Vop3p) {
            let of_half = entry.base.replacen("v_pk_", "v_", 1);
            let is_it = |case: &&Case| case.sources == [16; 3] && case.names.split_whitespace().any(|it| it == of_half);
            let Some(case) = cases.iter().find(is_it).filter(|_| entry.base.starts_with("v_pk_")) else { continue };
            check_packed(table, case, entry);
            checked.insert(entry.base);
        }
    }
    assert!(checked.len() >= 18, "{checked:?}");
}

fn check_packed(table: &'static Table, case: &Case, entry: &Entry) {
    let prefix = if table.generation.is_gfx9() { 0xd380_0000 } else { 0xcc00_0000 };
    // The upper half of the result comes from the upper halves of the sources.
    let words = [prefix | u32::from(entry.opcode) << 16 | 1 << 14, 0x1800_0102 | 0x104 << 9 | 0x106 << 18];
    let vector = Vector::new(&decode(table, &words).unwrap(), table.generation).unwrap();
    let has_third = entry.slot(Field::C).is_some();
    let (values, thirds) = (edges(16), if has_third { edges(16) } else { vec![0] });
    let pairs = values.iter().flat_map(|a| values.iter().map(move |b| (*a, *b)));
    let low: Vec<Operands> = pairs.flat_map(|(a, b)| thirds.iter().map(move |c| [a, b, *c])).collect();
    let high: Vec<Operands> = low.iter().rev().copied().collect();
    for (low, high) in low.chunks(32).zip(high.chunks(32)) {
        let both = low.iter().zip(high).map(|(low, high)| std::array::from_fn(|at| low[at] | high[at] << 16));
        let found = results(&vector, table.generation, &both.collect::<Vec<_>>(), false);
        for (lane, found) in found.into_iter().enumerate() {
            for (operands, found) in [(low[lane], found), (high[lane], found >> 16)] {
                let expected = (case.reference)(operands);
                let is_right = agrees(case.result, found, expected);
                assert!(is_right, "{} {operands:x?}: {found:#x}, not {expected:#x}", entry.base);
            }
        }
    }
}

/// Comparisons by the condition in their name.
fn holds(condition: &str, order: Option<std::cmp::Ordering>) -> bool {
    use std::cmp::Ordering::{Equal, Greater, Less};
    match condition {
        "f" => false,
        "lt" => order == Some(Less),
        "eq" => order == Some(Equal),
        "le" => matches!(order, Some(Less | Equal)),
        "gt" => order == Some(Greater),
        "lg" => matches!(order, Some(Less | Greater)),
        "ge" => matches!(order, Some(Greater | Equal)),
        "o" => order.is_some(),
        "u" => order.is_none(),
        "ne" => order != Some(Equal),
        "t" | "tru" => true,
        _ => !holds(&condition[1..], order),
    }
}

#[test]
fn comparisons_compare() {
    let mut checked = 0;
    for target in ["gfx90a", "gfx1030", "gfx1100", "gfx1201"] {
        let table = Table::of(Target::parse(target).unwrap().processor);
        for entry in table.entries().filter(|entry| entry.encoding == Encoding::Vop3) {
            let Some((condition, kind)) = entry.base.strip_prefix("v_cmp_").and_then(|name| name.split_once('_'))
            else {
                continue;
            };
            let width = kind[1..].parse::<u32>().unwrap_or(0);
            if condition == "class" || width == 0 {
                continue;
            }
            let order = |a: u64, b: u64| match &kind[..1] {
                "i" => Some(signed(a, width).cmp(&signed(b, width))),
                "u" => Some(a.cmp(&b)),
                _ => match width {
                    16 => Half::from_bits(a.into()).partial_cmp(&Half::from_bits(b.into())),
                    32 => Single::from_bits(a.into()).partial_cmp(&Single::from_bits(b.into())),
                    _ => Double::from_bits(a.into()).partial_cmp(&Double::from_bits(b.into())),
                },
            };
            let Some(vector) = Vector::new(&instruction(table, entry), table.generation) else { continue };
            let values = edges(width);
            let all: Vec<Operands> = values.iter().flat_map(|a| values.iter().map(move |b| [*a, *b, 0])).collect();
            for chunk in all.chunks(32) {
                let found = mask(&vector, table.generation, chunk);
                for (lane, [a, b, _]) in chunk.iter().enumerate() {
                    let expected = holds(condition, order(*a, *b));
                    assert_eq!(found >> lane & 1 != 0, expected, "{} {a:#x} {b:#x}", entry.base);
                }
            }
            checked += 1;
        }
    }
    assert!(checked > 300, "{checked}");
}

/// The bits that a comparison gives, one a lane.
fn mask(vector: &Vector, generation: Generation, operands: &[Operands]) -> u64 {
    let mut wave = Wave::new(if generation.is_gfx9() { 64 } else { 32 });
    wave.scalars.set64(Operand::EXEC, wave.all_lanes());
    for (lane, [a, b, _]) in operands.iter().enumerate() {
        for (value, row) in [(a, 2), (b, 4)] {
            wave.rows.set_lane(row, lane, *value as u32);
            wave.rows.set_lane(row + 1, lane, (*value >> 32) as u32);
        }
    }
    vector::run(&mut wave, vector);
    wave.scalars.get64(Operand(0))
}
