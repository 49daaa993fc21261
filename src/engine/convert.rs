//! Chooses the fixes that go into a patch.

use super::check::{Input, check};
use crate::diagnostic::{Diagnostic, Severity};
use crate::source::{Patch, SourceFile};
use crate::syntax::Document;

/// What a conversion makes of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The change.
    pub patch: Patch,
    /// Findings whose fix is in the patch.
    pub applied: Vec<Applied>,
    /// Findings that a person has to look at.
    pub remaining: Vec<Diagnostic>,
}

/// A finding whose fix is in the patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The finding. Above [`Severity::Hint`] the result wants a person's eye.
    pub diagnostic: Diagnostic,
}

/// Converts one file.
pub fn convert(input: Input<'_>) -> Outcome {
    let mut outcome = Outcome::default();
    for mut diagnostic in check(input) {
        let wanted = diagnostic.fix.as_ref().filter(|fix| fix.applicability >= input.settings.applicability);
        let Some(fix) = wanted else {
            outcome.remaining.push(diagnostic);
            continue;
        };
        match outcome.patch.try_add(&fix.edits) {
            Ok(()) => outcome.applied.push(Applied { diagnostic }),
            Err(conflict) => {
                let line = input.document.position(conflict.with.start()).line;
                diagnostic.note(format!("not applied: {conflict} (line {line})"));
                diagnostic.severity = diagnostic.severity.max(Severity::Warning);
                outcome.remaining.push(diagnostic);
            }
        }
    }
    guard(input.document, outcome)
}

/// Drops a patch that breaks the nesting of brackets: a bug of ours must not damage a file.
fn guard(document: &Document, mut outcome: Outcome) -> Outcome {
    if outcome.patch.is_empty() {
        return outcome;
    }
    let file = document.file();
    let converted = Document::new(SourceFile::from_text(file.path.clone(), outcome.patch.apply(document.text())));
    if converted.unmatched_brackets() <= document.unmatched_brackets() {
        return outcome;
    }
    let applied = std::mem::take(&mut outcome.applied);
    outcome.patch = Patch::default();
    outcome.remaining.extend(applied.into_iter().map(|applied| {
        let mut diagnostic = applied.diagnostic;
        diagnostic.note("not applied: the result would be broken; this is a bug in hipshift, please report it");
        diagnostic.severity = Severity::Error;
        diagnostic
    }));
    outcome
}
