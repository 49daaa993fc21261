//! Files of CMake.

use std::collections::BTreeSet;

use super::change::{Change, Topic};
use super::cmake_call::{Call, ENABLING, calls, default_targets, is_enabling_hip};
use super::cmake_device_code::{device_code_behind, plan_overwritten};
use super::library_files::plan_library_files;
use super::planner::Plan;
use super::{
    cmake_arguments, cmake_checks, cmake_commands, cmake_finds, cmake_flags, cmake_languages, cmake_linked,
    cmake_loops, cmake_names, cmake_objects, cmake_packages, cmake_properties, cmake_roctx, cmake_sources,
    cpp_standard, versions,
};
use crate::build::{ArgumentKind, BuildFile};
use crate::diagnostic::Severity;
use crate::source::{Edit, range};

/// Plans all commands of a file, and tells whether all that speaks of CUDA in it has to be looked at. A file that enables CUDA and HIP
/// in `whole` stays as it is.
pub(super) fn plan(plan: &Plan<'_>, whole: &BuildFile) -> bool {
    let enables_cuda = |call: &Call<'_>| {
        call.is_any(ENABLING) && call.texts().any(|text| text == "CUDA")
            || call.is("find_package") && matches!(call.text(0), "CUDA" | "CUDAToolkit")
    };
    let all = whole.commands.iter().map(|command| Call { command, plan });
    if let Some(call) = all.clone().find(enables_cuda).filter(|_| all.clone().any(|call| is_enabling_hip(&call))) {
        let message = "the file has parts for CUDA beside parts for HIP; it is left as it is";
        let change = Change::left(call.command.range, message, "choose HIP when you configure the project");
        plan.add(Change { severity: Some(Severity::Info), ..change });
        return false;
    }
    let own: BTreeSet<&str> =
        calls(plan).filter(|call| call.is_any(&["set", "option"])).map(|call| call.text(0)).collect();
    let mut is_gated = false;
    for call in calls(plan) {
        // Nobody reads the messages of a check that has become false.
        if is_gated && call.is("message") {
            continue;
        }
        is_gated = versions::plan_gate(call, &own);
        if !is_gated {
            plan_call(call, &own);
        }
    }
    cmake_languages::plan_languages(plan);
    cmake_linked::plan_lists(plan);
    cmake_loops::plan_loops(plan);
    cmake_packages::plan_packages(plan);
    cmake_roctx::plan_roctx(plan);
    plan_release(plan);
    true
}

fn plan_call(call: Call<'_>, own: &BTreeSet<&str>) {
    cpp_standard::plan_properties(call);
    // Those for nvcc alone become others as a whole.
    if !call.texts().take(2).any(|text| text.starts_with(cmake_flags::NVCC_FLAGS)) {
        call.arguments().iter().for_each(|argument| cpp_standard::plan_standards(call.plan, argument.inner));
    }
    cmake_flags::plan_find_cuda_flags(call);
    cmake_properties::plan_properties(call);
    cmake_objects::plan_taken_objects(call);
    cmake_sources::plan_find_cuda_command(call);
    cmake_arguments::plan_arguments(call);
    cmake_sources::plan_sources(call);
    if call.is_any(ENABLING) {
        plan_language(call);
    }
    cmake_commands::plan_commands(call);
    cmake_flags::plan_flags(call);
    cmake_flags::plan_cached_flags(call);
    plan_overwritten(call);
    cmake_flags::plan_host_flags(call);
    cmake_flags::plan_options_for_all(call);
    cmake_checks::plan_checks(call);
    cmake_checks::plan_written(call);
    cmake_finds::plan_finds(call);
    cmake_linked::plan_link_options(call);
    let paths = call.arguments().iter().filter(|argument| argument.kind != ArgumentKind::Bracket);
    paths.filter(|_| !call.is("message")).for_each(|argument| plan_library_files(call.plan, argument.inner));
    if !cmake_packages::is_replaced(call) {
        cmake_names::plan_names(call, own);
    }
}

/// `project(… CUDA)` and the like.
fn plan_language(call: Call<'_>) {
    let Some(argument) = call
        .arguments()
        .iter()
        .skip(1 - usize::from(!call.is("project")))
        .find(|argument| call.plan.slice(argument.inner) == "CUDA")
    else {
        return;
    };
    // HIP's own package looks for threads, with a compiler of C or C++.
    let from = call.find("LANGUAGES").map_or(1, |at| at + 1);
    let has_other = || call.texts().skip(from).any(|text| matches!(text, "C" | "CXX") || text.contains('$'));
    let is_alone = call.is("project") && argument.kind != ArgumentKind::Quoted && !has_other();
    let languages = if is_alone { "CXX HIP" } else { "HIP" };
    let mut change = Change::rename(Topic::Language, argument.inner, ("CUDA", languages));
    if !call.is("check_language") {
        change.edits.splice(0..0, default_targets(call));
        change.edits.push(device_code_behind(call));
    }
    call.plan.add(change);
}

/// The first release of CMake that knows HIP.
const FIRST_RELEASE: (u32, u32) = (3, 21);

/// The release of CMake that a file asks for knows HIP, if the file enables it.
fn plan_release(plan: &Plan<'_>) {
    let Some(call) = calls(plan).find(|call| call.is("cmake_minimum_required")) else { return };
    let Some(version) = call.find("VERSION").and_then(|at| call.arguments().get(at + 1)) else { return };
    let text = plan.slice(version.inner);
    let least = text.split("...").next().unwrap_or(text);
    if release(least) >= FIRST_RELEASE || !plan.changes_any(Topic::Language) {
        return;
    }
    let place = range(version.inner.start().into(), usize::from(version.inner.start()) + least.len());
    let new = format!("{}.{}", FIRST_RELEASE.0, FIRST_RELEASE.1);
    let message = format!("CMake knows HIP from {new} on");
    // The newest release that is known to work may be older than the first that knows HIP.
    let newest = text.split_once("...").map_or((0, 0), |(_, newest)| release(newest));
    let place = if newest < FIRST_RELEASE { version.inner } else { place };
    plan.add(Change::new(Topic::Language, place, message, vec![Edit::replace(place, new)]));
}

/// The first two numbers of a version.
fn release(version: &str) -> (u32, u32) {
    let mut parts = version.split('.').map(|part| part.parse().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0))
}
