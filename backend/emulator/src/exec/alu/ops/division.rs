//! Steps of division, and the reduction of large angles.

use super::registry::Registry;
use crate::exec::alu::lane::{MaskSource, Valu, binary, general, ternary};
use crate::exec::number::exact;
use crate::exec::number::half::F16;

macro_rules! division {
    ($scale:ident, $fixup:ident, $type:ty, $bits:ty, $mantissa:expr, $exponents:expr, $far:expr, $small:expr, $up:expr, $lost:expr) => {
        /// Scales numerator or denominator so that no step of a division over- or underflows. The second result tells
        /// that the quotient has to be scaled back.
        #[inline(always)]
        fn $scale(value: $type, denominator: $type, numerator: $type) -> ($type, bool) {
            let exponent = |value: $type| (value.to_bits() >> $mantissa & $exponents) as i32;
            let up: $type = $up;
            let down = 1.0 / up;
            let is_denominator = value.to_bits() == denominator.to_bits();
            let is_numerator = value.to_bits() == numerator.to_bits();
            let is_tiny = |value: $type| value.abs() < <$type>::MIN_POSITIVE;
            let (inverse, quotient) = (1.0 / denominator, numerator / denominator);
            let (is_tiny_inverse, is_tiny_quotient) = (is_tiny(inverse), is_tiny(quotient));
            let up_if = |condition: bool| if condition { value * up } else { value };
            // From the last case to the first, without branches: that becomes a choice in vectors.
            let mut result = (up_if(exponent(numerator) <= $small), false);
            result = if is_tiny_quotient { (up_if(is_numerator), true) } else { result };
            result = if is_tiny_inverse { (value * down, false) } else { result };
            let both = if is_denominator { value * down } else { value };
            result = if is_tiny_inverse && is_tiny_quotient { (both, true) } else { result };
            result = if is_tiny(denominator) { (value * up, false) } else { result };
            let is_far = exponent(numerator) - exponent(denominator) >= $far;
            result = if is_far { (up_if(is_denominator), true) } else { result };
            if denominator == 0.0 || numerator == 0.0 { (<$type>::NAN, false) } else { result }
        }

        /// The quotient with the right special cases and sign.
        #[inline(always)]
        fn $fixup(quotient: $type, denominator: $type, numerator: $type) -> $type {
            let exponent = |value: $type| (value.to_bits() >> $mantissa & $exponents) as i32;
            let negative = denominator.is_sign_negative() != numerator.is_sign_negative();
            let signed = |value: $type| if negative { -value } else { value };
            if numerator.is_nan() {
                return numerator + numerator;
            }
            if denominator.is_nan() {
                return denominator + denominator;
            }
            let both_zero = denominator == 0.0 && numerator == 0.0;
            if both_zero || (denominator.is_infinite() && numerator.is_infinite()) {
                return -<$type>::NAN.abs();
            }
            if denominator == 0.0 || numerator.is_infinite() {
                return signed(<$type>::INFINITY);
            }
            if denominator.is_infinite() || numerator == 0.0 {
                return signed(0.0);
            }
            if exponent(numerator) - exponent(denominator) < $lost {
                return signed(0.0);
            }
            if quotient.is_nan() {
                return signed(<$type>::INFINITY);
            }
            signed(quotient.abs())
        }
    };
}

const UP: f32 = f32::from_bits((127 + 64) << 23);
const UP_F64: f64 = f64::from_bits((1023 + 128) << 52);

division!(scale_f32, fixup_f32, f32, u32, 23, 0xff, 96, 23, UP, -150);
division!(scale_f64, fixup_f64, f64, u64, 52, 0x7ff, 768, 53, UP_F64, -1075);

/// `a * b + c`, scaled back if asked for, rounded once.
#[inline(always)]
fn fmas_f32(a: f32, b: f32, c: f32, scaled: bool) -> f32 {
    if !scaled {
        return a.mul_add(b, c);
    }
    let up = c.to_bits() >> 23 & 0xff > 127;
    let factor = if up { f64::from(UP) } else { 1.0 / f64::from(UP) };
    // The product of two single numbers is exact; the odd sum keeps what decides the rounding.
    (exact::add_odd(f64::from(a) * f64::from(b), f64::from(c)) * factor) as f32
}

#[inline(always)]
fn fmas_f64(a: f64, b: f64, c: f64, scaled: bool) -> f64 {
    let sum = a.mul_add(b, c);
    if !scaled {
        return sum;
    }
    let up = c.to_bits() >> 52 & 0x7ff > 1023;
    let result = if up { sum * UP_F64 } else { sum / UP_F64 };
    if sum.is_infinite() && !up && a.is_finite() && b.is_finite() {
        // Too large before it is scaled back. Of the small addend its sign is left, which decides between neighbours.
        let (large, small) = if a.abs() > b.abs() { (a, b) } else { (b, a) };
        let rest = if c == 0.0 { c } else { f64::MIN_POSITIVE.copysign(c) };
        return (large / UP_F64).mul_add(small, rest);
    }
    // Only a denormal result is rounded a second time; what is zero has the sign of the sum.
    if up || !result.is_subnormal() {
        return result;
    }
    let (sum, error) = exact::mul_add_parts(a, b, c);
    exact::divide_to_denormal(sum, error, UP_F64)
}

fn fixup_f16(quotient: F16, denominator: F16, numerator: F16) -> F16 {
    let (q, d, n) = (quotient.single(), denominator.single(), numerator.single());
    let negative = d.is_sign_negative() != n.is_sign_negative();
    let signed = |value: f32| F16::nearest(if negative { -value } else { value });
    if n.is_nan() || d.is_nan() || (d == 0.0 && n == 0.0) || (d.is_infinite() && n.is_infinite()) {
        return F16::NAN;
    }
    if d == 0.0 || n.is_infinite() {
        return signed(f32::INFINITY);
    }
    if d.is_infinite() || n == 0.0 {
        return signed(0.0);
    }
    signed(q.abs())
}

/// Bits of 2/pi behind the point, highest first.
const TWO_OVER_PI: [u64; 20] = [
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
    0xf0cf_bc20_9af4_361d,
];

/// A part of 2/pi: 53 bits from a place on that depends on the size of the angle and the number of the part.
#[inline(always)]
fn preop(angle: f64, part: u32) -> f64 {
    let exponent = (angle.to_bits() >> 52 & 0x7ff) as i32;
    let position = 53 * (part & 31) as i32 + (exponent - 1077).max(0);
    let at = position as usize;
    let word = |index: usize| u128::from(TWO_OVER_PI.get(index).copied().unwrap_or(0));
    let both = word(at / 64) << 64 | word(at / 64 + 1);
    let bits = (both << (at % 64) >> 75) as u64;
    let more = if exponent >= 1968 { 128 } else { 0 };
    exact::scale(bits as f64, more - 53 - position)
}

pub(super) fn add(registry: &mut Registry) {
    registry.add(
        "v_div_scale_f32",
        Valu { gives_mask: true, ..general(|_, a: f32, b: f32, c: f32, _| scale_f32(a, b, c)) },
    );
    registry.add(
        "v_div_scale_f64",
        Valu { gives_mask: true, ..general(|_, a: f64, b: f64, c: f64, _| scale_f64(a, b, c)) },
    );
    registry.add(
        "v_div_fmas_f32",
        Valu {
            mask: MaskSource::Vcc,
            ..general(|_, a: f32, b: f32, c: f32, scaled| (fmas_f32(a, b, c, scaled), false))
        },
    );
    registry.add(
        "v_div_fmas_f64",
        Valu {
            mask: MaskSource::Vcc,
            ..general(|_, a: f64, b: f64, c: f64, scaled| (fmas_f64(a, b, c, scaled), false))
        },
    );
    registry.add("v_div_fixup_f32", ternary(fixup_f32));
    registry.add("v_div_fixup_f64", ternary(fixup_f64));
    registry.add("v_div_fixup_f16", ternary(fixup_f16).keeping());
    registry.add("v_div_fixup_legacy_f16", ternary(fixup_f16));
    registry.add("v_trig_preop_f64", binary(preop));
}
