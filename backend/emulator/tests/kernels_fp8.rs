//! Floats of eight bits with HIP's header and the compiler's builtins, against conversions of the host: see
//! `common/small_floats.rs`.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::precedence,
    reason = "the host repeats what kernels do with bits"
)]

use hipshift_emulator::Options;
use rustc_apfloat::ieee::{Half, Single};
use rustc_apfloat::{Float, FloatConvert};

use crate::common::machine::{Machine, args, random};
use crate::common::small_floats::Format;

/// The largest number of a format.
fn most(format: Format) -> f32 {
    match (format.is_wide, format.is_finite) {
        (true, _) => 57344.0,
        (false, true) => 240.0,
        (false, false) => 448.0,
    }
}

fn nearest(format: Format, value: f32) -> u8 {
    format.nearest(value.to_bits())
}

/// The nearest of what is limited to the largest number, infinities apart.
fn limited(format: Format, value: f32) -> u8 {
    nearest(format, if value.is_finite() { value.clamp(-most(format), most(format)) } else { value })
}

fn check(format: Format, found: u8, expected: u8, text: &str) {
    assert!(format.agrees(found, expected), "{format:?} {text}: {found:#x}, not {expected:#x}");
}

fn on_targets(run: impl Fn(&Machine, Format, Format)) {
    for processor in ["gfx942", "gfx950", "gfx1201"] {
        for optimization in ["-O0", "-O2"] {
            let Some(machine) = Machine::with("fp8.hip", processor, &[optimization], Options::default()) else {
                return;
            };
            eprintln!("{processor} {optimization}");
            let [fp8, bf8] = ["fp8", "bf8"].map(|name| Format::named(name, processor));
            run(&machine, fp8, bf8);
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
            check(fp8, found[i], nearest(fp8, value), &value.to_string());
            check(fp8, found[n + i], limited(fp8, value), &format!("limited {value}"));
            check(bf8, found[2 * n + i], nearest(bf8, value), &value.to_string());
            check(bf8, found[3 * n + i], limited(bf8, value), &format!("limited {value}"));
            check(fp8, found[4 * n + i], limited(fp8, half(value)), &format!("half {value}"));
            check(bf8, found[5 * n + i], limited(bf8, half(value)), &format!("half {value}"));
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
                check(fp8, (found[i] >> (8 * byte)) as u8, nearest(fp8, *value), &format!("{value} of a pair"));
            }
            for (byte, value) in [pair[0], pair[1], -pair[1], pair[0]].into_iter().enumerate() {
                check(bf8, (found[n + i] >> (8 * byte)) as u8, nearest(bf8, value), &format!("{value}, byte {byte}"));
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
