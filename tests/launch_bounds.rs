//! What becomes of `__launch_bounds__`, checked with the compiler for AMD GPUs: the numbers that
//! reach it, and what they do to a kernel with many registers.

use crate::common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use hipshift::mapping::{RocmVersion, Target};
use hipshift::settings::{LaunchBounds, Settings};

/// The folder that `./test` fills.
fn toolchain() -> Option<PathBuf> {
    let folder =
        std::env::var_os("HIPSHIFT_TOOLCHAIN").map_or_else(|| common::root().join("target/toolchain"), PathBuf::from);
    if folder.join("bin/clang++-22").exists() && folder.join("hip-7.2/usr").exists() {
        return Some(folder);
    }
    eprintln!("skipped: no compiler for AMD GPUs found, `./test` fetches it");
    None
}

/// Compiles HIP text; `what` chooses the pass, the target and what comes out.
fn compile(toolchain: &Path, name: &str, text: &str, what: &[&str]) -> Output {
    let hip = toolchain.join("hip-7.2/usr");
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&source, text).unwrap();
    Command::new(toolchain.join("bin/clang++-22"))
        .args(["-x", "hip", "-std=c++17", "--no-gpu-bundle-output", "-S", "-o", "-"])
        .arg(format!("--rocm-path={}", hip.display()))
        .arg(format!("--rocm-device-lib-path={}", hip.join("lib/llvm-22/lib/clang/22/amdgcn/bitcode").display()))
        .args(what)
        .arg(source)
        .output()
        .unwrap()
}

#[track_caller]
fn succeeded(output: Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn settings(targets: &[&str], launch_bounds: LaunchBounds) -> Settings {
    let targets = targets.iter().map(|name| Target::find(name).unwrap()).collect();
    Settings { targets, launch_bounds, ..Settings::default() }
}

fn converted(text: &str, settings: &Settings) -> String {
    let document = common::document(text);
    let hip = common::convert(&document, settings).patch.apply(text);
    let again = common::document(&hip);
    assert_eq!(common::convert(&again, settings).patch.apply(&hip), hip, "converting twice must change nothing");
    hip
}

/// A kernel that needs 148 registers where it may have them.
const MANY_REGISTERS: &str = "
#include <cuda_runtime.h>
#define VALUES 72
__global__ void BOUNDS mix(const float* in, float* out, int rounds) {
    float v[VALUES];
    for (int i = 0; i < VALUES; ++i) v[i] = in[threadIdx.x * VALUES + i];
    for (int round = 0; round < rounds; ++round)
        for (int i = 0; i < VALUES; ++i) v[i] = v[i] * v[(i + 1) % VALUES] + v[(i + 7) % VALUES];
    for (int i = 0; i < VALUES; ++i) out[threadIdx.x * VALUES + i] = v[i];
}
";

/// Registers and spilled registers of the kernel on gfx90a, and whether the compiler complains.
fn registers(toolchain: &Path, name: &str, text: &str) -> (u32, u32, bool) {
    let output = compile(toolchain, name, text, &["--cuda-device-only", "--offload-arch=gfx90a", "-O3"]);
    let complains = String::from_utf8_lossy(&output.stderr).contains("failed to meet occupancy target");
    let assembly = succeeded(output);
    let number = |key: &str| {
        let line = assembly.lines().find_map(|line| line.trim().strip_prefix(key)).unwrap();
        line.trim().parse().unwrap()
    };
    (number(".vgpr_count:"), number(".vgpr_spill_count:"), complains)
}

/// The table of the page of `launch-bounds-units`.
#[test]
fn waves_per_execution_unit_spill_nothing_and_the_documents_formula_does() {
    let Some(toolchain) = toolchain() else { return };
    let check = |bounds: &str, settings: &Settings, argument: &str, expected: (u32, u32, bool)| {
        let text = converted(&MANY_REGISTERS.replace("BOUNDS", bounds), settings);
        assert!(text.contains(argument), "{text}");
        assert_eq!(registers(&toolchain, "formulas.hip", &text), expected, "{argument}");
    };
    let per_eu = settings(&["gfx90a"], LaunchBounds::PerEu);
    let documents = settings(&["gfx90a"], LaunchBounds::RocmDocs);
    let old_documents = Settings { rocm: RocmVersion::new(6, 3), ..documents.clone() };
    check("__launch_bounds__(256, 2)", &per_eu, "(256, 2)", (148, 0, false));
    check("__launch_bounds__(256, 2)", &documents, "(256, 8 /* 2 in CUDA */)", (64, 166, false));
    check("__launch_bounds__(256, 2)", &old_documents, "(256, 16 /* 2 in CUDA */)", (148, 0, true));
    check("__launch_bounds__(256)", &per_eu, "(256)", (148, 0, false));
    check("", &per_eu, "void  mix", (128, 22, false));
}

/// One block is what the block size implies, so that a 1 may stay.
#[test]
fn one_and_what_the_block_size_implies_are_the_same() {
    let Some(toolchain) = toolchain() else { return };
    let count = |bounds: &str| {
        let text = MANY_REGISTERS.replace("BOUNDS", bounds).replace("cuda_runtime.h", "hip/hip_runtime.h");
        registers(&toolchain, "implied.hip", &text)
    };
    for (threads, implied) in [(768, 3), (1024, 4)] {
        let without = count(&format!("__launch_bounds__({threads})"));
        assert_eq!(count(&format!("__launch_bounds__({threads}, 1)")), without);
        assert_eq!(count(&format!("__launch_bounds__({threads}, {implied})")), without);
    }
}

/// A number above the target's range is ignored, one in it is not.
#[test]
fn targets_hold_the_waves_of_the_table() {
    let Some(toolchain) = toolchain() else { return };
    let text = "__attribute__((global, amdgpu_flat_work_group_size(1, 64), amdgpu_waves_per_eu(WAVES))) void k(int* p) { *p = 1; }\n";
    for target in ["gfx906", "gfx90a", "gfx942", "gfx1010", "gfx1030", "gfx1100", "gfx1200", "gfx9-generic"] {
        let most = Target::find(target).unwrap().max_waves;
        for (waves, fits) in [(most, true), (most + 1, false)] {
            let what = [
                &*format!("--offload-arch={target}"),
                &*format!("-DWAVES={waves}"),
                "--cuda-device-only",
                "-nogpuinc",
                "-nogpulib",
                "-O1",
            ];
            let output = compile(&toolchain, "most.hip", text, &what);
            assert!(output.status.success());
            let complaint = String::from_utf8_lossy(&output.stderr).contains("failed to meet occupancy target");
            assert_eq!(complaint, !fits, "{target}: {waves}");
        }
    }
}

/// Kernels in all places and forms, each with the waves that it gets on gfx90a and on gfx1100.
const KERNELS: &[(&str, &str, u32, u32)] = &[
    ("before", "__global__ __launch_bounds__(256, 2) void before(float* x) { x[0] = 1; }", 2, 4),
    ("after", "__global__ void __launch_bounds__(128, 4 * 2) after(float* x) { x[0] = 1; }", 4, 8),
    ("front", "__launch_bounds__(1024, 3u) __global__ void front(float* x) { x[0] = 1; }", 8, 16),
    (
        "declared",
        "__global__ void __launch_bounds__(512, 2) declared(float* x);\n__global__ void declared(float* x) { x[0] = 1; }",
        4,
        8,
    ),
    ("cluster", "__global__ void __launch_bounds__(256, 3, 4) cluster(float* x) { x[0] = 1; }", 3, 6),
    ("one", "__global__ void __launch_bounds__(256, 1) one(float* x) { x[0] = 1; }", 1, 1),
    ("none", "__global__ void __launch_bounds__(256, 0) none(float* x) { x[0] = 1; }", 1, 1),
    (
        "constants",
        "constexpr int kT = 192;\nenum { kB = 3 };\n__global__ void __launch_bounds__(kT, kB) constants(float* x) { x[0] = 1; }",
        3,
        5,
    ),
    (
        "macros",
        "#define THREADS 100 + 28\n#define BLOCKS 8\n#define BOUNDS __launch_bounds__(THREADS, BLOCKS)\n__global__ void BOUNDS macros(float* x) { x[0] = 1; }",
        4,
        8,
    ),
    (
        "forwarded",
        "#define OF(t, b) __launch_bounds__(t, b)\n__global__ void OF(64, 8) forwarded(float* x) { x[0] = 1; }",
        2,
        4,
    ),
    (
        "parameters",
        "template <int N, unsigned long long M>\n__launch_bounds__(N, M) __global__ void parameters(float* x) { x[0] = 1; }\n\
         template __global__ void parameters<256, 5>(float*);",
        5,
        10,
    ),
    (
        "traits",
        "template <class A, class B> struct Traits { static constexpr int threads = 128, blocks = 6; };\n\
         template <class A, class B>\n__global__ void __launch_bounds__(Traits<A, B>::threads, Traits<A, B>::blocks) traits(float* x) { x[0] = 1; }\n\
         template __global__ void traits<int, int>(float*);",
        3,
        6,
    ),
    (
        "calls",
        "constexpr __host__ __device__ int threads_of(int a, int b) { return a * b; }\n\
         __global__ void __launch_bounds__(threads_of(32, 8), threads_of(2, 2)) calls(float* x) { x[0] = 1; }",
        4,
        8,
    ),
    (
        "lambda",
        "__global__ void __launch_bounds__(64, 4) lambda(float* x) { auto f = [=] __device__ __launch_bounds__(64) () { x[0] = 1; }; f(); }",
        1,
        2,
    ),
];

fn all_kernels() -> String {
    let kernels: Vec<&str> = KERNELS.iter().map(|(_, text, ..)| *text).collect();
    format!("#include <cuda_runtime.h>\n{}\n", kernels.join("\n"))
}

/// The waves that the compiler reads for each kernel.
fn waves_in(assembly: &str) -> BTreeMap<&str, u32> {
    let attribute = |line: &str| line.strip_prefix("attributes #")?.split_once(' ').map(|(id, _)| id.to_owned());
    let waves = |line: &str| {
        let number = line.split_once("\"amdgpu-waves-per-eu\"=\"").map_or("1", |(_, rest)| rest);
        number.split(['"', ',']).next().unwrap().parse::<u32>().unwrap()
    };
    let known: BTreeMap<String, u32> =
        assembly.lines().filter_map(|line| Some((attribute(line)?, waves(line)))).collect();
    let kernels = assembly.lines().filter(|line| line.starts_with("define") && line.contains("amdgpu_kernel"));
    let named = |line: &str, name: &str| line.contains(&format!("{}{name}", name.len()));
    let of = |line: &str| {
        let (name, ..) = KERNELS.iter().find(|(name, ..)| named(line, name)).unwrap();
        let id = line.split(" #").nth(1).unwrap().split(' ').next().unwrap();
        (*name, known[id])
    };
    kernels.map(of).collect()
}

#[track_caller]
fn check_waves(name: &str, settings: &Settings, expected: impl Fn(&Target, (u32, u32)) -> u32) {
    let Some(toolchain) = toolchain() else { return };
    let text = converted(&all_kernels(), settings);
    for target in &settings.targets {
        let arch = format!("--offload-arch={}", target.name);
        let device = ["--cuda-device-only", "-emit-llvm", "-O1", "-Wall", "-Wextra", "-Werror", &arch];
        let assembly = succeeded(compile(&toolchain, name, &text, &device));
        let seen = waves_in(&assembly);
        let wanted: BTreeMap<&str, u32> =
            KERNELS.iter().map(|(name, _, wave64, wave32)| (*name, expected(target, (*wave64, *wave32)))).collect();
        assert_eq!(seen, wanted, "{}\n{text}", target.name);
    }
    succeeded(compile(&toolchain, name, &text, &["--cuda-host-only", "-Wall", "-Wextra", "-Werror"]));
}

#[test]
fn each_target_reads_its_own_number() {
    let by_wave = |target: &Target, (wave64, wave32)| if target.is_wave64() { wave64 } else { wave32 };
    check_waves("three.hip", &settings(&["gfx90a", "gfx942", "gfx1100"], LaunchBounds::PerEu), by_wave);
    check_waves("wave64.hip", &settings(&["gfx90a"], LaunchBounds::PerEu), by_wave);
    check_waves("wave32.hip", &settings(&["gfx1100"], LaunchBounds::PerEu), by_wave);
}

#[test]
fn targets_that_hold_other_numbers_of_waves_are_told_apart() {
    let most = |target: &Target, (wave64, wave32)| match target.name.as_str() {
        // Three blocks of 1024 threads do not fit: 12 waves, or 24 of 32 lanes.
        "gfx906" if wave64 == 8 => 10,
        "gfx1010" if wave32 == 16 => 20,
        _ if target.is_wave64() => wave64,
        _ => wave32,
    };
    check_waves("four.hip", &settings(&["gfx906", "gfx90a", "gfx1010", "gfx1100"], LaunchBounds::PerEu), most);
}
