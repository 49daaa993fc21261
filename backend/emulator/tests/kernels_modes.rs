//! Whole kernels in other modes of floats than the usual one: directions of rounding by the functions of the device
//! libraries, denormals by the option of the compiler.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::float_cmp,
    reason = "the host repeats what kernels do with bits"
)]

use hipshift_emulator::Options;

use crate::common::machine::{Machine, args, random};

const PROCESSORS: [&str; 5] = ["gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"];

/// Directions in the order in which the kernels write them.
#[derive(Clone, Copy, PartialEq)]
enum Direction {
    Up,
    Down,
    Zero,
}

const DIRECTIONS: [Direction; 3] = [Direction::Up, Direction::Down, Direction::Zero];

/// Whether a number on one side of the exact one has to be left for its neighbour. `error` is what the exact one is
/// larger by.
fn step(near: f64, error: f64, direction: Direction) -> Option<bool> {
    let goes_up = match direction {
        Direction::Up => true,
        Direction::Down => false,
        Direction::Zero => near < 0.0 || (near == 0.0 && error < 0.0),
    };
    (error != 0.0 && (error > 0.0) == goes_up).then_some(goes_up)
}

/// `high + low`, in a direction.
fn single(high: f64, low: f64, direction: Direction) -> f32 {
    let near = high as f32;
    match step(f64::from(near), (high - f64::from(near)) + low, direction) {
        Some(true) => near.next_up(),
        Some(false) => near.next_down(),
        None => near,
    }
}

fn double(near: f64, error: f64, direction: Direction) -> f64 {
    match step(near, error, direction) {
        Some(true) => near.next_up(),
        Some(false) => near.next_down(),
        None => near,
    }
}

/// A sum and its error.
fn sum(a: f64, b: f64) -> (f64, f64) {
    let total = a + b;
    let other = total - a;
    (total, (a - (total - other)) + (b - other))
}

const FLAGS: [&str; 2] = ["-O2", "-DOCML_BASIC_ROUNDED_OPERATIONS"];

#[test]
fn single_floats_are_rounded_as_asked_for() {
    for processor in PROCESSORS {
        let Some(machine) = Machine::with("modes.hip", processor, &FLAGS, Options::default()) else { return };
        let n = 2048_usize;
        // Between 2^-30 and 2^33, of both signs: quotients and products are no denormals.
        let number = |bits: u64| f32::from_bits((bits as u32 & 0x807f_ffff) | (97 + (bits >> 40) as u32 % 63) << 23);
        let (a, b): (Vec<f32>, Vec<f32>) =
            (random(1, n).into_iter().map(number).collect(), random(2, n).into_iter().map(number).collect());
        let (from, with) = (machine.upload(&a), machine.upload(&b));
        let to = machine.upload(&vec![0_f32; 12 * n]);
        machine.run("rounded_singles", [8, 1, 1], [256, 1, 1], 0, args![from, with, to, n as i32]).unwrap();
        let found = machine.download::<f32>(to, 12 * n);
        for (i, (x, y)) in a.iter().zip(&b).map(|(x, y)| (f64::from(*x), f64::from(*y))).enumerate() {
            let exact = [sum(x, y), sum(x, -y), (x * y, 0.0), sum(x * y, f64::from(0.1_f32))];
            for (k, (high, low)) in exact.into_iter().enumerate() {
                for (direction, at) in DIRECTIONS.into_iter().zip(3 * k..) {
                    let expected = single(high, low, direction);
                    assert_eq!(found[at * n + i], expected, "{processor}: function {at} of {x:e} and {y:e}");
                }
            }
        }
    }
}

#[test]
fn doubles_are_rounded_as_asked_for() {
    for processor in PROCESSORS {
        let Some(machine) = Machine::with("modes.hip", processor, &FLAGS, Options::default()) else { return };
        let n = 1024_usize;
        let number = |bits: u64| f64::from_bits((bits & 0x800f_ffff_ffff_ffff) | (993 + (bits >> 52) % 63) << 52);
        let (a, b): (Vec<f64>, Vec<f64>) =
            (random(3, n).into_iter().map(number).collect(), random(4, n).into_iter().map(number).collect());
        let (from, with) = (machine.upload(&a), machine.upload(&b));
        let to = machine.upload(&vec![0_f64; 12 * n]);
        machine.run("rounded_doubles", [4, 1, 1], [256, 1, 1], 0, args![from, with, to, n as i32]).unwrap();
        let found = machine.download::<f64>(to, 12 * n);
        for (i, (x, y)) in a.iter().copied().zip(b.iter().copied()).enumerate() {
            let product = (x * y, x.mul_add(y, -(x * y)));
            for (k, (near, error)) in [sum(x, y), sum(x, -y), product, product].into_iter().enumerate() {
                for (direction, at) in DIRECTIONS.into_iter().zip(3 * k..) {
                    let expected = double(near, error, direction);
                    assert_eq!(found[at * n + i], expected, "{processor}: function {at} of {x:e} and {y:e}");
                }
            }
        }
    }
}

fn flushed(value: f32) -> f32 {
    if value.is_subnormal() { 0.0_f32.copysign(value) } else { value }
}

#[test]
fn denormals_are_zero_where_the_compiler_was_told_so() {
    for processor in PROCESSORS {
        for (flag, flushes) in [("-fgpu-flush-denormals-to-zero", true), ("-fno-gpu-flush-denormals-to-zero", false)] {
            let Some(machine) = Machine::with("modes.hip", processor, &[FLAGS[0], FLAGS[1], flag], Options::default())
            else {
                return;
            };
            let special = [0.0_f32, -0.0, 1e-40, -1e-40, 1e-38, -3e-38, 1e-20, -1e-19, 1.0, 3.0, 1e30, f32::MAX];
            let pairs: Vec<(f32, f32)> = special.iter().flat_map(|x| special.iter().map(move |y| (*x, *y))).collect();
            let n = pairs.len();
            let (a, b): (Vec<f32>, Vec<f32>) = pairs.iter().copied().unzip();
            let (from, with) = (machine.upload(&a), machine.upload(&b));
            let to = machine.upload(&vec![0_f32; 6 * n]);
            machine.run("with_denormals", [1, 1, 1], [256, 1, 1], 0, args![from, with, to, n as i32]).unwrap();
            let found = machine.download::<f32>(to, 6 * n);
            let zero = |value: f32| if flushes { flushed(value) } else { value };
            for (i, (x, y)) in pairs.into_iter().map(|(x, y)| (zero(x), zero(y))).enumerate() {
                let less = if x < y { 1.0 } else { 2.0 };
                let expected = [x + y, x * y, x.mul_add(y, x), x / y, less, (f64::from(x) * 0.5) as f32];
                for (k, expected) in expected.into_iter().map(zero).enumerate() {
                    let found = found[k * n + i];
                    let same = found == expected || (found.is_nan() && expected.is_nan());
                    assert!(same, "{processor} {flag}: function {k} of {x:e} and {y:e}: {found:e}, not {expected:e}");
                }
            }
        }
    }
}
