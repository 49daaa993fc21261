//! Floats of 16 bits.

use std::f64::consts::TAU;

use super::float::{max_f32, maximum_f32, median, min_f32, minimum_f32};
use super::registry::Registry;
use crate::exec::alu::lane::{accumulate, binary, ternary, unary};
use crate::exec::number::exact;
use crate::exec::number::half::F16;

/// The result of an operation on single precision, rounded again: exact for sums, products, quotients and roots.
pub(super) fn with_single(f: impl Fn(f32, f32) -> f32 + Copy) -> impl Fn(F16, F16) -> F16 + Copy {
    move |a, b| F16::nearest(f(a.single(), b.single()))
}

fn of_double(f: impl Fn(f64) -> f64 + Copy) -> impl Fn(F16) -> F16 + Copy {
    move |a| F16::nearest_double(f(a.double()))
}

/// Product and sum, each rounded.
fn mad(a: F16, b: F16, c: F16) -> F16 {
    F16::nearest(F16::nearest(a.single() * b.single()).single() + c.single())
}

pub(super) fn three(f: impl Fn(f32, f32, f32) -> f32 + Copy) -> impl Fn(F16, F16, F16) -> F16 + Copy {
    move |a, b, c| F16::nearest(f(a.single(), b.single(), c.single()))
}

pub(super) fn add(registry: &mut Registry) {
    registry.add("v_add_f16", binary(with_single(|a, b| a + b)));
    registry.add("v_sub_f16", binary(with_single(|a, b| a - b)));
    registry.add("v_subrev_f16", binary(with_single(|a, b| b - a)));
    registry.add("v_mul_f16", binary(with_single(|a, b| a * b)));
    registry.add("v_min_f16 v_min_num_f16", binary(with_single(min_f32)));
    registry.add("v_max_f16 v_max_num_f16", binary(with_single(max_f32)));
    registry.add("v_minimum_f16", binary(with_single(minimum_f32)));
    registry.add("v_maximum_f16", binary(with_single(maximum_f32)));
    registry.add("v_minimum3_f16", ternary(three(|a, b, c| minimum_f32(minimum_f32(a, b), c))));
    registry.add("v_maximum3_f16", ternary(three(|a, b, c| maximum_f32(maximum_f32(a, b), c))));
    registry.add("v_minimummaximum_f16", ternary(three(|a, b, c| maximum_f32(minimum_f32(a, b), c))));
    registry.add("v_maximumminimum_f16", ternary(three(|a, b, c| minimum_f32(maximum_f32(a, b), c))));
    registry.add("v_fma_f16", ternary(F16::mul_add).keeping());
    registry.add("v_fma_legacy_f16 v_fmamk_f16 v_fmaak_f16", ternary(F16::mul_add));
    registry.add("v_fmac_f16", accumulate(F16::mul_add));
    registry.add("v_mad_f16", ternary(mad).keeping());
    registry.add("v_mad_legacy_f16 v_madmk_f16 v_madak_f16", ternary(mad));
    registry.add("v_mac_f16", accumulate(mad));
    let scaled = |a: F16, by: i16| F16::nearest_double(exact::scale(a.double(), i32::from(by)));
    registry.add("v_ldexp_f16", binary(scaled));
    registry.add("v_min3_f16 v_min3_num_f16", ternary(three(|a, b, c| min_f32(min_f32(a, b), c))).keeping());
    registry.add("v_max3_f16 v_max3_num_f16", ternary(three(|a, b, c| max_f32(max_f32(a, b), c))).keeping());
    registry.add("v_med3_f16 v_med3_num_f16", ternary(three(median)).keeping());
    registry.add("v_minmax_f16 v_minmax_num_f16", ternary(three(|a, b, c| max_f32(min_f32(a, b), c))));
    registry.add("v_maxmin_f16 v_maxmin_num_f16", ternary(three(|a, b, c| min_f32(max_f32(a, b), c))));
    functions(registry);
}

fn functions(registry: &mut Registry) {
    registry.add("v_floor_f16", unary(of_double(f64::floor)));
    registry.add("v_ceil_f16", unary(of_double(f64::ceil)));
    registry.add("v_trunc_f16", unary(of_double(f64::trunc)));
    registry.add("v_rndne_f16", unary(of_double(f64::round_ties_even)));
    let fraction = |a: f64| {
        let part = a - a.floor();
        if part > 2047.0 / 2048.0 { 2047.0 / 2048.0 } else { part }
    };
    registry.add("v_fract_f16", unary(of_double(fraction)));
    registry.add("v_rcp_f16 v_s_rcp_f16", unary(of_double(|a| 1.0 / a)));
    registry.add("v_sqrt_f16 v_s_sqrt_f16", unary(of_double(f64::sqrt)));
    registry.add("v_rsq_f16 v_s_rsq_f16", unary(of_double(|a| 1.0 / a.sqrt())));
    registry.add("v_exp_f16 v_s_exp_f16", unary(of_double(f64::exp2)));
    registry.add("v_log_f16 v_s_log_f16", unary(of_double(f64::log2)));
    registry.add("v_sin_f16", unary(of_double(|a| ((a - a.round()) * TAU).sin())));
    registry.add("v_cos_f16", unary(of_double(|a| ((a - a.round()) * TAU).cos())));
    let is_special = |a: f64| a == 0.0 || !a.is_finite();
    registry
        .add("v_frexp_mant_f16", unary(of_double(move |a| if is_special(a) { a } else { exact::split(a).0 / 2.0 })));
    let exponent = move |a: F16| if is_special(a.double()) { 0 } else { exact::split(a.double()).1 as i16 + 1 };
    registry.add("v_frexp_exp_i16_f16", unary(exponent));
}
