//! Which headers answer for which table.

/// Headers of one package.
pub(super) struct Library {
    pub(super) name: &'static str,
    /// Folders below `include`.
    pub(super) folders: &'static [&'static str],
    /// The package whose version says which release the headers are from.
    pub(super) package: &'static str,
}

/// Name of the library made of clang's own HIP wrapper headers, which declare the mathematics.
pub(super) const CLANG: &str = "clang";

pub(super) const LIBRARIES: &[Library] = &[
    library("hip", &["hip"], "libamdhip64-dev"),
    library(CLANG, &[], ""),
    library("hipblas", &["hipblas", "hipblas-common"], "libhipblas-dev"),
    library("hipblaslt", &["hipblaslt"], "libhipblaslt-dev"),
    library("hipcub", &["hipcub"], "libhipcub-dev"),
    library("hipfft", &["hipfft"], "libhipfft-dev"),
    library("hiprand", &["hiprand"], "libhiprand-dev"),
    library("hipsolver", &["hipsolver"], "libhipsolver-dev"),
    library("hipsparse", &["hipsparse"], "libhipsparse-dev"),
    library("miopen", &["miopen"], "libmiopen-dev"),
    library("rccl", &["rccl"], "librccl-dev"),
    library("rocblas", &["rocblas"], "librocblas-dev"),
    library("rocrand", &["rocrand"], "librocrand-dev"),
    library("rocsolver", &["rocsolver"], "librocsolver-dev"),
    library("rocsparse", &["rocsparse"], "librocsparse-dev"),
    library("roctx", &["roctracer"], "libroctx-dev"),
    library("thrust", &["thrust"], "librocthrust-dev"),
];

const fn library(name: &'static str, folders: &'static [&'static str], package: &'static str) -> Library {
    Library { name, folders, package }
}

/// Libraries that may hold the names in the `hip` column of a table; none if no package has them.
pub(super) fn of_hip_names(table: &str) -> &'static [&'static str] {
    match table {
        "caffe2" | "cudnn" => &[],
        "cub" => &["hipcub", "hip"],
        "cublas" => &["hipblas", "hip"],
        "cublaslt" => &["hipblaslt", "hipblas", "hip"],
        "cufft" => &["hipfft", "hip"],
        "curand" => &["hiprand", "rocrand", "hip"],
        "cusolver" => &["hipsolver", "hip"],
        "cusparse" => &["hipsparse", "hip"],
        "device" | "fp16" => &["hip", CLANG],
        "nccl" => &["rccl"],
        "nvtx" => &["roctx"],
        "thrust" => &["thrust"],
        _ => &["hip"],
    }
}

/// Libraries that may hold the names in the `roc` column. A solver's table also names BLAS types.
pub(super) const OF_ROC_NAMES: &[&str] = &["rocblas", "rocrand", "rocsolver", "rocsparse", "miopen", "hip"];

/// Files that name what they do not declare: the side for NVIDIA GPUs and tables for profilers.
const IGNORED: &[&str] =
    &["_nvcc.h", "/backend/cub/", "/nvidia_detail/", "api_trace", "hip_prof_str.h", "hip_runtime_prof.h"];

/// Whether the names in a file count.
pub(super) fn counts(path: &str) -> bool {
    !IGNORED.iter().any(|part| path.contains(part))
}

/// Why a name that no header spells is right all the same; none if it is not.
pub(super) fn excuse(name: &str) -> Option<&'static str> {
    match name {
        "__CLANG_RDC__" => Some("predefined by clang when it compiles with `-fgpu-rdc`"),
        "__restrict__" => Some("a keyword of the compiler"),
        _ if name.starts_with("make_") && name.ends_with(['1', '2', '3', '4']) => {
            Some("put together by a macro from the name of the vector type")
        }
        _ => None,
    }
}
