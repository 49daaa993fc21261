//! Rules about files that say how a project is built.

mod cuda_compiler;
mod cuda_language;
mod cuda_library;
mod cuda_source;
mod nvcc_option;
mod nvidia_code;
mod plan;
mod report;
mod unconverted_build;
mod unsupported_option;

pub(super) use cuda_compiler::CudaCompiler;
pub(super) use cuda_language::CudaLanguage;
pub(super) use cuda_library::CudaLibrary;
pub(super) use cuda_source::CudaSource;
pub(super) use nvcc_option::NvccOption;
pub(super) use nvidia_code::NvidiaCode;
pub(super) use plan::Change;
pub(super) use unconverted_build::UnconvertedBuild;
pub(super) use unsupported_option::UnsupportedOption;
