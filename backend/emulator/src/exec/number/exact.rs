//! Sums whose last bit remembers that something was cut off, so that a second rounding is right.

/// `a + b`, rounded to odd: inexact sums have their last bit set.
#[inline]
pub(crate) fn add_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    if !sum.is_finite() {
        return sum;
    }
    let other = sum - a;
    let error = (a - (sum - other)) + (b - other);
    odd(sum, error)
}

/// `a * b + c` rounded, and what the rounding lost (its sign is right if not its size). Wrong if the product or its
/// error under- or overflows.
#[inline]
pub(crate) fn mul_add_parts(a: f64, b: f64, c: f64) -> (f64, f64) {
    let product = a * b;
    let product_error = a.mul_add(b, -product);
    let (high, low) = two_sum(product, c);
    let (middle, rest) = two_sum(low, product_error);
    let (sum, error) = two_sum(high, middle);
    (sum, if error == 0.0 { rest } else { error })
}

/// `(sum + error) / scale`, a denormal number, rounded once. `scale` is a power of two, `error` less than the last
/// bit of `sum`.
#[inline]
pub(crate) fn divide_to_denormal(sum: f64, error: f64, scale: f64) -> f64 {
    let nearest = sum / scale;
    let unit = f64::from_bits(1) * scale;
    let rest = sum - nearest * scale;
    // Only between two neighbours does the error decide; otherwise the next neighbour is too far away.
    let is_beyond = rest.abs() == unit / 2.0 && error != 0.0 && (error > 0.0) == (rest > 0.0);
    if is_beyond { (nearest * scale + unit.copysign(rest)) / scale } else { nearest }
}

fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let other = sum - a;
    (sum, (a - (sum - other)) + (b - other))
}

/// The number whose exponent and mantissa are bits of a shorter float, with so many bits of mantissa and such a bias.
/// Numbers only: what the largest exponent means depends on the format.
#[inline(always)]
pub(crate) fn widened(short: u32, mantissa: u32, bias: u32) -> f32 {
    // A product with a power of two is exact and takes denormals along.
    f32::from_bits(short << (23 - mantissa)) * f32::from_bits((254 - bias) << 23)
}

/// The number nearest to `sum + error` in the direction of the error that has its last bit set.
fn odd(sum: f64, error: f64) -> f64 {
    let bits = sum.to_bits();
    if error == 0.0 || bits & 1 != 0 {
        return sum;
    }
    if sum == 0.0 {
        return error;
    }
    let away_from_zero = (error > 0.0) == (sum > 0.0);
    f64::from_bits(if away_from_zero { bits + 1 } else { bits - 1 })
}

/// `value * 2^exponent`, rounded once.
#[inline]
pub(crate) fn scale(value: f64, exponent: i32) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let power = |exponent: i32| f64::from_bits(((exponent + 1023) as u64) << 52);
    let (mantissa, own) = split(value);
    let target = own + exponent.clamp(-5000, 5000);
    match target {
        1024.. => f64::INFINITY.copysign(value),
        -1022..=1023 => mantissa * power(target),
        // The first product is exact, the second rounds.
        -1100..-1022 => mantissa * power(-1000) * power(target + 1000),
        _ => 0.0_f64.copysign(value),
    }
}

/// A finite number but zero as a number of magnitude 1 to 2 and a power of two.
#[inline]
pub(crate) fn split(value: f64) -> (f64, i32) {
    let exponent = |value: f64| (value.to_bits() >> 52 & 0x7ff) as i32;
    let (normal, shift) = if exponent(value) == 0 { (value * 18_014_398_509_481_984.0, 54) } else { (value, 0) };
    let bits = normal.to_bits() & !(0x7ff << 52) | 1023 << 52;
    (f64::from_bits(bits), exponent(normal) - 1023 - shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaling_rounds_once() {
        assert_eq!(scale(1.0, -1074), f64::from_bits(1));
        assert_eq!(scale(1.5, -1074), f64::from_bits(2));
        assert_eq!(scale(1.0, -1075), 0.0);
        assert_eq!(scale(f64::from_bits(0x3ff0_0000_0000_0001), -1075), f64::from_bits(1));
        assert_eq!(scale(f64::from_bits(3), 1074), 3.0);
        assert_eq!(scale(-1.0, 5000), f64::NEG_INFINITY);
    }

    #[test]
    fn the_error_decides_between_neighbours_only() {
        let scale = 2.0_f64.powi(128);
        let unit = f64::from_bits(1) * scale;
        let divided = |units: f64, error: f64| divide_to_denormal(units * unit, error * unit, scale).to_bits();
        assert_eq!((divided(2.5, 0.0), divided(2.5, 1e-20), divided(2.5, -1e-20)), (2, 3, 2));
        assert_eq!((divided(3.5, 0.0), divided(3.5, 1e-20), divided(3.5, -1e-20)), (4, 4, 3));
        assert_eq!((divided(2.25, 1e-20), divided(2.75, -1e-20)), (2, 3));
    }

    #[test]
    fn what_was_cut_off_shows_in_the_last_bit() {
        let tiny = 2.0_f64.powi(-80);
        assert_eq!(add_odd(1.0, tiny).to_bits(), 1.0_f64.to_bits() + 1);
        assert_eq!(add_odd(1.0, -tiny).to_bits(), 1.0_f64.to_bits() - 1);
        assert_eq!(add_odd(1.0, 2.0), 3.0);
        assert_eq!(mul_add_parts(1.0, 1.0, tiny), (1.0, tiny));
    }
}
