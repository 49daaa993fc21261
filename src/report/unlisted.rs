//! Findings that a report counts and does not list: comments, a baseline or a reviewer took them out.

use serde::Serialize;

use super::visible::one_line;
use super::words::plural;
use crate::project::{FileReport, Why};

/// How many findings are not listed, by what took them out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(super) struct Unlisted {
    /// A baseline holds them.
    pub(super) baseline: usize,
    /// Their fix was rejected in review.
    pub(super) rejected: usize,
    /// A comment in the source switches them off.
    pub(super) suppressed: usize,
}

impl Unlisted {
    /// Counts over all files of a run.
    pub(super) fn of(reports: &[FileReport]) -> Unlisted {
        let mut counts = Unlisted::default();
        for hidden in reports.iter().flat_map(|report| &report.hidden) {
            let count = match hidden.why {
                Why::Baseline => &mut counts.baseline,
                Why::Rejected(_) => &mut counts.rejected,
                Why::Comment(_) => &mut counts.suppressed,
            };
            *count += 1;
        }
        counts
    }

    /// `2 suppressed by comments` and the like, for each kind that there is.
    pub(super) fn lines(self) -> Vec<String> {
        let kinds = [
            (self.suppressed, "suppressed by comments"),
            (self.rejected, "rejected in review"),
            (self.baseline, "known from the baseline"),
        ];
        kinds.iter().filter(|(count, _)| *count > 0).map(|(count, why)| format!("{count} {why}")).collect()
    }
}

/// Fixes whose place a text of `.hipshift/decisions.toml` takes.
pub(super) fn edited(reports: &[FileReport]) -> usize {
    reports.iter().map(|report| report.edited.len()).sum()
}

/// One sentence about what a report does not list, for formats that have no place for it; `None` if it lists all.
pub fn unlisted(reports: &[FileReport]) -> Option<String> {
    let lines = Unlisted::of(reports).lines();
    let mut sentences = Vec::new();
    if !lines.is_empty() {
        sentences.push(format!("findings that are not listed: {}", lines.join(", ")));
    }
    let first = reports.iter().find_map(|report| Some((report.path.as_str(), report.edited.first()?)));
    if let Some((path, line)) = first {
        let places = plural(edited(reports), "place");
        sentences.push(format!("text of a reviewer in place of fixes: {places}, the first {}:{line}", one_line(path)));
    }
    (!sentences.is_empty()).then(|| sentences.join("; "))
}
