//! Floats of eight bits: those of the Open Compute Project in software, and those of gfx942 by their definition. Tests of single
//! instructions compare with them, too.

#![allow(dead_code, reason = "each test crate uses a part")]
#![allow(clippy::cast_possible_truncation, reason = "bits are cut to the width of a format")]

use rustc_apfloat::ieee::{Double, Float8E4M3FN, Float8E5M2, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

/// A format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Format {
    /// Five bits of exponent, not four.
    pub(crate) is_wide: bool,
    /// The formats of gfx942.
    pub(crate) is_finite: bool,
}

impl Format {
    /// The format that the processor's instructions call `fp8` or `bf8`.
    pub(crate) fn named(name: &str, processor: &str) -> Format {
        Format { is_wide: name == "bf8", is_finite: processor == "gfx942" }
    }

    /// The number that eight bits mean.
    pub(crate) fn value(self, bits: u8) -> f64 {
        fn of<F: Float + FloatConvert<Double>>(bits: u8) -> f64 {
            let value: Double = F::from_bits(bits.into()).convert(&mut false).value;
            f64::from_bits(value.to_bits() as u64)
        }
        match (self.is_finite, self.is_wide) {
            (true, _) => self.finite(bits),
            (false, true) => of::<Float8E5M2>(bits),
            (false, false) => of::<Float8E4M3FN>(bits),
        }
    }

    /// Sign, exponent with a bias of 8 or 16, mantissa; the negative zero is no number.
    fn finite(self, bits: u8) -> f64 {
        if bits == 0x80 {
            return f64::NAN;
        }
        let (width, offset) = if self.is_wide { (2, 16) } else { (3, 8) };
        let (exponent, fraction) = (i32::from(bits & 0x7f) >> width, f64::from(bits & ((1 << width) - 1)));
        let unit = 2.0_f64.powi(-width);
        let magnitude = match exponent {
            0 => fraction * unit * 2.0_f64.powi(1 - offset),
            _ => (1.0 + fraction * unit) * 2.0_f64.powi(exponent - offset),
        };
        if bits & 0x80 != 0 { -magnitude } else { magnitude }
    }

    /// The bits of the nearest number.
    pub(crate) fn nearest(self, single: u32) -> u8 {
        fn of<F: Float>(single: u32) -> u8
        where
            Single: FloatConvert<F>,
        {
            let value: F = Single::from_bits(single.into()).convert_r(Round::NearestTiesToEven, &mut false).value;
            value.to_bits() as u8
        }
        match (self.is_finite, self.is_wide) {
            (true, _) => self.nearest_finite(f64::from(f32::from_bits(single))),
            (false, true) => of::<Float8E5M2>(single),
            (false, false) => of::<Float8E4M3FN>(single),
        }
    }

    /// The nearest of all numbers; where two are, that with an even last bit. The one behind the last is none.
    fn nearest_finite(self, value: f64) -> u8 {
        let behind = if self.is_wide { 65536.0 } else { 256.0 };
        let magnitude = |bits: u8| if bits == 0x80 { behind } else { self.finite(bits) };
        let distance = |bits: &u8| (magnitude(*bits) - value.abs()).abs();
        if value.is_nan() || value.abs() >= behind {
            return 0x80;
        }
        let best = (0..=0x80).min_by(|a, b| distance(a).total_cmp(&distance(b)).then((a & 1).cmp(&(b & 1)))).unwrap();
        if best == 0 || best == 0x80 || value > 0.0 { best } else { best | 0x80 }
    }

    /// Single floats around all places where the nearest number changes, and those that are something of their own.
    pub(crate) fn edges(self) -> Vec<u32> {
        let mut all = vec![0, 1, 0x007f_ffff, 0x0080_0000, 0x7f7f_ffff, 0x7f80_0000, 0x7fc0_0000, 0x7f80_0001];
        for bits in 0..0x80 {
            let (low, high) = (self.value(bits), self.value(bits + 1));
            let high = if high.is_finite() && high > low { high } else { low * 1.25 };
            for value in [low, f64::midpoint(low, high), high] {
                let single = (value as f32).to_bits();
                all.extend([single.saturating_sub(1), single, single + 1].into_iter().filter(|bits| *bits < 1 << 31));
            }
        }
        all.extend([464.0_f32, 465.0, 480.0, 61439.0, 61440.0, 65536.0, 1e9].map(f32::to_bits));
        all.extend(all.clone().into_iter().map(|bits| bits | 1 << 31));
        all
    }

    /// Whether bits are those of the expected number; what is no number has many forms.
    pub(crate) fn agrees(self, found: u8, expected: u8) -> bool {
        found == expected || (self.value(found).is_nan() && self.value(expected).is_nan())
    }
}
