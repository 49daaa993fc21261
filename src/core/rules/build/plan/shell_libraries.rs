//! Names of libraries in scripts, where a loop puts `-l` in front of them.

use std::collections::BTreeSet;

use super::linked_libraries::plan_library;
use super::make_names::assigned;
use super::planner::Plan;
use crate::build::{BuildKind, library_lists, library_loops};
use crate::mapping::build_library;
use crate::source::{TextRange, range};

/// Plans the names in the lists of such loops, and in the variables that these go through in any script of the project.
pub(super) fn plan_listed_libraries(plan: &Plan<'_>) {
    if plan.build.kind != BuildKind::Shell {
        return;
    }
    let loops = library_loops(plan.text);
    let own = library_lists(plan.text, &loops);
    for part in loops.into_iter().chain(values_of(plan, &own)) {
        plan_names(plan, part);
    }
}

/// What the variables of lists get: the values of lines, and all lines of an array.
fn values_of(plan: &Plan<'_>, own: &BTreeSet<&str>) -> Vec<TextRange> {
    let is_list = |name: &str| own.contains(name) || plan.builds.library_lists.contains(name);
    let mut found = Vec::new();
    let mut is_in_array = false;
    for line in &plan.build.lines {
        let code = plan.slice(line.code);
        let sets_list = assigned(plan, line).is_some_and(is_list);
        if sets_list || is_in_array {
            found.push(line.code);
        }
        is_in_array = (is_in_array || sets_list && code.contains("=(")) && !code.trim_end().ends_with(')');
    }
    found
}

/// Plans the libraries among the words of a part of the text.
fn plan_names(plan: &Plan<'_>, part: TextRange) {
    let start = usize::from(part.start());
    let text = plan.slice(part);
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '(' | ')' | '=');
    for word in text.split(is_end).filter(|word| build_library(word).is_some()) {
        let at = start + (word.as_ptr().addr() - text.as_ptr().addr());
        plan_library(plan, range(at, at + word.len()), word);
    }
}
