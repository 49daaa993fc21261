//! What some fixes alone make of the lines that they change.

use crate::diagnostic::Fix;
use crate::source::{Edit, Patch, Piece, TextRange, range};

/// What stands between lines that do not follow each other.
const GAP: &str = "…\n";

/// What some fixes alone make of the lines that they change.
///
/// Lines that a fix inserts elsewhere, such as the definition of a function that it calls, are no part of
/// this: other fixes may bring the same ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedLines {
    /// Whole lines, sorted and disjoint; an empty range where lines are inserted only.
    pub blocks: Vec<TextRange>,
    /// The lines as they are, with `\n` at their ends.
    pub before: String,
    /// The lines as they would be.
    pub after: String,
}

impl FixedLines {
    /// What `fixes` make of `text`. A fix that does not fit beside those before it is left out.
    pub fn of<'f>(text: &str, fixes: impl Iterator<Item = &'f Fix>) -> FixedLines {
        let mut patch = Patch::default();
        let fits = |fix: &&Fix| patch.try_add(&fix.edits).is_ok();
        let edits: Vec<&Edit> = fixes.filter(fits).flat_map(|fix| &fix.edits).collect();
        if edits.iter().all(|edit| edit.inserts_lines()) {
            let (blocks, after): (Vec<_>, Vec<_>) = patch.replacements(text).into_iter().unzip();
            return FixedLines { blocks, before: String::new(), after: unified(&after.concat()) };
        }
        let blocks = joined(edits.iter().filter(|edit| !edit.inserts_lines()).map(|edit| lines_of(text, edit)));
        let own = patch.filtered(&|edit| !blocks.iter().all(|block| inserts_elsewhere(edit, *block)));
        let before: Vec<&str> = blocks.iter().map(|block| &text[*block]).collect();
        let after: Vec<String> = blocks.iter().map(|block| own.apply_within(text, *block)).collect();
        FixedLines { before: unified(&before.join(GAP)), after: unified(&after.join(GAP)), blocks }
    }

    /// The lines, if they follow each other.
    pub fn only_block(&self) -> Option<TextRange> {
        match self.blocks.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }
}

/// Whether an edit inserts lines that are no part of `block`.
pub fn inserts_elsewhere(edit: &Edit, block: TextRange) -> bool {
    let at = edit.range.start();
    edit.inserts_lines() && edit.range != block && !(block.start() < at && at < block.end())
}

/// The lines that an edit changes, with their ends. Where it takes a line end away, the next line too.
pub fn lines_of(text: &str, edit: &Edit) -> TextRange {
    if edit.inserts_lines() {
        return edit.range;
    }
    let (start, end) = (usize::from(edit.range.start()), usize::from(edit.range.end()));
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let is_empty = |piece: &Piece| matches!(piece, Piece::Text(new) if new.is_empty());
    let ends_with_line = match edit.pieces.iter().rfind(|piece| !is_empty(piece)) {
        None => line_start == start,
        Some(Piece::Text(new)) => new.ends_with('\n'),
        Some(Piece::Keep(kept)) => text[*kept].ends_with('\n'),
    };
    if end > start && text[..end].ends_with('\n') && ends_with_line {
        return range(line_start, end);
    }
    range(line_start, text[end..].find('\n').map_or(text.len(), |at| end + at + 1))
}

/// Ranges that touch become one.
fn joined(ranges: impl Iterator<Item = TextRange>) -> Vec<TextRange> {
    let mut sorted: Vec<TextRange> = ranges.collect();
    sorted.sort_by_key(|range| (range.start(), range.end()));
    let mut joined: Vec<TextRange> = Vec::new();
    for range in sorted {
        match joined.last_mut() {
            Some(last) if range.start() <= last.end() => *last = last.cover(range),
            _ => joined.push(range),
        }
    }
    joined
}

/// Text with `\n` at the end of each line.
fn unified(text: &str) -> String {
    text.replace("\r\n", "\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::TextSize;

    #[track_caller]
    fn check(text: &str, fixes: &[Fix], blocks: &[&str], before: &str, after: &str) {
        let lines = FixedLines::of(text, fixes.iter());
        assert_eq!(lines.blocks.iter().map(|block| &text[*block]).collect::<Vec<_>>(), blocks);
        assert_eq!((lines.before.as_str(), lines.after.as_str()), (before, after));
    }

    fn replace(text: &str, part: &str, new: &str) -> Edit {
        let at = text.find(part).unwrap();
        Edit::replace(range(at, at + part.len()), new)
    }

    #[test]
    fn definitions_elsewhere_are_left_out() {
        let text = "one\r\nf(a);\r\ntwo\r\n";
        let insert = Edit::insert(TextSize::new(0), "int g();\r\n");
        let fix = Fix::safe("call g", vec![insert.clone(), replace(text, "f", "g")]);
        check(text, &[fix], &["f(a);\r\n"], "f(a);\n", "g(a);\n");
        check(text, &[Fix::safe("declare g", vec![insert])], &[""], "", "int g();\n");
    }

    #[test]
    fn lines_that_touch_are_one_block() {
        let text = "a\nb\nc\nd\n";
        let fixes = ["a", "b", "d"].map(|part| Fix::safe("up", vec![replace(text, part, "X")]));
        check(text, &fixes, &["a\nb\n", "d\n"], "a\nb\n…\nd\n", "X\nX\n…\nX\n");
    }

    #[test]
    fn a_line_that_goes_takes_no_other_with_it() {
        let text = "a\nb\nc\n";
        check(text, &[Fix::safe("drop", vec![replace(text, "b\n", "")])], &["b\n"], "b\n", "");
        check(text, &[Fix::safe("join", vec![replace(text, "b\n", "b ")])], &["b\nc\n"], "b\nc\n", "b c\n");
    }
}
