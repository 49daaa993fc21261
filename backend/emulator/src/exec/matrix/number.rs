//! Types of elements of matrices.

use crate::exec::number::bf16;
use crate::exec::number::element::Kind;
use crate::exec::number::exact;
use crate::exec::number::fp8::Fp8;
use crate::exec::number::half::F16;
use crate::target::Generation;

/// A type of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Number {
    F64,
    F32,
    /// A single float of which products see ten bits of the mantissa.
    Xf32,
    F16,
    Bf16,
    Fp8(Fp8),
    /// A float of so many bits, of which so many are the mantissa; all are numbers.
    Tiny(u32, u32),
    I32,
    I8,
    I4,
}

impl Number {
    pub(super) fn named(name: &str, generation: Generation) -> Option<Number> {
        Some(match name {
            "f64" => Number::F64,
            "f32" => Number::F32,
            "xf32" => Number::Xf32,
            "f16" => Number::F16,
            "bf16" => Number::Bf16,
            "i32" => Number::I32,
            "i8" | "iu8" => Number::I8,
            "iu4" => Number::I4,
            _ => Number::Fp8(Fp8::named(name, generation)?),
        })
    }

    /// The types of two factors: of both, or one after the other.
    pub(super) fn pair(names: &str, generation: Generation) -> Option<[Number; 2]> {
        let (first, second) = names.split_once('_').unwrap_or((names, names));
        Some([Number::named(first, generation)?, Number::named(second, generation)?])
    }

    /// The type that a number in an instruction tells: "Instinct CDNA 4 ISA", 7.1.5, rules for `F8F6F4`.
    pub(super) fn chosen(code: u8, generation: Generation) -> Option<Number> {
        Some(match code {
            0 => Number::Fp8(Fp8::named("fp8", generation)?),
            1 => Number::Fp8(Fp8::named("bf8", generation)?),
            2 => Number::Tiny(6, 3),
            3 => Number::Tiny(6, 2),
            4 => Number::Tiny(4, 1),
            _ => return None,
        })
    }

    pub(super) fn bits(self) -> usize {
        match self {
            Number::F64 => 64,
            Number::F32 | Number::Xf32 | Number::I32 => 32,
            Number::F16 | Number::Bf16 => 16,
            Number::Fp8(_) | Number::I8 => 8,
            Number::Tiny(bits, _) => bits as usize,
            Number::I4 => 4,
        }
    }

    pub(super) fn is_integer(self) -> bool {
        matches!(self, Number::I32 | Number::I8 | Number::I4)
    }

    /// How constants are read in the place of a matrix.
    pub(super) fn kind(self) -> Kind {
        match self {
            Number::F64 => Kind::Float(64),
            Number::F16 | Number::Bf16 => Kind::Float(16),
            Number::F32 => Kind::Float(32),
            _ => Kind::Int(32),
        }
    }

    /// A short or single float as a single float.
    pub(super) fn single(self, bits: u64) -> f32 {
        match self {
            Number::F16 => F16(bits as u16).single(),
            Number::Bf16 => bf16::single(bits as u16),
            Number::Fp8(format) => format.single(bits as u8),
            Number::Tiny(width, mantissa) => tiny(bits as u32, width, mantissa),
            Number::Xf32 => shortened(f32::from_bits(bits as u32)),
            _ => f32::from_bits(bits as u32),
        }
    }

    /// The nearest float of the type.
    pub(super) fn nearest(self, value: f32) -> u64 {
        match self {
            Number::F16 => u64::from(F16::nearest(value).0),
            Number::Bf16 => u64::from(bf16::nearest(value)),
            _ => u64::from(value.to_bits()),
        }
    }
}

/// The number that a float of a few bits is; exact.
fn tiny(bits: u32, width: u32, mantissa: u32) -> f32 {
    let (sign, rest) = (bits >> (width - 1), bits & ((1 << (width - 1)) - 1));
    let value = exact::widened(rest, mantissa, (1 << (width - mantissa - 2)) - 1);
    f32::from_bits(value.to_bits() | sign << 31)
}

/// The nearest number with ten bits of mantissa, ties to even.
fn shortened(value: f32) -> f32 {
    let bits = value.to_bits();
    if !value.is_finite() {
        return value;
    }
    f32::from_bits((bits + 0xfff + (bits >> 13 & 1)) & !0x1fff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_of_a_few_bits_are_those_of_the_manual() {
        for (code, bits, value) in [
            (2, 0x1f, 7.5),
            (2, 0x08, 1.0),
            (2, 0x01, 0.125),
            (3, 0x1f, 28.0),
            (3, 0x04, 0.25),
            (3, 0x01, 0.0625),
            (4, 0x07, 6.0),
            (4, 0x02, 1.0),
            (4, 0x01, 0.5),
        ] {
            let number = Number::chosen(code, Generation::Gfx950).unwrap();
            assert_eq!(number.single(bits), value);
            assert_eq!(number.single(bits | 1 << (number.bits() - 1)), -value);
        }
        assert_eq!(Number::chosen(5, Generation::Gfx950), None);
    }

    #[test]
    fn ten_bits_of_mantissa_are_kept() {
        let unit = 2.0_f32.powi(-10);
        for (value, expected) in [
            (1.0 + unit, 1.0 + unit),
            (1.0 + 0.5 * unit, 1.0),
            (1.0 + 1.5 * unit, 1.0 + 2.0 * unit),
            (-1.0 - 0.501 * unit, -1.0 - unit),
            (2.0 - 0.25 * unit, 2.0),
        ] {
            assert_eq!(shortened(value), expected);
        }
        assert!(shortened(f32::from_bits(0x7f80_0001)).is_nan());
        assert_eq!(shortened(f32::INFINITY), f32::INFINITY);
    }
}
