//! Libraries and headers that `find_library`, `find_path` and the like of CMake look for.

use super::change::{Change, Topic};
use super::cmake_call::{Call, calls};
use super::cmake_style::words_of;
use super::headers::{header, plan_header, plan_named_headers};
use super::planner::Plan;
use crate::build::Argument;
use crate::mapping::{build_library, build_variable, is_cuda_folder};
use crate::source::{TextRange, range};

/// Commands that look for headers.
const FOR_HEADERS: &[&str] = &["find_file", "find_path"];

/// Plans what a command looks for.
pub(super) fn plan_finds(call: Call<'_>) {
    if !call.is("message") {
        plan_named_headers(call.plan, &words_of(call.plan, call.arguments()));
    }
    if call.is("find_library") {
        names(call).for_each(|name| plan_library(call, name));
    } else if call.is_any(&["check_include_file", "check_include_file_cxx", "check_include_files"]) {
        let lists = call.arguments().iter().take(1).flat_map(|list| call.plan.slice(list.inner).split(';'));
        lists.for_each(|name| plan_header(call.plan, call.plan.place(name)));
    } else if call.is("target_precompile_headers") {
        let names = call.texts().skip(1).map(|name| name.trim_start_matches('<').trim_end_matches('>'));
        names.for_each(|name| plan_header(call.plan, call.plan.place(name)));
    } else if call.is_any(FOR_HEADERS) {
        names(call).for_each(|name| plan_header(call.plan, name.inner));
    } else if call.is_any(&["if", "elseif"]) {
        existing(call).for_each(|name| plan_header(call.plan, name));
    }
}

/// The headers below the folder of CUDA's that a condition asks for: `EXISTS ${CUDAToolkit_INCLUDE_DIRS}/cuda_fp8.h`.
fn existing(call: Call<'_>) -> impl Iterator<Item = TextRange> {
    let pairs = call.arguments().windows(2).filter(move |pair| call.plan.slice(pair[0].inner) == "EXISTS");
    pairs.filter_map(move |pair| {
        let (path, end) = (call.plan.slice(pair[1].inner), usize::from(pair[1].inner.end()));
        let (name, rest) = path.strip_prefix("${")?.split_once("}/")?;
        let is_include = build_variable(name).is_some_and(|known| known.hip.as_deref() == Some("hip_INCLUDE_DIRS"));
        let below = if is_include { rest } else { rest.strip_prefix("include/").filter(|_| is_cuda_folder(name))? };
        Some(range(end - below.len(), end))
    })
}

/// Whether a variable gets the folder in which the file finds CUDA's headers: `find_path(CUDA_INC cuda_runtime.h)`.
pub(super) fn finds_headers(plan: &Plan<'_>, variable: &str) -> bool {
    if !plan.text.contains(FOR_HEADERS[1]) {
        return false;
    }
    let mut finding = calls(plan).filter(|call| call.is("find_path") && call.text(0) == variable);
    finding.any(|call| names(call).any(|name| header(plan, call.plan.slice(name.inner)).is_some()))
}

/// The names that are looked for: those behind `NAMES`, or the one behind the variable.
fn names(call: Call<'_>) -> impl Iterator<Item = &Argument> {
    let listed = call.find("NAMES").map(|at| at + 1);
    let is_keyword = |text: &str| text.len() > 2 && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    let arguments = call.arguments().iter().skip(listed.unwrap_or(1));
    let most = if listed.is_some() { usize::MAX } else { 1 };
    arguments.take(most).take_while(move |argument| !is_keyword(call.plan.slice(argument.inner)))
}

fn plan_library(call: Call<'_>, argument: &Argument) {
    let (plan, name) = (call.plan, call.plan.slice(argument.inner));
    let Some(library) = build_library(name) else { return };
    match &library.link {
        Some(link) if !link.is_empty() => {
            plan.add(Change::rename(Topic::Library, argument.inner, (name, link)));
        }
        Some(_) => plan.add(Change::left(argument.inner, format!("HIP needs no library `{name}`"), "remove it")),
        None => {
            let advice = library.advice.as_deref().unwrap_or_default();
            plan.add(Change::left(argument.inner, format!("nothing takes the place of `{name}`"), advice));
        }
    }
}
