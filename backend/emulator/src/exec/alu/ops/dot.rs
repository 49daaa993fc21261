//! Sums of products of small numbers.

use super::registry::Registry;
use crate::exec::alu::lane::{Valu, accumulate, ternary};
use crate::exec::number::bf16;
use crate::exec::number::half::F16;

/// The parts of a register, with their sign.
fn signed(value: u32, bits: u32) -> impl Iterator<Item = i32> {
    (0..32 / bits).map(move |part| (value << (32 - bits * (part + 1))).cast_signed() >> (32 - bits))
}

/// The parts of a register.
fn unsigned(value: u32, bits: u32) -> impl Iterator<Item = u32> {
    (0..32 / bits).map(move |part| value >> (bits * part) & ((1 << bits) - 1))
}

fn signed_dot(a: u32, b: u32, c: u32, bits: u32) -> i64 {
    signed(a, bits).zip(signed(b, bits)).map(|(a, b)| i64::from(a) * i64::from(b)).sum::<i64>()
        + i64::from(c.cast_signed())
}

fn unsigned_dot(a: u32, b: u32, c: u32, bits: u32) -> u64 {
    unsigned(a, bits).zip(unsigned(b, bits)).map(|(a, b)| u64::from(a) * u64::from(b)).sum::<u64>() + u64::from(c)
}

/// Two products of halves and a single float; each step is rounded.
fn half_dot(a: u32, b: u32, c: f32) -> f32 {
    let parts = |value: u32| [F16(value as u16).single(), F16((value >> 16) as u16).single()];
    let ([a0, a1], [b0, b1]) = (parts(a), parts(b));
    a0.mul_add(b0, a1.mul_add(b1, c))
}

/// The same with floats of 16 bits that have the exponent of single precision.
fn bf16_dot(a: u32, b: u32, c: f32) -> f32 {
    let parts = |value: u32| [bf16::single(value as u16), bf16::single((value >> 16) as u16)];
    let ([a0, a1], [b0, b1]) = (parts(a), parts(b));
    a0.mul_add(b0, a1.mul_add(b1, c))
}

/// Products of parts of `bits` bits whose signs the instruction tells.
pub(in crate::exec::alu) fn mixed_dot(bits: u32, is_signed: [bool; 2], clamps: bool) -> Valu {
    let part = move |value: u32, index: u32, which: usize| {
        let top = value << (32 - bits * (index + 1));
        if is_signed[which] { i64::from(top.cast_signed() >> (32 - bits)) } else { i64::from(top >> (32 - bits)) }
    };
    ternary(move |a: u32, b: u32, c: i32| {
        let products = (0..32 / bits).map(|index| part(a, index, 0) * part(b, index, 1));
        let sum = products.sum::<i64>() + i64::from(c);
        if clamps { saturated(sum) } else { sum as u32 }
    })
}

fn saturated(sum: i64) -> u32 {
    sum.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as u32
}

pub(super) fn add(registry: &mut Registry) {
    for (name, short, bits) in [
        ("v_dot2_i32_i16", "v_dot2c_i32_i16", 16),
        ("v_dot4_i32_i8", "v_dot4c_i32_i8", 8),
        ("v_dot8_i32_i4", "v_dot8c_i32_i4", 4),
    ] {
        let dot: fn(u32, u32, u32) -> u32 = match bits {
            16 => |a, b, c| signed_dot(a, b, c, 16) as u32,
            8 => |a, b, c| signed_dot(a, b, c, 8) as u32,
            _ => |a, b, c| signed_dot(a, b, c, 4) as u32,
        };
        registry.add(name, ternary(dot));
        registry.add(short, Valu { accumulates: true, ..accumulate(dot) });
        registry
            .add(&format!("{name}/clamp"), ternary(move |a: u32, b: u32, c: u32| saturated(signed_dot(a, b, c, bits))));
    }
    for (name, bits) in [("v_dot2_u32_u16", 16), ("v_dot4_u32_u8", 8), ("v_dot8_u32_u4", 4)] {
        registry.add(name, ternary(move |a: u32, b: u32, c: u32| unsigned_dot(a, b, c, bits) as u32));
        let limited = move |a: u32, b: u32, c: u32| u32::try_from(unsigned_dot(a, b, c, bits)).unwrap_or(u32::MAX);
        registry.add(&format!("{name}/clamp"), ternary(limited));
    }
    registry.add("v_dot2_f32_bf16", ternary(bf16_dot));
    registry.add("v_dot2c_f32_bf16 v_dot2acc_f32_bf16 v_dual_dot2acc_f32_bf16", accumulate(bf16_dot));
    registry.add("v_dot2_f32_f16", ternary(half_dot));
    registry.add("v_dot2c_f32_f16 v_dot2acc_f32_f16 v_dual_dot2acc_f32_f16", accumulate(half_dot));
}
