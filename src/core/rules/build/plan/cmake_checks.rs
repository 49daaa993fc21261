//! Sources that CMake compiles to find something out, where these are CUDA.

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
const CUDA: &[&str] = &["cuda", "cublas", "cufft", "curand", "cusparse", "cusolver", "cudnn", "nccl", "nvrtc"];

/// Tells the sources of CUDA's that a command compiles: the check fails in a build for HIP, and what it decides is left out.
pub(super) fn plan_checks(call: Call<'_>) {
    if !call.is_any(COMPILING) {
        return;
    }
    let (plan, is_file) = (call.plan, call.is_any(&["try_compile", "try_run"]));
    let is_code = |text: &str| text.contains(['(', '{', '#']) && CUDA.iter().any(|word| text.contains(word));
    let is_cuda = |text: &str| text.trim_end_matches('"').rsplit_once('.').is_some_and(|(_, ending)| ending == "cu");
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
