//! Libraries of CUDA's that CMake links by way of variables and of options: `set(LIBS cublas)`, `-lcublas` among flags.

use std::collections::BTreeSet;

use super::change::{Change, Topic};
use super::cmake_call::{Call, calls};
use super::cmake_style::{ArgumentStyle, words_of};
use super::linked_libraries::plan_library;
use super::planner::Plan;
use super::style::{Style, variable};
use crate::build::references;
use crate::mapping::{BuildLibrary, build_library};
use crate::source::TextRange;

/// Commands that link what they are given.
pub(super) const LINKING: &[&str] = &["target_link_libraries", "link_libraries"];
/// Commands beside these whose arguments may be options for linkers.
const WITH_OPTIONS: &[&str] = &[
    "add_custom_command",
    "add_link_options",
    "list",
    "set",
    "set_property",
    "set_target_properties",
    "string",
    "target_link_options",
];

/// The variables of a file that are linked, and used for nothing else.
pub(super) fn linked_lists<'p>(plan: &'p Plan<'_>) -> &'p BTreeSet<String> {
    plan.known.linked_lists.get_or_init(|| find_lists(plan).into_iter().map(str::to_owned).collect())
}

fn find_lists<'p>(plan: &'p Plan<'p>) -> BTreeSet<&'p str> {
    let linking = calls(plan).filter(|call| call.is_any(LINKING));
    let mut found: BTreeSet<&str> = linking.flat_map(|call| call.texts()).filter_map(variable).collect();
    for call in calls(plan).filter(|call| !call.is_any(LINKING) && !call.is_any(&["message", "if", "elseif"])) {
        let own = given(call).map(|(name, _)| name);
        let read = call.texts().flat_map(references);
        let looped = call.texts().filter(|_| call.is("foreach"));
        read.chain(looped).filter(|name| Some(*name) != own).for_each(|name| {
            found.remove(name);
        });
    }
    found
}

/// The variable that a command gives values, and the number of the first one.
fn given(call: Call<'_>) -> Option<(&str, usize)> {
    match () {
        () if call.is("set") => Some((call.text(0), 1)),
        () if call.is("list") && matches!(call.text(0), "APPEND" | "PREPEND") => Some((call.text(1), 2)),
        () => None,
    }
}

/// The libraries of CUDA's in the values of such variables, where they stand.
pub(super) fn listed<'p>(
    call: Call<'p>,
    lists: &BTreeSet<String>,
) -> impl Iterator<Item = (TextRange, &'static BuildLibrary)> + use<'p> {
    let first = given(call).filter(|(name, _)| lists.contains(*name)).map(|(_, first)| first);
    let values = first.into_iter().flat_map(move |first| call.texts().skip(first)).flat_map(|text| text.split(';'));
    values.filter_map(move |value| {
        let name = value.strip_prefix("-l").unwrap_or(value);
        let library = build_library(name).filter(|_| !call.plan.builds.own_libraries.contains(name))?;
        Some((call.plan.place(value), library))
    })
}

/// Plans the names in variables that are linked: imported targets take their place.
pub(super) fn plan_lists<'p>(plan: &'p Plan<'p>) {
    let lists = linked_lists(plan);
    for call in calls(plan) {
        for (place, library) in listed(call, lists) {
            let name = plan.slice(place);
            if library.link.is_some() && !library.target.is_empty() {
                plan.add(Change::rename(Topic::Library, place, (name, &library.target)));
            } else {
                plan_library(plan, place, name.strip_prefix("-l").unwrap_or(name));
            }
        }
    }
}

/// Plans `-lcublas` where it is no value of a command that links, or one of several options in it.
pub(super) fn plan_link_options(call: Call<'_>) {
    if !call.is_any(LINKING) && !call.is_any(WITH_OPTIONS) {
        return;
    }
    let plan = call.plan;
    let ends = |place: TextRange| (place.start(), place.end());
    let wholes = call.arguments().iter().filter(|_| call.is_any(LINKING)).map(|argument| argument.inner);
    let targets: BTreeSet<_> =
        wholes.chain(listed(call, linked_lists(plan)).map(|(place, _)| place)).map(ends).collect();
    for word in words_of(plan, call.arguments()).into_iter().filter(|word| !targets.contains(&ends(word.range))) {
        let name = plan.slice(word.range).strip_prefix("-l").filter(|name| !plan.builds.own_libraries.contains(*name));
        let Some(name) = name.filter(|name| !name.is_empty()) else { continue };
        if build_library(name).is_some_and(|library| library.link.as_deref() == Some("")) {
            let edit = ArgumentStyle::new(call).removed(plan, word.range);
            plan.add(Change::new(Topic::Library, word.range, format!("HIP needs no `-l{name}`"), vec![edit]));
        } else {
            plan_library(plan, word.range, name);
        }
    }
}
