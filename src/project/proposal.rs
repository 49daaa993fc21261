//! What a fix would make of the text, for reports that show or carry it.

use super::shown_line::shown_around;
use crate::diagnostic::Fix;
use crate::source::{Patch, Position, TextRange, range};
use crate::syntax::Document;

/// What a fix would make of the text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proposal {
    /// Its parts, in the order of the text.
    pub replacements: Vec<Replacement>,
    /// The lines around them, before and after.
    pub hunks: Vec<Hunk>,
}

/// One replaced range; an empty one inserts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// Where it starts.
    pub start: Position,
    /// Where it ends.
    pub end: Position,
    /// What stands there afterwards.
    pub text: String,
}

/// Whole lines that a fix changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The number of the first line.
    pub line: u32,
    /// The lines as they are.
    pub before: String,
    /// The lines as they would be.
    pub after: String,
}

impl Proposal {
    /// What `fix` would make of `document`; nothing if its edits do not fit together.
    pub(super) fn of(document: &Document, fix: &Fix) -> Option<Proposal> {
        let mut patch = Patch::default();
        patch.try_add(&fix.edits).ok()?;
        let changes = patch.replacements(document.text());
        let replacement = |(range, text): &(TextRange, String)| Replacement {
            start: document.position(range.start()),
            end: document.position(range.end()),
            text: text.clone(),
        };
        Some(Proposal { replacements: changes.iter().map(replacement).collect(), hunks: hunks(document, &changes) })
    }
}

/// One hunk for all changes that share or touch lines.
fn hunks(document: &Document, changes: &[(TextRange, String)]) -> Vec<Hunk> {
    let mut hunks = Vec::new();
    let mut rest = changes;
    while let Some((first, _)) = rest.first() {
        let mut lines = whole_lines(document.text(), *first);
        let joined = |lines: &mut TextRange, range: TextRange| {
            let joins = range.start() <= lines.end();
            *lines = if joins { lines.cover(whole_lines(document.text(), range)) } else { *lines };
            joins
        };
        let count = rest.iter().take_while(|(range, _)| joined(&mut lines, *range)).count();
        let (own, others) = rest.split_at(count.max(1));
        hunks.push(hunk(document, lines, own));
        rest = others;
    }
    hunks
}

fn hunk(document: &Document, lines: TextRange, changes: &[(TextRange, String)]) -> Hunk {
    let part = changes.iter().map(|(range, _)| *range).reduce(TextRange::cover).unwrap_or(lines);
    let lines = shown_around(document.text(), part.into(), lines.into());
    let lines = range(lines.start, lines.end);
    let mut after = String::new();
    let mut at = lines.start();
    for (range, text) in changes {
        after.push_str(document.slice(TextRange::new(at, range.start())));
        after.push_str(text);
        at = range.end();
    }
    after.push_str(document.slice(TextRange::new(at, lines.end())));
    Hunk { line: document.position(lines.start()).line, before: document.slice(lines).to_owned(), after }
}

/// The lines that a range touches, with their ends.
fn whole_lines(text: &str, part: TextRange) -> TextRange {
    let (start, end) = (usize::from(part.start()), usize::from(part.end()));
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let ends_line = end > start && text[..end].ends_with('\n');
    let line_end = if ends_line { end } else { text[end..].find('\n').map_or(text.len(), |at| end + at + 1) };
    range(line_start, line_end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{Edit, SourceFile};

    #[test]
    fn lines_that_touch_make_one_hunk() {
        let document = Document::new(SourceFile::from_text("a.cu", "a b\nc\nd\ne f\n"));
        let at = |part: &str| {
            let start = document.text().find(part).unwrap();
            range(start, start + part.len())
        };
        let edits = vec![Edit::replace(at("b"), "B"), Edit::insert(at("c").start(), "new\n"), Edit::delete(at("f"))];
        let proposal = Proposal::of(&document, &Fix::safe("try", edits)).unwrap();
        let seen: Vec<_> = proposal.hunks.iter().map(|h| (h.line, h.before.as_str(), h.after.as_str())).collect();
        assert_eq!(seen, [(1, "a b\nc\n", "a B\nnew\nc\n"), (4, "e f\n", "e \n")]);
        assert_eq!(proposal.replacements.len(), 3);
        assert_eq!(proposal.replacements[1].start, Position { line: 2, column: 1 });
    }
}
