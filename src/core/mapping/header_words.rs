//! Names that HIP's runtime header uses for things of its own.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

static WORDS: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| {
    let lines = include_str!("../../../mappings/header_words.txt").lines();
    lines.filter(|line| !line.starts_with('#')).collect()
});

/// Whether `hip/hip_runtime.h` of some release reads otherwise, and most likely does not compile, where this name is a macro before it.
pub fn is_word_of_runtime_header(name: &str) -> bool {
    WORDS.contains(name)
}
