//! Options of nvcc among the words of a command line.

use std::ops::Range;

use super::change::{Change, Topic};
use super::planner::Plan;
use crate::build::Word;
use crate::diagnostic::Severity;
use crate::mapping::{FoundOption, NvccOption, OptionAction, nvcc_option};
use crate::source::{Edit, Piece, TextRange, range};

/// How the words are to be read.
#[derive(Clone, Copy)]
pub(super) struct OptionContext<'c> {
    /// Whether all words are for nvcc.
    pub(super) for_nvcc: bool,
    /// What the option for GPUs becomes, once for all words; nothing if they are named elsewhere.
    pub(super) targets: Option<&'c str>,
    /// What stands between the words of the result, by the place of the first.
    pub(super) separator: &'c dyn Fn(TextRange) -> &'static str,
}

/// Adds what becomes of the options among `words`.
pub(super) fn plan_options(plan: &Plan<'_>, words: &[Word], context: OptionContext<'_>) {
    let mut has_targets = false;
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let next = words.get(at + 1).map(|next| unquoted(plan.slice(next.range)));
        let Some(found) = nvcc_option(plan.slice(word.range), next) else {
            at += 1;
            continue;
        };
        let taken = at..(at + 1 + usize::from(found.takes_next)).min(words.len());
        at = taken.end;
        if !is_meant(found, word.for_cuda || context.for_nvcc) {
            at = taken.start + 1;
        } else if let Some(change) = change(plan, (words, taken), found, (context, has_targets)) {
            has_targets |= found.row.action == OptionAction::Targets;
            plan.add(change);
        }
    }
}

/// Whether an option is nvcc's, by itself or by its value.
fn is_meant(found: FoundOption<'_>, for_nvcc: bool) -> bool {
    let names_gpu = || found.value.is_some_and(|value| value.contains("sm_") || value.contains("compute_"));
    for_nvcc || found.row.own || (found.row.action == OptionAction::Targets && names_gpu())
}

fn change(
    plan: &Plan<'_>,
    (words, taken): (&[Word], Range<usize>),
    found: FoundOption<'_>,
    (context, has_targets): (OptionContext<'_>, bool),
) -> Option<Change> {
    let place = whole(plan.text, &words[taken.clone()]);
    let option = plan.slice(words[taken.start].range);
    let option = option.split('=').next().unwrap_or(option);
    let row = found.row;
    let value = found.value.unwrap_or_default();
    if row.keep {
        return None;
    }
    if row.advice.is_some() {
        return Some(without_counterpart(plan, (place, option), row));
    }
    let new = match row.action {
        OptionAction::Targets => match context.targets {
            Some(targets) if !has_targets => targets.to_owned(),
            _ => String::new(),
        },
        OptionAction::Host => return Some(handed_on(plan, (words, taken), value, context)),
        OptionAction::Linker if !value.contains(',') => return None,
        OptionAction::Linker => format!("-Wl,{value}"),
        _ => row.for_build(value).join((context.separator)(place)),
    };
    let message = match new.as_str() {
        "" => format!("clang needs no `{option}`"),
        new => format!("`{}` is `{new}` for clang", plan.slice(place)),
    };
    let edit = if new.is_empty() { Edit::delete(removal(plan.text, place)) } else { Edit::replace(place, new) };
    let mut change = Change::new(Topic::Option, place, message, vec![edit]).with_note(row.note.clone());
    change.severity = row.note.is_some().then_some(Severity::Info);
    Some(change)
}

/// An option that clang has in no form. One of which nothing is lost but speed is removed.
fn without_counterpart(plan: &Plan<'_>, (place, option): (TextRange, &str), row: &NvccOption) -> Change {
    let edits = if row.note.is_some() { vec![Edit::delete(removal(plan.text, place))] } else { Vec::new() };
    let (topic, message) = match row.action {
        OptionAction::Product => (Topic::Product, format!("`{option}` makes code for NVIDIA GPUs")),
        _ => (Topic::Unsupported, format!("the AMD compiler has no `{option}`")),
    };
    Change::new(topic, place, message, edits).with_note(row.advice.clone())
}

/// Options for the host's compiler stand for themselves; what has to change in them is changed where they stand.
fn handed_on(
    plan: &Plan<'_>,
    (words, taken): (&[Word], Range<usize>),
    value: &str,
    context: OptionContext<'_>,
) -> Change {
    let place = whole(plan.text, &words[taken.clone()]);
    let last = words[taken.end - 1];
    let start = usize::from(last.range.start()) + plan.slice(last.range).rfind(value).unwrap_or_default();
    let parts = value.split(|c: char| c == ',' || c.is_whitespace()).filter(|part| !part.is_empty());
    let offset = |part: &str| start + (part.as_ptr().addr() - value.as_ptr().addr());
    let inner: Vec<Word> =
        parts.map(|part| Word { range: range(offset(part), offset(part) + part.len()), ..last }).collect();
    let between = (context.separator)(place);
    let pieces =
        inner.iter().flat_map(|word| [Piece::Text(between.to_owned()), Piece::Keep(word.range)]).skip(1).collect();
    plan_options(plan, &inner, OptionContext { for_nvcc: false, ..context });
    let message = format!("`{}` hands options to the host's compiler", plan.slice(place));
    let range = if inner.is_empty() { removal(plan.text, place) } else { place };
    Change::new(Topic::Option, place, message, vec![Edit { range, pieces }])
}

/// The text without quotes around it.
fn unquoted(text: &str) -> &str {
    let inside = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    inside('"').or_else(|| inside('\'')).unwrap_or(text)
}

/// From the first to the last of some words, with the quotes that stand around the last alone.
fn whole(text: &str, words: &[Word]) -> TextRange {
    let Some((first, last)) = words.first().zip(words.last()) else { return TextRange::default() };
    let end = usize::from(last.range.end());
    let before = &text[..usize::from(last.range.start())];
    let is_quoted = words.len() > 1 && text[end..].starts_with('"') && before.ends_with('"');
    range(first.range.start().into(), end + usize::from(is_quoted))
}

/// What goes with words that are removed: blanks or a separator in front, quotes around, a line of their own.
pub(super) fn removal(text: &str, place: TextRange) -> TextRange {
    let (mut start, mut end) = (usize::from(place.start()), usize::from(place.end()));
    if text[..start].ends_with('"')
        && text[end..].starts_with('"')
        && text[..start - 1].ends_with([' ', '\t', '(', '\n'])
    {
        (start, end) = (start - 1, end + 1);
    }
    let before = text[..start].trim_end_matches([' ', '\t']);
    let after = text[end..].trim_start_matches([' ', '\t']);
    if before.ends_with(';') {
        start = before.len() - 1;
    } else if after.starts_with(';') {
        end = text.len() - after.len() + 1;
    } else if before.is_empty() || before.ends_with('\n') {
        let is_alone = after.starts_with('\n') || after.starts_with("\r\n");
        let rest = if is_alone { &after[after.find('\n').map_or(0, |at| at + 1)..] } else { after };
        start = if is_alone { before.len() } else { start };
        end = text.len() - rest.len();
    } else if before.ends_with(['(', '"', '\'', '=', ':', ',']) {
        end = text.len() - after.len();
    } else {
        start = before.len();
    }
    range(start, end)
}
