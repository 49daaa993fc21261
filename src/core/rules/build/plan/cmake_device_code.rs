//! Device code is compiled as nvcc does it without being asked.

use super::change::{Change, Topic};
use super::cmake_call::{Call, calls};
use super::host_expressions::expression;
use super::planner::Plan;
use crate::mapping::AS_NVCC;
use crate::source::Edit;

/// What has clang optimise device code. Options behind it decide, as those of the kind of build are.
const OPTIMISING: &str = "string(PREPEND CMAKE_HIP_FLAGS \"-Xarch_device -O3 \")";

/// The lines that have clang compile device code as nvcc does. No `set(CMAKE_CUDA_FLAGS …)` behind the last one takes it away.
pub(super) fn device_code(plan: &Plan<'_>) -> impl Iterator<Item = String> {
    let options = AS_NVCC.join(";").replace("-Xarch_device;", "SHELL:-Xarch_device ");
    let line = format!("add_compile_options(\"$<$<COMPILE_LANGUAGE:HIP>:{options}>\")");
    (!is_decided(plan)).then(|| OPTIMISING.to_owned()).into_iter().chain([line])
}

/// The same behind a command.
pub(super) fn device_code_behind(call: Call<'_>) -> Edit {
    let lines: Vec<String> = device_code(call.plan).map(|line| format!("{}{line}", call.indent())).collect();
    call.plan.lines_after(call.command.range.end(), &lines)
}

/// What has device code optimised again behind `set(CMAKE_CUDA_FLAGS "…")`, which takes away what stood in the variable.
pub(super) fn plan_overwritten(call: Call<'_>) {
    const FLAGS: &str = "CMAKE_CUDA_FLAGS";
    let reads = |text: &str| text.contains("${CMAKE_CUDA_FLAGS}");
    let overwrites =
        call.is("set") && call.text(0) == FLAGS && !call.texts().any(|text| reads(text) || text == "CACHE");
    let is_before = |other: &Call<'_>| other.command.range.start() < call.command.range.start();
    let enables =
        |other: Call<'_>| other.is_any(&["project", "enable_language"]) && other.texts().any(|text| text == "CUDA");
    if overwrites && calls(call.plan).take_while(is_before).any(enables) && !is_decided(call.plan) {
        let line = format!("{}{OPTIMISING}", call.indent());
        let edit = call.plan.lines_after(call.command.range.end(), &[line]);
        let message = "the flags that stood in the variable are gone";
        call.plan.add(Change::new(Topic::Option, call.arguments()[0].inner, message, vec![edit]));
    }
}

/// Whether a file says itself how device code is optimised: nvcc does so by default (NVIDIA, "CUDA Compiler Driver NVCC", `--dopt`),
/// and clang, which CMake calls for HIP, does not.
fn is_decided(plan: &Plan<'_>) -> bool {
    *plan.known.says_level.get_or_init(|| says_level(plan))
}

fn says_level(plan: &Plan<'_>) -> bool {
    let mut kinds = Vec::new();
    let mut calls = calls(plan);
    calls.any(|call| {
        if call.is("if") {
            kinds.push(call.texts().any(|text| text.contains(KIND)));
        } else if call.is("endif") {
            kinds.pop();
        }
        call.is("set") && call.text(0) == KIND || !kinds.contains(&true) && decides(&call)
    })
}

/// The variable with the kind of build.
const KIND: &str = "CMAKE_BUILD_TYPE";

/// Ends of the names of variables for one kind of build.
const FOR_ONE_KIND: &[&str] = &["_DEBUG", "_RELEASE", "_RELWITHDEBINFO", "_MINSIZEREL"];

/// Whether an option of a command says how device code is optimised in builds of all kinds.
fn decides(call: &Call<'_>) -> bool {
    let is_for_device = || {
        // What is said of one target leaves the others as they are.
        let is_for_all = call.is_any(&["set", "list", "string", "add_definitions"]);
        call.is("add_compile_options")
            || is_for_all && call.texts().any(|text| text.contains("CUDA") || text.contains("HIP"))
    };
    let is_for_one_kind = |name: &str| FOR_ONE_KIND.iter().any(|kind| name.ends_with(kind));
    let sets_one_kind = (0..2).any(|number| is_for_one_kind(call.text(number)));
    !sets_one_kind
        && call.texts().any(|text| names_level(text) && names_level(&without_choices(text)))
        && is_for_device()
}

/// A text without what expressions have in it for one kind of build only.
fn without_choices(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("$<") {
        let (front, behind) = rest.split_at(at);
        let whole = expression(behind).unwrap_or(behind);
        let is_choice = expression(&whole[2..]).unwrap_or(&whole[2..]).contains("CONFIG:");
        let len = if is_choice { whole.len() } else { 2 };
        kept.push_str(front);
        kept.push_str(if is_choice { " " } else { "$<" });
        rest = &behind[len..];
    }
    kept + rest
}

/// Whether a text has an option for how much is optimised.
fn names_level(text: &str) -> bool {
    let mut words = text.split([' ', ';', ':', '>', '\n', '\t', '"']);
    words.any(|word| matches!(word, "-O0" | "-O1" | "-O2" | "-O3" | "-Os" | "-Ofast"))
}
