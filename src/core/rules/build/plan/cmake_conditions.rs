//! Conditions of CMake that are other ones for HIP, whatever they are called.

use std::collections::BTreeSet;

use super::change::{Change, Topic};
use super::cmake_call::{Call, calls};
use super::cmake_gpus::{compared_with, defines, gpu_comparisons};
use crate::build::Argument;
use crate::diagnostic::Severity;
use crate::mapping::build_library;
use crate::source::{Edit, TextRange, TextSize};

/// What a person can do about one.
const ADVICE: &str = "decide for HIP which branch is taken";

/// The compiler's name that asks for clang, which compiles HIP as well.
const CLANG: &str = "Clang";

/// Plans what a condition asks of a name, if it is another question for HIP: which GPUs, which compiler, whether there is a target.
pub(super) fn plan_condition(
    call: Call<'_>,
    (number, argument): (usize, &Argument),
    (place, keyword): (TextRange, &str),
) -> bool {
    let (plan, name) = (call.plan, call.plan.slice(place));
    let tell = |message: String| {
        let change = Change::left(place, message, ADVICE);
        plan.add(Change { severity: Some(Severity::Error), ..change });
    };
    if gpu_comparisons(plan).contains(&place.start()) {
        let what = if defines(call, plan.slice(argument.inner)) { "defined as a number" } else { "compared" };
        tell(format!("`{name}` is {what}, and holds GPUs of AMD's in a build for HIP"));
        return false;
    }
    if matches!(keyword, "TARGET_EXISTS" | "TARGET_NAME_IF_EXISTS") {
        let front = place.start() - TextSize::of("$<:") - TextSize::of(keyword);
        let whole = TextRange::new(front, place.end() + TextSize::of(">"));
        return plan_target(call, whole, (name, (keyword == "TARGET_EXISTS").then_some("1")));
    }
    if !call.is_any(&["if", "elseif", "while"]) {
        return false;
    }
    let before = number.checked_sub(1);
    match (name, compared_with(call, number)) {
        ("CMAKE_CUDA_ARCHITECTURES", Some(value)) if !matches!(value, "" | "OFF" | "native") => {
            tell(format!("`{name}` is compared, and names GPUs of AMD's in a build for HIP"));
        }
        ("CMAKE_CUDA_COMPILER_ID", Some(value)) if value.contains(CLANG) && !is_behind_nvidia(call) => {
            tell(format!("`{name}` is always `{CLANG}` in a build for HIP"));
        }
        _ => {
            let Some(keyword) = before.filter(|&at| call.text(at) == "TARGET") else { return false };
            let whole = TextRange::new(call.arguments()[keyword].range.start(), argument.range.end());
            return plan_target(call, whole, (name, Some("TRUE")));
        }
    }
    true
}

/// Whether a branch stands behind one that is taken in each build for HIP, as it asks for what is NVIDIA's compiler in one for CUDA.
fn is_behind_nvidia(call: Call<'_>) -> bool {
    let read = || {
        let mut behind = BTreeSet::new();
        // For each `if` that is open, whether a branch has asked so.
        let mut open = Vec::new();
        for other in calls(call.plan) {
            match open.last_mut() {
                _ if other.is("if") => open.push(asks_for_nvidia(other)),
                Some(asked) if other.is("elseif") && *asked => drop(behind.insert(other.command.range.start())),
                Some(asked) if other.is("elseif") => *asked = asks_for_nvidia(other),
                _ if other.is("endif") => drop(open.pop()),
                _ => {}
            }
        }
        behind
    };
    call.is("elseif") && call.plan.known.behind_nvidia.get_or_init(read).contains(&call.command.range.start())
}

/// Whether a condition asks for NVIDIA's compiler of CUDA, and for nothing else.
fn asks_for_nvidia(call: Call<'_>) -> bool {
    let [name, operator, value] = call.arguments() else { return false };
    let is_compiler = matches!(call.plan.slice(name.inner), "CMAKE_CUDA_COMPILER_ID" | "${CMAKE_CUDA_COMPILER_ID}");
    let compares = matches!(call.plan.slice(operator.inner), "STREQUAL" | "MATCHES");
    is_compiler && compares && call.plan.slice(value.inner) == "NVIDIA"
}

/// `TARGET CUDA::nvtx3`, `$<TARGET_EXISTS:CUDA::nvtx3>`: a library that takes its place without a target is there. `holds` is what
/// says so; without it, the library itself stands there.
fn plan_target(call: Call<'_>, place: TextRange, (name, holds): (&str, Option<&str>)) -> bool {
    let library = name.strip_prefix("CUDA::").and_then(build_library);
    let Some(library) = library.filter(|library| library.link.is_some() && library.package.is_empty()) else {
        return false;
    };
    let what = if library.target.is_empty() { "needs none" } else { "links it by its name" };
    let message = format!("HIP has no target for `{name}`, and {what}");
    let change =
        Change::new(Topic::Library, place, message, vec![Edit::replace(place, holds.unwrap_or(&library.target))]);
    call.plan.add(Change { severity: Some(Severity::Info), ..change });
    true
}
