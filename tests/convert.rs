//! What conversion makes of text that is hard to read: launches in odd places, odd bytes, broken code.

use crate::common;

use std::fmt::Write as _;

use crate::common::{converted, read};
use hipshift::settings::Settings;
use hipshift::source::SourceFile;
use hipshift::syntax::Document;

#[test]
fn trouble() {
    insta::glob!("../fixtures/convert/trouble", "*.cu", |path| {
        let document = read(path);
        let outcome = common::convert(&document, &Settings::default());
        let text = outcome.patch.apply(document.text());
        let bytes = document.file().encode(&text);
        let mut shown = visible(&bytes);
        for finding in &outcome.remaining {
            let at = document.position(finding.range.start());
            let _ = writeln!(shown, "{}:{} {}: {}", at.line, at.column, finding.rule.name, finding.message);
        }
        insta::with_settings!({ omit_expression => true }, {
            insta::assert_snapshot!(shown);
        });
    });
}

/// Bytes as lines of ASCII in which every byte can be told from the others.
fn visible(bytes: &[u8]) -> String {
    let mut shown = String::new();
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let escaped = line.escape_ascii().to_string();
        let plain = escaped.replace("\\\"", "\"").replace("\\'", "'").replace("\\\\", "\\");
        let ends = plain.strip_suffix("\\n");
        shown.push_str(ends.unwrap_or(&plain));
        shown.push_str(if ends.is_some() { "\n" } else { "<no line end>\n" });
    }
    shown.push_str("----\n");
    shown
}

#[test]
fn bytes_outside_edits_survive() {
    for path in common::files_below("fixtures", &["cu", "cuh", "h"]) {
        let document = read(&path);
        assert_eq!(*document.file().encode(document.text()), *std::fs::read(&path).unwrap());
        let outcome = common::convert(&document, &Settings::default());
        assert_survival(&document, &outcome.patch.render(document.text()));
    }
}

#[track_caller]
fn assert_survival(document: &Document, rendered: &hipshift::source::Rendered) {
    for (at, byte) in document.text().bytes().enumerate() {
        let Some(output) = rendered.to_output(u32::try_from(at).unwrap().into()) else { continue };
        assert_eq!(rendered.text.as_bytes()[usize::from(output)], byte, "byte {at} of {}", document.file().path);
    }
}

#[test]
fn converting_again_changes_nothing() {
    for path in common::files_below("fixtures", &["cu", "cuh", "h"]) {
        let document = read(&path);
        let once = common::convert(&document, &Settings::default()).patch.apply(document.text());
        let twice = converted(&once);
        assert_eq!(twice, once, "{}", common::shown(&path));
    }
}

/// What becomes of a statement in a host function.
#[track_caller]
fn check(before: &str, after: &str) {
    let wrap = |statement: &str| format!("#include <hip/hip_runtime.h>\nvoid f() {{ {statement} }}\n");
    assert_eq!(converted(&wrap(before)), wrap(after));
}

#[test]
fn missing_configuration_becomes_zero() {
    check("k<<<g, b>>>(x);", "hipLaunchKernelGGL(k, dim3(g), dim3(b), 0, 0, x);");
    check("k<<<g, b, m>>>(x);", "hipLaunchKernelGGL(k, dim3(g), dim3(b), m, 0, x);");
    check("k<<<g, b, m, s>>>(x);", "hipLaunchKernelGGL(k, dim3(g), dim3(b), m, s, x);");
    check("k<<<g, b>>>();", "hipLaunchKernelGGL(k, dim3(g), dim3(b), 0, 0);");
}

#[test]
fn commas_of_templates_are_kept_from_the_macro() {
    check("k<A, B><<<g, b>>>(x);", "hipLaunchKernelGGL(HIP_KERNEL_NAME(k<A, B>), dim3(g), dim3(b), 0, 0, x);");
    check("k<A><<<g, b>>>(x);", "hipLaunchKernelGGL(k<A>, dim3(g), dim3(b), 0, 0, x);");
    check("k<f(1, 2)><<<g, b>>>(x);", "hipLaunchKernelGGL(k<f(1, 2)>, dim3(g), dim3(b), 0, 0, x);");
    check("k<<<g, b, f<A, B>()>>>(x);", "hipLaunchKernelGGL(k, dim3(g), dim3(b), (f<A, B>()), 0, x);");
}

#[test]
fn angle_brackets_are_told_apart() {
    check("k<A<B<C>>><<<g, b>>>(x);", "hipLaunchKernelGGL(k<A<B<C>>>, dim3(g), dim3(b), 0, 0, x);");
    check("k<<<a << 1, b >> 1>>>(x);", "hipLaunchKernelGGL(k, dim3(a << 1), dim3(b >> 1), 0, 0, x);");
    check("k<<<f<A<B<C>>>(n), b>>>(x);", "hipLaunchKernelGGL(k, dim3(f<A<B<C>>>(n)), dim3(b), 0, 0, x);");
    check("k<<<a < c ? 1 : 2, b>>>(x);", "hipLaunchKernelGGL(k, dim3(a < c ? 1 : 2), dim3(b), 0, 0, x);");
}

#[test]
fn a_launch_within_an_expression_keeps_its_chevrons() {
    check("b ? k<<<1, 2>>>(x) : l<<<1, 2>>>(x);", "b ? k<<<1, 2>>>(x) : l<<<1, 2>>>(x);");
    check("return k<<<1, 2>>>(x);", "return k<<<1, 2>>>(x);");
    check("G(st, (k<<<b, t, 0, s>>>), x);", "G(st, (k<<<b, t, 0, s>>>), x);");
}

#[test]
fn names_within_a_kept_launch_are_renamed() {
    check("return k<<<1, 2, 0, cudaStreamPerThread>>>(x);", "return k<<<1, 2, 0, hipStreamPerThread>>>(x);");
}

/// Other compilers read such a header, too, and may not know where HIP's headers are.
#[test]
fn headers_with_device_code_for_gpu_compilers_alone_stay_for_others() {
    let guarded = "#ifdef __HIPCC__\n#include <hip/hip_runtime.h>\n#endif\n";
    let with_headers =
        "#if defined(__HIPCC__) || defined(__HIP_PLATFORM_AMD__)\n#include <hip/hip_runtime.h>\n#endif\n";
    let check = |name: &str, text: &str, line: &str| {
        let document = Document::new(SourceFile::from_text(name, text));
        let result = common::convert(&document, &Settings::default()).patch.apply(text);
        assert_eq!(result.contains("hip_runtime.h"), !line.is_empty(), "{name}: {result}");
        assert!(result.contains(line), "{name}: {result}");
        assert_eq!(result.contains("defined(__HIP_PLATFORM_AMD__)"), line == with_headers, "{name}: {result}");
        assert_eq!(result.contains(guarded), line == guarded, "{name}: {result}");
        let again = Document::new(SourceFile::from_text(name, &result));
        assert_eq!(common::convert(&again, &Settings::default()).patch.apply(&result), result, "a second time");
    };
    let switch = |condition: &str| format!("{condition}\n#define HD __host__ __device__\n#else\n#define HD\n#endif\n");
    for condition in ["#ifdef __CUDACC__", "#if defined(__NVCC__)", "#if defined(__CUDACC__) && LEVEL > 2"] {
        check("option.h", &switch(condition), guarded);
        check("option.cuh", &switch(condition), guarded);
    }
    check("option.h", "#ifndef __CUDACC__\n#define HD\n#else\n#define HD __device__\n#endif\n", guarded);
    check("option.h", "#if !defined(__CUDACC__)\n#elif 1\n#define HD __device__\n#endif\n", guarded);
    check("kernel.h", "#ifdef __CUDACC__\n__global__ void f(int *p) { *p = 1; }\n#endif\n", guarded);
    // A macro is nothing before it is used, by code that others read with CUDA's headers in front.
    check("wide.h", &switch("#ifdef USE_GPU"), with_headers);
    check("either.h", &switch("#if defined(__CUDACC__) || defined(USE_GPU)"), with_headers);
    // What others read as well needs the header for them, too.
    let plain = "#include <hip/hip_runtime.h>\n";
    check("both.h", &format!("{}cudaError_t f();\n", switch("#ifdef __CUDACC__")), plain);
    check("used.h", &format!("{}HD void f() {{ __syncthreads(); }}\n", switch("#ifdef USE_GPU")), plain);
    check("option.cu", &switch("#ifdef __CUDACC__"), plain);
}

/// The definitions that take the place of intrinsics are device code, too.
#[test]
fn definitions_for_gpu_compilers_alone_stay_away_from_others() {
    let guarded = "#ifdef __HIPCC__\n#ifndef HIPSHIFT_";
    let used = "__device__ long long f(float x) { return __float2ll_rn(x); }\n";
    for (name, text, is_guarded) in [
        ("a.h", format!("#ifdef __CUDACC__\n{used}#endif\nint g(void);\n"), true),
        ("a.cuh", format!("#if defined(__CUDACC__)\n{used}#else\nint g();\n#endif\n"), true),
        ("a.h", format!("#ifdef __CUDACC__\n{used}#endif\n#define F(x) __float2ll_rn(x)\n"), true),
        ("a.h", format!("#include <cuda_runtime.h>\n{used}#define F(x) __float2ll_rn(x)\n"), false),
        ("a.h", used.to_owned(), false),
        ("a.cu", format!("#ifdef __CUDACC__\n{used}#endif\n"), false),
    ] {
        let document = Document::new(SourceFile::from_text(name, &text));
        let result = common::convert(&document, &Settings::default()).patch.apply(&text);
        assert!(result.contains("#ifndef HIPSHIFT_"), "{name}: {result}");
        assert_eq!(result.contains(guarded), is_guarded, "{name}: {result}");
        let again = Document::new(SourceFile::from_text(name, &result));
        assert_eq!(common::convert(&again, &Settings::default()).patch.apply(&result), result, "a second time");
    }
}
