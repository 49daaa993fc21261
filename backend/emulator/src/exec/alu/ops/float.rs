//! Floats of 32 and 64 bits.

use std::f64::consts::TAU;

use super::registry::Registry;
use crate::exec::alu::lane::{accumulate, binary, ternary, unary};
use crate::exec::number::approximate;
use crate::exec::number::exact;

macro_rules! extremes_of {
    ($min:ident, $max:ident, $type:ty) => {
        /// The smaller number; -0 is smaller than +0, and a number is taken before what is none.
        #[inline(always)]
        pub(crate) fn $min(a: $type, b: $type) -> $type {
            let a_is_less = a < b || (a == b && a.is_sign_negative());
            if b.is_nan() || a_is_less { a } else { b }
        }

        /// The larger number; +0 is larger than -0, and a number is taken before what is none.
        #[inline(always)]
        pub(crate) fn $max(a: $type, b: $type) -> $type {
            let a_is_more = a > b || (a == b && a.is_sign_positive());
            if b.is_nan() || a_is_more { a } else { b }
        }
    };
}

extremes_of!(min_f32, max_f32, f32);
extremes_of!(min_f64, max_f64, f64);

macro_rules! strict_extremes_of {
    ($minimum:ident, $maximum:ident, $min:ident, $max:ident, $type:ty) => {
        /// The smaller number, or none if one of them is none.
        #[inline(always)]
        pub(crate) fn $minimum(a: $type, b: $type) -> $type {
            if a.is_nan() || b.is_nan() { <$type>::NAN } else { $min(a, b) }
        }

        /// The larger number, or none if one of them is none.
        #[inline(always)]
        pub(crate) fn $maximum(a: $type, b: $type) -> $type {
            if a.is_nan() || b.is_nan() { <$type>::NAN } else { $max(a, b) }
        }
    };
}

strict_extremes_of!(minimum_f32, maximum_f32, min_f32, max_f32, f32);
strict_extremes_of!(minimum_f64, maximum_f64, min_f64, max_f64, f64);

/// The middle of three numbers; the smallest if one is none.
#[inline(always)]
pub(super) fn median(a: f32, b: f32, c: f32) -> f32 {
    if a.is_nan() || b.is_nan() || c.is_nan() {
        return min_f32(min_f32(a, b), c);
    }
    max_f32(min_f32(a, b), min_f32(max_f32(a, b), c))
}

/// Denormals as zero: what the operations that are not fused do.
#[inline(always)]
fn flushed(value: f32) -> f32 {
    if value.is_subnormal() { 0.0_f32.copysign(value) } else { value }
}

/// Product and sum, each rounded, denormals as zero.
#[inline(always)]
fn mad(a: f32, b: f32, c: f32) -> f32 {
    flushed(flushed(flushed(a) * flushed(b)) + flushed(c))
}

/// A product in which zero times anything is zero.
#[inline(always)]
fn legacy_product(a: f32, b: f32) -> f32 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

/// The part behind the point, below one.
#[inline(always)]
fn fraction(value: f32) -> f32 {
    let part = value - value.floor();
    if part >= 1.0 { f32::from_bits(0x3f7f_ffff) } else { part }
}

#[inline(always)]
fn fraction_f64(value: f64) -> f64 {
    let part = value - value.floor();
    if part >= 1.0 { f64::from_bits(0x3fef_ffff_ffff_ffff) } else { part }
}

/// The angle of so many turns, small enough for the host's functions.
#[inline(always)]
fn angle(turns: f64) -> f64 {
    (turns - turns.round()) * TAU
}

#[inline(always)]
fn mantissa(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() { value } else { exact::split(value).0 / 2.0 }
}

#[inline(always)]
fn exponent(value: f64) -> i32 {
    if value == 0.0 || !value.is_finite() { 0 } else { exact::split(value).1 + 1 }
}

pub(super) fn add(registry: &mut Registry) {
    arithmetic(registry);
    arithmetic_f64(registry);
    rounding(registry);
    transcendental(registry);
    extremes(registry);
}

fn arithmetic(registry: &mut Registry) {
    registry.add("v_add_f32 v_dual_add_f32", binary(|a: f32, b: f32| a + b));
    registry.add("v_sub_f32 v_dual_sub_f32", binary(|a: f32, b: f32| a - b));
    registry.add("v_subrev_f32 v_dual_subrev_f32", binary(|a: f32, b: f32| b - a));
    registry.add("v_mul_f32 v_dual_mul_f32", binary(|a: f32, b: f32| a * b));
    registry.add("v_mul_legacy_f32 v_mul_dx9_zero_f32 v_dual_mul_dx9_zero_f32", binary(legacy_product));
    registry.add("v_fma_f32 v_fmamk_f32 v_fmaak_f32", ternary(f32::mul_add));
    let fma_legacy = |a: f32, b: f32, c: f32| if a == 0.0 || b == 0.0 { c } else { a.mul_add(b, c) };
    registry.add("v_fma_legacy_f32 v_fma_dx9_zero_f32", ternary(fma_legacy));
    registry.add("v_fmac_legacy_f32 v_fmac_dx9_zero_f32", accumulate(fma_legacy));
    registry.add("v_fmac_f32 v_dual_fmac_f32", accumulate(f32::mul_add));
    registry.add("v_mad_f32 v_madmk_f32 v_madak_f32", ternary(mad));
    registry.add("v_mac_f32", accumulate(mad));
    registry.add("v_ldexp_f32", binary(|a: f32, by: i32| exact::scale(f64::from(a), by.clamp(-2000, 2000)) as f32));
}

fn arithmetic_f64(registry: &mut Registry) {
    registry.add("v_add_f64", binary(|a: f64, b: f64| a + b));
    registry.add("v_mul_f64", binary(|a: f64, b: f64| a * b));
    registry.add("v_fma_f64", ternary(f64::mul_add));
    registry.add("v_fmac_f64", accumulate(f64::mul_add));
    registry.add("v_ldexp_f64", binary(exact::scale));
}

fn rounding(registry: &mut Registry) {
    registry.add("v_floor_f32", unary(f32::floor));
    registry.add("v_ceil_f32", unary(f32::ceil));
    registry.add("v_trunc_f32", unary(f32::trunc));
    registry.add("v_rndne_f32", unary(f32::round_ties_even));
    registry.add("v_fract_f32", unary(fraction));
    registry.add("v_floor_f64", unary(f64::floor));
    registry.add("v_ceil_f64", unary(f64::ceil));
    registry.add("v_trunc_f64", unary(f64::trunc));
    registry.add("v_rndne_f64", unary(f64::round_ties_even));
    registry.add("v_fract_f64", unary(fraction_f64));
    registry.add("v_frexp_mant_f32", unary(|a: f32| mantissa(f64::from(a)) as f32));
    registry.add("v_frexp_mant_f64", unary(mantissa));
    registry.add("v_frexp_exp_i32_f32", unary(|a: f32| exponent(f64::from(a))));
    registry.add("v_frexp_exp_i32_f64", unary(exponent));
}

fn transcendental(registry: &mut Registry) {
    registry.add("v_rcp_f32 v_rcp_iflag_f32 v_s_rcp_f32", unary(|a: f32| 1.0 / a));
    registry.add("v_rsq_f32 v_s_rsq_f32", unary(|a: f32| (1.0 / f64::from(a).sqrt()) as f32));
    registry.add("v_sqrt_f32 v_s_sqrt_f32", unary(f32::sqrt));
    registry.add("v_exp_f32 v_s_exp_f32", unary(|a: f32| approximate::exp2(f64::from(a)) as f32));
    registry.add("v_log_f32 v_s_log_f32", unary(|a: f32| approximate::log2(f64::from(a)) as f32));
    registry.add("v_sin_f32", unary(|a: f32| angle(f64::from(a)).sin() as f32));
    registry.add("v_cos_f32", unary(|a: f32| angle(f64::from(a)).cos() as f32));
    registry.add("v_rcp_f64", unary(|a: f64| 1.0 / a));
    registry.add("v_rsq_f64", unary(|a: f64| 1.0 / a.sqrt()));
    registry.add("v_sqrt_f64", unary(f64::sqrt));
}

fn extremes(registry: &mut Registry) {
    registry.add("v_min_f32 v_min_num_f32 v_dual_min_f32 v_dual_min_num_f32", binary(min_f32));
    registry.add("v_max_f32 v_max_num_f32 v_dual_max_f32 v_dual_max_num_f32", binary(max_f32));
    registry.add("v_min_f64 v_min_num_f64", binary(min_f64));
    registry.add("v_max_f64 v_max_num_f64", binary(max_f64));
    registry.add("v_minimum_f32", binary(minimum_f32));
    registry.add("v_maximum_f32", binary(maximum_f32));
    registry.add("v_minimum_f64", binary(minimum_f64));
    registry.add("v_maximum_f64", binary(maximum_f64));
    registry.add("v_minimum3_f32", ternary(|a, b, c| minimum_f32(minimum_f32(a, b), c)));
    registry.add("v_maximum3_f32", ternary(|a, b, c| maximum_f32(maximum_f32(a, b), c)));
    registry.add("v_minimummaximum_f32", ternary(|a, b, c| maximum_f32(minimum_f32(a, b), c)));
    registry.add("v_maximumminimum_f32", ternary(|a, b, c| minimum_f32(maximum_f32(a, b), c)));
    registry.add("v_min3_f32 v_min3_num_f32", ternary(|a, b, c| min_f32(min_f32(a, b), c)));
    registry.add("v_max3_f32 v_max3_num_f32", ternary(|a, b, c| max_f32(max_f32(a, b), c)));
    registry.add("v_med3_f32 v_med3_num_f32", ternary(median));
    registry.add("v_minmax_f32 v_minmax_num_f32", ternary(|a, b, c| max_f32(min_f32(a, b), c)));
    registry.add("v_maxmin_f32 v_maxmin_num_f32", ternary(|a, b, c| min_f32(max_f32(a, b), c)));
}
