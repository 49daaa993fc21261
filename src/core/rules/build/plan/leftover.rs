//! What speaks of CUDA and is not changed, word by word.

use std::collections::BTreeSet;

use super::change::{Change, Topic};
use super::device_debug::tell_left;
use super::own_words::OwnWords;
use super::planner::Plan;
use super::speaking::speaking;
use super::touched::{Touched, holds};
use crate::build::BuildKind;
use crate::diagnostic::Severity;
use crate::mapping::{Kind, Resolution};
use crate::source::{Edit, TextRange, range};

/// Tells every word that speaks of CUDA and stays. Names that the file gives itself, and what is written for people, are
/// told where nothing else of their line is.
pub(super) fn plan(plan: &Plan<'_>) {
    let lines: Vec<_> = logical_lines(plan).into_iter().map(|part| (part, speaking(plan, part))).collect();
    plan_names(plan, lines.iter().flat_map(|(_, words)| words.iter().copied()));
    let (own, touched) = (OwnWords::of(plan), plan.touched());
    tell_left(plan, &touched);
    for (part, words) in &lines {
        for place in staying(plan, (*part, words), (&own, &touched)) {
            tell(plan, place);
        }
    }
}

/// Those of the words of a line that a person has to look at, each once.
fn staying(
    plan: &Plan<'_>,
    (part, words): (TextRange, &[TextRange]),
    (own, touched): (&OwnWords<'_>, &Touched),
) -> Vec<TextRange> {
    let is_for_cuda = |place: TextRange| holds(&plan.for_cuda, place);
    let mut known = BTreeSet::new();
    let stays = |place: &TextRange| {
        let word = plan.slice(*place);
        !is_for_cuda(*place) && !own.holds(plan, *place) && !touched.deals_with(*place, word) && known.insert(word)
    };
    let found: Vec<TextRange> = words.iter().copied().filter(stays).collect();
    match words.iter().find(|place| !is_for_cuda(**place)) {
        Some(first) if found.is_empty() && !touched.is_about(part) => vec![*first],
        _ => found,
    }
}

fn tell(plan: &Plan<'_>, place: TextRange) {
    let message = format!("`{}` speaks of CUDA and stays as it is", plan.slice(place));
    let change = Change::left(place, message, "look whether it has to change for HIP");
    plan.tell(Change { severity: Some(Severity::Info), ..change });
}

/// Plans names of CUDA's among words, which a build hands on to sources by definitions and templates.
fn plan_names(plan: &Plan<'_>, words: impl Iterator<Item = TextRange>) {
    let touched = plan.touched();
    for place in words {
        let name = plan.slice(place);
        let new = hip_name(plan, name).filter(|_| !holds(&plan.for_cuda, place) && !touched.deals_with(place, name));
        if let Some(new) = new {
            let message = format!("`{name}` is `{new}` in HIP");
            let change = Change::new(Topic::Left, place, message, vec![Edit::replace(place, new)]);
            plan.add(Change { severity: Some(Severity::Info), ..change });
        }
    }
}

/// Macros that CUDA's headers ask for.
const ASKED_FOR: &[&str] =
    &["CUDA_API_PER_THREAD_DEFAULT_STREAM", "__CUDA_NO_HALF_CONVERSIONS__", "__CUDA_NO_HALF_OPERATORS__"];

/// What a type of CUDA's, or a macro that its headers ask for, is called in HIP.
fn hip_name<'p>(plan: &Plan<'p>, name: &str) -> Option<&'p str> {
    match plan.table.resolve(name, false, plan.settings.rocm, &plan.settings.libraries)? {
        Resolution::Name(new, entry) if (entry.kind == Kind::Type || ASKED_FOR.contains(&name)) && new != name => {
            Some(new)
        }
        _ => None,
    }
}

/// Lines of the text, with those that continue them.
fn logical_lines(plan: &Plan<'_>) -> Vec<TextRange> {
    if plan.build.kind != BuildKind::CMake {
        return plan.build.lines.iter().map(|line| line.range).collect();
    }
    let mut start = 0;
    let line = |line: &str| {
        start += line.len();
        range(start - line.len(), start)
    };
    plan.text.split_inclusive('\n').map(line).collect()
}
