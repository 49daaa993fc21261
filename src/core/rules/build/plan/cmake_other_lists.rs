//! Sources in lists of CMake that other folders make: CMake keeps what is said of a source to the folder that says it (CMake
//! documentation, "`set_source_files_properties`"), and the one that makes the target has to say it again.

use std::collections::BTreeSet;

use camino::Utf8Path;

use super::change::{Change, Topic};
use super::cmake_call::{Call, calls, enables_hip};
use super::planner::Plan;
use super::style::variable;
use crate::build::references;

/// Commands whose arguments are sources of a target.
pub(super) const TARGETS: &[&str] =
    &["add_executable", "add_library", "cuda_add_executable", "cuda_add_library", "target_sources"];

/// Tells the language of sources that a target gets by a list from another folder.
pub(super) fn plan_lists_of_others(call: Call<'_>) {
    let plan = call.plan;
    if !call.is_any(TARGETS) || plan.extension_tells() || enables_hip(plan) {
        return;
    }
    let lists: BTreeSet<&str> = call.texts().skip(1).flat_map(references).collect();
    if lists.is_empty() {
        return;
    }
    let own = call.is("target_sources") && !makes(plan, call.text(0));
    let untold = plan.known.untold_lists[usize::from(own)].get_or_init(|| untold_lists(plan, own));
    let scope = if call.is("target_sources") { format!(" TARGET_DIRECTORY {}", call.text(0)) } else { String::new() };
    let lists = lists.into_iter().filter_map(|list| Some((list, ending(plan, list, (untold, own))?)));
    let lists: Vec<(&str, &str)> = lists.collect();
    let Some((first, _)) = lists.first() else { return };
    let lines: Vec<String> = lists.iter().flat_map(|list| telling(*list, &scope, call.indent())).collect();
    let edit = plan.lines_after(call.command.range.end(), &lines);
    let message = format!("CMake takes sources in `{first}`, which another folder names, for CUDA");
    plan.add(Change::new(Topic::Source, call.command.name, message, vec![edit]));
}

/// The lists with sources whose language nothing tells in the folder of the file; with `own`, those that it makes itself as well.
fn untold_lists(plan: &Plan<'_>, own: bool) -> BTreeSet<String> {
    let reads = |path: &Utf8Path| {
        let name = path.file_name().unwrap_or_default();
        let includes = |other: &Call<'_>| {
            let last = other.text(0).rsplit('/').next().unwrap_or_default();
            other.is("include") && name.trim_end_matches(".cmake") == last.trim_end_matches(".cmake")
        };
        calls(plan).any(|other| includes(&other))
    };
    let lists = plan.builds.source_lists.untold_in(plan.path, own, reads);
    lists.into_iter().map(str::to_owned).collect()
}

/// Whether the file makes a target.
fn makes(plan: &Plan<'_>, target: &str) -> bool {
    calls(plan).any(|other| other.is_any(TARGETS) && !other.is("target_sources") && other.text(0) == target)
}

/// What is put behind the name of a list that brings sources which are not told yet, the same for all targets that are made of it.
fn ending(plan: &Plan<'_>, list: &str, (untold, own): (&BTreeSet<String>, bool)) -> Option<&'static str> {
    if !untold.contains(list) || matches!(list, "ARGN" | "ARGV") {
        return None;
    }
    let key = (list.to_owned(), own);
    if let Some(known) = plan.known.asked_lists.borrow().get(&key) {
        return *known;
    }
    let is_known = calls(plan).any(|other| is_parameter(other, list) || tells(other, list));
    let brings = !is_known && (own || is_from_elsewhere(plan, list, untold));
    let is_free = |ending: &&str| !plan.text.contains(&format!("{list}{ending}"));
    let found = ENDINGS.into_iter().find(is_free).filter(|_| brings);
    plan.known.asked_lists.borrow_mut().insert(key, found);
    found
}

/// Whether a function or a macro gets a value by this name.
fn is_parameter(call: Call<'_>, name: &str) -> bool {
    call.is_any(&["function", "macro"]) && call.texts().skip(1).any(|parameter| parameter == name)
}

/// Whether a command is one of those that an earlier run wrote for a list.
fn tells(call: Call<'_>, list: &str) -> bool {
    let names =
        |text: &str| variable(text).and_then(|name| name.strip_prefix(list)).is_some_and(|end| ENDINGS.contains(&end));
    call.is("set_source_files_properties") && call.find("LANGUAGE").is_some() && names(call.text(0))
}

/// Whether a list that holds sources somewhere does so here, itself or by way of others: it may be the file's own of the same name.
fn is_from_elsewhere(plan: &Plan<'_>, list: &str, untold: &BTreeSet<String>) -> bool {
    let (mut open, mut seen) = (vec![list], BTreeSet::new());
    while let Some(list) = open.pop() {
        if !untold.contains(list) || !seen.insert(list) {
            continue;
        }
        let giving: Vec<Call<'_>> = calls(plan).filter(|call| sets(*call, list)).collect();
        if giving.is_empty() {
            return true;
        }
        let held = giving.into_iter().flat_map(|call| call.texts().skip(1));
        open.extend(held.flat_map(|text| references(text).into_iter().chain([text])));
    }
    false
}

/// Whether a command gives a list its values anew.
fn sets(call: Call<'_>, list: &str) -> bool {
    match () {
        () if call.is_any(&["set", "get_property", "get_directory_property", "get_filename_component", "foreach"]) => {
            call.text(0) == list
        }
        () if call.is("file") => call.text(0).starts_with("GLOB") && call.text(1) == list,
        () if call.is("aux_source_directory") => call.text(1) == list,
        () if call.is("string") => call.find(list).is_some(),
        () => false,
    }
}

/// What is put behind the name of a list for that of its sources for HIP: the first one that the file does not use.
const ENDINGS: [&str; 2] = ["_HIP", "_FOR_HIP"];

/// The lines that tell the language of the sources in a list.
fn telling((list, ending): (&str, &str), scope: &str, indent: &str) -> [String; 3] {
    let name = format!("{list}{ending}");
    [
        format!("{indent}set({name} \"${{{list}}}\")"),
        format!("{indent}list(FILTER {name} INCLUDE REGEX \"\\\\.cu$\")"),
        format!("{indent}set_source_files_properties(${{{name}}}{scope} PROPERTIES LANGUAGE HIP)"),
    ]
}
