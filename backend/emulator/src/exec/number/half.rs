//! Floats of 16 bits.

/// A float of 16 bits, as its bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct F16(pub(crate) u16);

impl F16 {
    pub(crate) const NAN: F16 = F16(0x7e00);

    /// The same number; exact.
    #[inline(always)]
    pub(crate) fn single(self) -> f32 {
        let bits = u32::from(self.0);
        let (sign, rest) = ((bits & 0x8000) << 16, bits & 0x7fff);
        let value = if rest >= 0x7c00 {
            f32::from_bits(0x7f80_0000 | (rest & 0x3ff) << 13)
        } else {
            super::exact::widened(rest, 10, 15)
        };
        f32::from_bits(value.to_bits() | sign)
    }

    /// The same number; exact.
    #[inline(always)]
    pub(crate) fn double(self) -> f64 {
        f64::from(self.single())
    }

    /// The nearest number, ties to even.
    #[inline(always)]
    pub(crate) fn nearest(value: f32) -> F16 {
        F16::rounded(f64::from(value), |rest, half, odd| rest > half || (rest == half && odd))
    }

    /// The nearest number, ties to even.
    pub(crate) fn nearest_double(value: f64) -> F16 {
        F16::rounded(value, |rest, half, odd| rest > half || (rest == half && odd))
    }

    /// The nearest number that is not larger in magnitude.
    pub(crate) fn truncated(value: f32) -> F16 {
        let result = F16::rounded(f64::from(value), |_, _, _| false);
        // Only an infinity becomes one.
        if result.0 & 0x7fff == 0x7c00 && value.is_finite() { F16(result.0 & 0x8000 | 0x7bff) } else { result }
    }

    /// Cuts off what does not fit; `up` decides from the rest, half a unit and whether the last bit is set.
    #[inline(always)]
    fn rounded(value: f64, up: impl Fn(u64, u64, bool) -> bool) -> F16 {
        let bits = value.to_bits();
        let sign = (bits >> 48) as u16 & 0x8000;
        let exponent = (bits >> 52 & 0x7ff) as i32 - 1023;
        let mantissa = bits & 0xf_ffff_ffff_ffff;
        if exponent == 1024 {
            let quiet = if mantissa != 0 { 0x200 | (mantissa >> 42) as u16 } else { 0 };
            return F16(sign | 0x7c00 | quiet);
        }
        if exponent > 15 {
            return F16(sign | 0x7c00);
        }
        if exponent < -26 {
            return F16(sign);
        }
        // Denormals have fewer bits; the sum below carries into the exponent by itself.
        let shift = if exponent < -14 { 42 + (-14 - exponent) } else { 42 };
        let significand = mantissa | 1 << 52;
        let kept = (significand >> shift) as u16;
        let rest = significand & ((1 << shift) - 1);
        let base = if exponent < -14 { kept } else { ((exponent + 14) as u16) << 10 };
        let low = if exponent < -14 { base } else { base + kept };
        let increment = u16::from(up(rest, 1 << (shift - 1), kept & 1 != 0));
        F16(sign | (low + increment))
    }

    #[cfg(test)]
    fn is_nan(self) -> bool {
        self.0 & 0x7fff > 0x7c00
    }

    /// `self * b + c`, rounded once.
    pub(crate) fn mul_add(self, b: F16, c: F16) -> F16 {
        // The product is exact; an odd last bit keeps what the sum loses for the second rounding.
        F16::nearest_double(super::exact::add_odd(self.double() * b.double(), c.double()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_halves_survive_the_way_through_single() {
        for bits in 0..=u16::MAX {
            let half = F16(bits);
            let back = F16::nearest(half.single());
            assert!(back == half || (half.is_nan() && back.is_nan()), "{bits:#x} became {:#x}", back.0);
            if !half.is_nan() {
                assert_eq!(F16::truncated(half.single()), half);
            }
        }
    }

    #[test]
    fn ties_go_to_even_and_overflow_to_infinity() {
        assert_eq!(F16::nearest(1.0 + 1.0 / 2048.0), F16(0x3c00));
        assert_eq!(F16::nearest(1.0 + 3.0 / 2048.0), F16(0x3c02));
        assert_eq!(F16::nearest(65519.0), F16(0x7bff));
        assert_eq!(F16::nearest(65520.0), F16(0x7c00));
        assert_eq!(F16::truncated(70000.0), F16(0x7bff));
        assert_eq!(F16::nearest(f32::from_bits(0x3300_0000)), F16(0));
        assert_eq!(F16::nearest(f32::from_bits(0x3300_0001)), F16(1));
        assert_eq!(F16::nearest(-0.0), F16(0x8000));
    }

    #[test]
    fn every_number_between_two_halves_goes_to_the_nearer() {
        for bits in 0..0x7bff_u16 {
            let (low, high) = (F16(bits).double(), F16(bits + 1).double());
            let (near_low, near_high) = (low + (high - low) * 0.499, low + (high - low) * 0.501);
            assert_eq!(F16::nearest_double(near_low), F16(bits));
            assert_eq!(F16::nearest_double(near_high), F16(bits + 1));
            let even = if bits & 1 == 0 { bits } else { bits + 1 };
            assert_eq!(F16::nearest_double(low + (high - low) / 2.0), F16(even));
        }
    }

    #[test]
    fn multiply_add_rounds_once() {
        // 1 + 2^-10 squared is 1 + 2^-9 + 2^-20: the last term decides a tie.
        let a = F16(0x3c01);
        let c = F16::nearest(2.0_f32.powi(-11) - 2.0_f32.powi(-20));
        let exact = a.double() * a.double() + c.double();
        assert_eq!(a.mul_add(a, c), F16::nearest_double(exact));
    }
}
