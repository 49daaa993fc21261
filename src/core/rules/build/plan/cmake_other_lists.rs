//! Sources in lists of CMake that other folders make: CMake keeps what is said of a source to the folder that says it (CMake
//! documentation, "`set_source_files_properties`"), and the one that makes the target has to say it again.

use std::collections::BTreeSet;

use camino::Utf8Path;

use super::change::{Change, Topic};
use super::cmake_call::{Call, calls, enables_hip};
use super::planner::Plan;
use super::style::variable;
use crate::build::references;

/// Commands that make a target of lists.
const MAKING: &[&str] = &["add_executable", "add_library", "cuda_add_executable", "cuda_add_library"];

/// Tells the language of sources that a target gets by a list from another folder.
pub(super) fn plan_lists_of_others(call: Call<'_>) {
    let plan = call.plan;
    let is_foreign = || call.is("target_sources") && !makes(plan, call.text(0));
    if !call.is_any(MAKING) && !call.is("target_sources") || plan.extension_tells() || enables_hip(plan) {
        return;
    }
    let lists: Vec<&str> = call.texts().skip(1).filter_map(variable).collect();
    if lists.is_empty() {
        return;
    }
    let own = is_foreign();
    let untold = plan.known.untold_lists[usize::from(own)].get_or_init(|| untold_lists(plan, own));
    let scope = if call.is("target_sources") { format!(" TARGET_DIRECTORY {}", call.text(0)) } else { String::new() };
    let is_new = |list: &str| plan.known.asked_lists.borrow_mut().insert((list.to_owned(), scope.clone()));
    let is_meant = |list: &&str| untold.contains(*list) && is_new(list) && is_from_elsewhere(plan, list, untold, own);
    let lists: Vec<&str> = lists.into_iter().filter(is_meant).collect();
    let Some(first) = lists.first() else { return };
    let lines: Vec<String> = lists.iter().flat_map(|list| telling(list, &scope, call.indent())).collect();
    let edit = plan.lines_after(call.command.range.end(), &lines);
    let message = format!("CMake takes sources in `{first}`, which another folder names, for CUDA");
    plan.add(Change::new(Topic::Source, call.command.name, message, vec![edit]));
}

/// The lists with sources whose language nothing tells in the folder of the file; with `own`, those that it makes itself as well.
fn untold_lists(plan: &Plan<'_>, own: bool) -> BTreeSet<String> {
    let reads = |path: &Utf8Path| {
        let name = path.file_name().unwrap_or_default();
        let includes = |other: &Call<'_>| {
            other.is("include") && other.text(0).rsplit('/').next().is_some_and(|last| name.starts_with(last))
        };
        calls(plan).any(|other| includes(&other))
    };
    let lists = plan.builds.source_lists.untold_in(plan.path, own, reads);
    lists.into_iter().map(str::to_owned).collect()
}

/// Whether the file makes a target.
fn makes(plan: &Plan<'_>, target: &str) -> bool {
    calls(plan).any(|other| other.is_any(MAKING) && other.text(0) == target)
}

/// Whether a list that holds sources somewhere does so here: it may be the file's own of the same name, or what a function gets, or
/// be told already.
fn is_from_elsewhere(plan: &Plan<'_>, list: &str, untold: &BTreeSet<String>, own: bool) -> bool {
    let is_parameter =
        |other: Call<'_>| other.is_any(&["function", "macro"]) && other.texts().skip(1).any(|name| name == list);
    let told = format!("${{{list}_HIP}}");
    let is_told = |other: Call<'_>| other.is("set_source_files_properties") && other.find(&told).is_some();
    if matches!(list, "ARGN" | "ARGV") || calls(plan).any(|other| is_parameter(other) || is_told(other)) {
        return false;
    }
    let given = |other: &Call<'_>| match () {
        () if other.is_any(&["set", "get_property", "get_directory_property"]) => other.text(0) == list,
        () if other.is("file") => other.text(0).starts_with("GLOB") && other.text(1) == list,
        () => false,
    };
    let mut giving = calls(plan).filter(given).peekable();
    let brings = |other: Call<'_>| {
        let held = other.texts().skip(1).flat_map(|text| references(text).into_iter().chain([text]));
        held.filter(|name| *name != list).any(|name| untold.contains(name))
    };
    own || giving.peek().is_none() || giving.any(brings)
}

/// The lines that tell the language of the sources in a list.
fn telling(list: &str, scope: &str, indent: &str) -> [String; 3] {
    [
        format!("{indent}set({list}_HIP \"${{{list}}}\")"),
        format!("{indent}list(FILTER {list}_HIP INCLUDE REGEX \"\\\\.cu$\")"),
        format!("{indent}set_source_files_properties(${{{list}_HIP}}{scope} PROPERTIES LANGUAGE HIP)"),
    ]
}
