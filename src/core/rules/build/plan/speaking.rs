//! Words that speak of CUDA in a part of a build file.

use super::planner::Plan;
use crate::source::{TextRange, TextSize, range};

/// Words of CUDA's, in small letters.
const WORDS: &[&str] = &[
    "cuda",
    "nvcc",
    "cudnn",
    "cublas",
    "cufft",
    "curand",
    "cusparse",
    "cusolver",
    "cutensor",
    "cupti",
    "cufile",
    "nvrtc",
    "nccl",
    "nvtx",
    "nvtoolsext",
    "nvjitlink",
    "nvjpeg",
    "nvinfer",
    "ptxas",
    "nvidia",
    "nv_bfloat16",
    "nv_fp8",
    "nv_fp4",
    "nv_fp6",
    "sm_",
    "compute_",
];

/// Endings of files that the project names as it likes.
const SOURCES: &[&str] =
    &[".cu", ".cuh", ".cpp", ".cc", ".cxx", ".c", ".h", ".hpp", ".hxx", ".o", ".cmake", ".txt", ".mk"];

/// The words of CUDA's in a part of the text, whole and in order, that no comment and no name of a file holds.
pub(super) fn speaking(plan: &Plan<'_>, part: TextRange) -> Vec<TextRange> {
    let text = plan.slice(part).to_ascii_lowercase();
    let mut places: Vec<usize> = WORDS.iter().flat_map(|word| all(&text, word)).collect();
    places.sort_unstable();
    let start = usize::from(part.start());
    let mut found: Vec<TextRange> = Vec::new();
    // Where the path ends that was looked at last, and whether it names a file of the project.
    let (mut path_end, mut is_file) = (0, false);
    for at in places {
        let place = TextSize::try_from(start + at).unwrap_or_default();
        if at >= path_end {
            (path_end, is_file) = path_around(&text, at);
        }
        let is_known = found.last().is_some_and(|last| last.contains(place));
        if is_file || is_known || in_comment(plan, place) {
            continue;
        }
        let (from, word) = around(&text, at, "_");
        let letter = usize::from(is_option(&text[..from], word) && from < at);
        found.push(range(start + from + letter, start + from + word.len()));
    }
    found
}

/// Whether a comment holds a place.
fn in_comment(plan: &Plan<'_>, place: TextSize) -> bool {
    let comments = &plan.build.comments;
    let behind = comments.partition_point(|comment| comment.start() <= place);
    behind.checked_sub(1).and_then(|at| comments.get(at)).is_some_and(|comment| comment.contains(place))
}

/// Whether a word is an option with a name behind its letter, such as `-DUSE_CUDA` and `-lcuda`.
fn is_option(before: &str, word: &str) -> bool {
    let front = before.strip_suffix('-');
    front.is_some_and(|front| !front.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_'))
        && word.starts_with(['d', 'l'])
}

/// Where the path ends that a byte belongs to, and whether it names a file of the project.
fn path_around(text: &str, at: usize) -> (usize, bool) {
    let (from, word) = around(text, at, "_./-$%*");
    (from + word.len(), SOURCES.iter().any(|ending| word.ends_with(ending)))
}

/// The word that a byte belongs to, of letters, digits and some more signs, and where it begins.
fn around<'t>(text: &'t str, at: usize, signs: &str) -> (usize, &'t str) {
    let is_inside = |c: char| c.is_ascii_alphanumeric() || signs.contains(c);
    let before = text[..at].trim_end_matches(is_inside);
    let rest = &text[at..];
    let end = at + (rest.len() - rest.trim_start_matches(is_inside).len());
    (before.len(), &text[before.len()..end])
}

/// Where a word stands; architectures have digits behind them.
fn all(text: &str, word: &'static str) -> Vec<usize> {
    let has_digit = |at: usize| text[at + word.len()..].starts_with(|c: char| c.is_ascii_digit());
    let found = text.match_indices(word).map(|(at, _)| at);
    found.filter(|at| !word.ends_with('_') || has_digit(*at)).collect()
}
