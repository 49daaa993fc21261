//! Rules about includes.

mod cuda_header;
mod early_macro;
mod gpu_branches;
mod header_order;
mod helpers;
mod macro_before_header;
mod missing_runtime_header;
mod missing_standard_header;
mod missing_type_header;
mod place;
mod renamed_include;
mod unsupported_header;

pub(super) use cuda_header::CudaHeader;
pub(super) use gpu_branches::{
    WITH_HEADERS, expanded_by_gpu_compilers_alone, is_read_by_others, read_by_gpu_compilers_alone,
};
pub(super) use header_order::HeaderOrder;
pub(super) use helpers::{hip_header, is_hip_file};
pub(super) use macro_before_header::MacroBeforeHeader;
pub(super) use missing_runtime_header::{MissingRuntimeHeader, lacks_runtime};
pub(super) use missing_standard_header::MissingStandardHeader;
pub(super) use missing_type_header::MissingTypeHeader;
pub(super) use place::{for_first_include, insert_behind, insert_definitions};
pub(super) use renamed_include::RenamedInclude;
pub(super) use unsupported_header::UnsupportedHeader;
