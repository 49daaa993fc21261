//! Floats of 16 bits with the exponent of single precision.

/// The number that the bits mean; exact.
pub(crate) fn single(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

/// The nearest number, ties to even. What is no number stays none.
pub(crate) fn nearest(value: f32) -> u16 {
    let bits = value.to_bits();
    if value.is_nan() {
        return (bits >> 16) as u16 | 0x40;
    }
    let half_or_less = 0x7fff + (bits >> 16 & 1);
    ((bits + half_or_less) >> 16) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_to_the_nearer_one_and_ties_to_even() {
        assert_eq!(nearest(1.0), 0x3f80);
        assert_eq!(nearest(f32::from_bits(0x3f80_8000)), 0x3f80);
        assert_eq!(nearest(f32::from_bits(0x3f80_8001)), 0x3f81);
        assert_eq!(nearest(f32::from_bits(0x3f81_8000)), 0x3f82);
        assert_eq!(nearest(f32::MAX), 0x7f80);
        assert_eq!(nearest(-0.0), 0x8000);
        assert!(single(nearest(f32::from_bits(0x7f80_0001))).is_nan());
        for bits in 0..0x7f80 {
            assert_eq!(nearest(single(bits)), bits);
        }
    }
}
