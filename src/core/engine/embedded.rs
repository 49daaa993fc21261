//! Programs in string literals, and in scripts that write them: each is checked as a file of its own, whose text stands at
//! the same place.

use camino::Utf8PathBuf;

use super::input::Input;
use super::run_rules::{add_obstacles, run};
use super::warp_width::keep_warps;
use crate::analysis::{Facts, program_text};
use crate::diagnostic::{Diagnostic, Fix, Severity};
use crate::rules::is_about_suppressions;
use crate::source::{Edit, Piece, SourceFile, TextRange};
use crate::syntax::Document;

/// Rules that speak about files: the run-time compiler includes its runtime header itself.
const FILE_RULES: &[&str] = &["missing-runtime-header"];

/// The findings in all device programs that string literals hold.
pub(super) fn check_embedded(input: Input<'_>) -> Vec<Diagnostic> {
    let document = input.document;
    let texts = (0..document.tokens().len()).filter_map(|idx| program_text(document, idx));
    let programs = texts.flat_map(|literals| {
        let special: &[char] = if literals.raw { &['"'] } else { &['"', '\\', '\n'] };
        let path = document.file().path.clone();
        findings_in(input, &Program { path, text: &literals.text, range: literals.range, special, is_for_rtc: true })
    });
    programs.collect()
}

/// The findings in all sources that a script writes, as `configure` does to try a compiler.
pub(super) fn check_written(input: Input<'_>) -> Vec<Diagnostic> {
    let document = input.document;
    let Some(build) = document.build() else { return Vec::new() };
    let programs = build.written.iter().flat_map(|source| {
        let special: &[char] = if source.expands { &['$', '`', '\\'] } else { &[] };
        let extension = document.slice(source.file).rsplit('.').next().unwrap_or_default();
        let path = document.file().path.with_extension(extension);
        let text = document.slice(source.body);
        findings_in(input, &Program { path, text, range: source.body, special, is_for_rtc: false })
    });
    programs.collect()
}

fn findings_in(input: Input<'_>, program: &Program<'_>) -> Vec<Diagnostic> {
    let inner = Document::new(SourceFile::from_text(program.path.clone(), program.text));
    let (inner, mut facts) = (Input { document: &inner, ..input }, Facts::of(&inner));
    let obstacles = keep_warps(inner, None, &mut facts);
    let mut found = run(inner, &facts);
    add_obstacles(&mut found, &obstacles);
    // Suppressions stand in the file itself.
    let is_for_file = |rule: &str| program.is_for_rtc && FILE_RULES.contains(&rule);
    found.retain(|head| !is_for_file(head.rule.name) && !is_about_suppressions(head.rule));
    let place = Place { document: input.document, program };
    let shifted = found.iter().map(|mut diagnostic| {
        place.shift(&mut diagnostic);
        diagnostic
    });
    shifted.collect()
}

/// A program within a file.
struct Program<'t> {
    /// The file that it would be.
    path: Utf8PathBuf,
    /// What it says; each byte stands at its place.
    text: &'t str,
    range: TextRange,
    /// What cannot stand in it as it is.
    special: &'static [char],
    /// Whether it is compiled while another program runs.
    is_for_rtc: bool,
}

struct Place<'d> {
    document: &'d Document,
    program: &'d Program<'d>,
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
            diagnostic.note(format!("`{}` cannot be written into this text; do it by hand", fix.title));
        }
    }

    fn outer(&self, inner: TextRange) -> TextRange {
        inner + self.program.range.start()
    }

    /// The edit at its place in the file, if it touches plain text only and puts in plain text.
    fn shift_edit(&self, edit: &Edit) -> Option<Edit> {
        let range = self.outer(edit.range);
        let is_plain = self.program.text.get(std::ops::Range::<usize>::from(edit.range))? == self.document.slice(range);
        let pieces = edit.pieces.iter().map(|piece| match piece {
            Piece::Text(text) => self.takes(text).then(|| Piece::Text(text.clone())),
            Piece::Keep(kept) => Some(Piece::Keep(self.outer(*kept))),
        });
        let pieces: Option<Vec<Piece>> = pieces.collect();
        Some(Edit { range, pieces: pieces.filter(|_| is_plain)? })
    }

    /// Whether `text` can stand in the program as it is.
    fn takes(&self, text: &str) -> bool {
        !text.contains(self.program.special)
    }
}
