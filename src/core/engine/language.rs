//! Tells HIP sources from CUDA sources.

use crate::analysis::{
    Conditions, Definition, Expression, Value, evaluate, has_hip_extension, include_guard, looks_like_cuda, regions,
};
use crate::mapping::Table;
use crate::source::TextRange;
use crate::syntax::{Document, TokenIdx, words_that};

/// What a file is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// CUDA, or code for both.
    Cuda,
    /// HIP: a CUDA name in it is a mistake.
    Hip,
}

/// What a file is written in, judged by its name, its includes and the names in it.
pub fn language(document: &Document, table: &Table) -> Language {
    let is_hip = has_hip_extension(&document.file().path) || reads_as_hip(document, table);
    if is_hip { Language::Hip } else { Language::Cuda }
}

fn reads_as_hip(document: &Document, table: &Table) -> bool {
    let guard = include_guard(document).map(|(test, _)| test.tokens.start);
    let (mut includes_hip, mut includes_cuda) = (false, false);
    for (directive, region) in document.directives().iter().zip(regions(document)) {
        let Some(include) = document.include(directive) else { continue };
        let is_hip = include.path.starts_with("hip/");
        if is_hip && (region.depth == 0 || (region.depth == 1 && region.opener == guard)) {
            return true;
        }
        includes_hip |= is_hip;
        includes_cuda |= !is_hip && table.contains(include.path);
    }
    // A file that includes HIP's headers on a condition serves both.
    !includes_hip && !includes_cuda && calls_hip(document)
}

/// Whether there are calls such as `hipMalloc(…)`, and no fewer than names of CUDA; directives do not count.
fn calls_hip(document: &Document) -> bool {
    let in_code = |idx: &TokenIdx| document.directive_of(*idx).is_none();
    let is_hip =
        |name: &str| name.strip_prefix("hip").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
    let names = words_that(document, is_hip).into_iter().filter(in_code);
    let hip = names.filter(|&idx| document.is(idx + 1, b'(')).count();
    hip > 0 && hip >= words_that(document, looks_like_cuda).iter().filter(|idx| in_code(idx)).count()
}

/// Macros that a HIP compiler for AMD GPUs, or a build with it, defines.
const DEFINED: &[&str] =
    &["__HIP__", "__HIPCC__", "__HIP_PLATFORM_AMD__", "__HIP_PLATFORM_HCC__", "USE_ROCM", "USE_HIP", "GGML_USE_HIP"];

/// Macros that it never defines.
const UNDEFINED: &[&str] =
    &["__CUDACC__", "__NVCC__", "__CUDA_ARCH__", "__CUDACC_RTC__", "__HIP_PLATFORM_NVIDIA__", "__HIP_PLATFORM_NVCC__"];

/// The blocks of a file that a HIP compiler for AMD GPUs skips.
pub(super) fn skipped_by_hip(document: &Document) -> Vec<TextRange> {
    let conditions = Conditions::of(document);
    let truth = |condition: &Expression| evaluate(condition, &|token| definition(&document.name(token))).truth();
    let skipped = conditions.chains().iter().flat_map(|chain| chain.skipped(truth));
    skipped.map(|body| document.range_of(body)).collect()
}

fn definition(name: &str) -> Definition {
    if DEFINED.contains(&name) {
        Definition::Defined(Value::Unknown)
    } else if UNDEFINED.contains(&name) {
        Definition::Undefined
    } else {
        Definition::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    #[track_caller]
    fn check(name: &str, text: &str, expected: Language) {
        let document = Document::new(SourceFile::from_text(name, text));
        assert_eq!(language(&document, Table::builtin().unwrap()), expected, "{name}: {text}");
    }

    #[test]
    fn the_name_of_a_file_tells() {
        check("a.hip", "", Language::Hip);
        check("a.hip.cpp", "", Language::Hip);
        check("hip.cu", "", Language::Cuda);
        check("a.hip.h", "#include <cuda.h>\n", Language::Hip);
    }

    #[test]
    fn includes_tell() {
        check("a.cpp", "#include <hip/hip_runtime.h>\nvoid f() { cudaFree(p); }\n", Language::Hip);
        check("a.cu", "#include <cuda_runtime.h>\nvoid f() { hipFree(p); }\n", Language::Cuda);
        check(
            "a.h",
            "#ifndef A\n#define A\n#include <hip/hip_runtime.h>\n#include <cuda_fp16.h>\n#endif\n",
            Language::Hip,
        );
        let both = "#ifdef __HIPCC__\n#include <hip/hip_runtime.h>\n#else\n#include <cuda_runtime.h>\n#endif\n";
        check("a.h", both, Language::Cuda);
        let on_condition = "#ifdef USE_ROCM\n#include <hip/hip_runtime.h>\n#endif\nvoid f() { hipFree(p); }\n";
        check("a.cuh", on_condition, Language::Cuda);
    }

    #[test]
    fn calls_tell_where_no_include_does() {
        check("a.h", "void f(void* p) { hipFree(p); }\n", Language::Hip);
        check("a.h", "void f(void* p) { hipFree(p); cudaFree(p); }\n", Language::Hip);
        check("a.h", "void f(void* p) { cudaFree(p); cudaFree(p); hipFree(p); }\n", Language::Cuda);
        check("a.h", "#define cudaFree hipFree\nvoid f() { hippo(); }\n", Language::Cuda);
    }

    #[test]
    fn blocks_for_cuda_are_skipped() {
        let text = "#ifdef __HIP_PLATFORM_AMD__\na\n#else\nb\n#endif\n#if defined(__CUDACC__) && X\nc\n#endif\n#if X\nd\n#endif\n";
        let document = Document::new(SourceFile::from_text("a.cu", text));
        let seen: Vec<_> = skipped_by_hip(&document).into_iter().map(|block| document.slice(block).trim()).collect();
        assert_eq!(seen, ["b", "c"]);
    }
}
