//! Two operations in one: packed halves and packed single floats, and mixed precision.

use super::float::{max_f32, maximum_f32, min_f32, minimum_f32};
use super::half::{three as three_singles, with_single};
use super::registry::Registry;
use crate::exec::alu::lane::{accumulate, binary, ternary};
use crate::exec::number::element::Pair;
use crate::exec::number::exact;
use crate::exec::number::half::F16;

fn two<T: Copy, U: Copy>(f: impl Fn(T, T) -> U + Copy) -> impl Fn(Pair<T>, Pair<T>) -> Pair<U> + Copy {
    move |a, b| Pair(f(a.0, b.0), f(a.1, b.1))
}

fn three<T: Copy>(f: impl Fn(T, T, T) -> T + Copy) -> impl Fn(Pair<T>, Pair<T>, Pair<T>) -> Pair<T> + Copy {
    move |a, b, c| Pair(f(a.0, b.0, c.0), f(a.1, b.1, c.1))
}

/// The operands of mixed precision come as single floats; the sum is rounded once to a half.
fn mix_to_half(a: f32, b: f32, c: f32) -> F16 {
    F16::nearest_double(exact::add_odd(f64::from(a) * f64::from(b), f64::from(c)))
}

pub(super) fn add(registry: &mut Registry) {
    registry.add("v_pk_add_f16", binary(two(with_single(|a, b| a + b))));
    registry.add("v_pk_mul_f16", binary(two(with_single(|a, b| a * b))));
    registry.add("v_pk_min_f16 v_pk_min_num_f16", binary(two(with_single(min_f32))));
    registry.add("v_pk_max_f16 v_pk_max_num_f16", binary(two(with_single(max_f32))));
    registry.add("v_pk_minimum_f16", binary(two(with_single(minimum_f32))));
    registry.add("v_pk_maximum_f16", binary(two(with_single(maximum_f32))));
    registry.add("v_pk_minimum3_f16", ternary(three(three_singles(|a, b, c| minimum_f32(minimum_f32(a, b), c)))));
    registry.add("v_pk_maximum3_f16", ternary(three(three_singles(|a, b, c| maximum_f32(maximum_f32(a, b), c)))));
    registry.add("v_pk_fma_f16", ternary(three(F16::mul_add)));
    registry.add("v_pk_fmac_f16", accumulate(three(F16::mul_add)));
    integers(registry);
    registry.add("v_pk_add_f32", binary(two(|a: f32, b: f32| a + b)));
    registry.add("v_pk_mul_f32", binary(two(|a: f32, b: f32| a * b)));
    registry.add("v_pk_fma_f32", ternary(three(f32::mul_add)));
    registry.add("v_pk_mov_b32", binary(|a: Pair<u32>, b: Pair<u32>| Pair(a.0, b.1)));
    registry.add("v_fma_mix_f32", ternary(f32::mul_add));
    registry.add("v_fma_mixlo_f16 v_fma_mixhi_f16", ternary(mix_to_half).keeping());
}

fn integers(registry: &mut Registry) {
    registry.add("v_pk_add_u16", binary(two(u16::wrapping_add)));
    registry.add("v_pk_sub_u16", binary(two(u16::wrapping_sub)));
    registry.add("v_pk_add_i16", binary(two(i16::wrapping_add)));
    registry.add("v_pk_sub_i16", binary(two(i16::wrapping_sub)));
    registry.add("v_pk_add_u16/clamp", binary(two(u16::saturating_add)));
    registry.add("v_pk_sub_u16/clamp", binary(two(u16::saturating_sub)));
    registry.add("v_pk_add_i16/clamp", binary(two(i16::saturating_add)));
    registry.add("v_pk_sub_i16/clamp", binary(two(i16::saturating_sub)));
    registry.add("v_pk_mul_lo_u16", binary(two(u16::wrapping_mul)));
    registry
        .add("v_pk_mad_u16 v_pk_mad_i16", ternary(three(|a: u16, b: u16, c: u16| a.wrapping_mul(b).wrapping_add(c))));
    registry.add("v_pk_lshlrev_b16", binary(two(|by: u16, value: u16| value << (by & 15))));
    registry.add("v_pk_lshrrev_b16", binary(two(|by: u16, value: u16| value >> (by & 15))));
    registry.add("v_pk_ashrrev_i16", binary(two(|by: i16, value: i16| value >> (by & 15))));
    registry.add("v_pk_min_u16", binary(two(|a: u16, b: u16| a.min(b))));
    registry.add("v_pk_max_u16", binary(two(|a: u16, b: u16| a.max(b))));
    registry.add("v_pk_min_i16", binary(two(|a: i16, b: i16| a.min(b))));
    registry.add("v_pk_max_i16", binary(two(|a: i16, b: i16| a.max(b))));
}
