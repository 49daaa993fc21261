//! Chooses the fixes that go into a patch.

use super::check::{Input, check};
use crate::diagnostic::{Applicability, Diagnostic, Severity};
use crate::rules::{declared_elsewhere, is_unknown};
use crate::source::{Edit, Patch, Piece};
use crate::syntax::{Document, TokenKind, lex};

/// What a conversion makes of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The change.
    pub patch: Patch,
    /// Findings whose fix is in the patch. Above [`Severity::Hint`] the result wants a person's eye.
    pub applied: Vec<Diagnostic>,
    /// Findings that a person has to look at.
    pub remaining: Vec<Diagnostic>,
    /// Names that the file declares; see [`reconcile`].
    pub declared: Vec<String>,
}

/// Converts one file.
pub fn convert(input: Input<'_>) -> Outcome {
    let checked = check(input);
    Outcome { declared: checked.declared, ..fix(input.document, checked.found, input.settings.applicability) }
}

/// Puts the fixes of `found` that are at least as sure as `wanted` into a patch.
pub fn fix(document: &Document, found: Vec<Diagnostic>, wanted: Applicability) -> Outcome {
    let mut outcome = Outcome::default();
    for diagnostic in found {
        let applicable = diagnostic.fix.as_ref().is_some_and(|fix| fix.applicability >= wanted);
        if applicable { apply(document, diagnostic, &mut outcome) } else { outcome.remaining.push(diagnostic) }
    }
    outcome
}

/// Adds the fix of a finding to the patch, or notes why it was left out.
fn apply(document: &Document, mut diagnostic: Diagnostic, outcome: &mut Outcome) {
    let edits = diagnostic.fix.as_ref().map_or(&[][..], |fix| &fix.edits);
    let refusal = if !keeps_balance(document, edits) {
        // A bug of ours must not damage a file.
        Some("the result would be broken; this is a bug in hipshift, please report it".to_owned())
    } else if let Err(conflict) = outcome.patch.try_add(edits) {
        // The winner takes the text away that this finding is about, so there is nothing left to fix.
        if diagnostic.severity == Severity::Hint && conflict.with.contains_range(diagnostic.range) {
            return;
        }
        let line = document.position(conflict.with.start()).line;
        Some(format!("{conflict} (line {line})"))
    } else {
        None
    };
    let Some(refusal) = refusal else { return outcome.applied.push(diagnostic) };
    diagnostic.note(format!("not applied: {refusal}"));
    diagnostic.severity = diagnostic.severity.max(Severity::Warning);
    outcome.remaining.push(diagnostic);
}

/// Whether the edits of a fix together take away as many brackets of each kind as they bring.
fn keeps_balance(document: &Document, edits: &[Edit]) -> bool {
    let mut balance = [0_i64; 3];
    for edit in edits {
        count_brackets(document.slice(edit.range), -1, &mut balance);
        for piece in &edit.pieces {
            match piece {
                Piece::Text(text) => count_brackets(text, 1, &mut balance),
                Piece::Keep(kept) => count_brackets(document.slice(*kept), 1, &mut balance),
            }
        }
    }
    balance == [0; 3]
}

/// Adds what opens and takes off what closes, times `sign`.
fn count_brackets(text: &str, sign: i64, balance: &mut [i64; 3]) {
    if !text.contains(['(', ')', '[', ']', '{', '}']) {
        return;
    }
    for token in lex(text).tokens {
        let TokenKind::Punct(byte) = token.kind else { continue };
        match byte {
            b'(' => balance[0] += sign,
            b')' => balance[0] -= sign,
            b'[' => balance[1] += sign,
            b']' => balance[1] -= sign,
            b'{' => balance[2] += sign,
            b'}' => balance[2] -= sign,
            _ => {}
        }
    }
}

/// A finding about the name `name` that nobody knew becomes harmless if another file of the run
/// declares the name.
pub fn reconcile(finding: &mut Diagnostic, name: &str, is_declared: impl Fn(&str) -> bool) {
    if is_unknown(finding) && is_declared(name) {
        declared_elsewhere(finding, name);
    }
}
