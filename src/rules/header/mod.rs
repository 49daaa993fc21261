//! Rules about includes.

mod cuda_header;
mod helpers;
mod missing_runtime_header;
mod renamed_include;
mod unsupported_header;

pub(super) use cuda_header::CudaHeader;
pub(super) use missing_runtime_header::MissingRuntimeHeader;
pub(super) use renamed_include::RenamedInclude;
pub(super) use unsupported_header::UnsupportedHeader;
