//! The library of ranges for profilers, in files of CMake: NVTX is headers alone, and roctx has to be linked.

use super::change::{Change, Topic};
use super::cmake_call::{Call, calls};
use super::cmake_sources::{is_own, sources};
use super::planner::Plan;
use crate::build::references;

/// What names a library of ranges: the tables rename NVIDIA's.
const NAMED: &[&str] = &["nvToolsExt", "nvtx3", "roctx"];

const MESSAGE: &str = "NVTX needs no library, and roctx does";

/// Links what is made of sources for CUDA or with its runtime with roctx, where a source of the project includes NVTX and the file
/// names no library for it.
pub(super) fn plan_roctx(plan: &Plan<'_>) {
    if !plan.builds.uses_nvtx || calls(plan).any(|call| names_ranges(&call)) {
        return;
    }
    for call in calls(plan).filter(|call| is_own(*call) && !sources(*call).is_empty()) {
        plan.add(Change::left(call.command.name, MESSAGE, "link what it makes with `roctx64`"));
    }
    for call in calls(plan).filter(|call| makes_objects(call) && is_for_cuda(call)) {
        let advice = format!(
            "link what its objects go into with `roctx64`, as `target_link_libraries({} INTERFACE roctx64)` does for those that link it",
            call.text(0)
        );
        plan.add(Change::left(call.command.name, MESSAGE, &advice));
    }
    for call in calls(plan).filter(|call| makes_target(call) && is_for_cuda(call)) {
        let edit = plan.lines_after(call.command.range.end(), &links(&call));
        plan.add(Change::new(Topic::Library, call.command.name, MESSAGE, vec![edit]));
    }
}

/// Whether a command links a library of ranges, or holds its name for one that does.
fn names_ranges(call: &Call<'_>) -> bool {
    let links = ["target_link_libraries", "link_libraries", "set", "list", "find_library", "find_package"];
    call.is_any(&links) && call.texts().any(|text| NAMED.iter().any(|name| text.contains(name)))
}

/// Whether a command makes a program or a library that is linked.
fn makes_target(call: &Call<'_>) -> bool {
    const UNLINKED: &[&str] = &["ALIAS", "IMPORTED", "INTERFACE", "OBJECT"];
    call.is_any(&["add_executable", "add_library", "cuda_add_executable", "cuda_add_library"])
        && !call.texts().any(|text| UNLINKED.contains(&text))
}

/// Whether a command makes objects that are linked with others.
fn makes_objects(call: &Call<'_>) -> bool {
    call.is("add_library") && call.texts().any(|text| text == "OBJECT")
}

/// Whether sources of a target are CUDA's, by their names, or it is linked with CUDA's libraries.
fn is_for_cuda(made: &Call<'_>) -> bool {
    let of_target = |call: &Call<'_>| call.text(0) == made.text(0);
    let speaks = |call: &Call<'_>| call.texts().any(|text| text.to_ascii_lowercase().contains("cuda"));
    let mut others = calls(made.plan).filter(of_target);
    !sources(*made).is_empty()
        || made.texts().flat_map(references).any(|name| holds_sources(made.plan, name))
        || others.any(|call| {
            call.is("target_sources") && !sources(call).is_empty() || call.is("target_link_libraries") && speaks(&call)
        })
}

/// Whether a variable gets names of sources of CUDA.
fn holds_sources(plan: &Plan<'_>, name: &str) -> bool {
    let gets = |call: &Call<'_>| {
        call.is("set") && call.text(0) == name || call.is_any(&["list", "file"]) && call.text(1) == name
    };
    calls(plan).any(|call| gets(&call) && !sources(call).is_empty())
}

/// The lines that link a target: by its properties, as `target_link_libraries` of other files and functions may be with `PRIVATE` and
/// the like or without, and CMake takes one form for a target alone. What links an archive needs what is in there.
fn links(made: &Call<'_>) -> Vec<String> {
    let line =
        |property| format!("{}set_property(TARGET {} APPEND PROPERTY {property} roctx64)", made.indent(), made.text(0));
    let is_archive = made.is_any(&["add_library", "cuda_add_library"])
        && !made.texts().any(|text| matches!(text, "SHARED" | "MODULE"));
    let properties = ["LINK_LIBRARIES", "INTERFACE_LINK_LIBRARIES"];
    properties.into_iter().take(1 + usize::from(is_archive)).map(line).collect()
}
