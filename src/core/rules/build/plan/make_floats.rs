//! Variables of makefiles and scripts that `-Xcompiler` hands to the host's compiler, and that let it compute other numbers.

use std::collections::BTreeSet;

use super::change::Change;
use super::host_options::is_about_floats;
use super::make_variables::{values, with_users};
use super::planner::Plan;
use super::style::{reference, unquoted};
use crate::build::{Line, Word, words};
use crate::diagnostic::Severity;

/// Tells of variables in a line whose options device code had nothing to do with, and has afterwards.
pub(super) fn tell_floats(plan: &Plan<'_>, line: &Line) {
    let words = words(plan.text, line.code);
    let is_handed_on = |option: &str| matches!(option, "-Xcompiler" | "--compiler-options");
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(1).map_or("", |before| plan.slice(words[before].range));
        match plan.slice(word.range).split_once('=') {
            Some((option, value)) if is_handed_on(option) => tell_variable(plan, *word, unquoted(value)),
            _ if is_handed_on(before) => tell_variable(plan, *word, unquoted(plan.slice(word.range))),
            _ => {}
        }
    }
}

fn tell_variable(plan: &Plan<'_>, word: Word, value: &str) {
    let Some(name) = reference(value) else { return };
    if plan.known.float_variables.get_or_init(|| float_variables(plan)).contains(name) {
        let message = format!(
            "`{name}` lets the host's compiler compute other floating-point numbers, and HIP's device code with it"
        );
        let advice =
            "put `-Xarch_host` in front of these options where hipcc gets them, as in `-Xarch_host -ffast-math`";
        let change = Change::left(word.range, message, advice);
        plan.tell(Change { severity: Some(Severity::Warning), ..change });
    }
}

/// The variables with such options, by themselves or by way of others.
fn float_variables(plan: &Plan<'_>) -> BTreeSet<String> {
    let given = plan.build.lines.iter().flat_map(|line| values(plan, line));
    let holds = |value: &str| value.split([' ', '\t', ',', '"', '\'']).any(is_about_floats);
    let holding = given.filter(|(_, value)| holds(value)).map(|(name, _)| name).collect();
    with_users(plan, holding).into_iter().map(str::to_owned).collect()
}
