//! Scalar floats of gfx11.5 and gfx12: what they compute, by mnemonic.

use std::cmp::Ordering;

use super::ops::{max_f32, maximum_f32, min_f32, minimum_f32};
use super::scalar_values::{Operation, Values};
use crate::exec::number::half::F16;

fn a(values: &Values) -> f32 {
    f32::from_bits(values.a as u32)
}

fn b(values: &Values) -> f32 {
    f32::from_bits(values.b as u32)
}

fn ah(values: &Values) -> F16 {
    F16(values.a as u16)
}

fn bh(values: &Values) -> F16 {
    F16(values.b as u16)
}

fn set(values: &mut Values, result: f32) {
    values.d = u64::from(result.to_bits());
}

fn set_half(values: &mut Values, result: F16) {
    values.d = u64::from(result.0);
}

/// Computes with halves as single floats, and rounds the result once more.
fn halves(values: &mut Values, compute: fn(f32, f32) -> f32) {
    set_half(values, F16::nearest(compute(ah(values).single(), bh(values).single())));
}

/// The operation of a mnemonic.
pub(super) fn find(name: &str) -> Option<Operation> {
    if let Some(condition) = name.strip_prefix("s_cmp_") {
        return compare(condition);
    }
    single(name).or_else(|| half(name)).or_else(|| convert(name))
}

fn single(name: &str) -> Option<Operation> {
    Some(match name {
        "s_add_f32" => |v| set(v, a(v) + b(v)),
        "s_sub_f32" => |v| set(v, a(v) - b(v)),
        "s_mul_f32" => |v| set(v, a(v) * b(v)),
        "s_fmac_f32" => |v| set(v, a(v).mul_add(b(v), f32::from_bits(v.d as u32))),
        "s_fmaak_f32" => |v| set(v, a(v).mul_add(b(v), f32::from_bits(v.k))),
        "s_fmamk_f32" => |v| set(v, a(v).mul_add(f32::from_bits(v.k), b(v))),
        "s_min_num_f32" => |v| set(v, min_f32(a(v), b(v))),
        "s_max_num_f32" => |v| set(v, max_f32(a(v), b(v))),
        "s_minimum_f32" => |v| set(v, minimum_f32(a(v), b(v))),
        "s_maximum_f32" => |v| set(v, maximum_f32(a(v), b(v))),
        "s_ceil_f32" => |v| set(v, a(v).ceil()),
        "s_floor_f32" => |v| set(v, a(v).floor()),
        "s_trunc_f32" => |v| set(v, a(v).trunc()),
        "s_rndne_f32" => |v| set(v, a(v).round_ties_even()),
        _ => return None,
    })
}

fn half(name: &str) -> Option<Operation> {
    Some(match name {
        "s_add_f16" => |v| halves(v, |a, b| a + b),
        "s_sub_f16" => |v| halves(v, |a, b| a - b),
        "s_mul_f16" => |v| halves(v, |a, b| a * b),
        "s_fmac_f16" => |v| set_half(v, ah(v).mul_add(bh(v), F16(v.d as u16))),
        "s_min_num_f16" => |v| halves(v, min_f32),
        "s_max_num_f16" => |v| halves(v, max_f32),
        "s_minimum_f16" => |v| halves(v, minimum_f32),
        "s_maximum_f16" => |v| halves(v, maximum_f32),
        "s_ceil_f16" => |v| halves(v, |a, _| a.ceil()),
        "s_floor_f16" => |v| halves(v, |a, _| a.floor()),
        "s_trunc_f16" => |v| halves(v, |a, _| a.trunc()),
        "s_rndne_f16" => |v| halves(v, |a, _| a.round_ties_even()),
        _ => return None,
    })
}

fn convert(name: &str) -> Option<Operation> {
    Some(match name {
        "s_cvt_f32_i32" => |v| set(v, (v.a as u32).cast_signed() as f32),
        "s_cvt_f32_u32" => |v| set(v, v.a as u32 as f32),
        "s_cvt_i32_f32" => |v| v.d = u64::from((a(v) as i32).cast_unsigned()),
        "s_cvt_u32_f32" => |v| v.d = u64::from(a(v) as u32),
        "s_cvt_f16_f32" => |v| set_half(v, F16::nearest(a(v))),
        "s_cvt_f32_f16" => |v| set(v, ah(v).single()),
        "s_cvt_hi_f32_f16" => |v| set(v, F16((v.a >> 16) as u16).single()),
        "s_cvt_pk_rtz_f16_f32" => |v| {
            v.d = u64::from(F16::truncated(a(v)).0) | u64::from(F16::truncated(b(v)).0) << 16;
        },
        _ => return None,
    })
}

/// Comparisons by their condition, for both types: halves are compared as the single floats that are the same numbers.
macro_rules! comparisons {
    ($($name:literal => $holds:expr),* $(,)?) => {
        fn compare(name: &str) -> Option<Operation> {
            Some(match name.rsplit_once('_')? {
                $(($name, "f32") => |v| v.scc = holds($holds, a(v), b(v)),
                ($name, "f16") => |v| v.scc = holds($holds, ah(v).single(), bh(v).single()),)*
                _ => return None,
            })
        }
    };
}

fn holds(condition: fn(f32, f32) -> bool, a: f32, b: f32) -> bool {
    condition(a, b)
}

/// What one float is beside another; nothing if one of them is no number.
fn order(a: f32, b: f32) -> Option<Ordering> {
    a.partial_cmp(&b)
}

comparisons! {
    "lt" => |a, b| a < b,
    "eq" => |a, b| a == b,
    "le" => |a, b| a <= b,
    "gt" => |a, b| a > b,
    "lg" => |a, b| order(a, b).is_some_and(Ordering::is_ne),
    "ge" => |a, b| a >= b,
    "o" => |a, b| order(a, b).is_some(),
    "u" => |a, b| order(a, b).is_none(),
    "nge" => |a, b| order(a, b).is_none_or(Ordering::is_lt),
    "nlg" => |a, b| order(a, b).is_none_or(Ordering::is_eq),
    "ngt" => |a, b| order(a, b).is_none_or(Ordering::is_le),
    "nle" => |a, b| order(a, b).is_none_or(Ordering::is_gt),
    "neq" => |a, b| a != b,
    "nlt" => |a, b| order(a, b).is_none_or(Ordering::is_ge),
}
