//! Options that `$(addprefix …)` puts in front of words.

use super::change::{Change, Topic};
use super::make_line::assigned;
use super::make_variables::references;
use super::options::stays;
use super::planner::Plan;
use super::style::removal;
use crate::build::{Function, Line, Word, functions};
use crate::mapping::{NvccOption, OptionAction, nvcc_option};
use crate::source::{Edit, Piece, TextRange, range};

/// An option that is a prefix.
#[derive(Clone, Copy)]
struct Prefix {
    row: &'static NvccOption,
    /// Whether it is the whole prefix.
    is_all: bool,
}

/// Plans the options that are prefixes, and returns the other words.
pub(super) fn plan_prefixes(
    plan: &Plan<'_>,
    code: TextRange,
    found: &[Word],
    (for_nvcc, targets): (bool, &str),
) -> Vec<Word> {
    let mut rest = found.to_vec();
    for function in functions(plan.text, code) {
        if let Some((whole, list)) = joined(plan, &function, found) {
            rest.retain(|word| !whole.contains_range(word.range) || list.contains_range(word.range));
            let message = format!("`{}` hands options to the host's compiler", plan.slice(whole));
            let edit = Edit { range: whole, pieces: vec![Piece::Keep(list)] };
            plan.add(Change::new(Topic::Option, whole, message, vec![edit]));
        }
        let &[place, list] = function.arguments.as_slice() else { continue };
        if plan.slice(function.name) != "addprefix" {
            continue;
        }
        let inner: Vec<Word> = found.iter().filter(|word| place.contains_range(word.range)).copied().collect();
        let Some(prefix) = prefix(plan, &inner, for_nvcc) else { continue };
        rest.retain(|word| !place.contains_range(word.range));
        plan.add(change(plan, (&function, place, list), prefix, targets));
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
    let is_comma = references(plan.slice(comma)).iter().all(|name| is_set_to_comma(plan, name));
    let makes = plan.slice(function.name) == "subst" && is_comma && plan.slice(comma).trim().starts_with('$');
    (is_host && makes && between.trim().is_empty()).then(|| (option.range.cover(function.range), trimmed(plan, list)))
}

/// Whether a makefile gives a variable the value `,`.
fn is_set_to_comma(plan: &Plan<'_>, name: &str) -> bool {
    let sets = |line: &&Line| assigned(plan, line) == Some(name);
    plan.build.lines.iter().filter(sets).map(|line| plan.slice(line.code).trim()).eq([","])
}

/// The option that a prefix is: one whose value is what the words are, or the beginning of a name of GPUs.
fn prefix(plan: &Plan<'_>, inner: &[Word], for_nvcc: bool) -> Option<Prefix> {
    let text = |word: &Word| plan.slice(word.range);
    let is_meant = |row: &NvccOption, text: &str| {
        row.own
            || for_nvcc
            || row.action == OptionAction::Targets && (text.contains("sm_") || text.contains("compute_"))
    };
    if let [word] = inner {
        let option = text(word).trim_end_matches('=');
        let found = nvcc_option(option, Some("value")).filter(|found| found.takes_next);
        let found = found.filter(|found| !found.row.keep && is_meant(found.row, option));
        return found
            .map(|found| Prefix { row: found.row, is_all: true })
            .filter(|prefix| prefix.row.action != OptionAction::Linker)
            .or_else(|| gpus(inner, &text, &is_meant));
    }
    gpus(inner, &text, &is_meant)
}

fn gpus<'p>(
    inner: &[Word],
    text: &impl Fn(&Word) -> &'p str,
    is_meant: &impl Fn(&NvccOption, &str) -> bool,
) -> Option<Prefix> {
    (0..inner.len()).find_map(|at| {
        let found = nvcc_option(text(&inner[at]), inner.get(at + 1).map(text))?;
        let names = found.row.action == OptionAction::Targets && is_meant(found.row, found.value.unwrap_or_default());
        let is_all = inner.len() == 1 + usize::from(found.takes_next);
        names.then_some(Prefix { row: found.row, is_all })
    })
}

fn change(
    plan: &Plan<'_>,
    (function, place, list): (&Function, TextRange, TextRange),
    prefix: Prefix,
    targets: &str,
) -> Change {
    let whole = function.range;
    let row = prefix.row;
    let goes = row.action == OptionAction::Words && row.advice.is_none() && row.for_build("").is_empty();
    let (message, edit) = match row.action {
        OptionAction::Host if prefix.is_all => {
            let pieces = vec![Piece::Keep(trimmed(plan, list))];
            let message = format!("`{}` hands options to the host's compiler", plan.slice(whole));
            (message, Edit { range: whole, pieces })
        }
        OptionAction::Targets if prefix.is_all => {
            (format!("`{}` is `{targets}` for clang", plan.slice(whole)), Edit::replace(whole, targets))
        }
        _ if prefix.is_all && goes => {
            (format!("clang needs no `{}`", plan.slice(whole)), Edit::delete(removal(plan.text, whole)))
        }
        _ => return stays(place, plan.slice(place).trim(), "`addprefix` puts it in front of other words"),
    };
    Change::new(Topic::Option, whole, message, vec![edit])
}

/// A part of the text without blanks around it.
fn trimmed(plan: &Plan<'_>, part: TextRange) -> TextRange {
    let text = plan.slice(part);
    let start = usize::from(part.start()) + (text.len() - text.trim_start().len());
    range(start, start + text.trim().len())
}
