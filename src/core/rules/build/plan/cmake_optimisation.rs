//! Device code is optimised without being asked for.

use super::cmake_call::{Call, calls};
use super::planner::Plan;
use crate::source::Edit;

/// What has clang optimise device code. Options behind it decide, as those of the kind of build are.
const LINE: &str = "string(PREPEND CMAKE_HIP_FLAGS \"-Xarch_device -O3 \")";

/// The line that has device code optimised, unless the file says itself how: nvcc does so by default (NVIDIA, "CUDA Compiler Driver
/// NVCC", `--dopt`), and clang, which CMake calls for HIP, does not.
pub(super) fn optimising(plan: &Plan<'_>) -> Option<&'static str> {
    (!calls(plan).any(|call| decides(&call))).then_some(LINE)
}

/// The same behind a command.
pub(super) fn optimising_behind(call: Call<'_>) -> Option<Edit> {
    let line = optimising(call.plan)?;
    Some(call.plan.lines_after(call.command.range.end(), &[format!("{}{line}", call.indent())]))
}

/// Whether a command says how device code is optimised: by the kind of build, or by an option.
fn decides(call: &Call<'_>) -> bool {
    if call.is("set") && call.text(0) == "CMAKE_BUILD_TYPE" {
        return true;
    }
    let is_for_device = || {
        call.is_any(&["add_compile_options", "target_compile_options"])
            || call.texts().any(|text| text.contains("CUDA") || text.contains("HIP"))
    };
    call.texts().any(names_level) && is_for_device()
}

/// Whether a text has an option for how much is optimised.
fn names_level(text: &str) -> bool {
    let mut words = text.split([' ', ';', ':', '>', '\n', '\t', '"']);
    words.any(|word| matches!(word, "-O0" | "-O1" | "-O2" | "-O3" | "-Os" | "-Ofast"))
}
