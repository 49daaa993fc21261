//! Conversions.

use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

use super::{Case, Kind, Operands, case, signed, wide};

const NEAREST: Round = Round::NearestTiesToEven;

/// A float as another.
fn converted<A: Float + FloatConvert<B>, B: Float>(bits: u64) -> u64 {
    let value: B = A::from_bits(u128::from(bits)).convert_r(NEAREST, &mut false).value;
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
    F::from_i128_r(i128::from(value), NEAREST).value.to_bits() as u64
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
        case("v_cvt_f32_bf16", [16; 3], single, |[a, _, _]| converted::<BFloat, Single>(a)),
        case("v_cvt_off_f32_i4", [32; 3], single, |[a, _, _]| {
            let sixteenths = Single::from_i128_r(signed(a & 15, 4).into(), NEAREST).value;
            sixteenths.scalbn_r(-4, NEAREST).to_bits() as u64
        }),
        case("v_cvt_rpi_i32_f32 v_cvt_nearest_i32_f32", [32; 3], Kind::Bits(32), |[a, _, _]| {
            let half = Single::from_u128(1).value.scalbn_r(-1, NEAREST);
            let sum = Single::from_bits(a.into()).add_r(half, NEAREST).value;
            integer::<Single>(sum.round_to_integral(Round::TowardNegative).value.to_bits() as u64, 32, true)
        }),
        case("v_cvt_flr_i32_f32 v_cvt_floor_i32_f32", [32; 3], Kind::Bits(32), |[a, _, _]| {
            let floor = Single::from_bits(a.into()).round_to_integral(Round::TowardNegative).value;
            integer::<Single>(floor.to_bits() as u64, 32, true)
        }),
        case("v_cvt_f32_ubyte0", [32; 3], single, byte(0)),
        case("v_cvt_f32_ubyte1", [32; 3], single, byte(1)),
        case("v_cvt_f32_ubyte2", [32; 3], single, byte(2)),
        case("v_cvt_f32_ubyte3", [32; 3], single, byte(3)),
    ]
}

/// A number of a range in so many equal steps, the nearest.
fn norm(bits: u64, steps: i128, has_sign: bool) -> u64 {
    let value = Single::from_bits(bits.into());
    if value.is_nan() {
        return 0;
    }
    let one = Single::from_u128(1).value;
    let least = if has_sign { -one } else { Single::ZERO };
    // The product of a number of 24 bits and one of 16 is exact in double precision.
    let limited: Double = value.max(least).min(one).convert(&mut false).value;
    let product = limited.mul_r(Double::from_i128_r(steps, NEAREST).value, NEAREST).value;
    (product.to_i128_r(32, NEAREST, &mut false).value as u64) & 0xffff
}

/// Two results side by side.
fn pair(names: &'static str, widths: u32, result: Kind, half: impl Fn(u64) -> u64 + 'static) -> Case {
    case(names, [widths; 3], result, move |[a, b, _]| half(a) & 0xffff | half(b) << 16)
}

/// Two numbers, divided by a power of two and rounded down, limited to a byte each.
fn shifted_pair([a, b, by]: Operands, least: i64, most: i64) -> u64 {
    let [low, high] =
        [a, b].map(|bits| wide(bits).div_euclid(1 << (by % 32)).clamp(least, most).cast_unsigned() & 0xff);
    low | high << 8
}

fn packed() -> Vec<Case> {
    let bits = Kind::Bits(32);
    let half_towards = |bits: u64, round: Round| {
        let value: Half = Single::from_bits(bits.into()).convert_r(round, &mut false).value;
        value.to_bits() as u64
    };
    let limited = |bits: u64, has_sign: bool| {
        let value = Single::from_bits(bits.into());
        if value.is_nan() {
            return 0;
        }
        if has_sign {
            (value.to_i128_r(16, Round::TowardZero, &mut false).value as i64).cast_unsigned()
        } else {
            value.to_u128_r(16, Round::TowardZero, &mut false).value as u64
        }
    };
    vec![
        pair("v_cvt_pkrtz_f16_f32 v_cvt_pk_rtz_f16_f32", 32, Kind::Halves, move |a| half_towards(a, Round::TowardZero)),
        pair("v_cvt_pk_f16_f32", 32, Kind::Halves, move |a| half_towards(a, NEAREST)),
        pair("v_cvt_pk_bf16_f32", 32, Kind::Brains, converted::<Single, BFloat>),
        pair("v_cvt_pk_i16_f32", 32, bits, move |a| limited(a, true)),
        pair("v_cvt_pk_u16_f32", 32, bits, move |a| limited(a, false)),
        pair("v_cvt_pknorm_i16_f32 v_cvt_pk_norm_i16_f32", 32, bits, |a| norm(a, 32767, true)),
        pair("v_cvt_pknorm_u16_f32 v_cvt_pk_norm_u16_f32", 32, bits, |a| norm(a, 65535, false)),
        pair("v_pack_b32_f16", 16, Kind::Halves, |a| a),
        case("v_ashr_pk_i8_i32", [32; 3], Kind::Bits(16), |operands| shifted_pair(operands, -128, 127)),
        case("v_ashr_pk_u8_i32", [32; 3], Kind::Bits(16), |operands| shifted_pair(operands, 0, 255)),
        case("v_cvt_pk_u8_f32", [32; 3], bits, |[a, b, c]| {
            let value = Single::from_bits(a.into());
            let byte = if value.is_nan() { 0 } else { value.to_u128_r(8, NEAREST, &mut false).value as u64 };
            let shift = 8 * (b % 4);
            c & !(0xff << shift) | byte << shift
        }),
    ]
}

pub(super) fn cases() -> Vec<Case> {
    [conversions(), packed()].into_iter().flatten().collect()
}
