//! Scalar floats of gfx11.5 and gfx12: what they compute, by mnemonic.

use super::half::F16;
use super::ops::{max_f32, maximum_f32, min_f32, minimum_f32};
use super::scalar::{Operation, Values};

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

/// The operation of a mnemonic.
pub(super) fn find(name: &str) -> Option<Operation> {
    if let Some(condition) = name.strip_prefix("s_cmp_") {
        return compare_f32(condition).or_else(|| compare_f16(condition));
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
        "s_add_f16" => |v| set_half(v, F16::nearest(ah(v).single() + bh(v).single())),
        "s_sub_f16" => |v| set_half(v, F16::nearest(ah(v).single() - bh(v).single())),
        "s_mul_f16" => |v| set_half(v, F16::nearest(ah(v).single() * bh(v).single())),
        "s_fmac_f16" => |v| set_half(v, ah(v).mul_add(bh(v), F16(v.d as u16))),
        "s_min_num_f16" => |v| set_half(v, F16::nearest(min_f32(ah(v).single(), bh(v).single()))),
        "s_max_num_f16" => |v| set_half(v, F16::nearest(max_f32(ah(v).single(), bh(v).single()))),
        "s_minimum_f16" => |v| set_half(v, F16::nearest(minimum_f32(ah(v).single(), bh(v).single()))),
        "s_maximum_f16" => |v| set_half(v, F16::nearest(maximum_f32(ah(v).single(), bh(v).single()))),
        "s_ceil_f16" => |v| set_half(v, F16::nearest(ah(v).single().ceil())),
        "s_floor_f16" => |v| set_half(v, F16::nearest(ah(v).single().floor())),
        "s_trunc_f16" => |v| set_half(v, F16::nearest(ah(v).single().trunc())),
        "s_rndne_f16" => |v| set_half(v, F16::nearest(ah(v).single().round_ties_even())),
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

#[allow(clippy::neg_cmp_op_on_partial_ord, reason = "`nlt` and its like are true for what is no number")]
fn compare_f32(condition: &str) -> Option<Operation> {
    Some(match condition.strip_suffix("_f32")? {
        "lt" => |v| v.scc = a(v) < b(v),
        "eq" => |v| v.scc = a(v) == b(v),
        "le" => |v| v.scc = a(v) <= b(v),
        "gt" => |v| v.scc = a(v) > b(v),
        "lg" => |v| v.scc = a(v) < b(v) || a(v) > b(v),
        "ge" => |v| v.scc = a(v) >= b(v),
        "o" => |v| v.scc = a(v).partial_cmp(&b(v)).is_some(),
        "u" => |v| v.scc = a(v).partial_cmp(&b(v)).is_none(),
        "nge" => |v| v.scc = !(a(v) >= b(v)),
        "nlg" => |v| v.scc = !(a(v) < b(v) || a(v) > b(v)),
        "ngt" => |v| v.scc = !(a(v) > b(v)),
        "nle" => |v| v.scc = !(a(v) <= b(v)),
        "neq" => |v| v.scc = a(v) != b(v),
        "nlt" => |v| v.scc = !(a(v) < b(v)),
        _ => return None,
    })
}

/// Halves are compared as the single floats that are the same numbers.
fn compare_f16(condition: &str) -> Option<Operation> {
    fn widen(v: &mut Values) {
        v.a = u64::from(ah(v).single().to_bits());
        v.b = u64::from(bh(v).single().to_bits());
    }
    macro_rules! with {
        ($($name:literal),*) => {
            match condition.strip_suffix("_f16")? {
                $($name => |v| {
                    widen(v);
                    if let Some(compare) = compare_f32(concat!($name, "_f32")) {
                        compare(v);
                    }
                },)*
                _ => return None,
            }
        };
    }
    Some(with!("lt", "eq", "le", "gt", "lg", "ge", "o", "u", "nge", "nlg", "ngt", "nle", "neq", "nlt"))
}
