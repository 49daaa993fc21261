//! Floats of eight bits with HIP's header and the compiler's builtins, against conversions of the host: in software for the
//! formats of the Open Compute Project, by a table of all numbers for those of gfx942.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test that cannot go on fails"
)]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::precedence,
    reason = "the host repeats what kernels do with bits"
)]

#[path = "common/mod.rs"]
mod common;
#[path = "common/machine.rs"]
mod machine;

use hipshift_emulator::Options;
use machine::{Machine, random};
use rustc_apfloat::ieee::{Double, Float8E4M3FN, Float8E5M2, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

/// Whether a format has five bits of exponent, and whether it is one of gfx942.
#[derive(Debug, Clone, Copy)]
struct Format {
    is_wide: bool,
    is_finite: bool,
}

fn narrowed<F: Float>(value: f32) -> u8
where
    Single: FloatConvert<F>,
{
    let value: F = Single::from_bits(value.to_bits().into()).convert_r(Round::NearestTiesToEven, &mut false).value;
    value.to_bits() as u8
}

fn widened<F: Float + FloatConvert<Double>>(bits: u8) -> f64 {
    let value: Double = F::from_bits(bits.into()).convert(&mut false).value;
    f64::from_bits(value.to_bits() as u64)
}

impl Format {
    /// The largest number.
    fn most(self) -> f32 {
        match (self.is_wide, self.is_finite) {
            (true, _) => 57344.0,
            (false, true) => 240.0,
            (false, false) => 448.0,
        }
    }

    fn value(self, bits: u8) -> f64 {
        match (self.is_finite, self.is_wide) {
            (true, _) if bits == 0x80 => f64::NAN,
            // The same bits mean half as much as those of the other formats; the last numbers have no counterpart.
            (true, true) if bits & 0x7f >= 0x7c => last(bits, 32768.0, 4),
            (true, false) if bits & 0x7f == 0x7f => last(bits, 128.0, 8),
            (true, true) => widened::<Float8E5M2>(bits) / 2.0,
            (true, false) => widened::<Float8E4M3FN>(bits) / 2.0,
            (false, true) => widened::<Float8E5M2>(bits),
            (false, false) => widened::<Float8E4M3FN>(bits),
        }
    }

    /// The nearest number's bits; what is too large becomes an infinity, or no number.
    fn nearest(self, value: f32) -> u8 {
        match (self.is_finite, self.is_wide) {
            (true, _) => self.nearest_of_all(value.into()),
            (false, true) => narrowed::<Float8E5M2>(value),
            (false, false) => narrowed::<Float8E4M3FN>(value),
        }
    }

    fn nearest_of_all(self, value: f64) -> u8 {
        let behind = if self.is_wide { 65536.0 } else { 256.0 };
        if value.is_nan() || value.abs() >= behind {
            return 0x80;
        }
        let distance = |bits: u8| ((if bits == 0x80 { behind } else { self.value(bits) }) - value.abs()).abs();
        let nearer = |best: u8, bits: u8| match distance(bits).total_cmp(&distance(best)) {
            std::cmp::Ordering::Less => bits,
            std::cmp::Ordering::Equal if bits & 1 == 0 => bits,
            _ => best,
        };
        let best = (0..=0x80).fold(0, nearer);
        if best == 0 || best == 0x80 || value > 0.0 { best } else { best | 0x80 }
    }

    /// The same for what is limited to the largest number, infinities apart.
    fn limited(self, value: f32) -> u8 {
        self.nearest(if value.is_finite() { value.clamp(-self.most(), self.most()) } else { value })
    }

    fn check(self, found: u8, expected: u8, text: &str) {
        let is_right = found == expected || (self.value(found).is_nan() && self.value(expected).is_nan());
        assert!(is_right, "{self:?} {text}: {found:#x}, not {expected:#x}");
    }
}

/// A number with the largest exponent: so many steps make up the first of them.
fn last(bits: u8, first: f64, steps: u8) -> f64 {
    let magnitude = first + first / f64::from(steps) * f64::from(bits & (steps - 1));
    if bits & 0x80 == 0 { magnitude } else { -magnitude }
}

fn on_targets(run: impl Fn(&Machine, Format, Format)) {
    for processor in ["gfx942", "gfx950", "gfx1201"] {
        for optimization in ["-O0", "-O2"] {
            let Some(machine) = Machine::with("fp8.hip", processor, &[optimization], Options::default()) else {
                return;
            };
            eprintln!("{processor} {optimization}");
            let format = |is_wide| Format { is_wide, is_finite: processor == "gfx942" };
            run(&machine, format(false), format(true));
        }
    }
}

/// Numbers of all sizes that the formats have and beyond, infinities and what is none.
fn numbers(count: usize) -> Vec<f32> {
    let special =
        [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 448.0, 464.0, 465.0, -240.0, 248.0, 1e9, 61440.0];
    let wide = random(7, count).into_iter().map(|bits| {
        let exponent = 104 + (bits >> 32) as u32 % 42;
        // Half of them lie between two numbers, or close by.
        let fraction = bits as u32 & if bits >> 40 & 1 == 0 { 0x7f_ffff } else { 0x7c_0001 };
        f32::from_bits((bits >> 41 & 1) as u32 * 0x8000_0000 | exponent << 23 | fraction)
    });
    special.into_iter().chain(wide).take(count).collect()
}

fn half(value: f32) -> f32 {
    let half: Half = Single::from_bits(value.to_bits().into()).convert(&mut false).value;
    let single: Single = half.convert(&mut false).value;
    f32::from_bits(single.to_bits() as u32)
}

#[test]
fn numbers_become_the_nearest_of_eight_bits() {
    on_targets(|machine, fp8, bf8| {
        let x = numbers(4096);
        let n = x.len();
        let (from, to) = (machine.upload(&x), machine.upload(&vec![0_u8; 6 * n]));
        machine.run("narrow", [16, 1, 1], [256, 1, 1], 0, args![from, to, n as i32]).unwrap();
        let found = machine.download::<u8>(to, 6 * n);
        for (i, value) in x.into_iter().enumerate() {
            fp8.check(found[i], fp8.nearest(value), &value.to_string());
            fp8.check(found[n + i], fp8.limited(value), &format!("limited {value}"));
            bf8.check(found[2 * n + i], bf8.nearest(value), &value.to_string());
            bf8.check(found[3 * n + i], bf8.limited(value), &format!("limited {value}"));
            fp8.check(found[4 * n + i], fp8.limited(half(value)), &format!("half {value}"));
            bf8.check(found[5 * n + i], bf8.limited(half(value)), &format!("half {value}"));
        }
    });
}

/// The header limits copies of the two numbers, then converts the numbers themselves.
#[test]
fn pairs_lie_side_by_side() {
    on_targets(|machine, fp8, bf8| {
        let x = numbers(2048);
        let n = x.len() / 2;
        let (from, to) = (machine.upload(&x), machine.upload(&vec![0_u32; 2 * n]));
        machine.run("narrow_pairs", [4, 1, 1], [256, 1, 1], 0, args![from, to, n as i32]).unwrap();
        let found = machine.download::<u32>(to, 2 * n);
        for (i, pair) in x.chunks(2).enumerate() {
            for (byte, value) in pair.iter().enumerate() {
                fp8.check((found[i] >> (8 * byte)) as u8, fp8.nearest(*value), &format!("{value} of a pair"));
            }
            for (byte, value) in [pair[0], pair[1], -pair[1], pair[0]].into_iter().enumerate() {
                bf8.check((found[n + i] >> (8 * byte)) as u8, bf8.nearest(value), &format!("{value}, byte {byte}"));
            }
        }
    });
}

#[test]
fn eight_bits_become_numbers() {
    on_targets(|machine, fp8, bf8| {
        let x: Vec<u32> = (0..256).map(|byte| byte * 0x0101_0101 ^ 0x005a_c300).collect();
        let n = x.len();
        let (from, to, parts) =
            (machine.upload(&x), machine.upload(&vec![0_f32; 8 * n]), machine.upload(&vec![0_f32; 8 * n]));
        let halves = machine.upload(&vec![0_u16; 2 * n]);
        machine.run("widen", [1, 1, 1], [256, 1, 1], 0, args![from, to, halves, n as i32]).unwrap();
        machine.run("widen_parts", [1, 1, 1], [256, 1, 1], 0, args![from, parts, n as i32]).unwrap();
        let same = |found: f32, expected: f64| {
            f64::from(found).to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan()
        };
        for found in [machine.download::<f32>(to, 8 * n), machine.download::<f32>(parts, 8 * n)] {
            for (at, found) in found.into_iter().enumerate() {
                let byte = (x[at / 8] >> (8 * (at % 4))) as u8;
                let format = if at % 8 < 4 { fp8 } else { bf8 };
                assert!(same(found, format.value(byte)), "{format:?} {byte:#x}: {found}, not {}", format.value(byte));
            }
        }
        for (at, found) in machine.download::<u16>(halves, 2 * n).into_iter().enumerate() {
            let single: Single = Half::from_bits(found.into()).convert(&mut false).value;
            let format = if at % 2 == 0 { fp8 } else { bf8 };
            let expected = format.value(x[at / 2] as u8);
            assert!(same(f32::from_bits(single.to_bits() as u32), expected), "{format:?}: {found:#x}, not {expected}");
        }
    });
}
