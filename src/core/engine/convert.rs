//! Chooses the fixes that go into a patch.

use super::check::{Checked, check};
use super::decide::{Decided, decide};
use super::input::Input;
use super::suppress::Suppressed;
use crate::diagnostic::{Applicability, Decision, Diagnostic, Findings, Severity};
use crate::rules::{declared_elsewhere, is_unknown};
use crate::source::{Edit, Patch, Piece, SourceText, TextRange};
use crate::syntax::{TokenKind, lex};

/// What a conversion makes of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The change.
    pub patch: Patch,
    /// Findings whose fix is in the patch. Above [`Severity::Hint`] the result wants a person's eye.
    pub applied: Findings,
    /// Findings that a person has to look at.
    pub remaining: Vec<Diagnostic>,
    /// Findings that comments switch off.
    pub suppressed: Vec<Suppressed>,
    /// What became of decisions.
    pub decided: Decided,
    /// Names that the file declares; see [`reconcile`].
    pub declared: Vec<String>,
}

/// Converts one file.
pub fn convert(input: Input<'_>) -> Outcome {
    convert_with(input, &[])
}

/// Converts one file as a person decided about its fixes.
pub fn convert_with(input: Input<'_>, decisions: &[Decision]) -> Outcome {
    let mut checked = check(input);
    let decided = decide(input.document.file(), &mut checked.found, (decisions, &input.settings.rules));
    Outcome { decided, ..fix(input.document.source(), checked, input.settings.applicability) }
}

/// Puts the fixes that are at least as sure as `wanted` into a patch. Nothing but the text is read, so that
/// the tokens of a large file need not stay.
pub fn fix(source: &SourceText, checked: Checked, wanted: Applicability) -> Outcome {
    let mut patch = Patch::default();
    let mut remaining = Vec::new();
    let mut applied = checked.found;
    applied.sift(|mut diagnostic| match fate((source, wanted), &mut diagnostic, &mut patch) {
        Fate::Applied => true,
        Fate::Settled => false,
        Fate::Remains => {
            remaining.push(diagnostic);
            false
        }
    });
    let Checked { suppressed, declared, .. } = checked;
    Outcome { patch, applied, remaining, suppressed, declared, decided: Decided::default() }
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
fn fate((source, wanted): (&SourceText, Applicability), diagnostic: &mut Diagnostic, patch: &mut Patch) -> Fate {
    let applicable = diagnostic.fix.as_mut().filter(|fix| fix.applicability >= wanted);
    let Some(fix) = applicable else { return Fate::Remains };
    let count = if diagnostic.rule.code.starts_with('B') { count_all } else { count_brackets };
    let refusal = if !fix.by_hand && !keeps_balance(source, &fix.edits, count) {
        // A bug of ours must not damage a file.
        "the result would be broken; this is a bug in hipshift, please report it".to_owned()
    } else if let Err(conflict) = patch.try_add(&fix.edits) {
        if diagnostic.severity == Severity::Hint && conflict.with.contains_range(diagnostic.range) {
            return Fate::Settled;
        }
        format!("{conflict} (line {})", source.position(conflict.with.start()).line)
    } else {
        return Fate::Applied;
    };
    diagnostic.note(format!("not applied: {refusal}"));
    diagnostic.severity = diagnostic.severity.max(Severity::Warning);
    Fate::Remains
}

/// Whether the edits of a fix together take away as many brackets of each kind as they bring.
fn keeps_balance(source: &SourceText, edits: &[Edit], count: impl Fn(&str, i64, &mut [i64; 3])) -> bool {
    let mut balance = [0_i64; 3];
    for edit in edits {
        // Many fixes bring an edit that keeps a long line, which is not read for each of them.
        let mut at = edit.range.start();
        for piece in &edit.pieces {
            match piece {
                Piece::Text(text) => count(text, 1, &mut balance),
                Piece::Keep(kept) if kept.start() >= at => {
                    count(source.slice(TextRange::new(at, kept.start())), -1, &mut balance);
                    at = kept.end();
                }
                Piece::Keep(kept) => count(source.slice(*kept), 1, &mut balance),
            }
        }
        count(source.slice(TextRange::new(at, edit.range.end().max(at))), -1, &mut balance);
    }
    balance == [0; 3]
}

/// Adds what opens and takes off what closes, times `sign`.
fn count_brackets(text: &str, sign: i64, balance: &mut [i64; 3]) {
    if !text.contains(['(', ')', '[', ']', '{', '}']) {
        return;
    }
    for token in lex(text).tokens.iter() {
        let TokenKind::Punct(byte) = token.kind else { continue };
        count_one(byte, sign, balance);
    }
}

/// The same for a build file, where other signs begin texts and comments than in C++: `${ARCH//./}`.
fn count_all(text: &str, sign: i64, balance: &mut [i64; 3]) {
    text.bytes().for_each(|byte| count_one(byte, sign, balance));
}

fn count_one(byte: u8, sign: i64, balance: &mut [i64; 3]) {
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

/// A finding about the name `name` that nobody knew becomes harmless if another file of the run
/// declares the name.
pub fn reconcile(finding: &mut Diagnostic, name: &str, is_declared: impl Fn(&str) -> bool) {
    if is_unknown(finding) && is_declared(name) {
        declared_elsewhere(finding, name);
    }
}
