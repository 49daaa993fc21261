//! Lists of CMake's languages: variables that `project` reads, loops over them, and conditions that ask for one.

use std::collections::BTreeSet;

use super::change::{Change, Topic};
use super::cmake_call::{Call, calls, default_targets};
use super::cmake_device_code::device_code_behind;
use super::planner::Plan;
use crate::build::Argument;

/// Commands of CMake's that enable a language.
const ENABLING: &[&str] = &["project", "enable_language"];
/// Commands of CMake's that are given a language first.
const CHECKING: &[&str] = &["check_compiler_flag", "check_linker_flag", "check_source_compiles", "check_source_runs"];

/// Plans all lists of languages of a file.
pub(super) fn plan_languages<'p>(plan: &'p Plan<'p>) {
    let (lists, naming) = (lists(plan), naming(plan));
    for call in calls(plan) {
        if call.is_any(CHECKING) {
            call.arguments().iter().take(1).for_each(|argument| plan_language(call, argument));
        } else if call.is("set") && lists.contains(call.text(0)) {
            call.arguments().iter().skip(1).for_each(|argument| plan_language(call, argument));
        } else if call.is("list") && lists.contains(call.text(1)) {
            call.arguments().iter().skip(2).for_each(|argument| plan_language(call, argument));
        } else if call.is("foreach") && (naming.contains(call.text(0)) || lists.contains(call.text(0))) {
            call.arguments().iter().skip(1).for_each(|argument| plan_language(call, argument));
        } else if call.is_any(&["if", "elseif"]) {
            plan_asked(call, &lists);
        }
    }
    plan_enabling(plan, &lists);
}

fn plan_language(call: Call<'_>, argument: &Argument) {
    let text = call.plan.slice(argument.inner);
    let at = text.split(';').find(|part| *part == "CUDA");
    if let Some(part) = at {
        call.plan.add(Change::rename(Topic::Language, call.plan.place(part), (part, "HIP")));
    }
}

/// The variables with languages: those that enable some, and those that hold which are enabled.
fn lists<'p>(plan: &'p Plan<'p>) -> BTreeSet<&'p str> {
    let enabled = calls(plan).filter(|call| call.is("get_property") && call.find("ENABLED_LANGUAGES").is_some());
    let read = calls(plan)
        .filter(|call| call.is_any(ENABLING))
        .flat_map(|call| call.texts().skip(usize::from(call.is("project"))));
    let mut found: BTreeSet<&str> =
        enabled.map(|call| call.text(0)).chain(read.filter_map(super::style::variable)).collect();
    let loops: Vec<Call<'_>> = calls(plan).filter(|call| call.is("foreach") && found.contains(call.text(0))).collect();
    found.extend(loops.into_iter().flat_map(looped));
    found
}

/// The variables over whose values a loop goes: `foreach(language IN LISTS languages)`, `foreach(language ${languages})`.
fn looped<'p>(call: Call<'p>) -> impl Iterator<Item = &'p str> {
    let lists = call.find("LISTS").map_or(usize::MAX, |at| at + 1);
    let named = call.texts().skip(lists);
    named.chain(call.texts().skip(1).filter_map(super::style::variable))
}

/// What stands in front of a language in names of variables and in generator expressions.
const IN_FRONT: &[&str] = &["CMAKE_${", "COMPILE_LANGUAGE:${"];

/// The variables that hold a language, by what they are a part of: `CMAKE_${lang}_FLAGS`.
fn naming<'p>(plan: &'p Plan<'p>) -> BTreeSet<&'p str> {
    let texts = calls(plan).flat_map(|call| call.texts());
    let parts = texts.flat_map(|text| IN_FRONT.iter().flat_map(|front| text.split(*front).skip(1)));
    parts.filter_map(|part| part.split_once('}')).map(|(name, _)| name).collect()
}

/// `if("CUDA" IN_LIST languages)`
fn plan_asked(call: Call<'_>, lists: &BTreeSet<&str>) {
    for at in 1..call.arguments().len() {
        if call.text(at) == "IN_LIST" && lists.contains(call.text(at + 1)) {
            plan_language(call, &call.arguments()[at - 1]);
        }
    }
}

/// The command that enables what a list has names the GPUs, and has device code optimised, as where the language stands by itself.
fn plan_enabling(plan: &Plan<'_>, lists: &BTreeSet<&str>) {
    let has_cuda = |name: &str| {
        calls(plan).any(|call| {
            let first = usize::from(call.is("list"));
            call.is_any(&["set", "list"])
                && call.text(first) == name
                && call.texts().any(|text| text.split(';').any(|part| part == "CUDA"))
        })
    };
    let reads = |call: &Call<'_>| {
        let mut names = call.texts().filter_map(super::style::variable);
        call.is_any(ENABLING) && names.any(|name| lists.contains(name) && has_cuda(name))
    };
    let goes_through = |call: &Call<'_>| {
        let has_one = || looped(*call).any(has_cuda) || call.texts().any(|text| text == "CUDA");
        call.is("foreach") && lists.contains(call.text(0)) && has_one()
    };
    let by_list = calls(plan).find(reads).map(|call| (call, call));
    let by_loop = || {
        let call = calls(plan).find(goes_through)?;
        let is_behind = |other: &Call<'_>| other.command.range.start() > call.command.range.start();
        calls(plan).filter(is_behind).find(|other| other.is("endforeach")).map(|end| (call, end))
    };
    if let Some((call, end)) = by_list.or_else(by_loop) {
        let edits = default_targets(call).into_iter().chain([device_code_behind(end)]).collect();
        let message = "the languages of the list are those of a build for HIP";
        plan.add(Change::new(Topic::Language, call.command.range, message, edits));
    }
}
