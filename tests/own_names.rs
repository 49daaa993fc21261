//! What files of a project mean for each other: names of CUDA's that one declares and others use, names that macros of one make in
//! others, and files within others.

use crate::common::folder::{Folder, hipshift};

/// Converts a project, and returns what a file of it became.
fn converted(files: &[(&str, &str)], path: &str) -> String {
    let folder = Folder::new(files);
    let output = hipshift(&folder, &["convert", ".", "--in-place"]);
    assert!(output.status.code().is_some_and(|code| code < 2), "{}", String::from_utf8_lossy(&output.stderr));
    folder.read(path)
}

const MOCK: &str = "#pragma once\n#include <stdlib.h>\ntypedef int cudaError_t;\n\
                    inline int cudaFree(void* p) { free(p); return 0; }\n";
const USE: &str = "void release(void* p) { cudaFree(p); }\n";

#[test]
fn a_header_declares_names_for_those_who_include_it() {
    let real = format!("#include <cuda_runtime.h>\n{USE}");
    let mocked = format!("#include \"mock/all.h\"\n{USE}");
    let files = [
        ("tests/mock/cuda.h", MOCK),
        // Nothing in it speaks of CUDA.
        ("tests/mock/all.h", "#include \"cuda.h\"\n"),
        ("src/real.cu", real.as_str()),
        ("tests/mocked.cu", mocked.as_str()),
    ];
    assert!(converted(&files, "src/real.cu").contains("hipFree(p)"));
    assert!(converted(&files, "tests/mocked.cu").contains("cudaFree(p)"));
}

#[test]
fn what_a_macro_includes_is_not_clear() {
    let open = format!("#include HEADER\n{USE}");
    let folder = Folder::new(&[("mock.h", MOCK), ("a.cu", &open)]);
    let output = hipshift(&folder, &["lint", "a.cu", "mock.h"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("A025") && text.contains("`cudaFree` is CUDA's or a function of another source"), "{text}");
}

#[test]
fn names_that_a_header_takes_over_from_cuda_are_cudas() {
    let header = "#pragma once\n#include <cuda_runtime.h>\nnamespace lib { using ::cudaFree; }\n";
    let files = [("lib.h", header), ("a.cu", "#include \"lib.h\"\nvoid release(void* p) { lib::cudaFree(p); }\n")];
    assert!(converted(&files, "a.cu").contains("lib::hipFree(p)"));
    // Near miss: a function of the namespace's own.
    let own = header.replace("using ::cudaFree;", "inline int cudaFree(void*) { return 0; }");
    assert!(converted(&[("lib.h", own.as_str()), files[1]], "a.cu").contains("lib::cudaFree(p)"));
}

#[test]
fn names_of_a_header_by_using_are_its_own() {
    let header = "#pragma once\nnamespace lib { inline int cudaFree(void*) { return 0; } }\nnamespace app { using lib::cudaFree; }\n";
    let source =
        "#include <cuda_runtime.h>\n#include \"app.h\"\nnamespace app { void release(void* p) { cudaFree(p); } }\n";
    let files = [("app.h", header), ("a.cu", source)];
    assert!(converted(&files, "a.cu").contains("{ cudaFree(p); }"));
}

#[test]
fn switches_of_cuda_that_a_file_sets_are_cudas() {
    let source = "#define CUDA_API_PER_THREAD_DEFAULT_STREAM 1\n#include <cuda_runtime.h>\n#include \"a.h\"\n";
    let header = "#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM\nconst char* streams();\n#endif\n";
    let files = [("a.cu", source), ("a.h", header)];
    assert!(converted(&files, "a.cu").starts_with("#define HIP_API_PER_THREAD_DEFAULT_STREAM 1\n"));
    assert!(converted(&files, "a.h").starts_with("#ifdef HIP_API_PER_THREAD_DEFAULT_STREAM\n"));
    // Near miss: a macro of the project's own.
    let own = source.replace("CUDA_API_PER_THREAD_DEFAULT_STREAM 1", "cudaSuccess 1");
    assert!(converted(&[("a.cu", own.as_str()), files[1]], "a.cu").starts_with("#define cudaSuccess 1\n"));
}

#[test]
fn the_size_of_a_warp_may_be_a_headers_own() {
    let source = |include: &str, body: &str| format!("#include <cuda_runtime.h>\n{include}{body}");
    let becomes = |header: &str, body: &str| {
        let text = source("#include \"own.h\"\n", body);
        converted(&[("own.h", header), ("a.cu", &text)], "a.cu")
    };
    let kernel = "__global__ void k(int* out) { out[0] = warpSize; }\n";
    assert!(becomes("#define warpSize 16\n", kernel).contains("= warpSize;"));
    let inside = format!("namespace n {{\n{kernel}}}\n");
    let namespace = "namespace n { constexpr int warpSize = 16; }\n";
    assert!(becomes(namespace, &inside).contains("= warpSize;"));
    let base = "struct Base { static constexpr int warpSize = 8; };\n";
    let derived = "struct Derived : Base { __device__ int f() { return warpSize; } };\n";
    assert!(becomes(base, derived).contains("return warpSize;"));
    // Near misses: where none of them is seen.
    assert!(becomes(namespace, kernel).contains("= 32;"));
    assert!(becomes(base, kernel).contains("= 32;"));
    assert!(converted(&[("a.cu", &source("", kernel))], "a.cu").contains("= 32;"));
}

#[test]
fn macros_of_a_header_paste_in_other_files() {
    let files = [
        ("macros.h", "#include <cuda_runtime.h>\n#define MY(f) my_##f\ncudaError_t MY(cudaFree)(void*);\n"),
        ("a.cu", "#include \"macros.h\"\nvoid release(void* p) { MY(cudaFree)(p); }\n"),
    ];
    assert!(converted(&files, "a.cu").contains("MY(cudaFree)(p)"));
    assert!(converted(&files, "macros.h").contains("hipError_t MY(cudaFree)(void*)"));
}

/// A file that includes a header of the project.
const POOLED: &str = "#include \"pool.h\"\nvoid release(void* p) { cudaFree(p); }\n";

#[test]
fn stubs_of_a_header_get_hips_names() {
    let header = "#pragma once\n#ifdef USE_CUDA\n#include <cuda_runtime.h>\n#else\n\
                  inline int cudaFree(void* p) { return 0; }\n#endif\n";
    let files = [("pool.h", header), ("a.cu", POOLED)];
    assert!(converted(&files, "a.cu").contains("{ hipFree(p); }"));
    assert!(converted(&files, "pool.h").contains("inline int hipFree(void* p)"));
}

#[test]
fn shims_of_a_header_shield_nothing() {
    let header = "#pragma once\n#include <hip/hip_runtime.h>\n#ifdef LOCAL\n\
                  inline hipError_t cudaFree(void* p) { return hipFree(p); }\n#endif\n";
    let files = [("pool.h", header), ("a.cu", POOLED)];
    assert!(converted(&files, "a.cu").contains("{ hipFree(p); }"));
    assert!(converted(&files, "pool.h").contains("cudaFree(void* p) { return hipFree(p); }"));
}

#[test]
fn macros_of_a_header_stand_in_for_cudas_functions() {
    let headers = [
        "#pragma once\n#include <cuda_runtime.h>\n#define cudaFree(p) (pool_put(p), cudaSuccess)\n",
        "#ifndef POOL_H\n#define POOL_H\n#include <cuda_runtime.h>\n#define cudaFree pool_free\n#endif\n",
        // Another vendor's name is no better known than the project's own.
        "#pragma once\n#define cudaFree musaFree\n",
        "#pragma once\n#include <cuda_runtime.h>\n#define cudaFree(p) CHECK(cudaFree(p))\n",
        "#pragma once\n#include <cuda_runtime.h>\n#define cudaFree(p) hipFree(to_device(p))\n",
    ];
    let indirect = POOLED.replace("pool.h", "all.h");
    for header in headers {
        let through = ("all.h", "#include \"pool.h\"\n");
        let files = [("pool.h", header), through, ("a.cu", POOLED), ("b.cu", &indirect), ("c.cu", USE)];
        let folder = Folder::new(&files);
        hipshift(&folder, &["convert", ".", "--in-place"]);
        let texts = ["pool.h", "all.h", "a.cu", "b.cu", "c.cu"].map(|path| folder.read(path));
        assert!(texts[2].contains("{ cudaFree(p); }"), "{header}");
        assert!(texts[3].contains("{ cudaFree(p); }"), "{header}");
        // Near miss: a file that does not include it.
        assert!(texts[4].contains("{ hipFree(p); }"), "{header}");
        hipshift(&folder, &["convert", ".", "--in-place", "--allow-dirty"]);
        assert_eq!(["pool.h", "all.h", "a.cu", "b.cu", "c.cu"].map(|path| folder.read(path)), texts, "{header}");
    }
}

#[test]
fn macros_of_a_header_may_not_reach_a_use() {
    let header = "#pragma once\n#include <cuda_runtime.h>\n#define cudaFree(p) pool_put(p)\n";
    let undone = format!("{header}#undef cudaFree\n");
    let vendor = "#pragma once\n#define cudaFree hipFree\n";
    let version = "#pragma once\n#if CUDART_VERSION < 9000\n#define cudaFree(p) pool_put(p)\n#endif\n";
    for header in [&undone, vendor, version] {
        assert!(converted(&[("pool.h", header), ("a.cu", POOLED)], "a.cu").contains("{ hipFree(p); }"), "{header}");
    }
    let uses = [
        ("void f(void* p) { (cudaFree)(p); }", "(hipFree)(p)"),
        ("auto f = &cudaFree;", "&hipFree"),
        ("#undef cudaFree\nvoid f(void* p) { cudaFree(p); }", "#undef cudaFree\nvoid f(void* p) { hipFree(p)"),
        ("#ifdef cudaFree\nint pooled;\n#endif", "#ifdef cudaFree"),
        ("void f(void* p) { cudaFree(p); }\n#undef cudaFree", "{ cudaFree(p)"),
        ("void f(void* p) { ::cudaFree(p); }", "::cudaFree(p)"),
        ("#define PUT(p) cudaFree(p)", "PUT(p) cudaFree(p)"),
    ];
    for (text, expected) in uses {
        let source = format!("#include \"pool.h\"\n{text}\n");
        let found = converted(&[("pool.h", header), ("a.cu", &source)], "a.cu");
        assert!(found.contains(expected), "{found}");
        let alone = converted(&[("a.cu", &format!("{header}{text}\n"))], "a.cu");
        assert!(alone.contains(expected), "{alone}");
    }
}

/// Whether linting finds that it is not clear whose a name is in `file`.
fn is_undecided(files: &[(&str, &str)], file: &str) -> bool {
    let folder = Folder::new(files);
    let output = hipshift(&folder, &["lint", "."]);
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    lines.windows(2).any(|pair| pair[0].contains("A025") && pair[1].contains(&format!("> {file}:")))
}

#[test]
fn whether_a_macro_of_a_header_is_seen_may_not_be_clear() {
    let plain = "#pragma once\n#define cudaFree(p) pool_put(p)\n";
    let asked = "#pragma once\n#ifdef POOL\n#define cudaFree(p) pool_put(p)\n#endif\n";
    assert!(is_undecided(&[("pool.h", asked), ("a.cu", POOLED)], "a.cu"));
    let perhaps = "#ifdef POOL\n#include \"pool.h\"\n#endif\nvoid release(void* p) { cudaFree(p); }\n";
    assert!(is_undecided(&[("pool.h", plain), ("a.cu", perhaps)], "a.cu"));
    let undone = "#include \"pool.h\"\n#ifdef RAW\n#undef cudaFree\n#endif\nvoid release(void* p) { cudaFree(p); }\n";
    assert!(is_undecided(&[("pool.h", plain), ("a.cu", undone)], "a.cu"));
    // A header that is included behind it, and a macro that is used where it is seen.
    let both = "#include \"pool.h\"\n#include \"release.h\"\n";
    assert!(is_undecided(&[("pool.h", plain), ("release.h", USE), ("a.cu", both)], "release.h"));
    let before = "#include \"release.h\"\n#include \"pool.h\"\n";
    assert!(!is_undecided(&[("pool.h", plain), ("release.h", USE), ("a.cu", before)], "release.h"));
    let expands = "#pragma once\n#define RELEASE(p) cudaFree(p)\n";
    assert!(is_undecided(&[("pool.h", plain), ("release.h", expands), ("a.cu", before)], "release.h"));
}

#[test]
fn headers_in_place_of_cudas_are_for_other_builds() {
    let chosen = "#pragma once\n#ifdef OTHER\n#include \"pool.h\"\n#else\n#include <cuda_runtime.h>\n#endif\n";
    let other = "#pragma once\n#include <musa_runtime.h>\n#define cudaFree musaFree\n";
    let source = USE.replace("void", "#include \"all.h\"\nvoid").replacen("(#include \"all.h\"\nvoid", "(void", 1);
    let files = [("pool.h", other), ("all.h", chosen), ("a.cu", &source)];
    assert!(converted(&files, "a.cu").contains("{ hipFree(p); }"));
    // Near miss: the header brings CUDA's, too.
    let pool = other.replace("musa_runtime", "cuda_runtime");
    assert!(is_undecided(&[("pool.h", &pool), files[1], files[2]], "a.cu"));
}

#[test]
fn names_go_from_scope_to_scope() {
    let first = "#pragma once\n#include <cuda_runtime.h>\nnamespace a { using ::cudaFree; }\n";
    let second =
        "#pragma once\n#include \"a.h\"\nnamespace b { using a::cudaFree; }\nnamespace c { using namespace b; }\n";
    let source = "#include \"b.h\"\nvoid release(void* p) { b::cudaFree(p); c::cudaFree(p); }\n";
    let files = [("a.h", first), ("b.h", second), ("a.cu", source)];
    assert!(converted(&files, "b.h").contains("using a::hipFree;"));
    assert!(converted(&files, "a.cu").contains("{ b::hipFree(p); c::hipFree(p); }"));
    // Near miss: a function of the first one's own.
    let own = first.replace("using ::cudaFree;", "inline int cudaFree(void*) { return 0; }");
    let files = [("a.h", own.as_str()), files[1], files[2]];
    assert!(converted(&files, "b.h").contains("using a::cudaFree;"));
    assert!(converted(&files, "a.cu").contains("{ b::cudaFree(p); c::cudaFree(p); }"));
}

#[test]
fn calls_find_functions_of_headers_by_their_arguments() {
    let header = "#pragma once\n#include <cuda_runtime.h>\nnamespace buf {\nstruct Buf { void* p; };\n\
                  inline cudaError_t cudaFree(Buf& b) { return ::cudaFree(b.p); }\n}\n";
    let source = "#include \"buf.h\"\nint release(buf::Buf& b) { return cudaFree(b); }\n";
    assert!(is_undecided(&[("buf.h", header), ("a.cu", source)], "a.cu"));
    // Near misses: a file that does not include it, and a pointer.
    assert!(!is_undecided(&[("buf.h", header), ("a.cu", USE)], "a.cu"));
    let pointer = "#include \"buf.h\"\nint release(void* b) { return cudaFree(b); }\n";
    assert!(!is_undecided(&[("buf.h", header), ("a.cu", pointer)], "a.cu"));
}

#[test]
fn files_within_others_get_no_includes() {
    let body = ("body.inl", "inline cudaError_t release(void* p) { return cudaFree(p); }\n");
    let list = ("errors.def", "NAME(cudaSuccess)\nNAME(cudaErrorInvalidValue)\n");
    let names = ("names.cpp", "static const char* names[] = {\n#define NAME(n) #n,\n#include \"errors.def\"\n};\n");
    let source = "#include <cstdio>\nnamespace detail {\n#include \"body.inl\"\n}\n";
    let used = format!("{source}__global__ void k() {{}}\n");
    let files = [body, list, names, ("a.cu", &used)];
    assert!(converted(&files, "body.inl").starts_with("inline hipError_t"));
    assert!(converted(&files, "errors.def").starts_with("NAME(hipSuccess)"));
    assert!(converted(&files, "a.cu").starts_with("#include <hip/hip_runtime.h>\n"));
    // nvcc alone gave the header to a source that is not converted.
    let folder = Folder::new(&[body, ("a.cu", source)]);
    let text = String::from_utf8(hipshift(&folder, &["lint", "."]).stdout).unwrap();
    assert!(text.contains("warning[H004]") && text.contains("`a.cu` includes it within brackets"), "{text}");
    // Near misses: behind the brackets, and within them only in a macro.
    for text in ["namespace detail {\n}\n#include \"body.inl\"\n", "#define OPEN namespace {\n#include \"body.inl\"\n"]
    {
        assert!(converted(&[body, ("a.cu", text)], "body.inl").starts_with("#include <hip/hip_runtime.h>"), "{text}");
    }
}

const CALLS: &str = "#pragma once\n#include <cuda_runtime.h>\n#define CALL(f) check(cuda##f)\n#define RUN(f) CALL(f)\n";
const CALLED: &str = "#include \"calls.h\"\nvoid run(void** p) { CALL(Malloc(p, 16)); RUN(Free(*p)); }\n";

#[test]
fn a_macro_with_the_start_of_a_name_serves_all_files() {
    let files = [("calls.h", CALLS), ("a.cu", CALLED)];
    assert!(converted(&files, "calls.h").contains("check(hip##f)"));
    assert_eq!(converted(&files, "a.cu"), CALLED);
    // A file without a word of CUDA's hands over something else, directly and through another macro.
    for other in ["CALL(MallocHost(p, 16))", "RUN(MallocHost(p, 16))", "CALL(OfOurs(p))", "LIST(CALL)"] {
        let other = format!("#include \"calls.h\"\nvoid other(void** p) {{ {other}; }}\n");
        let folder = Folder::new(&[("calls.h", CALLS), ("a.cu", CALLED), ("b.cpp", &other)]);
        let output = hipshift(&folder, &["convert", ".", "--in-place", "-v"]);
        let text = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
        assert!(folder.read("calls.h").contains("check(cuda##f)"), "{text}");
        assert!(text.contains("error[A007]") && text.contains("b.cpp:2") && text.contains("a.cu:2"), "{text}");
    }
}

#[test]
fn a_source_with_a_macro_of_its_own_says_nothing_about_others() {
    let own = "#include <cuda_runtime.h>\n#define CALL(f) f\nvoid other(void* p) { CALL(cudaFree(p)); }\n";
    let files = [("calls.h", CALLS), ("a.cu", CALLED), ("b.cu", own)];
    assert!(converted(&files, "calls.h").contains("check(hip##f)"));
    // Near miss: the header's macro may stand behind the condition.
    let asking = "#include <cuda_runtime.h>\n#ifndef CALL\n#define CALL(f) f\n#endif\nvoid other(void* p) { CALL(cudaFree(p)); }\n";
    let files = [("calls.h", CALLS), ("a.cu", CALLED), ("b.cu", asking)];
    assert!(converted(&files, "calls.h").contains("check(cuda##f)"));
}

#[test]
fn managed_variables_of_headers_are_addresses_for_all_who_include_them() {
    let header = "#include <cuda_runtime.h>\nextern __device__ __managed__ int totals[4];\n";
    let source =
        |include: &str| format!("#include {include}\nvoid f(int* to) {{ cudaMemcpyFromSymbol(to, totals, 16); }}\n");
    let (seen, other) = (source("\"include/all.h\""), source("<cuda_runtime.h>\n__device__ int totals[4];"));
    let files = [
        ("include/totals.h", header),
        ("include/all.h", "#include \"totals.h\"\n"),
        ("seen.cu", seen.as_str()),
        ("other.cu", other.as_str()),
    ];
    let seen = converted(&files, "seen.cu");
    assert!(!seen.contains("HIP_SYMBOL") && seen.contains("hipMemcpy(to, "), "{seen}");
    let other = converted(&files, "other.cu");
    assert!(other.contains("hipMemcpyFromSymbol(to, HIP_SYMBOL(totals), 16)"), "{other}");
    // A header that may declare another one, itself or by what it includes.
    let both = "#ifdef USE_MANAGED\n__managed__ int totals[4];\n#else\n__device__ int totals[4];\n#endif\n";
    let beside = "#include \"managed.h\"\nnamespace b { __device__ int totals[4]; }\n";
    let source = "#include \"all.h\"\nvoid f(int* to) { cudaMemcpyFromSymbol(to, totals, 16); }\n";
    for all in [both, beside] {
        let files = [("managed.h", header), ("all.h", all), ("a.cu", source)];
        let text = converted(&files, "a.cu");
        assert!(text.contains("hipMemcpyFromSymbol(to, HIP_SYMBOL(totals), 16)"), "{text}");
    }
}
