//! The definitions for types that HIP's atomic functions do not take: what they compute, and that the compiler for AMD
//! GPUs takes them with the headers of three releases.

use crate::common;

use std::path::Path;
use std::process::Command;

use hipshift::mapping::Intrinsics;

const KEYS: [&str; 2] = ["atomic_add_bf16", "atomic_add_half"];

fn definitions() -> String {
    Intrinsics::builtin().unwrap().definitions(KEYS)
}

/// A host on which half precision and bfloat16 are bits, sums are rounded sums of `float`, and every
/// other thread changes the neighbour of a number just before the first `atomicCAS` on it.
const HOST: &str = r"
#include <cstddef>
#include <cstdio>
#include <cstring>
#define __device__
#define __forceinline__ inline
static float as_float(unsigned bits) { float r; memcpy(&r, &bits, 4); return r; }
static unsigned as_bits(float r) { unsigned bits; memcpy(&bits, &r, 4); return bits; }
struct __half { unsigned short bits; };
struct __half2 { __half x, y; };
struct __hip_bfloat16 { unsigned short bits; };
struct __hip_bfloat162 { __hip_bfloat16 x, y; };
// Multiples of 1/4 below 512 are exact here: enough to see which number was added to which.
static float of(__half h) { return (short)h.bits * 0.25f; }
static __half __hadd(__half a, __half b) { return {(unsigned short)(short)((of(a) + of(b)) * 4)}; }
static __half2 __hadd2(__half2 a, __half2 b) { return {__hadd(a.x, b.x), __hadd(a.y, b.y)}; }
static float of(__hip_bfloat16 b) { return as_float((unsigned)b.bits << 16); }
static __hip_bfloat16 __hadd(__hip_bfloat16 a, __hip_bfloat16 b) {
    return {(unsigned short)(as_bits(of(a) + of(b)) >> 16)};
}
static unsigned disturb = 0;
static unsigned calls = 0;
static unsigned atomicCAS(unsigned* word, unsigned seen, unsigned wanted) {
    if (calls++ == 0) *word ^= disturb;
    unsigned found = *word;
    if (found == seen) *word = wanted;
    return found;
}
";

/// Adds to the lower and the upper number of a word, with and without disturbance of the other one.
const MAIN: &str = r#"
template <class T> T make(float v);
template <> __half make(float v) { return {(unsigned short)(short)(v * 4)}; }
template <> __hip_bfloat16 make(float v) { return {(unsigned short)(as_bits(v) >> 16)}; }
template <class T, class F> void one(const char* name, F add) {
    for (int upper = 0; upper < 2; upper++) {
        for (int other = 0; other < 2; other++) {
            alignas(4) T pair[2] = {make<T>(1.5f), make<T>(2.0f)};
            disturb = !other ? 0 : upper ? 0x0003u : 0x00030000u;
            calls = 0;
            T old = add(&pair[upper], make<T>(0.25f));
            unsigned short bits[2]; memcpy(bits, pair, 4);
            T plain[2] = {make<T>(1.5f), make<T>(2.0f)};
            unsigned short before[2]; memcpy(before, plain, 4);
            bool kept = bits[!upper] == (before[!upper] ^ (other ? 3 : 0));
            printf("%s %g %g %s %u\n", name, of(old), of(pair[upper]), kept ? "kept" : "lost", calls);
        }
    }
}
template <class P, class T, class F> void two(const char* name, F add) {
    for (int other = 0; other < 2; other++) {
        alignas(4) P pair = {make<T>(1.5f), make<T>(-2.0f)};
        disturb = other ? 0x00010001u : 0;
        calls = 0;
        P start = pair;
        unsigned word; memcpy(&word, &start, 4); word ^= disturb; memcpy(&start, &word, 4);
        P old = add(&pair, P{make<T>(0.25f), make<T>(4.0f)});
        bool right = of(pair.x) == of(__hadd(start.x, make<T>(0.25f))) && of(pair.y) == of(__hadd(start.y, make<T>(4.0f)));
        right = right && of(old.x) == of(start.x) && of(old.y) == of(start.y);
        printf("%s %s %u\n", name, right ? "right" : "wrong", calls);
    }
}
int main() {
    one<__half>("half", [](__half* p, __half v) { return hipshift_atomic_add_half(p, v); });
    one<__hip_bfloat16>("bf16", [](__hip_bfloat16* p, __hip_bfloat16 v) { return hipshift_atomic_add_bf16(p, v); });
    two<__half2, __half>("half2", [](__half2* p, __half2 v) { return hipshift_atomic_add_half(p, v); });
    two<__hip_bfloat162, __hip_bfloat16>("bf162", [](__hip_bfloat162* p, __hip_bfloat162 v) { return hipshift_atomic_add_bf16(p, v); });
}
"#;

/// Old value, new value, the neighbour, and how often the loop ran.
const EXPECTED: &str = "\
half 1.5 1.75 kept 1
half 1.5 1.75 kept 2
half 2 2.25 kept 1
half 2 2.25 kept 2
bf16 1.5 1.75 kept 1
bf16 1.5 1.75 kept 2
bf16 2 2.25 kept 1
bf16 2 2.25 kept 2
half2 right 1
half2 right 2
bf162 right 1
bf162 right 2
";

#[test]
fn numbers_are_added_and_neighbours_kept() {
    let Some(compiler) = common::host_compiler() else {
        eprintln!("not tested: no C++ compiler found");
        return;
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, binary) = (folder.join("atomics.cpp"), folder.join("atomics"));
    std::fs::write(&source, [HOST, &definitions(), MAIN].concat()).unwrap();
    let mut command = Command::new(compiler);
    let arguments = command.args(["-std=c++17", "-O1", "-w", "-fno-strict-aliasing", "-o"]).args([&binary, &source]);
    let built = arguments.output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let output = Command::new(binary).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), EXPECTED);
}

const USES: &str = "
__global__ void k(__half* h, __half2* h2, __hip_bfloat16* b, __hip_bfloat162* b2) {
    *h = hipshift_atomic_add_half(h + 1, *h);
    *h2 = hipshift_atomic_add_half(h2 + 1, *h2);
    *b = hipshift_atomic_add_bf16(b + 1, *b);
    *b2 = hipshift_atomic_add_bf16(b2 + 1, *b2);
}
";

#[test]
fn the_compiler_takes_the_definitions() {
    let Some(toolchain) = common::toolchain() else { return };
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join("atomics.hip");
    let head = "#include <hip/hip_runtime.h>\n#include <hip/hip_fp16.h>\n#include <hip/hip_bf16.h>\n";
    std::fs::write(&source, [head, &definitions(), USES].concat()).unwrap();
    for release in common::RELEASES {
        for (arch, lanes) in [("gfx90a", 64), ("gfx1100", 32)] {
            for side in ["--cuda-host-only", "--cuda-device-only"] {
                let mut command = common::device_compiler(&toolchain, release, lanes);
                command.args([side, "-fsyntax-only"]).arg(format!("--offload-arch={arch}")).arg(&source);
                let output = command.output().unwrap();
                let errors = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "HIP {release}, {arch}, {side}: {errors}");
            }
        }
    }
}
