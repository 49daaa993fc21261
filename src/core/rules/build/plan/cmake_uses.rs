//! What the variables of a file of CMake's are used for: as lists of options, or as parts of one text.

use std::collections::BTreeMap;

use super::cmake_call::{Call, calls};
use super::planner::Plan;
use super::variable_use::Use;
use crate::build::{Argument, ArgumentKind, references};

/// Commands of CMake's that take each of their arguments as one value, or put them into a list.
const LISTS: &[&str] = &[
    "add_compile_options",
    "add_link_options",
    "foreach",
    "link_libraries",
    "list",
    "set_property",
    "target_compile_options",
    "target_link_libraries",
    "target_link_options",
];

/// How the file reads a variable.
pub(super) fn use_of(plan: &Plan<'_>, name: &str) -> Use {
    if is_flags(name) {
        return Use::Text;
    }
    plan.known.uses.get_or_init(|| uses(plan)).get(name).copied().unwrap_or(Use::Nowhere)
}

fn uses(plan: &Plan<'_>) -> BTreeMap<String, Use> {
    let mut found = BTreeMap::new();
    for call in calls(plan).filter(|call| !call.is("message")) {
        for argument in call.arguments() {
            for name in references(plan.slice(argument.inner)) {
                let known: &mut Use = found.entry(name.to_owned()).or_insert(Use::Nowhere);
                *known = both(*known, use_in(call, argument, name));
            }
        }
    }
    found
}

fn both(one: Use, other: Use) -> Use {
    match (one, other) {
        (Use::Nowhere, found) | (found, Use::Nowhere) => found,
        (one, other) if one == other => one,
        _ => Use::Both,
    }
}

fn use_in(call: Call<'_>, argument: &Argument, name: &str) -> Use {
    let text = call.plan.slice(argument.inner);
    let is_quoted = argument.kind == ArgumentKind::Quoted;
    let is_property = |name: &str| name.ends_with("_FLAGS");
    if call.texts().any(is_property) || is_flags(call.text(0)) || is_quoted && text.contains(' ') {
        return Use::Text;
    }
    let is_list = call.is_any(LISTS) || call.is("set") && (!is_quoted || text.contains(';'));
    match () {
        () if is_list => Use::List,
        // What is read out of the variable, not its values.
        () if call.is_any(&["if", "elseif", "while"]) => Use::Nowhere,
        () if call.is("separate_arguments")
            || call.is("string")
            || call.is("set") && text.len() > name.len() + "${}".len() =>
        {
            Use::Text
        }
        () => Use::Both,
    }
}

/// Whether a variable is one of CMake's that holds options with blanks between them.
pub(super) fn is_flags(name: &str) -> bool {
    name.starts_with("CMAKE_") && name.contains("_FLAGS")
}
