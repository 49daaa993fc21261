//! Powers and logarithms to the base two, for results of single precision.
//!
//! The host's own functions are calls for each lane. These have no branches and no tables, so that loops over lanes
//! become vectors, and only operations that IEEE 754 defines, so that all instruction sets give the same bits. Their
//! errors are a few units in the last place of a double, so that nearly all results are those of exact ones rounded.

/// Adding it puts an integer into the low bits of the sum: 1.5 times two to the power of 52.
const SHIFTER: f64 = 6_755_399_441_055_744.0;

/// Coefficients of the series of two to a power: powers of the logarithm of two, divided by factorials.
const POWER: [f64; 13] = {
    let mut terms = [1.0; 13];
    let mut at = 1;
    while at < terms.len() {
        terms[at] = terms[at - 1] * std::f64::consts::LN_2 / at as f64;
        at += 1;
    }
    terms
};

/// Coefficients of the series of a logarithm, of even powers: 2 / ((2 n + 1) ln 2).
const LOGARITHM: [f64; 11] = {
    let mut terms = [0.0; 11];
    let mut at = 0;
    while at < terms.len() {
        terms[at] = 2.0 / ((2 * at + 1) as f64 * std::f64::consts::LN_2);
        at += 1;
    }
    terms
};

/// A polynomial, its constant term first.
#[inline(always)]
fn polynomial<const N: usize>(terms: &[f64; N], x: f64) -> f64 {
    let mut sum = terms[N - 1];
    for at in (0..N - 1).rev() {
        sum = sum.mul_add(x, terms[at]);
    }
    sum
}

/// Two to the power of `x`. Below -160 and above 130 the results are those for these bounds, which single precision
/// takes for zero and infinity.
#[inline(always)]
pub(crate) fn exp2(x: f64) -> f64 {
    let bounded = if x < -160.0 { -160.0 } else { x };
    let bounded = if bounded > 130.0 { 130.0 } else { bounded };
    let shifted = bounded + SHIFTER;
    let power = polynomial(&POWER, bounded - (shifted - SHIFTER));
    let scaled = f64::from_bits(power.to_bits().wrapping_add(shifted.to_bits() << 52));
    if x.is_nan() { x } else { scaled }
}

/// The logarithm of `x` to the base two; `x` is no denormal double.
#[inline(always)]
pub(crate) fn log2(x: f64) -> f64 {
    // A power of two, and what is left: from half the root of two to the root of two.
    let above = x.to_bits().wrapping_sub(std::f64::consts::FRAC_1_SQRT_2.to_bits());
    let power = (above.cast_signed() >> 52).cast_unsigned();
    let rest = f64::from_bits(x.to_bits().wrapping_sub(power << 52));
    let whole = f64::from_bits(SHIFTER.to_bits().wrapping_add(power)) - SHIFTER;
    let ratio = (rest - 1.0) / (rest + 1.0);
    let found = polynomial(&LOGARITHM, ratio * ratio).mul_add(ratio, whole);
    let positive = if x == f64::INFINITY { x } else { found };
    let special = if x == 0.0 { f64::NEG_INFINITY } else { f64::NAN };
    if x > 0.0 { positive } else { special }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Single floats of all sizes.
    fn singles() -> impl Iterator<Item = f32> {
        (0..=u32::MAX).step_by(40_503).map(f32::from_bits)
    }

    #[test]
    fn powers_are_those_of_the_host_but_for_the_last_bits() {
        for x in singles().chain((-1500..1500).map(|x| x as f32 * 0.1)) {
            let (found, exact) = (exp2(f64::from(x)), f64::from(x).exp2());
            assert!(x.is_nan() == found.is_nan());
            if (-160.0..=130.0).contains(&x) {
                assert!((found / exact - 1.0).abs() < 1e-15, "{x}: {found}, not {exact}");
            }
            let apart = (found as f32).to_bits().abs_diff((exact as f32).to_bits());
            assert!(x.is_nan() || apart <= 1, "{x}");
        }
        assert_eq!([exp2(-149.0), exp2(0.0), exp2(3.0), exp2(127.0)], [-149, 0, 3, 127].map(|x| 2_f64.powi(x)));
        assert_eq!((exp2(f64::INFINITY) as f32, exp2(f64::NEG_INFINITY) as f32), (f32::INFINITY, 0.0));
    }

    #[test]
    fn logarithms_are_those_of_the_host_but_for_the_last_bits() {
        for x in singles().chain((0..2000).map(|x| 0.9 + x as f32 * 1e-4)).filter(|x| *x > 0.0 && x.is_finite()) {
            let (found, exact) = (log2(f64::from(x)), f64::from(x).log2());
            assert!((found - exact).abs() <= exact.abs() * 2e-15, "{x}: {found}, not {exact}");
        }
        assert_eq!([log2(1.0), log2(8.0), log2(2_f64.powi(-149))], [0.0, 3.0, -149.0]);
        assert_eq!([log2(0.0), log2(-0.0), log2(f64::INFINITY)], [f64::NEG_INFINITY, f64::NEG_INFINITY, f64::INFINITY]);
        assert!(log2(-1.0).is_nan() && log2(f64::NAN).is_nan() && log2(f64::NEG_INFINITY).is_nan());
    }
}
