//! Whole kernels that compute with floats, against the host's functions.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::float_cmp,
    clippy::many_single_char_names,
    clippy::precedence,
    reason = "the host repeats what kernels do with bits"
)]

use crate::common::machine::{args, on_each, random};

/// Units in the last place of a single float between two numbers.
fn distance(found: f32, expected: f64) -> f64 {
    let near = expected as f32;
    if found == near || (found.is_nan() && near.is_nan()) {
        return 0.0;
    }
    let unit = f64::from(f32::from_bits(near.abs().to_bits() + 1)) - f64::from(near.abs());
    (f64::from(found) - expected).abs() / unit
}

fn distance_f64(found: f64, expected: f64) -> f64 {
    if found == expected || (found.is_nan() && expected.is_nan()) {
        return 0.0;
    }
    let unit = f64::from_bits(expected.abs().to_bits() + 1) - expected.abs();
    (found - expected).abs() / unit
}

#[test]
fn single_functions_are_close_to_the_hosts() {
    on_each("float.hip", |machine| {
        let n = 500_usize;
        let x: Vec<f32> = (0..n).map(|i| (i as f32 - 250.0) * 0.173).collect();
        let (from, to) = (machine.upload(&x), machine.upload(&vec![0_f32; 16 * n]));
        machine.run("float_math", [2, 1, 1], [256, 1, 1], 0, args![from, to, n as i32]).unwrap();
        let found = machine.download::<f32>(to, 16 * n);
        for (i, v) in x.iter().enumerate() {
            let (v, d) = (*v, f64::from(*v));
            let tenth = f64::from(v * 0.1);
            let near = f64::from(v.abs() + 1e-3);
            // Erf stands at 9: the host has none; it is odd and bounded, which is all that is looked at below.
            let expected = [
                (d.sin(), 4.0),
                (d.cos(), 4.0),
                (tenth.exp(), 2.0),
                (near.ln(), 3.0),
                (d.abs().powf(1.5), 16.0),
                (d.tanh(), 5.0),
                (d.abs().sqrt(), 0.5),
                (1.0 / f64::from(v.abs() + 1.0).sqrt(), 2.0),
                (d.atan2(2.0), 6.0),
                (f64::from(found[9 * n + i]), 0.0),
                (f64::from(v % 3.7_f32), 0.0),
                (d.cbrt(), 2.0),
                (f64::from(v.ceil().mul_add(0.5, v.floor())), 0.0),
                (f64::from(v.round_ties_even()), 0.0),
                (f64::from(v / 3.3_f32), 0.0),
                (d * 32.0, 0.0),
            ];
            for (k, (expected, bound)) in expected.into_iter().enumerate() {
                let found = found[k * n + i];
                assert!(distance(found, expected) <= bound + 0.5, "function {k} of {v}: {found} for {expected}");
            }
            let erf = found[9 * n + i];
            assert!(erf.abs() <= 1.0 && erf.is_sign_positive() == v.is_sign_positive());
        }
    });
}

#[test]
fn double_functions_are_close_to_the_hosts() {
    on_each("float.hip", |machine| {
        let n = 300_usize;
        let x: Vec<f64> = (0..n).map(|i| (i as f64 - 150.3) * 0.271).collect();
        let (from, to) = (machine.upload(&x), machine.upload(&vec![0_f64; 16 * n]));
        machine.run("double_math", [2, 1, 1], [256, 1, 1], 0, args![from, to, n as i32]).unwrap();
        let found = machine.download::<f64>(to, 16 * n);
        for (i, v) in x.iter().copied().enumerate() {
            let expected = [
                (v.sin(), 1.0),
                (v.cos(), 1.0),
                ((v * 0.1).exp(), 1.0),
                ((v.abs() + 1e-3).ln(), 1.0),
                (v.abs().powf(1.5), 2.0),
                (v.tanh(), 2.0),
                (v.abs().sqrt(), 0.0),
                (1.0 / (v + 0.125), 0.0),
                (v.atan2(2.0), 2.0),
                (found[9 * n + i], 0.0),
                (v % 3.7, 0.0),
                (v.cbrt(), 2.0),
                (v.ceil().mul_add(0.5, v.floor()), 0.0),
                (v.round_ties_even(), 0.0),
                (v / 3.3, 0.0),
                ((v * 1e15).tan(), 2.0),
            ];
            for (k, (expected, bound)) in expected.into_iter().enumerate() {
                let found = found[k * n + i];
                assert!(distance_f64(found, expected) <= bound + 0.5, "function {k} of {v}: {found} for {expected}");
            }
        }
    });
}

#[test]
#[expect(clippy::too_many_lines, reason = "one launch answers for all of it")]
fn quotients_and_roots_are_exact_for_all_bit_patterns() {
    on_each("float.hip", |machine| {
        let n = 4096_usize;
        let single = |seed| -> Vec<f32> { random(seed, n).iter().map(|v| f32::from_bits(*v as u32)).collect() };
        let double = |seed| -> Vec<f64> { random(seed, n).iter().map(|v| f64::from_bits(*v)).collect() };
        let (mut a, mut b, mut c, mut d) = (single(11), single(12), double(13), double(14));
        let special = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
            f32::MIN_POSITIVE,
            f32::MAX,
            f32::from_bits(1),
            f32::from_bits(0x7f_ffff),
            3.0,
        ];
        let wide = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            f64::MIN_POSITIVE,
            f64::MAX,
            f64::from_bits(1),
            f64::from_bits(0xf_ffff_ffff_ffff),
            3.0,
        ];
        for i in 0..144 {
            (a[i], b[i], c[i], d[i]) = (special[i / 12], special[i % 12], wide[i / 12], wide[i % 12]);
        }
        // Quotients among the denormals, where rounding twice would show.
        for i in 144..1144 {
            a[i] = f32::from_bits(a[i].to_bits() & 0x807f_ffff | 0x0080_0000 << (i % 3));
            b[i] = f32::from_bits(b[i].to_bits() & 0x007f_ffff | 0x4000_0000 | (i as u32 % 24) << 23);
            c[i] = f64::from_bits(c[i].to_bits() & 0x800f_ffff_ffff_ffff | 0x0010_0000_0000_0000 << (i % 3));
            d[i] =
                f64::from_bits(d[i].to_bits() & 0x000f_ffff_ffff_ffff | 0x4000_0000_0000_0000 | (i as u64 % 53) << 52);
        }
        let (da, db, dc, dd) = (machine.upload(&a), machine.upload(&b), machine.upload(&c), machine.upload(&d));
        let (q, r) = (machine.upload(&vec![0_f32; 2 * n]), machine.upload(&vec![0_f64; 2 * n]));
        machine.run("divide_floats", [16, 1, 1], [256, 1, 1], 0, args![da, db, q, dc, dd, r, n as i32]).unwrap();
        let (q, r) = (machine.download::<f32>(q, 2 * n), machine.download::<f64>(r, 2 * n));
        let mut wrong = Vec::new();
        for i in 0..n {
            let same = |found: f32, expected: f32| {
                found.to_bits() == expected.to_bits() || (found.is_nan() && expected.is_nan())
            };
            let same_wide = |found: f64, expected: f64| {
                found.to_bits() == expected.to_bits() || (found.is_nan() && expected.is_nan())
            };
            if !same(q[i], a[i] / b[i]) {
                wrong.push(format!("{:e} / {:e} = {:e}, found {:e}", a[i], b[i], a[i] / b[i], q[i]));
            }
            if !same_wide(r[i], c[i] / d[i]) {
                wrong.push(format!("{:e} / {:e} = {:e}, found {:e}", c[i], d[i], c[i] / d[i], r[i]));
            }
            if !same(q[i + n], a[i].abs().sqrt()) {
                wrong.push(format!("root of {:e} = {:e}, found {:e}", a[i].abs(), a[i].abs().sqrt(), q[i + n]));
            }
            if !same_wide(r[i + n], c[i].abs().sqrt()) {
                wrong.push(format!("root of {:e} = {:e}, found {:e}", c[i].abs(), c[i].abs().sqrt(), r[i + n]));
            }
        }
        assert!(wrong.is_empty(), "{} are wrong, among them {:#?}", wrong.len(), &wrong[..wrong.len().min(12)]);
    });
}

/// A half as a double; exact.
fn from_half(bits: u16) -> f64 {
    let (exponent, mantissa) = (i32::from(bits >> 10 & 31), f64::from(bits & 0x3ff));
    let magnitude = match exponent {
        0 => mantissa * 2.0_f64.powi(-24),
        31 if mantissa == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + mantissa) * 2.0_f64.powi(exponent - 25),
    };
    if bits & 0x8000 != 0 { -magnitude } else { magnitude }
}

/// The half nearest to a number, found among all of them.
fn to_half(value: f64) -> u16 {
    if value.is_nan() {
        return 0x7e00;
    }
    let magnitude = value.abs();
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    if magnitude >= 65520.0 {
        return sign | 0x7c00;
    }
    let (mut low, mut high) = (0_u16, 0x7c00_u16);
    while high - low > 1 {
        let middle = low.midpoint(high);
        if from_half(middle) <= magnitude { low = middle } else { high = middle }
    }
    let (below, above) = (magnitude - from_half(low), from_half(high).min(65536.0) - magnitude);
    let up = above < below || (above == below && low & 1 == 1);
    sign | if up { high } else { low }
}

fn same_half(found: u16, expected: u16) -> bool {
    found == expected || (from_half(found).is_nan() && from_half(expected).is_nan())
}

#[test]
fn halves_are_rounded_once() {
    on_each("float.hip", |machine| {
        let n = 2048_usize;
        let halves = |seed| -> Vec<u16> { random(seed, n).iter().map(|v| *v as u16).collect() };
        let (a, b) = (halves(21), halves(22));
        let (da, db) = (machine.upload(&a), machine.upload(&b));
        let (c, f) = (machine.upload(&vec![0_u16; 8 * n]), machine.upload(&vec![0_f32; n]));
        machine.run("half_math", [8, 1, 1], [256, 1, 1], 0, args![da, db, c, f, n as i32]).unwrap();
        let (c, f) = (machine.download::<u16>(c, 8 * n), machine.download::<f32>(f, n));
        for i in 0..n {
            let (x, y) = (from_half(a[i]), from_half(b[i]));
            // Sums and products of halves are exact in double; of their sum only the sign of what is lost matters.
            let expected = [Some(x + y), Some(x * y), None, Some(x / y), Some(x.abs().sqrt()), Some(x - y)];
            for (k, expected) in expected.into_iter().enumerate() {
                let Some(expected) = expected else { continue };
                assert!(
                    same_half(c[k * n + i], to_half(expected)),
                    "{k}: {x} {y}: {:#x} for {:#x}",
                    c[k * n + i],
                    to_half(expected)
                );
            }
            let fused = x * y + x;
            if (x * y + x) - x == x * y {
                assert!(
                    same_half(c[2 * n + i], to_half(fused)),
                    "fma {x} {y}: {:#x} for {:#x}",
                    c[2 * n + i],
                    to_half(fused)
                );
            }
            let single = x as f32 * 3.0;
            assert!(f[i] == single || single.is_nan());
            assert!(same_half(c[6 * n + i], to_half(f64::from(single * 1.001))));
        }
    });
}

#[test]
fn packed_halves_are_two_of_each() {
    on_each("float.hip", |machine| {
        let n = 1000_usize;
        let small = |seed| -> Vec<u16> {
            random(seed, 2 * n).iter().map(|v| to_half((v % 4001) as f64 / 64.0 - 31.0)).collect()
        };
        let (a, b) = (small(31), small(32));
        let (da, db, dc) = (machine.upload(&a), machine.upload(&b), machine.upload(&vec![0_u16; 6 * n]));
        machine.run("half2_math", [4, 1, 1], [256, 1, 1], 0, args![da, db, dc, n as i32]).unwrap();
        let c = machine.download::<u16>(dc, 6 * n);
        for i in 0..2 * n {
            let (x, y) = (from_half(a[i]), from_half(b[i]));
            let (other, high) = (from_half(b[i ^ 1]), from_half(a[i | 1]));
            assert_eq!(c[i], to_half(x * y + from_half(to_half(x + y))), "fma {x} {y}");
            assert_eq!(c[2 * n + i], to_half(x * other), "product {x} {other}");
            assert_eq!(c[4 * n + i], to_half(high - y), "difference {high} {y}");
        }
    });
}

#[test]
fn numbers_are_converted() {
    on_each("float.hip", |machine| {
        let n = 512_usize;
        let x: Vec<f32> = (0..n).map(|i| (i as f32 - 256.0) * 1234.567).collect();
        let (from, to) = (machine.upload(&x), machine.upload(&vec![0_i32; 9 * n]));
        machine.run("conversions", [2, 1, 1], [256, 1, 1], 0, args![from, to, n as i32]).unwrap();
        let found = machine.download::<i32>(to, 9 * n);
        for (i, v) in x.iter().copied().enumerate() {
            let bits = i as u32;
            let counts =
                (bits * 77).count_ones() + bits.leading_zeros() + if bits == 0 { 0 } else { bits.trailing_zeros() + 1 };
            let expected = [
                v as i32,
                (v.abs() as u32).cast_signed(),
                ((v * 1000.0) as i64) as i32,
                (((v * 1e10) as i64) as f32).to_bits().cast_signed(),
                i32::from((v as i32) as u8),
                (v * i as f32).to_bits().cast_signed(),
                i32::from((v as i32) as i16),
                v.round_ties_even() as i32,
                counts.wrapping_add(bits.reverse_bits()).cast_signed(),
            ];
            for (k, expected) in expected.into_iter().enumerate() {
                assert_eq!(found[k * n + i], expected, "conversion {k} of {v}");
            }
        }
    });
}

#[test]
fn small_integers_wrap_at_their_size() {
    on_each("float.hip", |machine| {
        let n = 1024_usize;
        let bytes = |seed| -> Vec<u8> { random(seed, n).iter().map(|v| *v as u8).collect() };
        let (a, b) = (bytes(41), bytes(42));
        let s: Vec<i16> = random(43, 2 * n).iter().map(|v| *v as i16).collect();
        let (da, db, ds) = (machine.upload(&a), machine.upload(&b), machine.upload(&s));
        let (dc, dt) = (machine.upload(&vec![0_u8; 3 * n]), machine.upload(&vec![0_i16; 4 * n]));
        machine.run("small_integers", [4, 1, 1], [256, 1, 1], 0, args![da, db, dc, ds, dt, n as i32]).unwrap();
        let (c, t) = (machine.download::<u8>(dc, 3 * n), machine.download::<i16>(dt, 4 * n));
        for i in 0..n {
            let (x, y) = (i32::from(a[i]), i32::from(b[i]));
            assert_eq!(c[i], ((x * 3 + y) >> 1) as u8);
            assert_eq!(c[i + n], a[i].abs_diff(b[i]));
            assert_eq!(c[i + 2 * n], (x << (y & 7)) as u8);
            let (p, q) = (i32::from(s[i]), i32::from(s[i + n]));
            assert_eq!(t[i], (p * q) as i16);
            assert_eq!(t[i + n], s[i].min(s[i + n]));
            assert_eq!(t[i + 2 * n], (p >> (x & 7)) as i16);
            assert_eq!(t[i + 3 * n], ((i32::from(a[i] as i8) + i32::from(b[i] as i8)) * 5 / 3) as i16);
        }
    });
}
