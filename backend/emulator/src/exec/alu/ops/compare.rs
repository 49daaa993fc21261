//! Comparisons.

#![allow(clippy::neg_cmp_op_on_partial_ord, reason = "`nlt` and its like are true for what is no number")]

use super::registry::Registry;
use crate::exec::alu::lane::compare;
use crate::exec::number::element::Element;
use crate::exec::number::half::F16;

/// Registers a comparison under both of its names: with the result in a mask, and in EXEC.
fn both<A: Element, B: Element>(
    registry: &mut Registry,
    condition: &str,
    kind: &str,
    f: impl Fn(A, B) -> bool + Copy + Send + Sync + 'static,
) {
    registry.add(&format!("v_cmp_{condition}_{kind} v_cmpx_{condition}_{kind}"), compare(f));
}

fn integers<T: Element + Ord>(registry: &mut Registry, kind: &str) {
    both(registry, "f", kind, |_: T, _: T| false);
    both(registry, "lt", kind, |a: T, b: T| a < b);
    both(registry, "eq", kind, |a: T, b: T| a == b);
    both(registry, "le", kind, |a: T, b: T| a <= b);
    both(registry, "gt", kind, |a: T, b: T| a > b);
    both(registry, "ne", kind, |a: T, b: T| a != b);
    both(registry, "ge", kind, |a: T, b: T| a >= b);
    both(registry, "t", kind, |_: T, _: T| true);
}

/// Comparisons of floats; `wide` makes numbers of the operands.
fn floats<T: Element, W: PartialOrd + 'static>(
    registry: &mut Registry,
    kind: &str,
    wide: impl Fn(T) -> W + Copy + Send + Sync + 'static,
) {
    let ordered = move |a: T, b: T| wide(a).partial_cmp(&wide(b)).is_some();
    both(registry, "f", kind, |_: T, _: T| false);
    both(registry, "lt", kind, move |a: T, b: T| wide(a) < wide(b));
    both(registry, "eq", kind, move |a: T, b: T| wide(a) == wide(b));
    both(registry, "le", kind, move |a: T, b: T| wide(a) <= wide(b));
    both(registry, "gt", kind, move |a: T, b: T| wide(a) > wide(b));
    both(registry, "lg", kind, move |a: T, b: T| wide(a) < wide(b) || wide(a) > wide(b));
    both(registry, "ge", kind, move |a: T, b: T| wide(a) >= wide(b));
    both(registry, "o", kind, ordered);
    both(registry, "u", kind, move |a: T, b: T| !ordered(a, b));
    both(registry, "nge", kind, move |a: T, b: T| !(wide(a) >= wide(b)));
    both(registry, "nlg", kind, move |a: T, b: T| !(wide(a) < wide(b) || wide(a) > wide(b)));
    both(registry, "ngt", kind, move |a: T, b: T| !(wide(a) > wide(b)));
    both(registry, "nle", kind, move |a: T, b: T| !(wide(a) <= wide(b)));
    both(registry, "neq", kind, move |a: T, b: T| wide(a) != wide(b));
    both(registry, "nlt", kind, move |a: T, b: T| !(wide(a) < wide(b)));
    both(registry, "tru", kind, |_: T, _: T| true);
    both(registry, "t", kind, |_: T, _: T| true);
}

/// Whether a float is of one of the classes in a mask: signalling and quiet NaN, then from -inf to +inf.
fn is_class(bits: u64, mantissa: u32, width: u32, classes: u32) -> bool {
    let fraction = bits & ((1 << mantissa) - 1);
    let most = (1 << (width - 1 - mantissa)) - 1;
    let exponent = bits >> mantissa & most;
    let negative = bits >> (width - 1) & 1 != 0;
    let class = match (exponent == most, fraction != 0) {
        (true, true) => return classes >> (fraction >> (mantissa - 1)) & 1 != 0,
        (true, false) => 0,
        (false, _) if exponent != 0 => 1,
        (false, true) => 2,
        (false, false) => 3,
    };
    classes >> (if negative { 2 + class } else { 9 - class }) & 1 != 0
}

pub(super) fn add(registry: &mut Registry) {
    integers::<i16>(registry, "i16");
    integers::<u16>(registry, "u16");
    integers::<i32>(registry, "i32");
    integers::<u32>(registry, "u32");
    integers::<i64>(registry, "i64");
    integers::<u64>(registry, "u64");
    floats(registry, "f16", F16::single);
    floats(registry, "f32", |a: f32| a);
    floats(registry, "f64", |a: f64| a);
    both(registry, "class", "f16", |a: F16, classes: u16| is_class(u64::from(a.0), 10, 16, u32::from(classes)));
    both(registry, "class", "f32", |a: f32, classes: u32| is_class(u64::from(a.to_bits()), 23, 32, classes));
    both(registry, "class", "f64", |a: f64, classes: u32| is_class(a.to_bits(), 52, 64, classes));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_float_has_one_class() {
        let values = [
            (f32::from_bits(0x7f80_0001), 0),
            (f32::NAN, 1),
            (f32::NEG_INFINITY, 2),
            (-1.0, 3),
            (-f32::from_bits(1), 4),
            (-0.0, 5),
            (0.0, 6),
            (f32::from_bits(1), 7),
            (1.0, 8),
            (f32::INFINITY, 9),
        ];
        for (value, class) in values {
            for bit in 0..10 {
                assert_eq!(is_class(u64::from(value.to_bits()), 23, 32, 1 << bit), bit == class, "{value} {bit}");
            }
        }
        assert!(is_class((-2.0_f64).to_bits(), 52, 64, 1 << 3));
        assert!(is_class(0x7c01, 10, 16, 1));
    }
}
