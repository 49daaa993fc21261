//! The definitions of intrinsics that HIP lacks: what they compute, and how they come into a file.
//!
//! The results of the intrinsics themselves were compared with these definitions on an NVIDIA H200
//! (CUDA 13.0), except for `__fadd2_rn`, `__fmul2_rn` and `__ffma2_rn`, which it lacks.
#![expect(
    clippy::panic,
    clippy::similar_names,
    reason = "a helper of tests may fail like the tests; a, b, c name operands"
)]

use crate::common;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use hipshift::diagnostic::Severity;
use hipshift::mapping::{Intrinsic, IntrinsicKind, Intrinsics};
use hipshift::settings::Settings;

fn table() -> &'static Intrinsics {
    Intrinsics::builtin().unwrap()
}

/// The intrinsics that any lane computes by itself.
fn plain() -> impl Iterator<Item = &'static Intrinsic> {
    table().entries().iter().filter(|intrinsic| intrinsic.kind == IntrinsicKind::Value)
}

// --- how definitions come into a file ---

#[test]
fn every_intrinsic_is_defined_and_renamed() {
    let is_missing = |intrinsic: &&Intrinsic| match intrinsic.kind {
        // Only definitions of others use it.
        IntrinsicKind::Group if &*intrinsic.cuda == "cooperative_groups::shuffled" => false,
        IntrinsicKind::Value
        | IntrinsicKind::Group
        | IntrinsicKind::Copy
        | IntrinsicKind::Constant
        | IntrinsicKind::Atomic
        | IntrinsicKind::Profiling => true,
        // Helpers of the others have no name in CUDA.
        IntrinsicKind::Rounding | IntrinsicKind::ShortFloat => intrinsic.cuda.starts_with("__"),
        IntrinsicKind::Lanes | IntrinsicKind::Overload => false,
    };
    for intrinsic in table().entries().iter().filter(is_missing) {
        let (name, helper) = (&intrinsic.cuda, intrinsic.helper());
        let text = format!("__device__ auto f() {{ return {name}(x); }}\n");
        let document = common::document(&text);
        // ROCm 7.2 has this one.
        let rocm = if &**name == "__int2bfloat16_rn" { "7.1" } else { "7.2" };
        let settings = Settings { rocm: rocm.parse().unwrap(), ..Settings::default() };
        let outcome = common::convert(&document, &settings);
        let after = outcome.patch.apply(&text);
        assert!(outcome.remaining.is_empty(), "{name}: {:?}", outcome.remaining);
        let head = "#include <hip/hip_runtime.h>\n#ifndef HIPSHIFT_";
        assert!(after.starts_with(head), "{name}:\n{after}");
        assert!(
            after.ends_with(&format!("#endif\n__device__ auto f() {{ return {helper}(x); }}\n")),
            "{name}:\n{after}"
        );
        assert!(after.contains(&format!(" {helper}")), "{name}:\n{after}");
        assert_eq!(common::converted(&after), after, "{name}: converting twice changes nothing");
    }
}

#[test]
fn lines_end_as_those_of_the_file_do() {
    let after = common::converted("#include <cuda_runtime.h>\r\nint x = __vadd4(a, b);\r\n");
    assert!(after.contains("#define HIPSHIFT_VADD4\r\n"));
    assert_eq!(after.matches('\n').count(), after.matches("\r\n").count());
}

#[test]
fn definitions_are_not_put_into_a_comment_behind_an_include() {
    let after = common::converted("#include <cuda_runtime.h> /* one\n two */\nint x = __vadd4(a, b);\n");
    assert!(after.starts_with("#include <hip/hip_runtime.h> /* one\n two */\n#ifndef"), "{after}");
}

#[test]
fn a_macro_before_the_includes_gets_its_definitions_behind_them() {
    let after =
        common::converted("#define ADD __vadd4\n#include <cuda_runtime.h>\nvoid f() {}\n#include \"late.inl\"\n");
    assert!(after.starts_with("#define ADD hipshift_vadd4\n#include <hip/hip_runtime.h>\n#ifndef"), "{after}");
}

#[test]
fn a_block_that_is_always_skipped_gets_no_definitions() {
    let after = common::converted("int x;\n#if 0\nint y = __vadd4(a, b);\n#endif\n");
    assert_eq!(after, "int x;\n#if 0\nint y = hipshift_vadd4(a, b);\n#endif\n");
}

#[test]
fn fixes_of_one_file_can_be_applied_alone() {
    let text = "#include <cuda_runtime.h>\nint x = __vadd4(a, b); // hipshift: ignore[emulated-intrinsic] own\nint y = __vadd4(a, b);\n";
    let after = common::converted(text);
    assert!(after.contains("#define HIPSHIFT_VADD4") && after.contains("int y = hipshift_vadd4(a, b)"), "{after}");
}

#[test]
fn a_program_in_a_string_takes_definitions_only_where_lines_can_stand() {
    let settings = Settings { strings: true, ..Settings::default() };
    let program = "__global__ void k(unsigned* p) { p[0] = __vadd4(p[1], p[2]); }";
    let convert = |literal: String| {
        let text = format!("const char* source = {literal};\n");
        let outcome = common::convert(&common::document(&text), &settings);
        (outcome.patch.apply(&text), outcome)
    };
    let (raw, _) = convert(format!("R\"(\n{program}\n)\""));
    assert!(raw.contains("R\"(#ifndef HIPSHIFT_VADD4") && raw.contains("= hipshift_vadd4("), "{raw}");
    let (plain, outcome) = convert(format!("\"{program}\""));
    assert!(plain.contains("= __vadd4("), "{plain}");
    assert!(outcome.remaining.iter().any(|finding| finding.severity >= Severity::Warning));
}

// --- what definitions compute ---

/// One function of a definition.
struct Case {
    name: &'static str,
    returns: String,
    arguments: Vec<String>,
}

impl Case {
    fn all() -> Vec<Case> {
        plain().flat_map(Case::of).collect()
    }

    fn of(intrinsic: &'static Intrinsic) -> Vec<Case> {
        let head = format!(" {}(", intrinsic.helper());
        let case = |line: &str| {
            let (before, after) = line.split_once("__forceinline__ ")?.1.split_once(&head)?;
            let arguments = after.strip_suffix(") {")?.split(", ");
            let kind = |argument: &str| argument.rsplit_once(' ').unwrap().0.to_owned();
            Some(Case { name: &intrinsic.cuda, returns: before.to_owned(), arguments: arguments.map(kind).collect() })
        };
        intrinsic.code.lines().filter_map(case).collect()
    }

    /// A statement that writes two words to `out`.
    fn statement(&self) -> String {
        let mut flags = ["&first", "&second"].into_iter();
        let argument = |(at, kind): (usize, &String)| match &**kind {
            "bool*" => flags.next().unwrap().to_owned(),
            "unsigned long long" => "in[0] | (unsigned long long)in[1] << 32".to_owned(),
            "unsigned" | "int" | "unsigned short" => format!("({kind})in[{at}]"),
            "float2" => format!("float2{{real(in[{at}]), real(in[{}])}}", (at + 1) % 3),
            "short2" | "ushort2" => format!("halves<{kind}>(in[{at}])"),
            _ => format!("bytes<{kind}>(in[{at}])"),
        };
        let arguments: Vec<String> = self.arguments.iter().enumerate().map(argument).collect();
        let call = format!("hipshift_{}({})", self.name.trim_start_matches('_'), arguments.join(", "));
        match &*self.returns {
            "float2" => format!("{{ float2 r = {call}; out[0] = bits(r.x); out[1] = bits(r.y); }}"),
            "unsigned long long" => {
                format!("{{ auto r = {call}; out[0] = (unsigned)r; out[1] = (unsigned)(r >> 32); }}")
            }
            _ => format!("{{ out[0] = (unsigned){call}; out[1] = first | second << 1; }}"),
        }
    }

    /// The two words that are right.
    fn expected(&self, input: [u32; 3]) -> [u32; 2] {
        let [a, b, c] = input;
        let long = |value: u64| [u32::try_from(value & 0xffff_ffff).unwrap(), u32::try_from(value >> 32).unwrap()];
        match self.name {
            "__nv_bswap16" => [u32::from(u16::try_from(a & 0xffff).unwrap().swap_bytes()), 0],
            "__nv_bswap32" => [a.swap_bytes(), 0],
            "__nv_bswap64" => long((u64::from(a) | u64::from(b) << 32).swap_bytes()),
            "__fadd2_rn" => [real(a, b, |x, y| x + y), real(b, c, |x, y| x + y)],
            "__fmul2_rn" => [real(a, b, |x, y| x * y), real(b, c, |x, y| x * y)],
            "__ffma2_rn" => {
                [real(a, b, |x, y| x.mul_add(y, f32::from_bits(c))), real(b, c, |x, y| x.mul_add(y, f32::from_bits(a)))]
            }
            "__dp4a" | "__dp2a_lo" | "__dp2a_hi" => [dot(self.name, self.returns == "int", input), 0],
            name if name.contains('_') && name.rfind('_') > Some(1) => three_operands(name, input),
            name => [lanes(name, a, b), 0],
        }
    }
}

fn real(x: u32, y: u32, compute: impl Fn(f32, f32) -> f32) -> u32 {
    let result = compute(f32::from_bits(x), f32::from_bits(y));
    if result.is_nan() { 0x7fc0_0000 } else { result.to_bits() }
}

/// The parts of a word, lowest first.
fn split(word: u32, width: u32, signed: bool) -> Vec<i64> {
    let part = |at: u32| i64::from(word) >> (at * width) & ((1 << width) - 1);
    let value = |part: i64| if signed && part >> (width - 1) == 1 { part - (1 << width) } else { part };
    (0..32 / width).map(|at| value(part(at))).collect()
}

fn join(parts: impl IntoIterator<Item = i64>, width: u32) -> u32 {
    let place = |(at, part): (u32, i64)| u32::try_from(part & ((1 << width) - 1)).unwrap() << (at * width);
    (0..).zip(parts).map(place).sum()
}

fn dot(name: &str, signed: bool, [a, b, c]: [u32; 3]) -> u32 {
    let bytes = split(b, 8, signed);
    let products: i64 = if name == "__dp4a" {
        split(a, 8, signed).iter().zip(bytes).map(|(x, y)| x * y).sum()
    } else {
        let skipped = if name == "__dp2a_hi" { 2 } else { 0 };
        split(a, 16, signed).iter().zip(&bytes[skipped..]).map(|(x, y)| x * y).sum()
    };
    join([i64::from(c) + products], 32)
}

/// `__vaddss4` and the like.
fn lanes(name: &str, a: u32, b: u32) -> u32 {
    let (operation, count) = name.strip_prefix("__v").unwrap().split_at(name.len() - 4);
    let width = 32 / count.parse::<u32>().unwrap();
    let signed = matches!(operation, "abs" | "neg") || (operation.ends_with('s') && !operation.ends_with("us"));
    let (x, y) = (split(a, width, signed), split(b, width, signed));
    let (low, high) = if signed { (-(1 << (width - 1)), (1 << (width - 1)) - 1) } else { (0, (1 << width) - 1) };
    let both = x.iter().copied().zip(y);
    if operation.starts_with("sad") {
        return u32::try_from(both.map(|(x, y)| (x - y).abs()).sum::<i64>()).unwrap();
    }
    let lane = |(x, y): (i64, i64)| match operation {
        "add" => x + y,
        "sub" => x - y,
        "neg" => -x,
        "negss" => (-x).clamp(low, high),
        "abs" if x == low => x,
        "abs" => x.abs(),
        "absss" => x.abs().clamp(low, high),
        "addss" | "addus" => (x + y).clamp(low, high),
        "subss" | "subus" => (x - y).clamp(low, high),
        "avgu" => (x + y + 1) >> 1,
        "avgs" if x + y < 0 => (x + y - 1) / 2,
        "avgs" => (x + y + 1) / 2,
        "haddu" => (x + y) >> 1,
        "absdiffs" | "absdiffu" => (x - y).abs(),
        "maxs" | "maxu" => x.max(y),
        "mins" | "minu" => x.min(y),
        _ => match (operation.strip_prefix("cmp"), operation.strip_prefix("set")) {
            (Some(relation), _) => -i64::from(holds(relation, x, y)),
            (_, Some(relation)) => i64::from(holds(relation, x, y)),
            _ => panic!("nobody knows what {name} is"),
        },
    };
    join(both.map(lane), width)
}

fn holds(relation: &str, x: i64, y: i64) -> bool {
    match relation.get(..2) {
        Some("eq") => x == y,
        Some("ne") => x != y,
        Some("ge") => x >= y,
        Some("gt") => x > y,
        Some("le") => x <= y,
        Some("lt") => x < y,
        _ => panic!("nobody knows what {relation} is"),
    }
}

/// `__viaddmax_s16x2_relu`, `__vibmin_u32` and the like.
fn three_operands(name: &str, [a, b, c]: [u32; 3]) -> [u32; 2] {
    let mut words = name.strip_prefix("__vi").unwrap().split('_');
    let (operation, kind) = (words.next().unwrap(), words.next().unwrap());
    let relu = words.next() == Some("relu");
    let signed = kind.starts_with('s');
    let width = if kind.ends_with("x2") { 16 } else { 32 };
    let parts = |word| split(word, width, signed);
    let choose = |x: i64, y: i64| if operation.contains("max") { x.max(y) } else { x.min(y) };
    let mut flags = 0;
    let mut results = Vec::new();
    for ((x, y), z) in parts(a).into_iter().zip(parts(b)).zip(parts(c)) {
        let sum = parts(join([x + y], width))[0];
        let result = match operation {
            "max" | "min" | "bmax" | "bmin" => choose(x, y),
            "max3" | "min3" => choose(choose(x, y), z),
            _ => choose(sum, z),
        };
        let first_wins = operation.starts_with('b') && choose(x, y) == x;
        // The upper half comes last and has the first flag.
        flags = flags << 1 | u32::from(first_wins);
        results.push(if relu { result.max(0) } else { result });
    }
    [join(results, width), flags]
}

const EDGES: [u32; 24] = [
    0,
    1,
    2,
    0x7f,
    0x80,
    0x81,
    0xff,
    0x7fff,
    0x8000,
    0x8001,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_ffff,
    0x7f7f_7f7f,
    0x8080_8080,
    0x8181_8181,
    0x0101_0101,
    0x8000_7fff,
    0x7fff_8000,
    0xff80_007f,
    0x7f00_80ff,
    0x0001_ffff,
];

fn inputs() -> Vec<[u32; 3]> {
    let mut inputs = Vec::new();
    for (at, a) in EDGES.into_iter().enumerate() {
        for (more, b) in EDGES.into_iter().enumerate() {
            inputs.push([a, b, EDGES[(at * 7 + more) % EDGES.len()]]);
        }
    }
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut word = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        u32::try_from(state >> 32).unwrap()
    };
    for _ in 0..4000 {
        let input = [word(), word(), word()];
        inputs.push(input);
        // Equal and neighbouring parts are rare among random words.
        inputs.push([input[0], input[0] ^ (input[1] & 0x0101_0101), input[2]]);
    }
    inputs
}

const HEAD: &str = r"
#include <cmath>
#include <cstdio>
#include <cstring>
#define __host__
#define __device__
#define __forceinline__ inline
struct char4 { signed char x, y, z, w; };
struct uchar4 { unsigned char x, y, z, w; };
struct short2 { short x, y; };
struct ushort2 { unsigned short x, y; };
struct float2 { float x, y; };
static float real(unsigned word) { float r; memcpy(&r, &word, 4); return r; }
static unsigned bits(float r) { unsigned word; memcpy(&word, &r, 4); return r != r ? 0x7fc00000u : word; }
template <class T> T halves(unsigned v) { T r; r.x = v; r.y = v >> 16; return r; }
template <class T> T bytes(unsigned v) { T r; r.x = v; r.y = v >> 8; r.z = v >> 16; r.w = v >> 24; return r; }
";

/// A program that reads words by threes and writes two words for each case.
fn program(cases: &[Case]) -> String {
    let names = plain().map(|intrinsic| &*intrinsic.cuda);
    let mut text = format!("{HEAD}{}", table().definitions(names));
    text.push_str("int main() {\n  unsigned in[3], out[2];\n  while (fread(in, 4, 3, stdin) == 3) {\n");
    text.push_str("    bool first, second;\n");
    for case in cases {
        writeln!(text, "    first = second = false; {} fwrite(out, 4, 2, stdout);", case.statement()).unwrap();
    }
    text.push_str("  }\n}\n");
    text
}

fn results(compiler: &Path, cases: &[Case], inputs: &[[u32; 3]]) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, binary) = (folder.join("intrinsics.cpp"), folder.join("intrinsics"));
    std::fs::write(&source, program(cases)).unwrap();
    let mut command = Command::new(compiler);
    command.args(["-std=c++17", "-O1", "-w", "-ffp-contract=off", "-o"]).args([&binary, &source]);
    let compiled = command.output().unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let mut child = Command::new(binary).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let bytes: Vec<u8> = inputs.iter().flatten().flat_map(|word| word.to_ne_bytes()).collect();
    let writer = std::thread::spawn(move || pipe.write_all(&bytes));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success());
    output.stdout
}

#[test]
fn definitions_compute_what_the_intrinsics_compute() {
    let Some(compiler) = common::host_compiler() else {
        eprintln!("not tested: no C++ compiler found");
        return;
    };
    let (cases, inputs) = (Case::all(), inputs());
    assert!(cases.len() > plain().count());
    let bytes = results(&compiler, &cases, &inputs);
    let words: Vec<u32> = bytes.chunks_exact(4).map(|word| u32::from_ne_bytes(word.try_into().unwrap())).collect();
    assert_eq!(words.len(), inputs.len() * cases.len() * 2);
    let mut pairs = words.chunks_exact(2);
    for input in inputs {
        for case in &cases {
            let (expected, computed) = (case.expected(input), pairs.next().unwrap());
            assert_eq!(computed, expected, "{} of {input:x?}, which returns {}", case.name, case.returns);
        }
    }
}
