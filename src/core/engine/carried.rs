//! Rejected fixes in the text that a conversion made: fixes beside them change the line that they are known by.

use super::convert::Outcome;
use super::fixed_lines::FixedLines;
use crate::diagnostic::{Decision, Findings, FixKey, FixKeys, Verdict};
use crate::source::{FlatEdit, SourceFile, SourceText, TextRange, range};
use crate::syntax::Document;

/// A rejection for the text that a conversion made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carried {
    /// What the fix was known by.
    pub before: FixKey,
    /// The decision about it from now on.
    pub decision: Decision,
}

/// The rejected fixes that have another key in the text that `outcome` makes of `source`. `check` finds what there is
/// in that text.
pub fn carried(source: &SourceText, outcome: &Outcome, check: impl FnOnce(&Document) -> Findings) -> Vec<Carried> {
    let rejected = &outcome.decided.rejected;
    if rejected.is_empty() || outcome.patch.is_empty() {
        return Vec::new();
    }
    let text = outcome.patch.apply(source.text());
    let document = Document::new(SourceFile { text, ..source.file().clone() });
    let found = check(&document);
    let edits = outcome.patch.flattened(source.text());
    let (old, new) = (FixKeys::of(source.text()), FixKeys::of(document.text()));
    let carried = rejected.iter().filter_map(|rejected| {
        let (rule, place) = (rejected.diagnostic.rule, rejected.diagnostic.range);
        let moved = moved(place, &edits)?;
        let finding = found.iter().find(|finding| finding.range == moved && finding.rule.code == rule.code)?;
        let (before, key) = (old.key(rule, place), new.key(rule, moved));
        let lines = FixedLines::of(document.text(), finding.fix.iter());
        let decision = Decision {
            fixes: vec![key],
            verdict: Verdict::Reject,
            reason: rejected.reason.clone(),
            before: lines.before,
            after: lines.after,
        };
        (decision.fixes.first() != Some(&before)).then_some(Carried { before, decision })
    });
    carried.collect()
}

/// Where a range is after `edits`, if none of them touches it.
fn moved(place: TextRange, edits: &[FlatEdit]) -> Option<TextRange> {
    let passed = edits.partition_point(|edit| edit.range.end() <= place.start());
    let (before, behind) = edits.split_at(passed);
    if behind.first().is_some_and(|edit| edit.range.start() < place.end()) {
        return None;
    }
    let added: usize = before.iter().map(|edit| edit.text.len()).sum();
    let removed: usize = before.iter().map(|edit| usize::from(edit.range.len())).sum();
    let start = usize::from(place.start()) + added - removed;
    Some(range(start, start + usize::from(place.len())))
}
