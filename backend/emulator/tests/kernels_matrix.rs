//! Products of matrices that the compiler's builtins make, against plain products on the host.
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
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::many_single_char_names,
    clippy::precedence,
    reason = "the host repeats what kernels do with bits"
)]

#[path = "common/mod.rs"]
mod common;
#[path = "common/machine.rs"]
mod machine;

use machine::{Machine, random};

/// Rows (and columns) of the result, length of sums, number of products.
type Shape = (usize, usize, usize);

/// A kernel, its sizes, and the types of its factors and of its result.
type Case = (&'static str, Shape, Kind, Kind);

/// A type of elements: how the host's small integers become bits of memory, and back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    F64,
    F32,
    F16,
    Bf16,
    I32,
    I8,
    U8,
}

impl Kind {
    fn bytes(self, value: i32) -> Vec<u8> {
        match self {
            Kind::F64 => f64::from(value).to_le_bytes().to_vec(),
            Kind::F32 => (value as f32).to_le_bytes().to_vec(),
            Kind::F16 => half(value).to_le_bytes().to_vec(),
            // Numbers of up to eight bits have the same upper half as single floats.
            Kind::Bf16 => (((value as f32).to_bits() >> 16) as u16).to_le_bytes().to_vec(),
            Kind::I32 => value.to_le_bytes().to_vec(),
            Kind::I8 | Kind::U8 => vec![value as u8],
        }
    }

    fn value(self, bytes: &[u8]) -> i32 {
        match self {
            Kind::F64 => f64::from_le_bytes(bytes.try_into().unwrap()) as i32,
            Kind::F32 => f32::from_le_bytes(bytes.try_into().unwrap()) as i32,
            Kind::F16 => {
                let bits = u16::from_le_bytes(bytes.try_into().unwrap());
                (-2048..=2048).find(|value| half(*value) == bits).expect("an integer")
            }
            Kind::Bf16 => f32::from_bits(u32::from(u16::from_le_bytes(bytes.try_into().unwrap())) << 16) as i32,
            Kind::I32 => i32::from_le_bytes(bytes.try_into().unwrap()),
            Kind::I8 => i32::from(bytes[0] as i8),
            Kind::U8 => i32::from(bytes[0]),
        }
    }

    fn size(self) -> usize {
        self.bytes(0).len()
    }
}

/// A float of 16 bits for an integer of up to eleven bits.
fn half(value: i32) -> u16 {
    if value == 0 {
        return 0;
    }
    let magnitude = value.unsigned_abs();
    let exponent = magnitude.ilog2();
    let fraction = (magnitude << 10 >> exponent) as u16 & 0x3ff;
    u16::from(value < 0) << 15 | (exponent as u16 + 15) << 10 | fraction
}

/// Small integers, all kinds of which are exact; `seed` gives others.
fn integers(seed: u64, count: usize, kind: Kind) -> Vec<i32> {
    let most = if kind == Kind::Bf16 { 3 } else { 11 };
    let least = if kind == Kind::U8 { 0 } else { -(most / 2) };
    random(seed, count).iter().map(|value| (value % most as u64) as i32 + least).collect()
}

fn upload(machine: &Machine, values: &[i32], kind: Kind) -> u64 {
    let bytes: Vec<u8> = values.iter().flat_map(|value| kind.bytes(*value)).collect();
    machine.upload(&bytes)
}

/// The plain product: each element is a sum over `k`.
fn product((m, k, blocks): Shape, a: &[i32], b: &[i32], c: &[i32]) -> Vec<i32> {
    let mut result = c.to_vec();
    for block in 0..blocks {
        for (i, j) in (0..m).flat_map(|i| (0..m).map(move |j| (i, j))) {
            for step in 0..k {
                result[(block * m + i) * m + j] += a[(block * m + i) * k + step] * b[(block * k + step) * m + j];
            }
        }
    }
    result
}

fn check(machine: &Machine, kernel: &str, shape: Shape, input: Kind, output: Kind) {
    let (m, k, blocks) = shape;
    let a = integers(1, m * k * blocks, input);
    let b = integers(2, m * k * blocks, input);
    let c = integers(3, m * m * blocks, if output == Kind::Bf16 { Kind::Bf16 } else { Kind::I8 });
    let (da, db, dc) = (upload(machine, &a, input), upload(machine, &b, input), upload(machine, &c, output));
    let dd = upload(machine, &vec![0; c.len()], output);
    let wave = machine.wave() as u32;
    machine.run(kernel, [1, 1, 1], [wave, 1, 1], 0, args![da, db, dc, dd]).unwrap();
    let found = machine.download::<u8>(dd, c.len() * output.size());
    let found: Vec<i32> = found.chunks(output.size()).map(|bytes| output.value(bytes)).collect();
    assert_eq!(found, product(shape, &a, &b, &c), "{kernel}");
}

const MFMA: &[Case] = &[
    ("f32_32x32x1", (32, 1, 2), Kind::F32, Kind::F32),
    ("f32_16x16x1", (16, 1, 4), Kind::F32, Kind::F32),
    ("f32_4x4x1", (4, 1, 16), Kind::F32, Kind::F32),
    ("f32_32x32x2", (32, 2, 1), Kind::F32, Kind::F32),
    ("f32_16x16x4", (16, 4, 1), Kind::F32, Kind::F32),
    ("f16_32x32x4", (32, 4, 2), Kind::F16, Kind::F32),
    ("f16_16x16x4", (16, 4, 4), Kind::F16, Kind::F32),
    ("f16_4x4x4", (4, 4, 16), Kind::F16, Kind::F32),
    ("f16_32x32x8", (32, 8, 1), Kind::F16, Kind::F32),
    ("f16_16x16x16", (16, 16, 1), Kind::F16, Kind::F32),
    ("i8_32x32x4", (32, 4, 2), Kind::I8, Kind::I32),
    ("i8_16x16x4", (16, 4, 4), Kind::I8, Kind::I32),
    ("i8_4x4x4", (4, 4, 16), Kind::I8, Kind::I32),
];

const EARLY: &[Case] = &[
    ("bf16_32x32x2", (32, 2, 2), Kind::Bf16, Kind::F32),
    ("bf16_16x16x8", (16, 8, 1), Kind::Bf16, Kind::F32),
    ("i8_32x32x8", (32, 8, 1), Kind::I8, Kind::I32),
    ("i8_16x16x16", (16, 16, 1), Kind::I8, Kind::I32),
];

const SINCE_GFX90A: &[Case] = &[
    ("bf16_32x32x4_1k", (32, 4, 2), Kind::Bf16, Kind::F32),
    ("bf16_16x16x4_1k", (16, 4, 4), Kind::Bf16, Kind::F32),
    ("bf16_4x4x4_1k", (4, 4, 16), Kind::Bf16, Kind::F32),
    ("bf16_32x32x8_1k", (32, 8, 1), Kind::Bf16, Kind::F32),
    ("bf16_16x16x16_1k", (16, 16, 1), Kind::Bf16, Kind::F32),
    ("f64_16x16x4", (16, 4, 1), Kind::F64, Kind::F64),
    ("f64_4x4x4", (4, 4, 4), Kind::F64, Kind::F64),
];

const SINCE_GFX942: &[Case] =
    &[("i8_32x32x16", (32, 16, 1), Kind::I8, Kind::I32), ("i8_16x16x32", (16, 32, 1), Kind::I8, Kind::I32)];

const SINCE_GFX950: &[Case] = &[
    ("f16_16x16x32", (16, 32, 1), Kind::F16, Kind::F32),
    ("f16_32x32x16", (32, 16, 1), Kind::F16, Kind::F32),
    ("bf16_16x16x32", (16, 32, 1), Kind::Bf16, Kind::F32),
    ("i8_16x16x64", (16, 64, 1), Kind::I8, Kind::I32),
];

#[test]
fn products_of_gfx908_to_gfx950_are_those_of_the_host() {
    let targets: [(&str, &[&[Case]]); 4] = [
        ("gfx908", &[MFMA, EARLY]),
        ("gfx90a", &[MFMA, EARLY, SINCE_GFX90A]),
        ("gfx942", &[MFMA, SINCE_GFX90A, SINCE_GFX942]),
        ("gfx950", &[MFMA, SINCE_GFX90A, SINCE_GFX942, SINCE_GFX950]),
    ];
    for (processor, lists) in targets {
        let Some(machine) = Machine::new("matrix.hip", processor) else { return };
        for (kernel, shape, input, output) in lists.iter().copied().flatten() {
            eprintln!("{kernel} on {processor}");
            check(&machine, kernel, *shape, *input, *output);
        }
    }
}

#[test]
fn products_of_gfx11_and_gfx12_are_those_of_the_host() {
    for processor in ["gfx1100", "gfx1201"] {
        let Some(machine) = Machine::new("matrix.hip", processor) else { return };
        for (kernel, input, output) in [
            ("f16", Kind::F16, Kind::F32),
            ("bf16", Kind::Bf16, Kind::F32),
            ("f16_f16", Kind::F16, Kind::F16),
            ("bf16_bf16", Kind::Bf16, Kind::Bf16),
            ("i8", Kind::I8, Kind::I32),
            ("u8", Kind::U8, Kind::I32),
        ] {
            eprintln!("{kernel} on {processor}");
            check(&machine, kernel, (16, 16, 1), input, output);
        }
    }
}

#[test]
fn sums_take_their_products_in_order_and_round_each_once() {
    let Some(machine) = Machine::new("matrix.hip", "gfx90a") else { return };
    let floats =
        |seed, count| -> Vec<f32> { random(seed, count).iter().map(|bits| (*bits as i32) as f32 * 1.1e-9).collect() };
    let (a, b, c) = (floats(1, 64), floats(2, 64), floats(3, 256));
    let (da, db, dc) = (machine.upload(&a), machine.upload(&b), machine.upload(&c));
    let dd = machine.upload(&vec![0_f32; 256]);
    machine.run("f32_16x16x4", [1, 1, 1], [64, 1, 1], 0, args![da, db, dc, dd]).unwrap();
    let expected: Vec<u32> = (0..256)
        .map(|at| {
            let (i, j) = (at / 16, at % 16);
            (0..4).fold(c[at], |sum, k| a[4 * i + k].mul_add(b[16 * k + j], sum)).to_bits()
        })
        .collect();
    assert_eq!(machine.download::<u32>(dd, 256), expected);
}
