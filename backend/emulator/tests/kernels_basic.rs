//! Whole kernels that the compiler made, against the same computation on the host: one thread, one result.
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

#[test]
fn vectors_are_added() {
    on_each("basic.hip", |machine| {
        let n = 1000;
        let a: Vec<f32> = (0..n).map(|i| i as f32 * 0.37).collect();
        let b: Vec<f32> = (0..n).map(|i| 5.0 - i as f32).collect();
        let (da, db, dc) = (machine.upload(&a), machine.upload(&b), machine.upload(&vec![0_f32; n]));
        let statistics = machine.run("vector_add", [4, 1, 1], [256, 1, 1], 0, args![da, db, dc, n as i32]).unwrap();
        let expected: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
        assert_eq!(machine.download::<f32>(dc, n), expected);
        assert_eq!(statistics.waves as usize, 1024 / machine.wave());
    });
}

#[test]
fn loops_stride_over_the_grid() {
    on_each("basic.hip", |machine| {
        let n = 777_i32;
        let x: Vec<f64> = (0..n).map(|i| f64::from(i) * 1.1).collect();
        let (dx, dy) = (machine.upload(&x), machine.upload(&vec![0.5_f64; n as usize]));
        machine.run("grid_stride", [2, 1, 1], [128, 1, 1], 0, args![dx, dy, 3.25_f64, n]).unwrap();
        let expected: Vec<f64> = x.iter().map(|x| 3.25_f64.mul_add(*x, 0.5)).collect();
        assert_eq!(machine.download::<f64>(dy, n as usize), expected);
    });
}

#[test]
fn integers_are_divided() {
    on_each("basic.hip", |machine| {
        let n = 512;
        let a: Vec<i64> = random(1, n).iter().enumerate().map(|(i, v)| v.cast_signed() >> (i % 60)).collect();
        let b: Vec<i64> = random(2, n).iter().enumerate().map(|(i, v)| (v.cast_signed() >> (i * 7 % 62)) | 1).collect();
        let (da, db) = (machine.upload(&a), machine.upload(&b));
        let (dq, dr, du) =
            (machine.upload(&vec![0_i64; n]), machine.upload(&vec![0_i64; n]), machine.upload(&vec![0_u32; n]));
        machine.run("divide", [8, 1, 1], [64, 1, 1], 0, args![da, db, dq, dr, du, n as i32]).unwrap();
        let (q, r, u) =
            (machine.download::<i64>(dq, n), machine.download::<i64>(dr, n), machine.download::<u32>(du, n));
        for i in 0..n {
            assert_eq!((q[i], r[i]), (a[i].wrapping_div(b[i]), a[i].wrapping_rem(b[i])), "{} / {}", a[i], b[i]);
            let (x, y) = (a[i] as i32, b[i] as i32);
            let expected = (x as u32 / y as u32).wrapping_add(x.wrapping_rem(y) as u32);
            assert_eq!(u[i], expected);
        }
    });
}

#[test]
fn structs_go_by_value_and_through_memory() {
    on_each("basic.hip", |machine| {
        #[repr(C)]
        #[derive(Clone, Copy, PartialEq, Debug)]
        struct Point {
            x: f32,
            y: f64,
            z: i16,
            w: [u8; 5],
        }
        let n = 100_usize;
        let point = |i: usize| Point { x: i as f32, y: i as f64 * 0.5, z: 300 - i as i16, w: [i as u8; 5] };
        let points: Vec<Point> = (0..n).map(point).collect();
        let add = Point { x: 1.5, y: 3.0, z: 7, w: [1, 2, 4, 8, 128] };
        let (from, to) = (machine.upload(&points), machine.upload(&points));
        // SAFETY: the bytes of a struct, whose padding was zeroed with the rest of its memory or is never looked at.
        let bytes = unsafe { std::slice::from_raw_parts((&raw const add).cast::<u8>(), size_of::<Point>()) }.to_vec();
        let arguments =
            [from.to_le_bytes().to_vec(), to.to_le_bytes().to_vec(), bytes, (n as i32).to_le_bytes().to_vec()];
        machine.run("structs", [2, 1, 1], [64, 1, 1], 0, &arguments).unwrap();
        let found = machine.download::<Point>(to, n);
        for (i, found) in found.iter().enumerate() {
            let p = point(i);
            let w = std::array::from_fn(|k| p.w[k] ^ add.w[k]);
            assert_eq!(*found, Point { x: p.x + add.x, y: p.y * add.y, z: p.z - add.z, w });
        }
    });
}

#[test]
fn threads_know_where_they_are() {
    on_each("basic.hip", |machine| {
        let (grid, block) = ([3, 2, 2], [5, 3, 4]);
        let (w, h, d) = (15, 6, 8);
        let out = machine.upload(&vec![0_u32; w * h * d]);
        machine.run("coordinates", grid, block, 0, args![out]).unwrap();
        let found = machine.download::<u32>(out, w * h * d);
        for (i, value) in found.into_iter().enumerate() {
            let (x, y, z) = (i % w, i / w % h, i / w / h);
            assert_eq!(value as usize, x | y << 8 | z << 16 | (z % 4) << 28);
        }
    });
}

#[test]
fn lanes_leave_loops_one_by_one() {
    on_each("basic.hip", |machine| {
        let n = 300_u32;
        let start: Vec<u32> = (1..=n).collect();
        let (from, to) = (machine.upload(&start), machine.upload(&vec![0_u32; n as usize]));
        machine.run("collatz", [5, 1, 1], [64, 1, 1], 0, args![from, to, n as i32]).unwrap();
        let steps = |mut v: u64| {
            let mut count = 0;
            while v != 1 {
                v = if v & 1 == 1 { 3 * v + 1 } else { v / 2 };
                count += 1;
            }
            count
        };
        let expected: Vec<u32> = start.iter().map(|v| steps(u64::from(*v))).collect();
        assert_eq!(machine.download::<u32>(to, n as usize), expected);
    });
}

#[test]
fn arrays_of_lanes_are_indexed_at_run_time() {
    on_each("basic.hip", |machine| {
        let n = 200_usize;
        let input: Vec<i32> = (0..n as i32).map(|i| i * 37 % 1001).collect();
        let (from, to) = (machine.upload(&input), machine.upload(&vec![0_i32; n]));
        machine.run("local_array", [2, 1, 1], [128, 1, 1], 0, args![from, to, n as i32]).unwrap();
        let one = |i: usize| {
            let mut heap: Vec<i32> = (0..33).map(|k| input[i] * (k + 1) % 101).collect();
            let mut at = (input[i] & 31) as usize;
            for k in 0..40 {
                heap[at] += k;
                at = (heap[at] & 0x7fff_ffff) as usize % 33;
                heap[32 - at] ^= i as i32;
            }
            heap.iter().fold(0_i32, |sum, v| sum.wrapping_mul(31).wrapping_add(*v))
        };
        let expected: Vec<i32> = (0..n).map(one).collect();
        assert_eq!(machine.download::<i32>(to, n), expected);
    });
}

#[test]
fn functions_call_themselves_and_through_tables() {
    on_each("basic.hip", |machine| {
        let out = machine.upload(&[0_i32; 64]);
        machine.run("recursion", [1, 1, 1], [64, 1, 1], 0, args![out]).unwrap();
        let expected: Vec<i32> = (0..64).map(|t| 2 * (t % 5) + 3).collect();
        assert_eq!(machine.download::<i32>(out, 64), expected);
        machine.run("virtual_call", [1, 1, 1], [64, 1, 1], 0, args![out]).unwrap();
        let expected: Vec<i32> = (0..64).map(|t| if t & 1 == 0 { t * t } else { t * 3 + 1 }).collect();
        assert_eq!(machine.download::<i32>(out, 64), expected);
    });
}

#[test]
fn constants_and_globals_have_symbols() {
    on_each("basic.hip", |machine| {
        let table = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3];
        let (address, bytes) = machine.module.symbol("table").unwrap();
        assert_eq!(bytes, 64);
        assert_eq!(machine.download::<i32>(address, 16), table);
        let out = machine.upload(&[0_i32; 64]);
        machine.run("constants", [1, 1, 1], [64, 1, 1], 0, args![out]).unwrap();
        let expected: Vec<i32> = (0..64).map(|t| table[t & 15] + table[(t + 1) & 15]).collect();
        assert_eq!(machine.download::<i32>(out, 64), expected);
        let (counter, _) = machine.module.symbol("counter").unwrap();
        let sum: i32 = expected.iter().sum();
        assert_eq!(machine.download::<u64>(counter, 1)[0], sum as u64);
    });
}
