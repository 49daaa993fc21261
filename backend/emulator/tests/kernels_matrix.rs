//! Products of matrices that the compiler's builtins make, against plain products on the host.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::many_single_char_names,
    clippy::precedence,
    reason = "the host repeats what kernels do with bits"
)]

use std::collections::BTreeSet;

use hipshift_emulator::Target;
use hipshift_emulator::isa::Table;

use crate::common;
use crate::common::elements::{Kind, integers, product, upload};
use crate::common::machine::{Machine, args, random};

/// Rows (and columns) of the result, length of sums, number of products.
type Shape = (usize, usize, usize);

/// A kernel, its sizes, and the types of its factors and of its result.
type Case = (&'static str, Shape, Kind, Kind);

fn check(machine: &Machine, kernel: &str, shape: Shape, [first, second]: [Kind; 2], output: Kind) {
    let (m, k, blocks) = shape;
    let a = integers(1, m * k * blocks, first);
    let b = integers(2, m * k * blocks, second);
    let c = integers(3, m * m * blocks, if output == Kind::Bf16 { Kind::Bf16 } else { Kind::I8 });
    let (da, db, dc) = (upload(machine, &a, first), upload(machine, &b, second), upload(machine, &c, output));
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
    ("bf16_16x16x2", (16, 2, 4), Kind::Bf16, Kind::F32),
    ("bf16_4x4x2", (4, 2, 16), Kind::Bf16, Kind::F32),
    ("bf16_32x32x4", (32, 4, 1), Kind::Bf16, Kind::F32),
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
    ("bf16_32x32x16", (32, 16, 1), Kind::Bf16, Kind::F32),
    ("i8_32x32x32", (32, 32, 1), Kind::I8, Kind::I32),
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
            check(&machine, kernel, *shape, [*input; 2], *output);
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
            ("i4", Kind::I8, Kind::I32),
            ("u4", Kind::U8, Kind::I32),
        ] {
            eprintln!("{kernel} on {processor}");
            check(&machine, kernel, (16, 16, 1), [input; 2], output);
        }
    }
}

/// The types that instructions of a processor call `fp8` and `bf8`.
fn small_floats(processor: &str) -> [(&'static str, Kind); 2] {
    match processor {
        "gfx942" => [("fp8", Kind::FiniteFp8), ("bf8", Kind::FiniteBf8)],
        _ => [("fp8", Kind::Fp8), ("bf8", Kind::Bf8)],
    }
}

#[test]
fn products_of_floats_of_eight_bits_are_those_of_the_host() {
    let mfma: &[(&str, Shape)] = &[("_16x16x32", (16, 32, 1)), ("_32x32x16", (32, 16, 1))];
    for (processor, shapes) in [("gfx942", mfma), ("gfx950", mfma), ("gfx1201", &[("", (16, 16, 1))])] {
        let Some(machine) = Machine::new("matrix.hip", processor) else { return };
        let kinds = small_floats(processor);
        for (first, second) in kinds.iter().flat_map(|first| kinds.iter().map(move |second| (first, second))) {
            for (sizes, shape) in shapes {
                let kernel = format!("{}_{}{sizes}", first.0, second.0);
                check(&machine, &kernel, *shape, [first.1, second.1], Kind::F32);
            }
        }
    }
}

/// All pairs of floats of eight, six and four bits.
#[test]
fn products_of_chosen_formats_are_those_of_the_host() {
    let Some(machine) = Machine::new("formats.hip", "gfx950") else { return };
    let kinds = [Kind::Fp8, Kind::Bf8, Kind::Fp6, Kind::Bf6, Kind::Fp4];
    for (first, second) in (0..5).flat_map(|first| (0..5).map(move |second| (first, second))) {
        for (m, k) in [(16, 128), (32, 64)] {
            let kernel = format!("chosen_{first}_{second}_{m}");
            check(&machine, &kernel, (m, k, 1), [kinds[first], kinds[second]], Kind::F32);
        }
    }
}

/// Factors of more than eleven bits are rounded before they are multiplied.
#[test]
fn factors_of_reduced_precision_have_ten_bits_of_mantissa() {
    let Some(machine) = Machine::new("matrix.hip", "gfx942") else { return };
    for (kernel, shape) in [("xf32_16x16x8", (16, 8, 1)), ("xf32_32x32x4", (32, 4, 1))] {
        check(&machine, kernel, shape, [Kind::F32; 2], Kind::F32);
    }
    let (a, b) = (vec![4099.0_f32; 128], vec![1.0_f32; 128]);
    let (da, db, dc) = (machine.upload(&a), machine.upload(&b), machine.upload(&vec![0.0_f32; 256]));
    machine.run("xf32_16x16x8", [1, 1, 1], [64, 1, 1], 0, args![da, db, dc, dc]).unwrap();
    // Steps of numbers from 4096 on are 4; 4099 is nearer to 4100.
    assert_eq!(machine.download::<f32>(dc, 256), vec![8.0 * 4100.0; 256]);
}

/// Mnemonics in the code of test kernels.
fn tested(processor: &str, files: &[&str]) -> Option<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for file in files {
        let path = common::output_path("o");
        std::fs::write(&path, common::compile(&common::kernels(file), processor, &["-O2"])?).unwrap();
        let output = common::llvm("llvm-objdump")?.arg("-d").arg(&path).output().unwrap();
        std::fs::remove_file(path).unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        found.extend(text.lines().filter_map(|line| Some(line.strip_prefix('\t')?.split(' ').next()?.to_owned())));
    }
    Some(found)
}

/// All products that are executed are run by a kernel here or in `kernels_sparse.rs`.
#[test]
fn no_product_is_without_a_kernel() {
    // Not executed.
    const MISSING: [&str; 3] = ["v_wmma_i32_16x16x32_iu4", "v_swmmac_i32_16x16x32_iu4", "v_swmmac_i32_16x16x64_iu4"];
    for (processor, files) in [
        ("gfx908", &["matrix.hip"] as &[&str]),
        ("gfx90a", &["matrix.hip"]),
        ("gfx942", &["matrix.hip", "sparse.hip"]),
        ("gfx950", &["matrix.hip", "sparse.hip", "formats.hip"]),
        ("gfx1100", &["matrix.hip"]),
        ("gfx1201", &["matrix.hip", "sparse.hip"]),
    ] {
        let Some(found) = tested(processor, files) else { return };
        let table = Table::of(Target::parse(processor).unwrap().processor);
        let is_product =
            |name: &str| ["v_mfma_", "v_smfmac_", "v_wmma_", "v_swmmac_"].iter().any(|it| name.starts_with(it));
        let all = table.entries().map(|entry| entry.base).filter(|name| is_product(name));
        let untested: BTreeSet<&str> = all.filter(|name| !found.contains(*name) && !MISSING.contains(name)).collect();
        assert!(untested.is_empty(), "{processor}: {untested:?}");
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
