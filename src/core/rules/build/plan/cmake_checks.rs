//! Sources that CMake compiles to find something out, or writes, where these are CUDA.

use super::change::Change;
use super::cmake_call::Call;
use crate::build::Argument;

/// Commands that compile a source which stands in one of their arguments.
const COMPILING: &[&str] = &[
    "check_c_source_compiles",
    "check_c_source_runs",
    "check_cxx_source_compiles",
    "check_cxx_source_runs",
    "check_source_compiles",
    "check_source_runs",
    "try_compile",
    "try_run",
];

/// What a source of CUDA's has in it.
const CUDA: &[&str] = &[
    "cuda",
    "cublas",
    "cufft",
    "curand",
    "cusparse",
    "cusolver",
    "cudnn",
    "nccl",
    "nvrtc",
    "__global__",
    "__device__",
    "<<<",
];

/// Forms of `file` that write a text.
const WRITING: &[&str] = &["APPEND", "CONFIGURE", "GENERATE", "WRITE"];

/// Whether a text is a source of CUDA's.
fn is_code(text: &str) -> bool {
    text.contains(['(', '{', '#']) && CUDA.iter().any(|word| text.contains(word))
}

/// Whether a path is that of a source or header of CUDA's.
fn is_cuda(path: &str) -> bool {
    path.trim_end_matches('"').rsplit_once('.').is_some_and(|(_, ending)| matches!(ending, "cu" | "cuh"))
}

/// Tells the sources of CUDA's that a command writes, which the build compiles later.
pub(super) fn plan_written(call: Call<'_>) {
    if !call.is("file") || !WRITING.contains(&call.text(0)) {
        return;
    }
    let (plan, is_source) = (call.plan, call.texts().any(is_cuda));
    let is_kernel = |text: &str| ["__global__", "#include <cuda"].iter().any(|word| text.contains(word));
    let is_meant = |text: &str| is_code(text) && (is_source || is_kernel(text));
    if let Some(argument) = call.arguments().iter().skip(1).find(|argument| is_meant(plan.slice(argument.inner))) {
        let message = "what `file` writes is CUDA, and is not converted".to_owned();
        plan.add(Change::left(argument.range, message, "write it for HIP, or keep the source with the project"));
    }
}

/// Tells the sources of CUDA's that a command compiles: the check fails in a build for HIP, and what it decides is left out.
pub(super) fn plan_checks(call: Call<'_>) {
    if !call.is_any(COMPILING) {
        return;
    }
    let (plan, is_file) = (call.plan, call.is_any(&["try_compile", "try_run"]));
    let is_meant = |argument: &&Argument| {
        let text = plan.slice(argument.inner);
        is_code(text) || is_file && is_cuda(text)
    };
    if let Some(argument) = call.arguments().iter().find(is_meant) {
        let message = format!("what `{}` compiles is CUDA, and is not converted", call.name());
        let advice =
            "write it for HIP, and have it compiled as HIP: else the check fails, and what it decides is left out";
        plan.add(Change::left(argument.range, message, advice));
    }
}
