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
    /// Findings whose fix is in the patch. Above [`Severity::Hint`] the result wants a person's eye;
    /// hints have their fix in the patch only, unless the conversion was asked to keep it.
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

/// Converts one file for those who ask which finding made which edit: all of `applied` keep their fixes.
pub fn convert_keeping_fixes(input: Input<'_>) -> Outcome {
    let checked = check(input);
    let fixed = fix_all(input.document, checked.found, (input.settings.applicability, true));
    Outcome { declared: checked.declared, ..fixed }
}

/// Puts the fixes of `found` that are at least as sure as `wanted` into a patch.
pub fn fix(document: &Document, found: Vec<Diagnostic>, wanted: Applicability) -> Outcome {
    fix_all(document, found, (wanted, false))
}

fn fix_all(document: &Document, found: Vec<Diagnostic>, (wanted, keep): (Applicability, bool)) -> Outcome {
    let mut patch = Patch::default();
    let mut remaining = Vec::new();
    let mut applied = found;
    // In place: a large file has millions of findings.
    applied.retain_mut(|diagnostic| match fate((document, wanted), diagnostic, &mut patch) {
        Fate::Applied => {
            if diagnostic.severity == Severity::Hint && !keep {
                // Hints are counted only, and the patch has the edits.
                diagnostic.fix = None;
            }
            true
        }
        Fate::Settled => false,
        Fate::Remains => {
            let moved = Diagnostic::new(diagnostic.rule, diagnostic.range, String::new());
            remaining.push(std::mem::replace(diagnostic, moved));
            false
        }
    });
    Outcome { patch, applied, remaining, declared: Vec::new() }
}

/// What becomes of a finding.
enum Fate {
    /// Its fix is in the patch.
    Applied,
    /// Another fix takes the text away that it is about.
    Settled,
    /// It is for a person.
    Remains,
}

/// Adds the fix of a finding to the patch, or notes why it was left out.
fn fate((document, wanted): (&Document, Applicability), diagnostic: &mut Diagnostic, patch: &mut Patch) -> Fate {
    let applicable = diagnostic.fix.as_mut().filter(|fix| fix.applicability >= wanted);
    let Some(fix) = applicable else { return Fate::Remains };
    let refusal = if !keeps_balance(document, &fix.edits) {
        // A bug of ours must not damage a file.
        "the result would be broken; this is a bug in hipshift, please report it".to_owned()
    } else if let Err(conflict) = patch.try_add(&fix.edits) {
        if diagnostic.severity == Severity::Hint && conflict.with.contains_range(diagnostic.range) {
            return Fate::Settled;
        }
        format!("{conflict} (line {})", document.position(conflict.with.start()).line)
    } else {
        return Fate::Applied;
    };
    diagnostic.note(format!("not applied: {refusal}"));
    diagnostic.severity = diagnostic.severity.max(Severity::Warning);
    Fate::Remains
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
