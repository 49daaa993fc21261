//! What the documents of ROCm's releases say differently, and what `--rocm` makes of it.

use crate::common::folder::{Folder, hipshift};

const RELEASES: [&str; 6] = ["5.7", "6.2", "6.3", "6.4", "7.0", "7.2"];

/// The findings of a file: line, severity and code.
fn findings(text: &str, rocm: &str) -> Vec<String> {
    let folder = Folder::new(&[("a.hip", text)]);
    let output = hipshift(&folder, &["lint", "--format", "concise", "--rocm", rocm, "a.hip"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let found = text.lines().filter_map(|line| {
        let mut parts = line.strip_prefix("a.hip:")?.splitn(3, ':');
        let (number, rest) = (parts.next()?, parts.nth(1)?);
        let words: Vec<&str> = rest.split_whitespace().take(2).collect();
        Some(format!("{number} {}", words.join(" ")))
    });
    found.collect()
}

/// One row for each release: findings with their lines.
#[track_caller]
fn check(text: &str, expected: [&[&str]; 6]) {
    for (rocm, expected) in RELEASES.into_iter().zip(expected) {
        assert_eq!(findings(text, rocm), expected, "ROCm {rocm}:\n{text}");
    }
}

const SYNC: &str = "#include <hip/hip_runtime.h>
__device__ float moved(float x, unsigned long long m) { return __shfl_xor_sync(m, x, 1); }
__device__ unsigned long long same(int x) { return __match_any(x); }
__device__ unsigned long long active() { return __activemask(); }
__device__ int sum(int x) { return __reduce_add_sync(~0ull, x); }
";

/// 5.x has no functions with masks, 6.2 to 6.4 hide them behind a macro, and from 7.0 on they are there, with reductions.
#[test]
fn functions_with_masks_are_there_as_the_release_has_them() {
    let none: &[&str] = &["2 error W012", "3 error W012", "4 error W012", "5 error W012"];
    let hidden: &[&str] = &["2 warning W012", "3 warning W012", "4 warning W012", "5 error W012"];
    check(SYNC, [none, hidden, hidden, hidden, &[], &[]]);
}

#[test]
fn the_macro_of_6_2_shows_them_and_changes_nothing_from_7_0_on() {
    let text = SYNC.replacen("#include", "#define HIP_ENABLE_WARP_SYNC_BUILTINS\n#include", 1);
    let none: &[&str] = &["3 error W012", "4 error W012", "5 error W012", "6 error W012"];
    let shown: &[&str] = &["6 error W012"];
    check(&text, [none, shown, shown, shown, &[], &[]]);
}

#[test]
fn the_macro_of_7_0_takes_them_away_and_does_nothing_before() {
    let text = SYNC.replacen("#include", "#define HIP_DISABLE_WARP_SYNC_BUILTINS\n#include", 1);
    let none: &[&str] = &["3 error W012", "4 error W012", "5 error W012", "6 error W012"];
    let hidden: &[&str] = &["3 warning W012", "4 warning W012", "5 warning W012", "6 error W012"];
    check(&text, [none, hidden, hidden, hidden, none, none]);
}

#[test]
fn the_size_of_a_wave_is_a_constant_up_to_6_4() {
    let text = "#include <hip/hip_runtime.h>
__global__ void fill(int* x) { constexpr int lanes = warpSize; x[0] = lanes; }
int host() { return warpSize; }
__global__ void loop(int* x) { for (int i = 0; i < warpSize; ++i) x[i] = i; }
";
    let before: &[&str] = &["2 warning W010", "3 warning W016"];
    let after: &[&str] = &["2 error W010", "3 error W016"];
    check(text, [before, before, before, before, after, after]);
}

/// Masks of bits are combined by truth in the headers that have the reductions.
#[test]
fn reductions_of_bits_are_told_from_7_0_on() {
    let text = "#include <hip/hip_runtime.h>
__device__ unsigned some(unsigned x, unsigned long long m) { return __reduce_or_sync(m, x); }
";
    let none: &[&str] = &["2 error W012"];
    let there: &[&str] = &["2 warning W021"];
    check(text, [none, none, none, none, there, there]);
}

/// Up to 6.3 the documents divide by 32, in 6.4 by the size of a wave.
#[test]
fn bounds_are_converted_as_the_document_of_the_release_says() {
    let folder = Folder::new(&[("a.cu", "__global__ void __launch_bounds__(256, 4) k(float* x) { x[0] = 1; }\n")]);
    for (rocm, wave64, wave32) in
        [("5.7", 32, 32), ("6.2", 32, 32), ("6.3", 32, 32), ("6.4", 16, 32), ("7.0", 16, 32), ("7.2", 16, 32)]
    {
        for (arch, waves) in [("gfx90a", wave64), ("gfx1100", wave32)] {
            let options = ["diff", "--rocm", rocm, "--launch-bounds", "rocm-docs", "--arch", arch, "a.cu"];
            let out = String::from_utf8(hipshift(&folder, &options).stdout).unwrap();
            assert!(out.contains(&format!("__launch_bounds__(256, {waves} ")), "ROCm {rocm}, {arch}: {out}");
        }
    }
}
