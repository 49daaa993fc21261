//! Which files are compiled, which language they are, and where CUDA's own are.

use camino::Utf8Path;

/// Where CUDA usually is, for variables that nobody sets.
pub(super) const CUDA_FOLDER: &str = "/usr/local/cuda";

/// Extensions of files that a compiler is started on.
const SOURCES: &[&str] = &["cu", "hip", "c", "cpp", "cc", "cxx", "C", "c++"];

/// The language of a source as CMake calls it, if a compiler is started on such files.
pub(super) fn language(path: &Utf8Path) -> Option<&'static str> {
    let extension = path.extension().filter(|extension| SOURCES.contains(extension))?;
    Some(match extension {
        "cu" => "CUDA",
        "hip" => "HIP",
        "c" => "C",
        _ => "CXX",
    })
}

/// Whether a compiler is started on files of this name.
pub(super) fn is_source(path: &Utf8Path) -> bool {
    language(path).is_some()
}

/// Whether a folder holds CUDA's own headers.
pub(super) fn is_of_cuda(folder: &Utf8Path) -> bool {
    folder.as_str().starts_with(CUDA_FOLDER)
}
