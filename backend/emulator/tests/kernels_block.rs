//! Whole kernels whose threads work together, against the same computation on the host.
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

use hipshift_emulator::Options;

use crate::common::machine::{Machine, args, on_each, random};

#[test]
fn blocks_sum_with_lane_exchange_and_lds() {
    on_each("block.hip", |machine| {
        let n = 1000_i32;
        let input: Vec<f32> = (0..n).map(|i| (i % 17) as f32).collect();
        let (from, to) = (machine.upload(&input), machine.upload(&[0_f32; 4]));
        machine.run("block_sum", [4, 1, 1], [256, 1, 1], 0, args![from, to, n]).unwrap();
        let expected: Vec<f32> = input.chunks(256).map(|chunk| chunk.iter().sum()).collect();
        assert_eq!(machine.download::<f32>(to, 4), expected);
    });
}

#[test]
fn dynamic_lds_is_scanned() {
    on_each("block.hip", |machine| {
        let n = 500_usize;
        let input: Vec<i32> = (0..n as i32).map(|i| i * 7 % 31 - 12).collect();
        let (from, to) = (machine.upload(&input), machine.upload(&vec![0_i32; n]));
        machine.run("scan", [1, 1, 1], [512, 1, 1], 2048, args![from, to, n as i32]).unwrap();
        let mut sum = 0;
        let expected: Vec<i32> = input
            .iter()
            .map(|v| {
                sum += v;
                sum
            })
            .collect();
        assert_eq!(machine.download::<i32>(to, n), expected);
    });
}

#[test]
fn matrices_are_multiplied_in_tiles() {
    on_each("block.hip", |machine| {
        let n = 48_usize;
        let a: Vec<f32> = (0..n * n).map(|i| (i % 13) as f32 * 0.25 - 1.0).collect();
        let b: Vec<f32> = (0..n * n).map(|i| (i % 7) as f32 * 0.5 - 1.5).collect();
        let (da, db, dc) = (machine.upload(&a), machine.upload(&b), machine.upload(&vec![0_f32; n * n]));
        machine.run("matmul", [3, 3, 1], [16, 16, 1], 0, args![da, db, dc, n as i32]).unwrap();
        let found = machine.download::<f32>(dc, n * n);
        for (at, found) in found.iter().enumerate() {
            let expected = (0..n).fold(0_f32, |sum, k| a[at / n * n + k].mul_add(b[k * n + at % n], sum));
            assert_eq!(found.to_bits(), expected.to_bits());
        }
    });
}

#[test]
fn bins_are_counted_with_atomics() {
    on_each("block.hip", |machine| {
        let n = 5000;
        let input: Vec<u8> = random(3, n).iter().map(|v| (v % 200) as u8).collect();
        let (from, to) = (machine.upload(&input), machine.upload(&[0_u32; 256]));
        machine.run("histogram", [7, 1, 1], [128, 1, 1], 0, args![from, to, n as i32]).unwrap();
        let mut expected = vec![0_u32; 256];
        for v in &input {
            expected[usize::from(*v)] += 1;
        }
        assert_eq!(machine.download::<u32>(to, 256), expected);
    });
}

#[test]
fn rows_are_normalised_by_exponentials() {
    on_each("block.hip", |machine| {
        let (rows, n) = (5_usize, 300_usize);
        let input: Vec<f32> = random(9, rows * n).iter().map(|v| (v % 2000) as f32 * 0.01 - 10.0).collect();
        let (from, to) = (machine.upload(&input), machine.upload(&vec![0_f32; rows * n]));
        machine.run("softmax", [rows as u32, 1, 1], [256, 1, 1], 0, args![from, to, n as i32]).unwrap();
        let found = machine.download::<f32>(to, rows * n);
        for (row, found) in input.chunks(n).zip(found.chunks(n)) {
            let best = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let sum: f64 = row.iter().map(|v| f64::from(v - best).exp()).sum();
            for (v, found) in row.iter().zip(found) {
                let expected = f64::from(v - best).exp() / sum;
                assert!((f64::from(*found) - expected).abs() <= expected * 1e-5, "{found} for {expected}");
            }
        }
    });
}

#[test]
fn votes_have_a_bit_for_each_lane() {
    on_each("block.hip", |machine| {
        let n = 128_usize;
        let input: Vec<i32> = (0..n as i32).map(|i| i * i % 97).collect();
        let (from, to) = (machine.upload(&input), machine.upload(&vec![0_u64; n]));
        machine.run("votes", [1, 1, 1], [n as u32, 1, 1], 0, args![from, to]).unwrap();
        let wave = machine.wave();
        let one = |i: usize| {
            let lanes = &input[i / wave * wave..][..wave];
            let mask = lanes.iter().enumerate().fold(0_u64, |mask, (lane, v)| mask | u64::from(v & 1 == 1) << lane);
            let rank = u64::from((mask & ((1 << (i % wave)) - 1)).count_ones());
            let any = if lanes.iter().any(|v| *v > 90) { 1 << 62 } else { 0 };
            mask ^ rank << 40 ^ any ^ 1 << 63
        };
        assert_eq!(machine.download::<u64>(to, n), (0..n).map(one).collect::<Vec<_>>());
    });
}

#[test]
fn lanes_read_each_other() {
    on_each("block.hip", |machine| {
        let n = 128_usize;
        let input: Vec<i32> = (0..n as i32).map(|i| i * 11 + 5).collect();
        let (from, to) = (machine.upload(&input), machine.upload(&vec![-1_i32; 7 * n]));
        machine.run("shuffles", [1, 1, 1], [n as u32, 1, 1], 0, args![from, to]).unwrap();
        let found = machine.download::<i32>(to, 7 * n);
        let wave = machine.wave();
        for i in 0..n {
            let (base, lane) = (i / wave * wave, i % wave);
            let at = |lane: usize| input[base + lane];
            let own = input[i];
            let expected = [
                at(5),
                if lane >= 3 { at(lane - 3) } else { own },
                if lane + 7 < wave { at(lane + 7) } else { own },
                at(lane ^ 9),
                at((lane & !7) + i * 3 % 8),
                at(lane ^ 1) * 2,
            ];
            for (row, expected) in expected.into_iter().enumerate() {
                assert_eq!(found[row * n + i], expected, "row {row}, thread {i}");
            }
            let source = (i + 3) % wave;
            let active = (base + source) % 3 == 0;
            let expected = if i % 3 != 0 {
                -1
            } else if active {
                at(source)
            } else {
                0
            };
            assert_eq!(found[6 * n + i], expected, "divergent, thread {i}");
        }
    });
}

#[test]
fn atomics_count_every_thread() {
    on_each("block.hip", |machine| {
        let threads = 300_i32;
        let mut ints = vec![0_i32; 16 + threads as usize];
        (ints[3], ints[4], ints[8], ints[10]) = (i32::MAX, -1, 50, 7);
        let (di, dl) = (machine.upload(&ints), machine.upload(&[0_u64; 3]));
        let (df, dd) = (machine.upload(&[1_f32]), machine.upload(&[2_f64]));
        machine.run("atomics", [3, 1, 1], [100, 1, 1], 0, args![di, dl, df, dd]).unwrap();
        let found = machine.download::<i32>(di, 16 + threads as usize);
        let all = 0..threads;
        assert_eq!(found[0], all.clone().sum());
        assert_eq!(found[1], -all.clone().sum::<i32>());
        assert_eq!(found[2], all.clone().map(|i| i * 7 % 1000).max().unwrap());
        assert_eq!(found[3], -(threads - 1));
        assert_eq!(found[4], all.clone().fold(-1, |v, i| v & !(1 << (i & 15))));
        assert_eq!(found[5], -1);
        assert_eq!(found[6], all.clone().fold(0, |v, i| v ^ i));
        assert_eq!(found[7], all.clone().fold(0, |v, _| if v >= 12 { 0 } else { v + 1 }));
        assert_eq!(found[8], all.clone().fold(50, |v, _| if v == 0 || v > 100 { 100 } else { v - 1 }));
        assert_eq!(found[9], 77);
        assert!(found[10] >= 8, "the thread that finds its own number adds one to it");
        assert_eq!(found[11], threads);
        let mut tickets = found[16..].to_vec();
        tickets.sort_unstable();
        assert_eq!(tickets, all.collect::<Vec<_>>());
        let sum: u64 = (0..300_u64).map(|i| i << 33).sum();
        assert_eq!(machine.download::<u64>(dl, 3), [sum, 299 * 5_000_000_000, 99]);
        assert_eq!(machine.download::<f32>(df, 1), [151.0]);
        assert_eq!(machine.download::<f64>(dd, 1), [77.0]);
    });
}

#[test]
fn tiles_of_a_group_sum_alone() {
    on_each("block.hip", |machine| {
        let input: Vec<i32> = (0..128).collect();
        let (from, to) = (machine.upload(&input), machine.upload(&[0_i32; 8]));
        machine.run("tiles", [1, 1, 1], [128, 1, 1], 0, args![from, to]).unwrap();
        let expected: Vec<i32> = input.chunks(16).map(|tile| tile.iter().sum()).collect();
        assert_eq!(machine.download::<i32>(to, 8), expected);
    });
}

#[test]
fn a_grid_meets_in_cooperative_launches() {
    for processor in ["gfx90a", "gfx1100"] {
        for threads in [1, 3] {
            let options = Options { threads, ..Options::default() };
            let Some(machine) = Machine::with("block.hip", processor, &["-O2"], options) else { return };
            let n = 5 * 96_usize;
            let input: Vec<i32> = (0..n as i32).collect();
            let data = machine.upload(&input);
            machine.start("grid_sync", [5, 1, 1], [96, 1, 1], 0, args![data, 6_i32], true).unwrap();
            let expected: Vec<i32> = (0..n).map(|i| ((i + 6) % n) as i32 + 6).collect();
            assert_eq!(machine.download::<i32>(data, n), expected, "{processor} with {threads} threads");
        }
    }
}

#[test]
fn the_order_of_waves_does_not_change_results() {
    for seed in 0..5 {
        let options = Options { schedule_seed: Some(seed), threads: 2, ..Options::default() };
        let Some(machine) = Machine::with("block.hip", "gfx90a", &["-O2"], options) else { return };
        let input = vec![1_i32; 1024];
        let (from, to) = (machine.upload(&input), machine.upload(&input));
        machine.run("scan", [1, 1, 1], [1024, 1, 1], 4096, args![from, to, 1024_i32]).unwrap();
        assert_eq!(machine.download::<i32>(to, 1024), (1..=1024).collect::<Vec<i32>>());
    }
}

#[test]
fn floats_are_added_by_instructions_of_their_own() {
    for processor in ["gfx942", "gfx950", "gfx1201"] {
        let Some(machine) = Machine::new("atomics.hip", processor) else { return };
        let lanes = machine.wave();
        let (sum, halves) = (machine.upload(&[0_f32]), machine.upload(&[0_u32]));
        let (bfloats, before) = (machine.upload(&[0_u32]), machine.upload(&vec![-1_f32; lanes]));
        machine.run("add_all", [1, 1, 1], [lanes as u32, 1, 1], 0, args![sum, halves, bfloats, before]).unwrap();
        assert_eq!(machine.download::<f32>(sum, 1), [lanes as f32 / 2.0], "{processor}");
        let expected: Vec<f32> = (0..lanes).map(|lane| lane as f32 / 2.0).collect();
        assert_eq!(machine.download::<f32>(before, lanes), expected, "{processor}");
        // 64.0 and 128.0, or 32.0 and 64.0, as halves; as bfloats with the other sign in the upper half.
        let (half, bfloat) = if lanes == 64 { (0x5800_5400, 0xc280_4280) } else { (0x5400_5000, 0xc200_4200) };
        assert_eq!(machine.download::<u32>(halves, 1), [half], "{processor}");
        assert_eq!(machine.download::<u32>(bfloats, 1), [bfloat], "{processor}");
    }
}
