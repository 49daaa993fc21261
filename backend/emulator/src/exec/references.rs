//! What vector instructions compute, written anew: integers as numbers of any size, floats in software (`rustc_apfloat`).

use rustc_apfloat::ieee::{Double, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

/// Operands, each in the low bits.
pub(super) type Operands = [u64; 3];

/// How a result is compared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The low bits of the result, of this width.
    Bits(u32),
    /// A float of this width: all NaNs are one, and so are the zeros where the flag says so.
    Float(u32, bool),
}

/// An instruction by what it computes: names, widths of the sources, kind of the result, reference.
pub(super) struct Case {
    pub(super) names: &'static str,
    pub(super) sources: [u32; 3],
    pub(super) result: Kind,
    pub(super) reference: Box<dyn Fn(Operands) -> u64>,
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
pub(super) fn signed(bits: u64, width: u32) -> i64 {
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

pub(super) fn cases() -> Vec<Case> {
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
