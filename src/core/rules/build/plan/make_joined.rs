//! Options for the host's compiler that make puts commas between.

use super::change::{Change, Topic};
use super::planner::Plan;
use super::prefixes::trimmed;
use super::style::reference;
use crate::build::{Function, Line, LineKind, Word, functions};
use crate::mapping::{OptionAction, nvcc_option};
use crate::source::{Edit, Piece, TextRange};

/// Plans lists whose blanks become commas for `-Xcompiler`: clang takes them as they are. Returns the other words.
pub(super) fn plan_joined_lists(plan: &Plan<'_>, code: TextRange, found: Vec<Word>) -> Vec<Word> {
    let mut rest = found;
    for function in functions(plan.text, code) {
        let Some((whole, list)) = joined(plan, &function, &rest) else { continue };
        rest.retain(|word| !whole.contains_range(word.range) || list.contains_range(word.range));
        let message = format!("`{}` hands options to the host's compiler", plan.slice(whole));
        let edit = Edit { range: whole, pieces: vec![Piece::Keep(list)] };
        plan.add(Change::new(Topic::Option, whole, message, vec![edit]));
    }
    rest
}

/// What `-Xcompiler $(subst $(space),$(comma),…)` is: all of it, and the list with blanks in it, which clang takes as it is.
fn joined(plan: &Plan<'_>, function: &Function, found: &[Word]) -> Option<(TextRange, TextRange)> {
    let &[_, comma, list] = function.arguments.as_slice() else { return None };
    let option = found.iter().rev().find(|word| word.range.end() <= function.range.start())?;
    let text = plan.slice(option.range).trim_end_matches('=');
    let is_host = nvcc_option(text, Some("value")).is_some_and(|found| found.row.action == OptionAction::Host);
    let between = plan.slice(TextRange::new(option.range.end(), function.range.start()));
    let is_comma = is_comma(plan, plan.slice(comma).trim());
    let makes = plan.slice(function.name) == "subst" && is_comma;
    (is_host && makes && between.trim().is_empty()).then(|| (option.range.cover(function.range), trimmed(plan, list)))
}

/// Whether a text is a variable that the makefile sets to `,` and nothing else.
fn is_comma(plan: &Plan<'_>, text: &str) -> bool {
    let name = reference(text);
    let sets =
        |line: &&Line| matches!(line.kind, LineKind::Assignment { name: set, .. } if Some(plan.slice(set)) == name);
    plan.build.lines.iter().filter(sets).map(|line| plan.slice(line.code).trim()).eq([","])
}
