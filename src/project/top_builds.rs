//! Which files of CMake begin a project, and not a part of one.

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;

use crate::build::{BuildKind, build_kind, commands, tokens};

/// What is known of a file of CMake before it is converted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CMakeFile {
    path: Utf8PathBuf,
    /// Whether it calls `project`.
    begins: bool,
    /// Whether it names CUDA.
    speaks: bool,
}

/// A look at a file; nothing for one that is not of CMake.
pub(super) fn cmake_file(path: &Utf8Path, bytes: &[u8]) -> Option<CMakeFile> {
    if build_kind(path) != Some(BuildKind::CMake) {
        return None;
    }
    let text = String::from_utf8_lossy(bytes);
    let small = text.to_ascii_lowercase();
    let begins = path.file_name() == Some("CMakeLists.txt")
        && small.contains("project")
        && commands(&text, &tokens(&text)).iter().any(|command| text[command.name].eq_ignore_ascii_case("project"));
    let speaks = small.contains("cuda") || small.contains("nvcc") || small.contains(".cu");
    Some(CMakeFile { path: path.to_owned(), begins, speaks })
}

/// Those of some files that begin a project of which a file names CUDA, and that lie below no other such project.
pub(super) fn top_builds(files: &[&CMakeFile]) -> FxHashSet<Utf8PathBuf> {
    let beginning: FxHashSet<&Utf8Path> =
        files.iter().filter(|file| file.begins).filter_map(|file| file.path.parent()).collect();
    let mut tops = FxHashSet::default();
    for file in files.iter().filter(|file| file.speaks) {
        let above = file.path.ancestors().skip(1).filter(|folder| beginning.contains(folder));
        tops.extend(above.last().map(|top| top.join("CMakeLists.txt")));
    }
    tops
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<_> =
            files.iter().filter_map(|(path, text)| cmake_file(Utf8Path::new(path), text.as_bytes())).collect();
        let mut found: Vec<_> =
            top_builds(&files.iter().collect::<Vec<_>>()).into_iter().map(Utf8PathBuf::into_string).collect();
        found.sort();
        found
    }

    #[test]
    fn the_outermost_project_counts_that_speaks_of_cuda_itself_or_below() {
        let files = [
            ("p/CMakeLists.txt", "project(p CXX)\n"),
            ("p/lib/CMakeLists.txt", "project(lib CUDA)\n"),
            ("p/test/CMakeLists.txt", "add_executable(a a.cpp)\n"),
            ("q/CMakeLists.txt", "project(q CXX)\n"),
            ("r/tools.cmake", "find_package(CUDA)\nproject(r)\n"),
        ];
        assert_eq!(found(&files), ["p/CMakeLists.txt"]);
        assert_eq!(found(&files[1..]), ["p/lib/CMakeLists.txt"]);
        assert!(found(&files[2..]).is_empty());
    }
}
