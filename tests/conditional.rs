//! What becomes of conditional compilation, combination by combination.

use crate::common;

use hipshift::diagnostic::{Applicability, Severity};
use hipshift::engine::Outcome;
use hipshift::settings::Settings;

fn run(text: &str, settings: &Settings) -> Outcome {
    common::convert(&common::document(text), settings)
}

fn settings(applicability: Applicability) -> Settings {
    let mut settings = Settings { applicability, ..Settings::default() };
    // Only the group of this file, so that the snippets need no includes.
    settings.rules.select = vec!["C".to_owned()];
    settings
}

#[track_caller]
fn check_with(applicability: Applicability, before: &str, after: &str) {
    let settings = settings(applicability);
    let converted = run(before, &settings).patch.apply(before);
    assert_eq!(converted, after);
    let again = run(&converted, &settings).patch.apply(&converted);
    assert_eq!(again, converted, "converting twice must change nothing");
}

/// What the safe fixes make of a text.
#[track_caller]
fn check_converted(before: &str, after: &str) {
    check_with(Applicability::Safe, before, after);
}

/// What a condition becomes.
#[track_caller]
fn check_condition(before: &str, after: &str) {
    check_converted(&format!("{before}\n#endif\n"), &format!("{after}\n#endif\n"));
}

/// What a condition becomes with unsafe fixes.
#[track_caller]
fn check_unsafe(before: &str, after: &str) {
    check_condition(before, before);
    check_with(Applicability::Unsafe, &format!("{before}\n#endif\n"), &format!("{after}\n#endif\n"));
}

/// What is left to report after safe fixes: code and the words that matter.
#[track_caller]
fn check_remaining(text: &str, expected: &[(&str, Severity, &str)]) {
    let remaining = run(text, &settings(Applicability::Safe)).remaining;
    let seen: Vec<_> = remaining.iter().map(|d| (d.rule.code, d.severity, d.message.as_str())).collect();
    let fits = seen.len() == expected.len()
        && seen
            .iter()
            .zip(expected)
            .all(|(seen, wanted)| (seen.0, seen.1) == (wanted.0, wanted.1) && seen.2.contains(wanted.2));
    assert!(fits, "expected {expected:#?}\nfound {seen:#?}");
}

#[test]
fn compiler_macros_are_renamed() {
    check_condition("#ifdef __CUDACC__", "#ifdef __HIPCC__");
    check_condition("#ifndef __NVCC__", "#ifndef __HIPCC__");
    check_condition("#if defined __NVCC__ && X", "#if defined __HIPCC__ && X");
    check_condition("#if __CUDACC__", "#if __HIPCC__");
    check_condition("#ifdef __CUDACC_RTC__", "#ifdef __HIPCC_RTC__");
    check_condition("#if A \\\n && defined(__CUDACC__)", "#if A \\\n && defined(__HIPCC__)");
    check_converted("#if A\n#elif defined(__CUDACC__)\n#endif\n", "#if A\n#elif defined(__HIPCC__)\n#endif\n");
    check_converted("#define IS_CUDA __CUDACC__\n", "#define IS_CUDA __HIPCC__\n");
    check_condition("#ifdef _WIN32", "#ifdef _WIN32");
    check_condition("#if defined(USE_CUDA) && defined(CUDA_FOUND)", "#if defined(USE_CUDA) && defined(CUDA_FOUND)");
    check_remaining("#if defined(USE_CUDA) && defined(CUDA_FOUND)\n#endif\n", &[]);
}

#[test]
fn tests_of_the_device_pass_are_renamed() {
    check_condition("#ifdef __CUDA_ARCH__", "#ifdef __HIP_DEVICE_COMPILE__");
    check_condition("#ifndef __CUDA_ARCH__", "#ifndef __HIP_DEVICE_COMPILE__");
    check_condition("#if !defined(__CUDA_ARCH__)", "#if !defined(__HIP_DEVICE_COMPILE__)");
    check_condition("#if __CUDA_ARCH__", "#if __HIP_DEVICE_COMPILE__");
    check_condition("#if !__CUDA_ARCH__ || X", "#if !__HIP_DEVICE_COMPILE__ || X");
    check_condition("#if __CUDA_ARCH__ > 0", "#if __HIP_DEVICE_COMPILE__ > 0");
    check_condition(
        "#if defined(__CUDACC__) && defined(__CUDA_ARCH__)",
        "#if defined(__HIPCC__) && defined(__HIP_DEVICE_COMPILE__)",
    );
    check_converted(
        "#define ON_DEVICE defined(__CUDA_ARCH__)\n",
        "#define ON_DEVICE defined(__HIP_DEVICE_COMPILE__)\n",
    );
}

#[test]
fn switches_of_headers_are_renamed() {
    check_converted("#undef __CUDA_NO_HALF_OPERATORS__\n", "#undef __HIP_NO_HALF_OPERATORS__\n");
    check_converted("#define __CUDA_NO_HALF_CONVERSIONS__ 1\n", "#define __HIP_NO_HALF_CONVERSIONS__ 1\n");
    check_remaining(
        "#undef __CUDA_NO_HALF2_OPERATORS__\n",
        &[("C007", Severity::Info, "`__CUDA_NO_HALF2_OPERATORS__` has no effect in HIP")],
    );
}

#[test]
fn numbers_of_gpus_stay_and_are_explained() {
    check_condition("#if __CUDA_ARCH__ >= 700", "#if __CUDA_ARCH__ >= 700");
    check_remaining(
        "#if __CUDA_ARCH__ >= 700\n#endif\n",
        &[(
            "C002",
            Severity::Warning,
            "so this condition is false on AMD GPUs: the code for sm_70 and later is left out",
        )],
    );
    check_remaining(
        "#if 700 > __CUDA_ARCH__\n#endif\n",
        &[("C002", Severity::Warning, "is true on AMD GPUs: the code for what is older than sm_70 is compiled")],
    );
    check_remaining(
        "#define VOLTA 700\n#if __CUDA_ARCH__ == VOLTA\n#endif\n",
        &[("C002", Severity::Info, "is false on AMD GPUs: the code for sm_70 is left out")],
    );
    check_remaining(
        "#if __CUDA_ARCH__ >= CC_VOLTA\n#endif\n",
        &[("C002", Severity::Warning, "is undefined in HIP, and counts as 0 in this condition")],
    );
    check_remaining(
        "#if !(__CUDA_ARCH__ >= 800)\n#endif\n",
        &[("C002", Severity::Warning, "is true on AMD GPUs: its branch is compiled")],
    );
}

#[test]
fn presence_beside_a_number_stays() {
    for condition in [
        "defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600",
        "!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600",
        "defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800",
        "defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 700)",
        "(!defined(__CUDA_ARCH__) || (__CUDA_ARCH__ >= 900))",
        "__CUDA_ARCH__ && __CUDA_ARCH__ < 700",
    ] {
        check_condition(&format!("#if {condition}"), &format!("#if {condition}"));
    }
    check_condition(
        "#if defined(__CUDACC__) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600)",
        "#if defined(__HIPCC__) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600)",
    );
}

#[test]
fn the_guard_of_the_classic_atomic_add_is_right_as_it_is() {
    let polyfill = "__device__ double atomicAdd(double* p, double x) { return x; }";
    let modern = format!("#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600\n#else\n{polyfill}\n#endif\n");
    check_with(Applicability::Unsafe, &modern, &modern);
    check_remaining(
        &modern,
        &[("C002", Severity::Info, "is true on AMD GPUs: the code for sm_60 and later is compiled")],
    );
    let older = format!("#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600\n{polyfill}\n#endif\n");
    check_with(Applicability::Unsafe, &older, &older);
    check_remaining(
        &older,
        &[("C002", Severity::Info, "is false on AMD GPUs: the code for what is older than sm_60 is left out")],
    );
}

#[test]
fn functions_of_hips_headers_are_not_defined_again() {
    let polyfill = "__device__ double atomicAdd(double* p, double x) { return x; }";
    check_converted(
        &format!("#if __CUDA_ARCH__ < 600\n{polyfill}\n#endif\n"),
        &format!("#if !defined(__HIPCC__) && __CUDA_ARCH__ < 600\n{polyfill}\n#endif\n"),
    );
    check_converted(
        &format!("#ifdef __CUDA_ARCH__\n#if __CUDA_ARCH__ < 600 || __CUDA_ARCH__ == 0\n{polyfill}\n#endif\n#endif\n"),
        &format!(
            "#ifdef __HIP_DEVICE_COMPILE__\n#if !defined(__HIPCC__) && (__CUDA_ARCH__ < 600 || __CUDA_ARCH__ == 0)\n\
             {polyfill}\n#endif\n#endif\n"
        ),
    );
    check_converted(
        &format!("#if __CUDA_ARCH__ >= 600\n#else\n{polyfill}\n#endif\n"),
        &format!("#if defined(__HIPCC__) || __CUDA_ARCH__ >= 600\n#else\n{polyfill}\n#endif\n"),
    );
    check_converted(
        "#if CUDART_VERSION < 9000\n__device__ int __shfl_sync(int m, int x, int l) { return x; }\n#endif\n",
        "#if !defined(__HIPCC__) && CUDART_VERSION < 9000\n\
         __device__ int __shfl_sync(int m, int x, int l) { return x; }\n#endif\n",
    );
    let other = "#if __CUDA_ARCH__ < 600\n__device__ double myAtomicAdd(double* p, double x) { return x; }\n#endif\n";
    check_converted(other, other);
}

#[test]
fn numbers_that_amd_gpus_reach_have_an_unsafe_fix() {
    check_unsafe("#if __CUDA_ARCH__ >= 600", "#if defined(__HIP_DEVICE_COMPILE__)");
    check_unsafe("#if (__CUDA_ARCH__ >= 530)", "#if defined(__HIP_DEVICE_COMPILE__)");
    check_unsafe("#if __CUDA_ARCH__ < 350", "#if !defined(__HIP_DEVICE_COMPILE__)");
    check_unsafe("#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 600", "#if defined(__HIP_DEVICE_COMPILE__)");
    check_unsafe("#if X && __CUDA_ARCH__ >= 600", "#if X && defined(__HIP_DEVICE_COMPILE__)");
    check_unsafe(
        "#if !defined(X) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 300)",
        "#if !defined(X) && (!defined(__HIP_DEVICE_COMPILE__) || !defined(__HIP_DEVICE_COMPILE__))",
    );
    check_unsafe("#if __CUDA_ARCH__ >= 700", "#if __CUDA_ARCH__ >= 700");
    check_unsafe("#if __CUDA_ARCH__ >= 600 && __CUDA_ARCH__ < 800", "#if __CUDA_ARCH__ >= 600 && __CUDA_ARCH__ < 800");
    check_unsafe("#if __CUDA_ARCH__ / 100 >= 6", "#if __CUDA_ARCH__ / 100 >= 6");
}

#[test]
fn numbers_of_gpus_in_code_are_errors() {
    check_remaining(
        "__device__ void f() { if (__CUDA_ARCH__ >= 700) g(); }",
        &[("C002", Severity::Error, "does not compile")],
    );
    check_remaining("#define HAS_X (__CUDA_ARCH__ >= 600)\n", &[("C002", Severity::Warning, "counts as 0")]);
    check_converted("#define ARCH __CUDA_ARCH__\n", "#define ARCH __CUDA_ARCH__\n");
}

#[test]
fn conditions_that_name_hip_stay() {
    for text in [
        "#if defined(__CUDACC__) || defined(__HIPCC__)\n#endif\n",
        "#if defined(__CUDACC__) && !defined(__HIPCC__)\n#endif\n",
        "#ifdef __CUDACC__\n#elif defined(__HIPCC__)\n#else\n#endif\n",
        "#if defined(__HIPCC__)\n#elif defined(__CUDACC__)\n#endif\n",
        "#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)\n#endif\n",
        "#if defined(__CUDA_ARCH__) || defined(USE_ROCM)\n#endif\n",
        "#if !defined(GGML_USE_HIP) && __CUDA_ARCH__ >= 800\n#endif\n",
        "#if CUDA_VERSION >= 10000 || defined(USE_ROCM)\n#endif\n",
        "#if __CUDA_ARCH__ >= 800\n#elif defined(__gfx90a__)\n#endif\n",
    ] {
        check_with(Applicability::Unsafe, text, text);
        check_remaining(text, &[("C003", Severity::Hint, "was left as it is")]);
    }
}

#[test]
fn a_branch_for_hip_that_cannot_be_reached_is_reported() {
    check_remaining(
        "#ifndef __CUDACC__\n#elif defined(__HIPCC__)\n#endif\n",
        &[("C003", Severity::Warning, "`__CUDACC__` was left as it is")],
    );
    check_remaining(
        "#if CUDART_VERSION < 11000\n#elif defined(__HIPCC__)\n#endif\n",
        &[("C006", Severity::Warning, "is true on AMD GPUs")],
    );
}

#[test]
fn branches_of_hip_do_not_hinder_the_rest() {
    check_converted(
        "#ifdef __HIPCC__\nint a;\n#else\n#ifdef __CUDACC__\nint b;\n#endif\n#endif\n",
        "#ifdef __HIPCC__\nint a;\n#else\n#ifdef __HIPCC__\nint b;\n#endif\n#endif\n",
    );
}

#[test]
fn versions_have_an_unsafe_fix_that_cuda_12_decides() {
    check_unsafe("#if CUDART_VERSION >= 11000", "#if defined(__HIP_PLATFORM_AMD__) || CUDART_VERSION >= 11000");
    check_unsafe("#if CUDART_VERSION < 9000", "#if !defined(__HIP_PLATFORM_AMD__) && CUDART_VERSION < 9000");
    check_unsafe(
        "#if defined(CUDA_VERSION) && CUDA_VERSION >= 9000",
        "#if defined(__HIP_PLATFORM_AMD__) || (defined(CUDA_VERSION) && CUDA_VERSION >= 9000)",
    );
    check_unsafe(
        "#if defined(X) && CUDART_VERSION >= 10000",
        "#if defined(X) && (defined(__HIP_PLATFORM_AMD__) || CUDART_VERSION >= 10000)",
    );
    check_unsafe(
        "#if __CUDACC_VER_MAJOR__ > 9 || (__CUDACC_VER_MAJOR__ == 9 && __CUDACC_VER_MINOR__ >= 2)",
        "#if defined(__HIPCC__) || __CUDACC_VER_MAJOR__ > 9 || (__CUDACC_VER_MAJOR__ == 9 && __CUDACC_VER_MINOR__ >= 2)",
    );
    check_unsafe("#ifdef CUDART_VERSION", "#if defined(__HIP_PLATFORM_AMD__) || defined(CUDART_VERSION)");
    check_unsafe("#ifndef CUDA_VERSION", "#if !defined(__HIP_PLATFORM_AMD__) && !defined(CUDA_VERSION)");
    for open in
        ["CUDART_VERSION >= 12080", "CUDNN_VERSION >= 8000", "CUDART_VERSION == 12000", "CUDART_VERSION >= 13000"]
    {
        check_unsafe(&format!("#if {open}"), &format!("#if {open}"));
    }
}

#[test]
fn versions_say_which_branch_is_taken() {
    check_remaining(
        "#if CUDART_VERSION >= 11020\n#endif\n",
        &[("C006", Severity::Warning, "is false on AMD GPUs: the code for CUDA 11.2 and later is left out")],
    );
    check_remaining(
        "#if CUDART_VERSION >= 13000\n#endif\n",
        &[("C006", Severity::Info, "is false on AMD GPUs: the code for CUDA 13.0 and later is left out")],
    );
    check_remaining(
        "#if !defined(__CUDA_ARCH__) && CUDART_VERSION < 9000\n#endif\n",
        &[("C006", Severity::Warning, "so this condition is true on the host side only")],
    );
    check_remaining("#define NEW (CUDA_VERSION >= 11000)\n", &[("C006", Severity::Warning, "counts as 0")]);
    check_remaining("int v = CUDART_VERSION;", &[("C006", Severity::Error, "does not compile")]);
    check_remaining("#if NCCL_VERSION_CODE >= 2700 && THRUST_VERSION > 100000\n#endif\n", &[]);
    check_remaining("#ifndef CUDA_VERSION\n#define CUDA_VERSION 0\n#endif\nint v = CUDA_VERSION;", &[]);
}

#[test]
fn other_macros_of_cuda_are_reported() {
    check_remaining(
        "#ifdef __CUDA_ARCH_FEAT_SM90_ALL\n#endif\n",
        &[("C007", Severity::Info, "`__CUDA_ARCH_FEAT_SM90_ALL` is undefined in HIP, so this condition is false")],
    );
    check_remaining(
        "#ifdef __INTELLISENSE__\n#define __CUDACC__\n#endif\n",
        &[("C001", Severity::Warning, "the file sets `__CUDACC__` itself")],
    );
}

#[test]
fn the_register_keyword_goes() {
    check_converted("void f() { register int x = 1; }", "void f() { int x = 1; }");
    check_converted("#define FOR(i) for (register int i = 0;;)\n", "#define FOR(i) for (int i = 0;;)\n");
    for text in ["register int sp asm(\"sp\");", "x.register(1);", "// register int x\n", "#define register\n"] {
        check_converted(text, text);
    }
}

#[test]
fn compute_capabilities_are_reported() {
    let warned = |text: &str, message: &str| check_remaining(text, &[("C005", Severity::Warning, message)]);
    warned("bool f(cudaDeviceProp& p) { return p.major >= 7; }", "`major`");
    warned("bool f(cudaDeviceProp* prop) { return 7 <= prop->major; }", "`major`");
    warned("int f(cudaDeviceProp props[]) { return props[0].minor == 5; }", "`minor`");
    warned("cudaDeviceProp prop; int cc = 10 * prop.major;", "`major`");
    warned("int g = cudaDeviceGetAttribute(&v, cudaDevAttrComputeCapabilityMajor, 0);", "compute capability");
    for text in [
        "struct Version { int major; }; bool f(Version v) { return v.major >= 7; }",
        "cudaDeviceProp prop; bool f(Version v) { return v.major >= 7; }",
        "cudaDeviceProp prop; void f() { printf(\"%d.%d\", prop.major, prop.minor); }",
        "cudaDeviceProp prop; bool f() { return prop.multiProcessorCount > 8; }",
    ] {
        check_remaining(text, &[]);
    }
}
