//! What speaks of CUDA and is not changed.

use super::change::{Change, Topic};
use super::options::{OptionContext, plan_options};
use super::planner::Plan;
use super::style::LineStyle;
use crate::build::{BuildKind, words};
use crate::diagnostic::Severity;
use crate::source::{TextRange, range};

/// Words of CUDA's, in small letters.
const WORDS: &[&str] = &[
    "cuda", "nvcc", "cudnn", "cublas", "cufft", "curand", "cusparse", "cusolver", "nvrtc", "nccl", "nvtx", "ptxas",
    "nvidia", "sm_", "compute_",
];

/// Tells every line that speaks of CUDA and that no change is about.
pub(super) fn plan(plan: &Plan<'_>) {
    for part in logical_lines(plan) {
        if let Some(place) = first_word(plan, part).filter(|_| !plan.speaks_of(part)) {
            let message = format!("`{}` speaks of CUDA and stays as it is", plan.slice(place));
            let note = "look whether it has to change for HIP";
            plan.add(Change { severity: Some(Severity::Info), ..Change::left(place, message, note) });
        }
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

/// The first word of CUDA's in a part of the text that is no comment.
fn first_word(plan: &Plan<'_>, part: TextRange) -> Option<TextRange> {
    let text = plan.slice(part).to_ascii_lowercase();
    let start = usize::from(part.start());
    let mut places: Vec<(usize, usize)> = WORDS.iter().flat_map(|word| all(&text, word)).collect();
    places.sort_unstable();
    let is_code = |at: usize| {
        let place = range(start + at, start + at + 1);
        !plan.build.comments.iter().any(|comment| comment.contains_range(place))
    };
    let is_file = |at: usize| SOURCES.iter().any(|ending| around(&text, at, "_./-$%*").1.ends_with(ending));
    let (at, _) = places.into_iter().find(|(at, _)| is_code(*at) && !is_file(*at))?;
    let (from, word) = around(&text, at, "_");
    Some(range(start + from, start + from + word.len()))
}

/// Endings of files that the project names as it likes.
const SOURCES: &[&str] =
    &[".cu", ".cuh", ".cpp", ".cc", ".cxx", ".c", ".h", ".hpp", ".hxx", ".o", ".cmake", ".txt", ".mk"];

/// The word that a byte belongs to, of letters, digits and some more signs, and where it begins.
fn around<'t>(text: &'t str, at: usize, signs: &str) -> (usize, &'t str) {
    let is_inside = |c: char| c.is_ascii_alphanumeric() || signs.contains(c);
    let before = text[..at].trim_end_matches(is_inside);
    let rest = &text[at..];
    let end = at + (rest.len() - rest.trim_start_matches(is_inside).len());
    (before.len(), &text[before.len()..end])
}

/// Where a word stands; architectures have digits behind them.
fn all(text: &str, word: &'static str) -> Vec<(usize, usize)> {
    let found = text.match_indices(word).map(|(at, _)| (at, word.len()));
    let has_digit = |(at, len): &(usize, usize)| text[at + len..].starts_with(|c: char| c.is_ascii_digit());
    found.filter(|place| !word.ends_with('_') || has_digit(place)).collect()
}

/// What is said about a file that is not read further.
pub(super) fn plan_unread(plan: &Plan<'_>) {
    for line in &plan.build.lines {
        let found = words(plan.text, line.code);
        let context = OptionContext { for_nvcc: false, targets: None, style: &LineStyle };
        plan_unsupported(plan, &found, context);
    }
    let whole = range(0, plan.text.len());
    let Some(place) = first_word(plan, whole) else { return };
    let kind = plan.build.kind.as_str();
    let message = format!("a build file of {kind} that speaks of CUDA is not converted");
    let advice = match plan.build.kind {
        BuildKind::Python => {
            "PyTorch for ROCm converts the sources of a `CUDAExtension` itself; other extensions have to name hipcc, HIP's libraries and its options"
        }
        _ => "name hipcc, HIP's libraries and the options of clang in it",
    };
    plan.add(Change::left(place, message, advice));
}

/// Options without counterpart are told one by one; nothing is changed.
fn plan_unsupported(plan: &Plan<'_>, found: &[crate::build::Word], context: OptionContext<'_>) {
    let scratch = plan.alike();
    plan_options(&scratch, found, context);
    for change in scratch.into_changes().into_iter().filter(|change| change.topic == Topic::Unsupported) {
        plan.add(Change { edits: Vec::new(), ..change });
    }
}
