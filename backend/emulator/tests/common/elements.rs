//! Elements of matrices: small integers that all types have exactly.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::many_single_char_names,
    clippy::precedence,
    reason = "the host repeats what kernels do with bits"
)]

use super::machine::{Machine, random};

/// A type of elements: how the host's small integers become bits of memory, and back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    F64,
    F32,
    F16,
    Bf16,
    Fp8,
    Bf8,
    /// The formats of gfx942.
    FiniteFp8,
    FiniteBf8,
    /// Floats of six and four bits, each in a byte.
    Fp6,
    Bf6,
    Fp4,
    I32,
    I8,
    U8,
}

impl Kind {
    fn bytes(self, value: i32) -> Vec<u8> {
        match self {
            Kind::F64 => f64::from(value).to_le_bytes().to_vec(),
            Kind::F32 => (value as f32).to_le_bytes().to_vec(),
            Kind::F16 => half(value).to_le_bytes().to_vec(),
            // Numbers of up to eight bits have the same upper half as single floats.
            Kind::Bf16 => (((value as f32).to_bits() >> 16) as u16).to_le_bytes().to_vec(),
            Kind::Fp8 => vec![small(value, 3, 7, 8)],
            Kind::Bf8 => vec![small(value, 2, 15, 8)],
            Kind::FiniteFp8 => vec![small(value, 3, 8, 8)],
            Kind::FiniteBf8 => vec![small(value, 2, 16, 8)],
            Kind::Fp6 => vec![small(value, 3, 1, 6)],
            Kind::Bf6 => vec![small(value, 2, 3, 6)],
            Kind::Fp4 => vec![small(value, 1, 1, 4)],
            Kind::I32 => value.to_le_bytes().to_vec(),
            Kind::I8 | Kind::U8 => vec![value as u8],
        }
    }

    /// The integer that bits of memory mean; of results only.
    pub(crate) fn value(self, bytes: &[u8]) -> i32 {
        match self {
            Kind::F64 => f64::from_le_bytes(bytes.try_into().unwrap()) as i32,
            Kind::F32 => f32::from_le_bytes(bytes.try_into().unwrap()) as i32,
            Kind::F16 => {
                let bits = u16::from_le_bytes(bytes.try_into().unwrap());
                (-2048..=2048).find(|value| half(*value) == bits).expect("an integer")
            }
            Kind::Bf16 => f32::from_bits(u32::from(u16::from_le_bytes(bytes.try_into().unwrap())) << 16) as i32,
            Kind::I32 => i32::from_le_bytes(bytes.try_into().unwrap()),
            Kind::U8 => i32::from(bytes[0]),
            _ => i32::from(bytes[0] as i8),
        }
    }

    pub(crate) fn size(self) -> usize {
        self.bytes(0).len()
    }
}

/// A float of 16 bits for an integer of up to eleven bits.
fn half(value: i32) -> u16 {
    if value == 0 {
        return 0;
    }
    let magnitude = value.unsigned_abs();
    let exponent = magnitude.ilog2();
    let fraction = (magnitude << 10 >> exponent) as u16 & 0x3ff;
    u16::from(value < 0) << 15 | (exponent as u16 + 15) << 10 | fraction
}

/// A float of a few bits for an integer that its mantissa can hold.
fn small(value: i32, mantissa: u32, bias: u32, width: u32) -> u8 {
    if value == 0 {
        return 0;
    }
    let magnitude = value.unsigned_abs();
    let exponent = magnitude.ilog2();
    let fraction = magnitude << mantissa >> exponent & ((1 << mantissa) - 1);
    u8::from(value < 0) << (width - 1) | ((exponent + bias) << mantissa | fraction) as u8
}

/// Small integers, all kinds of which are exact; `seed` gives others.
pub(crate) fn integers(seed: u64, count: usize, kind: Kind) -> Vec<i32> {
    let most = match kind {
        Kind::Bf16 => 3,
        Kind::Fp4 => 7,
        _ => 11,
    };
    let least = if kind == Kind::U8 { 0 } else { -(most / 2) };
    random(seed, count).iter().map(|value| (value % most as u64) as i32 + least).collect()
}

pub(crate) fn upload(machine: &Machine, values: &[i32], kind: Kind) -> u64 {
    let bytes: Vec<u8> = values.iter().flat_map(|value| kind.bytes(*value)).collect();
    machine.upload(&bytes)
}

/// The plain product: each element is a sum over `k`. Sizes are rows (and columns) of the result, length of sums, number
/// of products.
pub(crate) fn product((m, k, blocks): (usize, usize, usize), a: &[i32], b: &[i32], c: &[i32]) -> Vec<i32> {
    let mut result = c.to_vec();
    for block in 0..blocks {
        for (i, j) in (0..m).flat_map(|i| (0..m).map(move |j| (i, j))) {
            for step in 0..k {
                result[(block * m + i) * m + j] += a[(block * m + i) * k + step] * b[(block * k + step) * m + j];
            }
        }
    }
    result
}
