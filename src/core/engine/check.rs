//! All findings in one document, after what comments and settings say of them.

use super::embedded::{check_embedded, check_written};
use super::input::Input;
use super::run_rules::{add_obstacles, finish, run_and};
use super::suppress::{Suppressed, suppress};
use super::warp_width::keep_warps;
use crate::analysis::Facts;
use crate::diagnostic::Findings;
use crate::rules::Context;

/// What the rules found, sorted by place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checked {
    /// Findings that stand.
    pub found: Findings,
    /// Findings that comments switch off.
    pub suppressed: Vec<Suppressed>,
    /// Names that the file declares; see [`reconcile`](super::reconcile).
    pub declared: Vec<String>,
}

/// All findings.
pub fn check(input: Input<'_>) -> Checked {
    check_and(input, |_| ()).0
}

/// All findings, and what `ask` finds in what the rules know about the file.
pub(super) fn check_and<T: Default>(input: Input<'_>, ask: impl FnOnce(&Context<'_>) -> T) -> (Checked, T) {
    let mut facts = Facts::of(input.document);
    let obstacles = keep_warps(input, input.project.kept_warps.as_ref(), &mut facts);
    check_with(input, &facts, &obstacles, ask)
}

/// All findings in a file that is HIP, whether or not the file says so itself.
pub(super) fn check_as_hip(input: Input<'_>) -> Checked {
    let mut facts = Facts::of(input.document);
    facts.is_hip = true;
    check_with(input, &facts, &Findings::default(), |_| ()).0
}

fn check_with<T: Default>(
    input: Input<'_>,
    facts: &Facts,
    obstacles: &Findings,
    ask: impl FnOnce(&Context<'_>) -> T,
) -> (Checked, T) {
    let (mut found, asked) = run_and(input, facts, ask);
    add_obstacles(&mut found, obstacles);
    if input.settings.strings {
        found.extend(check_embedded(input));
    }
    found.extend(check_written(input));
    let suppressed = suppress(input, &mut found);
    finish(input.settings, facts, &mut found);
    (Checked { found, suppressed, declared: facts.declared.iter().map(str::to_owned).collect() }, asked)
}
