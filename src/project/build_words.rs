//! What a build file says that other files of its project need to know.

use camino::Utf8Path;

use crate::analysis::BuildFacts;
use crate::build::{BuildKind, build_kind_of};

/// What one file says; nothing if it says nothing about building.
pub(super) fn build_facts(path: &Utf8Path, bytes: &[u8]) -> BuildFacts {
    let Some(kind) = build_kind_of(path, bytes) else { return BuildFacts::default() };
    let sets = |word: &[u8]| {
        bytes.split(|&byte| byte == b'\n').any(|line| {
            let is_comment = line.trim_ascii_start().starts_with(b"#");
            !is_comment && memchr::memmem::find(line, word).is_some()
        })
    };
    let separable = kind == BuildKind::CMake && sets(b"CUDA_SEPARABLE_COMPILATION");
    BuildFacts {
        unsafe_atomics: sets(b"-munsafe-fp-atomics").then(|| path.to_owned()),
        linked_apart: separable.then(|| path.to_owned()),
        warnings_as_errors: sets(b"-Werror").then(|| path.to_owned()),
    }
}
