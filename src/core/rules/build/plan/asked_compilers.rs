//! Conditions of makefiles and scripts that ask whether a variable is nvcc: `ifeq ($(CXX),nvcc)`, `[[ $CXX == *nvcc* ]]`.

use super::change::{Change, Topic};
use super::planner::Plan;
use crate::build::{BuildKind, Line, LineKind};
use crate::source::range;

const NVCC: &str = "nvcc";

/// Plans the name in a condition, as the variable holds hipcc afterwards.
pub(super) fn plan_asked(plan: &Plan<'_>, line: &Line) {
    let code = plan.slice(line.code);
    let asks = match plan.build.kind {
        BuildKind::Make => line.kind == LineKind::Directive && (code.starts_with("if") || code.starts_with("else if")),
        _ => ["[[ ", "[ ", "test "].iter().any(|test| code.contains(test)) || is_pattern(code),
    };
    if !asks {
        return;
    }
    for (at, _) in code.match_indices(NVCC) {
        let start = usize::from(line.code.start()) + at;
        if is_whole(&code[..at], &code[at + NVCC.len()..]) {
            plan.add(Change::rename(Topic::Compiler, range(start, start + NVCC.len()), (NVCC, "hipcc")));
        }
    }
}

/// Whether a line of a script is what `case` compares with: `*nvcc*) …`.
fn is_pattern(code: &str) -> bool {
    code.split_once(')').is_some_and(|(pattern, _)| pattern.contains(NVCC) && !pattern.contains([' ', '(', '=']))
}

/// Whether the name stands alone, or in a pattern of it and of paths to it.
fn is_whole(front: &str, behind: &str) -> bool {
    let starts = |sign: char| sign.is_whitespace() || matches!(sign, ',' | '(' | '"' | '\'' | '*' | '%' | '=' | '|');
    let ends =
        |sign: char| sign.is_whitespace() || matches!(sign, ',' | ')' | '"' | '\'' | '*' | '%' | ']' | '|' | ';');
    let front = front.strip_suffix("*/").or_else(|| front.strip_suffix("%/")).unwrap_or(front);
    (front.is_empty() || front.ends_with(starts) || front.ends_with(['*', '%']))
        && (behind.is_empty() || behind.starts_with(ends))
}
