//! Options that `$(addprefix …)` puts in front of words.

use super::change::{Change, Topic, stays};
use super::linked_libraries::plan_library;
use super::planner::Plan;
use super::style::removal;
use crate::build::{Function, Word, functions};
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
        let &[place, list] = function.arguments.as_slice() else { continue };
        if plan.slice(function.name) != "addprefix" {
            continue;
        }
        if plan.slice(place).trim() == "-l" {
            // `$(addprefix -l,cudart cublas)`
            for word in found.iter().filter(|word| list.contains_range(word.range)) {
                plan_library(plan, word.range, plan.slice(word.range));
            }
        }
        let inner: Vec<Word> = found.iter().filter(|word| place.contains_range(word.range)).copied().collect();
        let Some(prefix) = prefix(plan, &inner, for_nvcc) else { continue };
        rest.retain(|word| !place.contains_range(word.range));
        plan.add(change(plan, (&function, place, list), prefix, targets));
    }
    rest
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
            (format!("clang needs no `{}`", plan.slice(whole)), Edit::delete(removal(plan, whole)))
        }
        _ => return stays(place, plan.slice(place).trim(), "`addprefix` puts it in front of other words"),
    };
    Change::new(Topic::Option, whole, message, vec![edit])
}

/// A part of the text without blanks around it.
pub(super) fn trimmed(plan: &Plan<'_>, part: TextRange) -> TextRange {
    let text = plan.slice(part);
    let start = usize::from(part.start()) + (text.len() - text.trim_start().len());
    range(start, start + text.trim().len())
}
