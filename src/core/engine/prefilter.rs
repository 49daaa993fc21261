//! Tells at memory speed that a file holds no CUDA, so that it need not be read further.

use std::sync::LazyLock;

use aho_corasick::packed::{MatchKind, Searcher};
use camino::Utf8Path;

use crate::analysis::looks_like_cuda;
use crate::build::{BuildKind, COMPILING_NAMES, build_kind_of};
use crate::mapping::{Table, is_warp_header};
use crate::source::is_wide;

/// Starts of the words that matter. Every name that a rule acts on by itself starts with one; a
/// test compares them with the tables.
const STARTS: &[&str] = &[
    "cu",
    "CU",
    "Cub",
    "__",
    "nv",
    "NV",
    "ncc",
    "NCC",
    "Nvtx",
    "pncc",
    "make_cu",
    "THRUST_",
    "cooperative_groups",
    "include",
    "<<<",
    "warpSize",
    "hipshift:",
    "asm",
    "hipDeviceGetProperties",
    "hipDeviceProps",
    "hipModuleLoad",
    "hipLibraryLoadFromFile",
    "hipLinkAddFile",
    "hipMallocHost",
    "hipMemAllocHost",
    "hipHostAlloc",
    "hipFreeHost",
    "hipMemcpyToArray",
    "hipMemcpyFromArray",
    "hip_launch_bounds",
    "HIP_ARCH_HAS_",
    "executionUnitsPerMultiprocessor",
    // Templates that CMake fills in.
    "@CUDA",
    "@CMAKE_CUDA",
    "${CUDA",
    "${CMAKE_CUDA",
];

/// Words that no table has and that matter all the same.
const WORDS: &[&str] = &[
    "cu",
    "cuh",
    "cuda",
    "cub",
    "nvcuda",
    "cooperative_groups",
    "__global__",
    "__device__",
    "__shared__",
    "__constant__",
    "__managed__",
    "__launch_bounds__",
    "__CUDA_ARCH__",
    "__CUDACC__",
    "__NVCC__",
    "warpSize",
    // The template may be PTX.
    "asm",
    "__asm",
    "__asm__",
    // Rules about HIP's names look for them.
    "__global",
    "__launch_bounds",
    "__hip_launch_bounds",
    "executionUnitsPerMultiprocessor",
];

/// Starts of words that speak of waves, in CUDA and in HIP.
const WAVE_STARTS: &[&str] = &["__shfl", "__ballot", "__any", "__all", "__activemask", "__match_", "__reduce_"];

static SEARCHER: LazyLock<Option<Searcher>> = LazyLock::new(|| {
    let mut config = aho_corasick::packed::Config::new();
    config.match_kind(MatchKind::LeftmostFirst);
    config.builder().extend(STARTS).build()
});

/// Whether `bytes` may hold CUDA. `false` is certain.
pub fn may_hold_cuda(bytes: &[u8], table: &Table) -> bool {
    // What cannot be read as text has to be told, not passed over.
    let Some(searcher) = SEARCHER.as_ref().filter(|_| !is_wide(bytes)) else { return true };
    searcher.find_iter(bytes).any(|found| {
        let starts_word = found.start() == 0 || !is_word(bytes[found.start() - 1]);
        // Chevrons follow the name of a kernel; a comment may be meant for us, and names of HIP's and templates are there for a rule of
        // theirs.
        matches!(bytes[found.start()], b'<' | b'h' | b'@' | b'$')
            || (starts_word && matters(bytes, found.start(), table))
    })
}

/// Words of which one stands in every build file that has anything to do with CUDA, in small letters.
const BUILD_WORDS: &[&str] = &[
    "cuda",
    "nvcc",
    ".cu",
    "nvidia",
    "nccl",
    "cudnn",
    "-lcu",
    "-lnv",
    "cublas",
    "cufft",
    "curand",
    "cusparse",
    "cusolver",
    "nvrtc",
    "nvtx",
    "sm_",
    "compute_",
    "maxrregcount",
    "wavefrontsize64",
    "linker_language",
    "hipshift:",
    "thrust",
    "cub",
    "cutensor",
    "cupti",
    "cufile",
    "nvinfer",
    "nvtoolsext",
    "nvjitlink",
    "nvjpeg",
    "ptxas",
];

/// Words of Python that are told besides those with which it compiles CUDA.
const SCRIPT_WORDS: &[&str] = &["maxrregcount", "wavefrontsize64", "hipshift:", "__global__", "__device__", "<<<"];

/// Commands of CMake that make targets of lists.
const TARGET_WORDS: &[&str] = &["add_executable", "add_library", "target_sources"];

/// Whether a file may hold CUDA, or speak of building it, and is not a header that an earlier run wrote. `false` is certain.
pub fn is_worth_reading(path: &Utf8Path, bytes: &[u8], table: &Table) -> bool {
    let Some(kind) = build_kind_of(path, bytes) else { return may_hold_cuda(bytes, table) && !is_warp_header(bytes) };
    let small = bytes.to_ascii_lowercase();
    let holds = |word: &str| memchr::memmem::find(&small, word.as_bytes()).is_some();
    let speaks = match kind {
        BuildKind::Script => {
            COMPILING_NAMES.iter().any(|name| holds(&name.to_ascii_lowercase()))
                || SCRIPT_WORDS.iter().any(|word| holds(word))
        }
        _ => BUILD_WORDS.iter().any(|word| holds(word)),
    };
    // A list may hold sources that another file names.
    let speaks = speaks || kind == BuildKind::CMake && holds("${") && TARGET_WORDS.iter().any(|word| holds(word));
    is_wide(bytes) || speaks
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether the word that starts at `start` matters.
fn matters(bytes: &[u8], start: usize, table: &Table) -> bool {
    let rest = &bytes[start..];
    let len = rest.iter().position(|&byte| !is_word(byte)).unwrap_or(rest.len());
    // A continuation may split a name; then the file is read in full.
    if rest.get(len) == Some(&b'\\') {
        return true;
    }
    if &rest[..len] == b"include" {
        return included_file(&rest[len..]).is_some_and(|path| table.contains(path));
    }
    std::str::from_utf8(&rest[..len]).is_ok_and(|word| {
        let is_feature = word.starts_with("HIP_ARCH_HAS_");
        looks_like_cuda(word) || WORDS.contains(&word) || is_feature || speaks_of_waves(word) || table.contains(word)
    })
}

fn speaks_of_waves(word: &str) -> bool {
    word.starts_with("__") && (word.ends_with("_sync") || WAVE_STARTS.iter().any(|start| word.starts_with(start)))
}

/// The path behind `include`, without its quotes or brackets.
fn included_file(rest: &[u8]) -> Option<&str> {
    let rest = rest.trim_ascii_start();
    let rest = rest.strip_prefix(b"<").or_else(|| rest.strip_prefix(b"\""))?;
    let end = memchr::memchr3(b'>', b'"', b'\n', rest)?;
    std::str::from_utf8(&rest[..end]).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wave_code_of_hip_is_read() {
        let table = Table::builtin().unwrap();
        let is_read = |text: &str| may_hold_cuda(text.as_bytes(), table);
        for text in [
            "int n = warpSize;",
            "x += __shfl_down(x, 1);",
            "m = __ballot(p);",
            "f = __my_vote_sync(m);",
            "__launch_bounds__(256, 2) void k();",
            "int x; // hipshift: ignore[A001] why",
            "__asm__ volatile(\"bar.sync 0;\");",
            "asm(\"exit;\");",
            "hipDeviceGetProperties(&p, 0);",
            "#if HIP_ARCH_HAS_WARP_VOTE",
            "n = p.executionUnitsPerMultiprocessor;",
            "hipModuleLoad(&m, \"kernel.ptx\");",
        ] {
            assert!(is_read(text), "{text}");
        }
        for text in ["int my_warpSize;", "hipMalloc(&p, n);", "data_sync(x);", "x = __shape(y);", "plasma(x);"] {
            assert!(!is_read(text), "{text}");
        }
    }
}
