//! What atomic operations compute from the old value and their operands.

use super::shape::Atomic;
use crate::exec::alu::ops::{max_f32, max_f64, min_f32, min_f64};
use crate::exec::number::bf16;
use crate::exec::number::half::F16;

/// The new value of 32 bits. `compare` is used by compare-and-swap only.
pub(super) fn new_u32(operation: Atomic, old: u32, data: u32, compare: u32) -> u32 {
    let signed = |pick: fn(i32, i32) -> i32| pick(old.cast_signed(), data.cast_signed()).cast_unsigned();
    let float = |f: fn(f32, f32) -> f32| f(f32::from_bits(old), f32::from_bits(data)).to_bits();
    match operation {
        Atomic::Swap => data,
        Atomic::CompareSwap => {
            if old == compare {
                data
            } else {
                old
            }
        }
        Atomic::Add => old.wrapping_add(data),
        Atomic::Sub => old.wrapping_sub(data),
        Atomic::ReverseSub => data.wrapping_sub(old),
        Atomic::SignedMin => signed(i32::min),
        Atomic::UnsignedMin => old.min(data),
        Atomic::SignedMax => signed(i32::max),
        Atomic::UnsignedMax => old.max(data),
        Atomic::And => old & data,
        Atomic::Or => old | data,
        Atomic::Xor => old ^ data,
        Atomic::Increment => {
            if old >= data {
                0
            } else {
                old + 1
            }
        }
        Atomic::Decrement => {
            if old == 0 || old > data {
                data
            } else {
                old - 1
            }
        }
        Atomic::FloatAdd => float(|a, b| a + b),
        Atomic::FloatMin => float(min_f32),
        Atomic::FloatMax => float(max_f32),
        Atomic::PackedHalfAdd => {
            let half = |bits: u32| F16(bits as u16).single();
            let sum = |shift: u32| u32::from(F16::nearest(half(old >> shift) + half(data >> shift)).0) << shift;
            sum(0) | sum(16)
        }
        Atomic::PackedBfloatAdd => {
            let part = |bits: u32| bf16::single(bits as u16);
            let sum = |shift: u32| u32::from(bf16::nearest(part(old >> shift) + part(data >> shift))) << shift;
            sum(0) | sum(16)
        }
        Atomic::SubClamp => old.saturating_sub(data),
        Atomic::ConditionalSub => old.checked_sub(data).unwrap_or(old),
    }
}

/// The new value of 64 bits. `compare` is used by compare-and-swap only.
pub(super) fn new_u64(operation: Atomic, old: u64, data: u64, compare: u64) -> u64 {
    let signed = |pick: fn(i64, i64) -> i64| pick(old.cast_signed(), data.cast_signed()).cast_unsigned();
    let float = |f: fn(f64, f64) -> f64| f(f64::from_bits(old), f64::from_bits(data)).to_bits();
    match operation {
        Atomic::Swap => data,
        Atomic::CompareSwap => {
            if old == compare {
                data
            } else {
                old
            }
        }
        // Those of halves have 32 bits only.
        Atomic::Add | Atomic::PackedHalfAdd | Atomic::PackedBfloatAdd => old.wrapping_add(data),
        Atomic::Sub => old.wrapping_sub(data),
        Atomic::SubClamp => old.saturating_sub(data),
        Atomic::ConditionalSub => old.checked_sub(data).unwrap_or(old),
        Atomic::ReverseSub => data.wrapping_sub(old),
        Atomic::SignedMin => signed(i64::min),
        Atomic::UnsignedMin => old.min(data),
        Atomic::SignedMax => signed(i64::max),
        Atomic::UnsignedMax => old.max(data),
        Atomic::And => old & data,
        Atomic::Or => old | data,
        Atomic::Xor => old ^ data,
        Atomic::Increment => {
            if old >= data {
                0
            } else {
                old + 1
            }
        }
        Atomic::Decrement => {
            if old == 0 || old > data {
                data
            } else {
                old - 1
            }
        }
        Atomic::FloatAdd => float(|a, b| a + b),
        Atomic::FloatMin => float(min_f64),
        Atomic::FloatMax => float(max_f64),
    }
}
