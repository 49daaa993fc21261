//! Names of CUDA's that one file of a project declares and others use.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test that cannot go on fails")]

mod common;

use common::folder::{Folder, hipshift};

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
