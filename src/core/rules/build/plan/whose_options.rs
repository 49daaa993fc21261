//! Whose options some words are: nvcc's, clang's for CUDA, or those of another program.

use super::planner::Plan;
use crate::build::Word;
use crate::mapping::{Compiler, FoundOption, OptionAction, build_library};

/// How many words are looked at on either side: all of them for each would take the square of their number.
pub(super) const NEAR: usize = 500;

/// Whether an option is nvcc's, by itself or by its value: of one for the linker, others take no list.
pub(super) fn is_meant(word: &str, found: FoundOption<'_>, for_nvcc: bool) -> bool {
    let value_has = |parts: &[&str]| found.value.is_some_and(|value| parts.iter().any(|part| value.contains(part)));
    let by_value = match found.row.action {
        _ if found.row.compiler == Compiler::Clang => false,
        OptionAction::Targets => value_has(&["sm_", "compute_"]),
        // Others take the value as a word of its own, and no list.
        OptionAction::Linker => is_joined(word) || value_has(&[",", "$<"]) && found.takes_next,
        _ => false,
    };
    for_nvcc || found.row.own || by_value
}

/// Whether the words around an option call clang.
pub(super) fn calls_clang(plan: &Plan<'_>, words: &[Word], at: usize) -> bool {
    let text = |word: &Word| plan.slice(word.range);
    let near = &words[at.saturating_sub(NEAR)..words.len().min(at.saturating_add(NEAR))];
    let is_clang = |word: &Word| text(word).rsplit('/').next().is_some_and(|name| name.starts_with("clang"));
    near.iter().any(is_clang)
}

/// Whether `-l` links a library of CUDA's, among other options for compilers: `ls -l cuda` does not.
pub(super) fn links_library(plan: &Plan<'_>, (words, at): (&[Word], usize), found: FoundOption<'_>) -> bool {
    let text = |word: &Word| plan.slice(word.range);
    let is_library = || found.takes_next && found.value.is_some_and(|name| build_library(name).is_some());
    let is_for_linker = |word: &Word| text(word).starts_with("-L") || text(word) == "-o";
    text(&words[at]) == "-l"
        && is_library()
        && (words.first().is_some_and(|first| text(first).starts_with('-'))
            || words.iter().take(NEAR).any(is_for_linker))
}

/// Whether the value of an option stands behind `=`.
pub(super) fn is_joined(word: &str) -> bool {
    word.find(['=', ' ']).is_some_and(|at| word[at..].starts_with('='))
}
