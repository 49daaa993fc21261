//! Which places are compiled for the GPU as CUDA.

use crate::analysis::{Function, Side, side_of};
use crate::rules::conditional::is_for_hip;
use crate::rules::context::Context;
use crate::syntax::TokenIdx;

/// Whether the compiler of CUDA reads the file, which brings its functions along.
pub(super) fn is_for_nvcc(cx: &Context<'_>) -> bool {
    let extension = cx.document.file().path.extension();
    matches!(extension, Some("cu" | "cuh"))
        || !cx.document.launches().is_empty()
        || cx.facts.functions.iter().any(Function::runs_on_device)
}

/// Whether a place of a file for CUDA's compiler may be compiled for the GPU, and is not for HIP or CUDA alone.
pub(super) fn may_run_on_device(idx: TokenIdx, cx: &Context<'_>) -> bool {
    side_of(cx.document, cx.facts, idx).is_none_or(|(_, side)| side != Side::Host) && !is_left_out(idx, cx)
}

/// Whether a place is for HIP or CUDA alone.
pub(super) fn is_left_out(idx: TokenIdx, cx: &Context<'_>) -> bool {
    is_for_hip(idx, cx) || cx.is_for_cuda_alone(idx)
}
