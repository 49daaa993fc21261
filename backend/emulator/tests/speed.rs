//! How fast kernels run: instructions of waves in a second, one thread. Run with
//! `cargo test --release -p hipshift-emulator --test all speed:: -- --ignored --nocapture`; `HIPSHIFT_SPEED` is a part of
//! the names of those that are wanted.
#![allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::many_single_char_names,
    reason = "figures for people"
)]

use hipshift_emulator::{Checks, Options, Statistics};

use crate::common::machine::{Machine, args};

/// Nanoseconds that this thread has computed: others on the machine do not count.
fn computed() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("a Linux machine");
    text.split(' ').next().unwrap().parse().unwrap()
}

fn report(name: &str, run: impl Fn() -> Statistics) {
    if std::env::var("HIPSHIFT_SPEED").is_ok_and(|wanted| !name.contains(&wanted)) {
        return;
    }
    run();
    let start = computed();
    let mut instructions = 0;
    while computed() - start < 300_000_000 {
        instructions += run().instructions;
    }
    let speed = instructions as f64 / (computed() - start) as f64 * 1e3;
    eprintln!("{name}: {speed:.1} million wave instructions a second");
}

#[test]
#[ignore = "measures"]
fn kernels_run_at_some_speed() {
    let cases =
        ["gfx90a", "gfx1100"].map(|name| [Checks::None, Checks::Default, Checks::All].map(|checks| (name, checks)));
    for (processor, checks) in cases.into_iter().flatten() {
        let options = Options { threads: 1, checks, ..Options::default() };
        eprintln!("{processor}, checks {checks:?}");
        let Some(machine) = Machine::with("block.hip", processor, &["-O3"], options.clone()) else { return };
        let n = 1 << 16;
        let data = machine.upload(&vec![1_f32; n]);
        let out = machine.upload(&vec![0_f32; n]);
        report(&format!("{processor} block sum"), || {
            machine.run("block_sum", [256, 1, 1], [256, 1, 1], 0, args![data, out, n as i32]).unwrap()
        });
        report(&format!("{processor} matrix product"), || {
            machine.run("matmul", [8, 8, 1], [16, 16, 1], 0, args![data, data, out, 128_i32]).unwrap()
        });
        report(&format!("{processor} softmax"), || {
            machine.run("softmax", [64, 1, 1], [256, 1, 1], 0, args![data, out, 1024_i32]).unwrap()
        });
        let Some(basic) = Machine::with("basic.hip", processor, &["-O3"], options.clone()) else { return };
        let (a, b, c) = (basic.upload(&vec![1_f32; n]), basic.upload(&vec![2_f32; n]), basic.upload(&vec![0_f32; n]));
        report(&format!("{processor} vector add"), || {
            basic.run("vector_add", [256, 1, 1], [256, 1, 1], 0, args![a, b, c, n as i32]).unwrap()
        });
        report(&format!("{processor} collatz"), || {
            let start = basic.upload(&(1..=4096_u32).collect::<Vec<_>>());
            let result = basic.run("collatz", [16, 1, 1], [256, 1, 1], 0, args![start, c, 4096_i32]).unwrap();
            basic.memory().free(start).unwrap();
            result
        });
        let Some(float) = Machine::with("float.hip", processor, &["-O3"], options) else { return };
        let out = float.upload(&vec![0_f64; 16 * 4096]);
        let x = float.upload(&(0..4096).map(|i| f64::from(i) * 0.01).collect::<Vec<_>>());
        report(&format!("{processor} double math"), || {
            float.run("double_math", [16, 1, 1], [256, 1, 1], 0, args![x, out, 4096_i32]).unwrap()
        });
        let x = float.upload(&(0..4096_u16).map(|i| f32::from(i) * 0.01).collect::<Vec<_>>());
        report(&format!("{processor} float math"), || {
            float.run("float_math", [16, 1, 1], [256, 1, 1], 0, args![x, out, 4096_i32]).unwrap()
        });
    }
}

/// A product of matrices with 1024 rows, on one thread and on two: seconds, and how much faster two are. The machine has
/// to have nothing else to do.
#[test]
#[ignore = "measures"]
fn a_large_product_takes_seconds_and_uses_all_cores() {
    const N: usize = 1024;
    for checks in [Checks::None, Checks::Default] {
        let seconds = [1, 2].map(|threads| {
            let options = Options { threads, checks, ..Options::default() };
            let machine = Machine::with("block.hip", "gfx90a", &["-O3"], options)?;
            let (data, out) = (machine.upload(&vec![1_f32; N * N]), machine.upload(&vec![0_f32; N * N]));
            let mut times: Vec<f64> = (0..5)
                .map(|_| {
                    let start = std::time::Instant::now();
                    machine.run("matmul", [64, 64, 1], [16, 16, 1], 0, args![data, data, out, N as i32]).unwrap();
                    start.elapsed().as_secs_f64()
                })
                .collect();
            assert!(machine.download::<f32>(out, N * N).iter().all(|value| value.to_bits() == (N as f32).to_bits()));
            times.sort_by(f64::total_cmp);
            Some(times[2])
        });
        let [Some(one), Some(two)] = seconds else { return };
        eprintln!("1024 rows, checks {checks:?}: {one:.2} s on one thread, {two:.2} s on two, {:.2} times", one / two);
    }
}
