//! A judge of warps that shares no code with the converter or the emulator: generated kernels whose results an
//! interpreter with warps of 32 lanes computes.
//!
//! `HIPSHIFT_SEED` chooses other kernels, `HIPSHIFT_JUDGE` more of them: so many programs of 40 kernels for each policy.
//! All are run on both targets: `HIPSHIFT_JUDGE=2000 cargo test --release --test warp_judge`.
//! `HIPSHIFT_JUDGE_ALONE=10` also judges ten kernels of each kind alone, and prints how many of them are wrong without a word.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test that cannot go on fails"
)]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    clippy::cast_possible_wrap,
    clippy::float_cmp,
    reason = "numbers of C++ are cut and compared as C++ does"
)]

mod ast;
mod atomics;
mod build;
mod collective;
mod cooperative;
mod divergent;
mod generate;
mod groups;
mod kinds;
mod known;
mod lanes;
mod machine;
mod masks;
mod memory;
mod parts;
mod portable;
mod print;
mod program;
mod rng;
mod run;
mod shared;
mod shuffles;
mod spell;
mod value;
mod verdict;
mod votes;

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use known::KNOWN;
use program::Program;
use verdict::Tally;

/// What a run without `HIPSHIFT_JUDGE` takes: each kind is in some kernel.
const PROGRAMS: u64 = 3;
/// One of so many kernels of a kind has to show that it is wrong.
const KERNELS_OF_A_KNOWN_KIND: usize = 4;
const KERNELS_OF_A_PROGRAM: usize = 40;
const PROGRAMS_OF_A_RUN: usize = 10;

fn number(variable: &str, otherwise: u64) -> u64 {
    env::var(variable).ok().map_or(otherwise, |text| text.parse().unwrap())
}

/// A folder for one test, empty.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("warp_judge-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Kinds whose kernels are judged alone, and how many of each: those that are known, or so many of all.
fn asked_alone(policy: &str) -> (Vec<&'static str>, usize) {
    match number("HIPSHIFT_JUDGE_ALONE", 0) {
        0 => (known::kinds(policy), KERNELS_OF_A_KNOWN_KIND),
        each => (kinds::all().iter().map(|kind| kind.0).collect(), usize::try_from(each).unwrap()),
    }
}

/// Judges kernels under a policy.
fn check(policy: &'static str) {
    let Some(toolchain) = run::toolchain() else { return };
    let seed = number("HIPSHIFT_SEED", 17);
    let count = usize::try_from(number("HIPSHIFT_JUDGE", PROGRAMS)).unwrap();
    let folder = scratch(policy);
    let begun = Instant::now();
    let mut tally = Tally::new(policy);
    let parted = |program: Program| program.parted(|kernel| known::breaks_compiler(policy, &kernel.kinds));
    for first in (0..count).step_by(PROGRAMS_OF_A_RUN) {
        let numbers = first..count.min(first + PROGRAMS_OF_A_RUN);
        let programs = numbers.map(|number| generate::program(seed, number, KERNELS_OF_A_PROGRAM));
        let programs: Vec<Program> = programs.flat_map(parted).collect();
        let judged = run::judge(&programs, &folder, &toolchain, policy);
        tally.add(&programs, judged);
    }
    let (kinds, each) = asked_alone(policy);
    let programs = generate::alone(&kinds, each, KERNELS_OF_A_PROGRAM);
    let programs: Vec<Program> = programs.into_iter().flat_map(parted).collect();
    let mut alone = Tally::new(policy);
    alone.add(&programs, run::judge(&programs, &folder, &toolchain, policy));
    if env::var_os("HIPSHIFT_JUDGE_ALONE").is_some() {
        eprint!("{}", alone.table());
    }
    let summary = format!("{} in {:.0?}, seed {seed}", tally.summary(), begun.elapsed());
    eprintln!("{summary}\n{}", tally.warned());
    if env::var_os("HIPSHIFT_KEEP").is_none() {
        let _ = fs::remove_dir_all(folder);
    }
    let text = tally.complaints() + &alone.repaired();
    assert!(text.is_empty(), "{summary} (HIPSHIFT_SEED={seed})\n{text}");
}

/// `HIPSHIFT_EMIT=folder` writes the programs as CUDA, each with what it has to print in `expected.txt`, to be run on an
/// NVIDIA GPU: the interpreter has to be right itself.
#[test]
fn every_kind_is_generated() {
    let seed = number("HIPSHIFT_SEED", 17);
    let count = usize::try_from(number("HIPSHIFT_JUDGE", PROGRAMS)).unwrap();
    let programs = (0..count).map(|number| generate::program(seed, number, KERNELS_OF_A_PROGRAM));
    let mut missing: BTreeSet<&str> = kinds::all().iter().map(|kind| kind.0).collect();
    for program in programs {
        let kernels = &program.kernels;
        kernels.iter().flat_map(|kernel| &kernel.kinds).for_each(|kind| {
            missing.remove(kind);
        });
        if let Some(folder) = env::var_os("HIPSHIFT_EMIT") {
            run::write(&program, Path::new(&folder));
            let path = Path::new(&folder).join(&program.folder).join("expected.txt");
            fs::write(path, program.printed()).unwrap();
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn warps_of_32_lanes_compute_what_cuda_computes() {
    check("logical32");
}

#[test]
fn whole_waves_compute_what_cuda_computes() {
    check("native");
}

#[test]
fn every_known_kind_is_generated() {
    let kinds = kinds::all();
    for known in KNOWN {
        assert!(kinds.iter().any(|kind| kind.0 == known.kind), "no kind is called `{}` ({})", known.kind, known.reason);
    }
}
