//! `-G`, with which nvcc has device code debugged (NVIDIA, "CUDA Compiler Driver NVCC", "--device-debug"). Clang stops at it, and
//! other programs have an option of this name: `cmake -G Ninja`.

use super::change::{Change, Topic};
use super::planner::Plan;
use super::style::unquoted;
use super::touched::Touched;
use crate::build::{BuildKind, Word};
use crate::diagnostic::Severity;
use crate::mapping::nvcc_option;
use crate::source::{TextRange, range};

/// Whether the option is nvcc's among others: beside one that no other compiler has, or in a list of options for compilers.
pub(super) fn debugs_device(plan: &Plan<'_>, (words, at): (&[Word], usize), next: Option<&Word>) -> bool {
    let text = |word: &Word| unquoted(plan.slice(word.range));
    if text(&words[at]) != "-G" || !next.is_none_or(|next| text(next).starts_with(['-', '$'])) {
        return false;
    }
    let near = &words[at.saturating_sub(NEAR)..words.len().min(at + NEAR)];
    let is_nvccs =
        |word: &Word| nvcc_option(text(word), Some("sm_")).is_some_and(|found| found.row.own) || names_gpu(text(word));
    let compiles = |word: &Word| text(word).starts_with("-O") || text(word) == "-g";
    let is_list =
        |first: &Word| text(first).starts_with('-') || text(first).contains("FLAGS") || text(first) == "APPEND";
    let is_in_list = || words.first().is_some_and(is_list) && near.iter().any(compiles);
    near.iter().any(is_nvccs) || is_in_list()
}

/// How many words are looked at on either side.
const NEAR: usize = 50;

fn names_gpu(option: &str) -> bool {
    ["-arch=sm_", "-arch=compute_", "-gencode"].iter().any(|start| option.starts_with(start))
}

/// Whether an option among others stands for what it says: `-G` does where it is nvcc's.
pub(super) fn is_taken(plan: &Plan<'_>, words: &[Word], option: &Word) -> bool {
    let place = words.iter().position(|word| word.range == option.range);
    plan.slice(option.range) != "-G"
        || option.for_cuda
        || place.is_some_and(|at| debugs_device(plan, (words, at), words.get(at + 1)))
}

/// Programs that have an option of this name.
const OTHERS: &[&str] = &["cmake", "ctest", "CMAKE", "cpack", "COMMAND", "TAR"];

/// Tells where the option stays in a file that speaks of nvcc.
pub(super) fn tell_left(plan: &Plan<'_>, touched: &Touched) {
    let speaks = ["nvcc", "NVCC", "CUDA"].iter().any(|word| plan.text.contains(word));
    if !speaks || plan.build.kind == BuildKind::Script {
        return;
    }
    let is_end = |c: char| c.is_whitespace() || "\"'`;,()<>:".contains(c);
    let mut start = 0;
    for line in plan.text.split_inclusive('\n') {
        let (from, code) = (start, line.split('#').next().unwrap_or(line));
        start += line.len();
        if !code.contains("-G") || OTHERS.iter().any(|other| code.contains(other)) {
            continue;
        }
        for (at, option) in code.match_indices("-G") {
            let behind = &code[at + option.len()..];
            let stands_alone =
                behind.chars().next().is_none_or(is_end) && code[..at].chars().next_back().is_none_or(is_end);
            let place = range(from + at, from + at + option.len());
            if stands_alone
                && is_in_value(plan.build.kind, &code[..at])
                && !has_value(behind)
                && !touched.deals_with(place, "G")
            {
                tell(plan, place);
            }
        }
    }
}

/// Whether what stands in front of an option in its line gives a value to a variable, or is a command of CMake's.
fn is_in_value(kind: BuildKind, front: &str) -> bool {
    match kind {
        BuildKind::CMake => true,
        BuildKind::Make => !front.starts_with('\t') && front.contains('='),
        _ => {
            let command = front.rsplit(['&', '|', ';']).next().unwrap_or(front);
            command.rsplit_once('=').is_some_and(|(_, value)| value.starts_with(['"', '\'', '(']))
        }
    }
}

/// Whether a value stands behind an option.
fn has_value(behind: &str) -> bool {
    let rest = behind.trim_start_matches([' ', '\t']);
    rest.len() < behind.len() && rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '"')
}

fn tell(plan: &Plan<'_>, place: TextRange) {
    let message = "`-G` is no option of clang's, which stops at it";
    let advice = "where it is for nvcc, write `-g`, which debugs device code as well";
    let change = Change::new(Topic::Unsupported, place, message, Vec::new()).with_note(Some(advice.to_owned()));
    plan.tell(Change { severity: Some(Severity::Warning), ..change });
}
