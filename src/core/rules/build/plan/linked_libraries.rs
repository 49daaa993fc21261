//! Names of libraries in makefiles and scripts.

use super::change::{Change, Topic, stays};
use super::planner::Plan;
use super::style::removal;
use crate::mapping::build_library;
use crate::source::{Edit, TextRange};

/// A library by its name, which stands behind `-l` or is put there by the makefile.
pub(super) fn plan_library(plan: &Plan<'_>, place: TextRange, name: &str) {
    if name.contains(',') && plan.slice(place).starts_with("-l") {
        return plan_list(plan, place, name);
    }
    let Some(library) = build_library(name) else { return };
    let (text, dash) = (plan.slice(place), if plan.slice(place) == name { "" } else { "-l" });
    match (&library.link, &library.advice) {
        (Some(link), _) if link.is_empty() => {
            let message = format!("HIP needs no `{text}`");
            plan.add(Change::new(Topic::Library, place, message, vec![Edit::delete(removal(plan, place))]));
        }
        (Some(link), _) => {
            plan.add(Change::rename(Topic::Library, place, (text, &format!("{dash}{link}"))));
        }
        (None, advice) => {
            let message = format!("nothing takes the place of `{text}`");
            plan.add(Change::left(place, message, advice.as_deref().unwrap_or_default()));
        }
    }
}

/// `-lcublas,curand`, as nvcc takes it: each library gets an option of its own.
fn plan_list(plan: &Plan<'_>, place: TextRange, names: &str) {
    let libraries: Option<Vec<String>> = names.split(',').map(linked).collect();
    let text = plan.slice(place);
    match libraries.filter(|_| names.split(',').any(|name| build_library(name).is_some())) {
        Some(libraries) => {
            let new = libraries.into_iter().filter(|option| !option.is_empty()).collect::<Vec<_>>().join(" ");
            plan.add(Change::rename(Topic::Library, place, (text, &new)));
        }
        None => plan.add(stays(place, text, "several libraries stand behind it, with commas between them")),
    }
}

/// The option that links what a name stands for: empty if HIP needs nothing, nothing if no library takes its place.
fn linked(name: &str) -> Option<String> {
    match build_library(name).map(|library| library.link.as_deref()) {
        // `-la,-lb` names no library.
        None if !name.starts_with(|sign: char| sign.is_ascii_alphanumeric()) => None,
        None => Some(format!("-l{name}")),
        Some(Some("")) => Some(String::new()),
        Some(Some(link)) => Some(format!("-l{link}")),
        Some(None) => None,
    }
}
