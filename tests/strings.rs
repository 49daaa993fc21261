//! What becomes of string literals that name CUDA or hold device programs.

use crate::common;

use hipshift::diagnostic::{Applicability, Severity};
use hipshift::engine::Outcome;
use hipshift::settings::Settings;

fn run(text: &str, settings: &Settings) -> Outcome {
    common::convert(&common::document(text), settings)
}

/// What the setting for strings makes of a text.
#[track_caller]
fn check_converted(before: &str, after: &str) {
    let settings = Settings { strings: true, ..Settings::default() };
    let converted = run(before, &settings).patch.apply(before);
    assert_eq!(converted, after);
    let again = run(&converted, &settings).patch.apply(&converted);
    assert_eq!(again, converted, "converting twice must change nothing");
}

/// What rule `A010` finds without that setting.
#[track_caller]
fn check_findings(text: &str, expected: &[(Severity, &str)]) {
    let outcome = run(text, &Settings::default());
    assert_eq!(outcome.patch.apply(text), text);
    let found: Vec<_> = outcome.remaining.iter().filter(|d| d.rule.code == "A010").collect();
    let seen: Vec<_> = found.iter().map(|d| (d.severity, d.message.as_str())).collect();
    let fits = seen.len() == expected.len()
        && seen.iter().zip(expected).all(|(seen, wanted)| seen.0 == wanted.0 && seen.1.contains(wanted.1));
    assert!(fits, "expected {expected:#?}\nfound {seen:#?}");
}

#[test]
fn names_that_are_looked_up_are_reported() {
    use Severity::{Info, Warning};
    check_findings("p = dlsym(lib, \"cuInit\");", &[(Warning, "`cuInit` is `hipInit` in HIP")]);
    check_findings("p = (F)GetProcAddress(lib, \"cuMemAlloc_v2\");", &[(Warning, "is `hipMalloc` in HIP")]);
    check_findings("Entry e = {\"cuInit\", &init};", &[(Info, "`cuInit` is `hipInit` in HIP")]);
    check_findings("h = dlopen(\"libcuda.so.1\", 1);", &[(Warning, "is a library of CUDA's")]);
}

#[test]
fn messages_are_plain_text() {
    for text in [
        "printf(\"cudaMalloc failed\");",
        "puts(\"the kernel must be __global__\");",
        "puts(\"needs sm_70\");",
        "puts(\"cudaStream_t\");",
        "#include \"cudaMalloc\"\n",
        "puts(\"-archive=x\");",
        "puts(\"cudaMalloc\" \" failed\");",
    ] {
        let settings = Settings::default();
        let found: Vec<_> = run(text, &settings).remaining.into_iter().filter(|d| d.rule.code == "A010").collect();
        assert_eq!(found, [], "{text}");
    }
}

#[test]
fn options_of_the_compiler_are_reported() {
    let warned = |text: &str| check_findings(text, &[(Severity::Warning, "is an option of NVIDIA's compilers")]);
    warned("const char* o[] = {\"--gpu-architecture=compute_80\"};");
    warned("const char* o[] = {\"-arch=sm_70\"};");
    warned("sprintf(o, \"--gpu-architecture=compute_%d%d\", a, b);");
    warned("const char* o[] = {\"--use_fast_math\"};");
}

#[test]
fn device_programs_are_reported() {
    let message = "program text for run-time compilation was not converted";
    check_findings("s = R\"(__global__ void f() {})\";", &[(Severity::Warning, message)]);
    check_findings("s = \"extern \\\"C\\\" __global__\\n\"\n\"void f() {}\\n\";", &[(Severity::Warning, message)]);
}

#[test]
fn device_programs_are_converted_on_request() {
    check_converted(
        "s = R\"(\n#include <cuda_fp16.h>\n#ifdef __CUDACC_RTC__\n__global__ void f(cudaError_t* e) { *e = \
         cudaSuccess; }\n#endif\n)\";",
        "s = R\"(\n#include <hip/hip_fp16.h>\n#ifdef __HIPCC_RTC__\n__global__ void f(hipError_t* e) { *e = \
         hipSuccess; }\n#endif\n)\";",
    );
    check_converted(
        "s = \"#include <cuda_fp16.h>\\n\"\n    \"__global__ void f(cudaError_t* e) \\n{ *e =\\tcudaSuccess; \"\n\
         \"puts(\\\"cudaSuccess\\\"); }\\n\";",
        "s = \"#include <hip/hip_fp16.h>\\n\"\n    \"__global__ void f(hipError_t* e) \\n{ *e =\\thipSuccess; \"\n\
         \"puts(\\\"cudaSuccess\\\"); }\\n\";",
    );
    let other = "puts(\"cudaSuccess\");";
    check_converted(other, other);
}

/// A file that writes a program does so in pieces, and not each of them is a function.
#[test]
fn pieces_of_a_program_are_reported_and_converted_on_request() {
    const PROGRAM: &str = "s << \"__global__ void f\" << n << \"(int* p) {}\\n\";\n";
    let program = (Severity::Warning, "program text for run-time compilation was not converted");
    let piece = |text: &'static str| (Severity::Warning, text);
    let with = |text: &str| format!("{PROGRAM}{text}");
    check_findings(
        &with("s << \"void l\" << n << \"(const A& a, cudaStream_t s);\\n\";"),
        &[program, piece("`cudaStream_t` in a piece of a program is `hipStream_t`")],
    );
    check_findings(
        &with("s << \"#include <cuda_runtime.h>\\n\";"),
        &[program, piece("`cuda_runtime.h` in a piece of a program is `hip/hip_runtime.h`")],
    );
    check_findings(
        &with("s << \"{ cudaGraphKernelNodeGetAttribute(n); cudaEGLStreamConsumerConnect(a, b); }\";"),
        &[
            program,
            piece("`cudaGraphKernelNodeGetAttribute` in"),
            piece("`cudaEGLStreamConsumerConnect` does not exist"),
        ],
    );
    for text in
        ["puts(\"cudaFree failed; stop\");", "puts(\"cudaStream_t\");", "puts(\"cudaFree(p)\");", "puts(\"x; y\");"]
    {
        check_findings(&with(text), &[program]);
    }
    // Without a program beside it, nothing says what it is for.
    check_findings("puts(\"f(cudaStream_t s);\");", &[]);
    check_converted(
        &with("s << \"(cudaStream_t s);\\n\" << R\"(#include <cuda.h>\n)\";"),
        &with("s << \"(hipStream_t s);\\n\" << R\"(#include <hip/hip_runtime.h>\n)\";"),
    );
}

#[test]
fn what_a_literal_cannot_hold_is_left_to_a_person() {
    let text = "s = \"__global__ void f() {}\\n#include <cuda.h>\\n#include <cuda_runtime.h>\\n\";";
    let settings = Settings { strings: true, ..Settings::default() };
    let outcome = run(text, &settings);
    let converted = "s = \"__global__ void f() {}\\n#include <hip/hip_runtime.h>\\n#include <cuda_runtime.h>\\n\";";
    assert_eq!(outcome.patch.apply(text), converted);
    let notes: Vec<_> = outcome.remaining.iter().flat_map(|diagnostic| &diagnostic.notes).collect();
    assert!(notes.iter().any(|note| note.contains("cannot be written into this text")), "{notes:?}");
}

#[test]
fn names_in_strings_have_an_unsafe_fix() {
    let settings = Settings { applicability: Applicability::Unsafe, ..Settings::default() };
    let text = "p = dlsym(lib, \"cuInit\");";
    assert_eq!(run(text, &settings).patch.apply(text), "p = dlsym(lib, \"hipInit\");");
}
