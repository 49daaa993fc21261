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
        warnings_as_errors: sets(b"-Werror").then(|| governed(path).to_owned()).into_iter().collect(),
    }
}

/// The folder that a build file speaks of: its own, or the one above for a module beside the files that are read first.
fn governed(path: &Utf8Path) -> &Utf8Path {
    let folder = path.parent().unwrap_or(path);
    let is_first = matches!(path.file_name(), Some("CMakeLists.txt" | "Makefile" | "makefile" | "GNUmakefile"));
    if is_first { folder } else { folder.parent().unwrap_or(folder) }
}
