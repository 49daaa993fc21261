//! Names of libraries in makefiles and scripts.

use super::change::{Change, Topic};
use super::planner::Plan;
use super::style::removal;
use crate::mapping::build_library;
use crate::source::{Edit, TextRange};

/// A library by its name, which stands behind `-l` or is put there by the makefile.
pub(super) fn plan_library(plan: &Plan<'_>, place: TextRange, name: &str) {
    let Some(library) = build_library(name) else { return };
    let (text, dash) = (plan.slice(place), if plan.slice(place) == name { "" } else { "-l" });
    match (&library.link, &library.advice) {
        (Some(link), _) if link.is_empty() => {
            let message = format!("HIP needs no `{text}`");
            plan.add(Change::new(Topic::Library, place, message, vec![Edit::delete(removal(plan.text, place))]));
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
