//! Device programs in string literals: each is checked as a file of its own, whose text stands at
//! the same place as the literal's.

use super::input::Input;
use super::run_rules::{add_obstacles, run};
use super::warp_width::keep_warps;
use crate::analysis::{Facts, program_text};
use crate::diagnostic::{Diagnostic, Fix, Severity};
use crate::rules::is_about_suppressions;
use crate::source::{Edit, Piece, SourceFile, TextRange};
use crate::syntax::{Document, Literals};

/// Rules that speak about files: the run-time compiler includes its runtime header itself.
const FILE_RULES: &[&str] = &["missing-runtime-header"];

/// The findings in all device programs that string literals hold.
pub(super) fn check_embedded(input: Input<'_>) -> Vec<Diagnostic> {
    let texts = (0..input.document.tokens().len()).filter_map(|idx| program_text(input.document, idx));
    texts.flat_map(|literals| findings_in(input, &literals)).collect()
}

fn findings_in(input: Input<'_>, literals: &Literals) -> Vec<Diagnostic> {
    let path = input.document.file().path.clone();
    let program = Document::new(SourceFile::from_text(path, literals.text.as_str()));
    let (inner, mut facts) = (Input { document: &program, ..input }, Facts::of(&program));
    let obstacles = keep_warps(inner, None, &mut facts);
    let mut found = run(inner, &facts);
    add_obstacles(&mut found, &obstacles);
    // Suppressions stand in the file itself.
    found.retain(|head| !FILE_RULES.contains(&head.rule.name) && !is_about_suppressions(head.rule));
    let place = Place { document: input.document, literals };
    let shifted = found.iter().map(|mut diagnostic| {
        place.shift(&mut diagnostic);
        diagnostic
    });
    shifted.collect()
}

struct Place<'d> {
    document: &'d Document,
    literals: &'d Literals,
}

impl Place<'_> {
    fn shift(&self, diagnostic: &mut Diagnostic) {
        diagnostic.range = self.outer(diagnostic.range);
        for label in &mut diagnostic.labels {
            label.range = self.outer(label.range);
        }
        let Some(fix) = diagnostic.fix.take() else { return };
        let edits: Option<Vec<Edit>> = fix.edits.iter().map(|edit| self.shift_edit(edit)).collect();
        if let Some(edits) = edits {
            diagnostic.fix = Some(Fix { edits, ..fix });
        } else {
            diagnostic.severity = diagnostic.severity.max(Severity::Warning);
            diagnostic.note(format!("`{}` cannot be written into this string literal; do it by hand", fix.title));
        }
    }

    fn outer(&self, inner: TextRange) -> TextRange {
        inner + self.literals.range.start()
    }

    /// The edit at its place in the file, if it touches plain text only and puts in plain text.
    fn shift_edit(&self, edit: &Edit) -> Option<Edit> {
        let range = self.outer(edit.range);
        let is_plain =
            self.literals.text.get(std::ops::Range::<usize>::from(edit.range))? == self.document.slice(range);
        let pieces = edit.pieces.iter().map(|piece| match piece {
            Piece::Text(text) => self.takes(text).then(|| Piece::Text(text.clone())),
            Piece::Keep(kept) => Some(Piece::Keep(self.outer(*kept))),
        });
        let pieces: Option<Vec<Piece>> = pieces.collect();
        Some(Edit { range, pieces: pieces.filter(|_| is_plain)? })
    }

    /// Whether `text` can stand in the literal as it is.
    fn takes(&self, text: &str) -> bool {
        let special: &[char] = if self.literals.raw { &['"'] } else { &['"', '\\', '\n'] };
        !text.contains(special)
    }
}
