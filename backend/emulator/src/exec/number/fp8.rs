//! Floats of eight bits, with four bits of exponent (FP8) or five (BF8). gfx942 has formats without infinities and
//! without a negative zero, whose place what is no number takes; later processors have those of the Open Compute Project
//! (AMD, "Instinct CDNA 4 ISA", table 30 "Small Float Data Formats", and the same table for CDNA 3).

use super::exact;
use crate::target::Generation;

/// A format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fp8 {
    /// Bits of the mantissa: 3 or 2.
    mantissa: u32,
    /// Neither infinities nor a negative zero.
    is_finite: bool,
}

impl Fp8 {
    /// The format that instructions of a generation call `fp8` or `bf8`.
    pub(crate) fn named(name: &str, generation: Generation) -> Option<Fp8> {
        let mantissa = match name {
            "fp8" => 3,
            "bf8" => 2,
            _ => return None,
        };
        Some(Fp8 { mantissa, is_finite: generation == Generation::Gfx940 })
    }

    fn bias(self) -> i32 {
        (1 << (6 - self.mantissa)) - i32::from(!self.is_finite)
    }

    /// The same number; exact.
    #[inline(always)]
    pub(crate) fn single(self, bits: u8) -> f32 {
        let (sign, rest) = (u32::from(bits & 0x80) << 24, u32::from(bits & 0x7f));
        let value = match (self.is_finite, self.mantissa, rest) {
            (true, _, 0) if sign != 0 => f32::NAN,
            (false, 3, 0x7f) | (false, 2, 0x7d..) => f32::NAN,
            (false, 2, 0x7c) => f32::INFINITY,
            _ => exact::widened(rest, self.mantissa, self.bias().cast_unsigned()),
        };
        f32::from_bits(value.to_bits() | sign)
    }

    /// The nearest number, ties to even. What is too large becomes an infinity, or no number where there is none.
    #[inline(always)]
    pub(crate) fn nearest(self, value: f32) -> u8 {
        let bits = value.to_bits();
        let (sign, size) = ((bits >> 24) as u8 & 0x80, bits & 0x7fff_ffff);
        let (largest, beyond, none) = match (self.is_finite, self.mantissa) {
            (true, _) => return self.nearest_finite(sign, size),
            (false, 3) => (0x7e, 0x7f, 0x7f),
            (false, _) => (0x7b, 0x7c, 0x7e),
        };
        if size > 0x7f80_0000 {
            return sign | none;
        }
        let rounded = self.rounded(size);
        sign | if rounded > largest { beyond } else { rounded as u8 }
    }

    /// The nearest number of a format that has neither infinities nor a negative zero.
    #[inline(always)]
    fn nearest_finite(self, sign: u8, size: u32) -> u8 {
        match self.rounded(size) {
            0 => 0,
            rounded @ 1..=0x7f => sign | rounded as u8,
            _ => 0x80,
        }
    }

    /// The nearest magnitude, as if the exponent had no end.
    #[inline(always)]
    fn rounded(self, size: u32) -> u32 {
        let exponent = (size >> 23) as i32 - 127 + self.bias();
        let significand = size & 0x7f_ffff | 0x80_0000;
        // Denormals have fewer bits.
        let shift = 23 - self.mantissa + (1 - exponent).max(0) as u32;
        if shift > 24 {
            return 0;
        }
        let kept = significand >> shift;
        let (rest, half) = (significand & ((1 << shift) - 1), 1 << (shift - 1));
        let up = u32::from(rest > half || (rest == half && kept & 1 != 0));
        // The highest bit that is kept carries into the exponent.
        kept + up + (((exponent.max(1) - 1) as u32) << self.mantissa)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formats() -> [Fp8; 4] {
        let both = |generation| ["fp8", "bf8"].map(|name| Fp8::named(name, generation).unwrap());
        let ([a, b], [c, d]) = (both(Generation::Gfx940), both(Generation::Gfx950));
        [a, b, c, d]
    }

    #[test]
    fn extremes_are_those_of_the_manuals() {
        let [fp8, bf8, ocp_fp8, ocp_bf8] = formats();
        for (format, bits, value) in [
            (fp8, 0x7f, 240.0),
            (fp8, 0x08, 2.0_f32.powi(-7)),
            (fp8, 0x01, 2.0_f32.powi(-10)),
            (bf8, 0x7f, 57344.0),
            (bf8, 0x04, 2.0_f32.powi(-15)),
            (bf8, 0x01, 2.0_f32.powi(-17)),
            (ocp_fp8, 0x7e, 448.0),
            (ocp_fp8, 0x08, 2.0_f32.powi(-6)),
            (ocp_fp8, 0x01, 2.0_f32.powi(-9)),
            (ocp_bf8, 0x7b, 57344.0),
            (ocp_bf8, 0x04, 2.0_f32.powi(-14)),
            (ocp_bf8, 0x01, 2.0_f32.powi(-16)),
            (ocp_bf8, 0x7c, f32::INFINITY),
        ] {
            assert_eq!((format.single(bits), format.single(bits | 0x80)), (value, -value), "{format:?}");
        }
        assert!(fp8.single(0x80).is_nan() && bf8.single(0x80).is_nan());
        assert!(ocp_fp8.single(0xff).is_nan() && ocp_bf8.single(0x7d).is_nan());
    }

    #[test]
    fn all_numbers_survive_and_those_between_go_to_the_nearer() {
        for format in formats() {
            for bits in 0..=u8::MAX {
                let value = format.single(bits);
                let back = format.nearest(value);
                assert!(back == bits || (value.is_nan() && format.single(back).is_nan()), "{format:?} {bits:#x}");
            }
            for bits in 0..0x7f {
                let (low, high) = (format.single(bits), format.single(bits + 1));
                if !high.is_finite() {
                    break;
                }
                let middle = f32::midpoint(low, high);
                let even = if bits & 1 == 0 { bits } else { bits + 1 };
                assert_eq!(format.nearest(middle), even, "{format:?} {middle}");
                assert_eq!(format.nearest(middle.next_down()), bits);
                assert_eq!(format.nearest(-middle.next_up()), 0x80 | (bits + 1));
            }
        }
    }

    #[test]
    fn what_is_too_large_is_no_number_or_infinite() {
        let [fp8, bf8, ocp_fp8, ocp_bf8] = formats();
        assert_eq!(
            [247.99, 248.0, -1e30, f32::INFINITY, f32::NAN].map(|v| fp8.nearest(v)),
            [0x7f, 0x80, 0x80, 0x80, 0x80]
        );
        assert_eq!([61439.0, 61440.0, -1e30].map(|v| bf8.nearest(v)), [0x7f, 0x80, 0x80]);
        assert_eq!([464.0, 464.1, -1e30, f32::NAN].map(|v| ocp_fp8.nearest(v)), [0x7e, 0x7f, 0xff, 0x7f]);
        assert_eq!([61439.0, 61440.0, f32::NEG_INFINITY].map(|v| ocp_bf8.nearest(v)), [0x7b, 0x7c, 0xfc]);
        assert_eq!([fp8.nearest(-0.0), bf8.nearest(-1e-30), ocp_fp8.nearest(-0.0)], [0, 0, 0x80]);
    }
}
