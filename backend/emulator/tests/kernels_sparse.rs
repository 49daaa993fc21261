//! Products of matrices of which the first has two of each four elements, against plain products on the host.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::many_single_char_names,
    clippy::precedence,
    reason = "the host repeats what kernels do with bits"
)]

use hipshift_emulator::Options;

use crate::common::elements::{Kind, integers, product, upload};
use crate::common::machine::{Machine, args, random};

/// A kernel, rows (and columns) of the result, length of sums, and the types of its factors and of its result.
type Case = (&'static str, usize, usize, Kind, Kind);

/// Places of two elements among four.
const PAIRS: [[u8; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

fn check(machine: &Machine, kernel: &str, [m, k]: [usize; 2], [first, second]: [Kind; 2], output: Kind) {
    let a = integers(1, m * k / 2, first);
    let which: Vec<u8> = random(4, m * k / 4).into_iter().flat_map(|value| PAIRS[(value % 6) as usize]).collect();
    let b = integers(2, m * k, second);
    let c = integers(3, m * m, if output == Kind::Bf16 { Kind::Bf16 } else { Kind::I8 });
    let mut dense = vec![0; m * k];
    for (at, value) in a.iter().enumerate() {
        dense[at / 2 * 4 + usize::from(which[at])] = *value;
    }
    let (da, dw) = (upload(machine, &a, first), machine.upload(&which));
    let (db, dc, dd) = (upload(machine, &b, second), upload(machine, &c, output), upload(machine, &c, output));
    machine.run(kernel, [1, 1, 1], [machine.wave() as u32, 1, 1], 0, args![da, dw, db, dc, dd]).unwrap();
    let found = machine.download::<u8>(dd, c.len() * output.size());
    let found: Vec<i32> = found.chunks(output.size()).map(|bytes| output.value(bytes)).collect();
    assert_eq!(found, product((m, k, 1), &dense, &b, &c), "{kernel}");
}

const SINCE_GFX942: &[Case] = &[
    ("f16_16x16x32", 16, 32, Kind::F16, Kind::F32),
    ("f16_16x16x32_set1", 16, 32, Kind::F16, Kind::F32),
    ("f16_16x16x32_set3", 16, 32, Kind::F16, Kind::F32),
    ("f16_16x16x32_first", 16, 32, Kind::F16, Kind::F32),
    ("f16_32x32x16", 32, 16, Kind::F16, Kind::F32),
    ("bf16_16x16x32", 16, 32, Kind::Bf16, Kind::F32),
    ("bf16_32x32x16", 32, 16, Kind::Bf16, Kind::F32),
    ("i8_16x16x64", 16, 64, Kind::I8, Kind::I32),
    ("i8_16x16x64_set1", 16, 64, Kind::I8, Kind::I32),
    ("i8_32x32x32", 32, 32, Kind::I8, Kind::I32),
];

const SINCE_GFX950: &[Case] = &[
    ("f16_16x16x64", 16, 64, Kind::F16, Kind::F32),
    ("f16_16x16x64_set1", 16, 64, Kind::F16, Kind::F32),
    ("f16_32x32x32", 32, 32, Kind::F16, Kind::F32),
    ("bf16_16x16x64", 16, 64, Kind::Bf16, Kind::F32),
    ("bf16_32x32x32", 32, 32, Kind::Bf16, Kind::F32),
    ("i8_16x16x128", 16, 128, Kind::I8, Kind::I32),
    ("i8_32x32x64", 32, 64, Kind::I8, Kind::I32),
];

const GFX12: &[Case] = &[
    ("f16", 16, 32, Kind::F16, Kind::F32),
    ("f16_set1", 16, 32, Kind::F16, Kind::F32),
    ("bf16", 16, 32, Kind::Bf16, Kind::F32),
    ("f16_f16", 16, 32, Kind::F16, Kind::F16),
    ("bf16_bf16", 16, 32, Kind::Bf16, Kind::Bf16),
    ("i8", 16, 32, Kind::I8, Kind::I32),
    ("u8_set1", 16, 32, Kind::U8, Kind::I32),
];

#[test]
fn sparse_products_are_those_of_full_matrices() {
    for (processor, lists) in
        [("gfx942", &[SINCE_GFX942] as &[&[Case]]), ("gfx950", &[SINCE_GFX942, SINCE_GFX950]), ("gfx1201", &[GFX12])]
    {
        for optimization in ["-O0", "-O2"] {
            let Some(machine) = Machine::with("sparse.hip", processor, &[optimization], Options::default()) else {
                return;
            };
            for (kernel, m, k, input, output) in lists.iter().copied().flatten() {
                eprintln!("{kernel} on {processor} {optimization}");
                check(&machine, kernel, [*m, *k], [*input; 2], *output);
            }
        }
    }
}

#[test]
fn sparse_products_of_floats_of_eight_bits_are_those_of_full_matrices() {
    let finite = [("fp8", Kind::FiniteFp8), ("bf8", Kind::FiniteBf8)];
    let open = [("fp8", Kind::Fp8), ("bf8", Kind::Bf8)];
    let early = [("_16x16x64", [16, 64]), ("_32x32x32", [32, 32])];
    let late = [early[0], early[1], ("_16x16x128", [16, 128]), ("_32x32x64", [32, 64])];
    for (processor, kinds, shapes) in
        [("gfx942", finite, &early as &[_]), ("gfx950", open, &late), ("gfx1201", open, &[("", [16, 32])])]
    {
        let Some(machine) = Machine::new("sparse.hip", processor) else { return };
        for (sizes, shape) in shapes {
            for (first, second) in kinds.iter().flat_map(|a| kinds.iter().map(move |b| (a, b))) {
                let kernel = format!("{}_{}{sizes}", first.0, second.0);
                eprintln!("{kernel} on {processor}");
                check(&machine, &kernel, *shape, [first.1, second.1], Kind::F32);
            }
        }
    }
}
