//! What a run says about decisions, beside its report.

use super::output::{note, warning};
use crate::engine::{Outdated, Stale};
use crate::project::{Decisions, FileReport};
use crate::report::unlisted;

/// Says which decisions were not followed, and what can be done.
pub(super) fn note_stale(reports: &[FileReport], decisions: Option<&Decisions>) {
    let all = || reports.iter().flat_map(|report| report.stale.iter().map(move |stale| (report, stale)));
    for (report, stale) in all().filter(|(_, stale)| stale.why == Outdated::Changed) {
        let verdict = stale.decision.verdict.as_str();
        let place = place(report.path.as_str(), stale);
        warning(&format!(
            "{place}: the decision to {verdict} this is not followed, as it is not what it was; review it again"
        ));
    }
    let mut gone = all()
        .filter(|(_, stale)| stale.why == Outdated::Gone)
        .map(|(report, stale)| place(report.path.as_str(), stale));
    let files = decisions.iter().flat_map(|decisions| decisions.lost_files());
    let mut lost: Vec<String> = gone.by_ref().chain(files.map(|file| format!("{file}, which is gone"))).collect();
    if lost.is_empty() {
        return;
    }
    let more = match lost.len() - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let first = lost.swap_remove(0);
    note(&format!(
        "no fix is left for the decision about {first}{more}; `hipshift review --prune` drops such decisions"
    ));
}

/// Says what a report does not list, and whose text stands in place of fixes.
pub(super) fn note_unlisted(reports: &[FileReport]) {
    if let Some(sentence) = unlisted(reports) {
        note(&sentence);
    }
}

/// `src/a.cu: `cudaFree(p);` (renamed-name)`
fn place(path: &str, stale: &Stale) -> String {
    let fix = stale.decision.fixes.first();
    let (line, rule) = fix.map_or(("", ""), |fix| (fix.line.as_str(), fix.rule));
    format!("{path}: `{line}` ({rule})")
}
