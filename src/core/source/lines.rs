//! Which lines differ between two patched forms of one text.
//!
//! The edits say where to look, so only the lines that they touch are compared.

use std::borrow::Cow;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::{Patch, TextRange, TextSize, range};

/// A line with single blanks, so that it stays the same when it is indented otherwise.
pub fn single_blanks(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text that is read line by line. Lines are counted from 0 and keep their line end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinedText<'t> {
    text: Cow<'t, str>,
    /// Where each line starts, and where the last one ends. A text has less than 4 GiB.
    starts: Vec<TextSize>,
}

impl<'t> LinedText<'t> {
    /// Finds the lines of a text.
    pub fn new(text: impl Into<Cow<'t, str>>) -> LinedText<'t> {
        let text = text.into();
        let mut starts = vec![TextSize::default()];
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| offset(at + 1)));
        if starts.last() != Some(&offset(text.len())) {
            starts.push(offset(text.len()));
        }
        LinedText { text, starts }
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How many lines there are; the last may lack its end.
    pub fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Lines that follow each other.
    pub fn lines(&self, lines: Range<usize>) -> impl Iterator<Item = &str> {
        let start_of = |line: usize| self.starts.get(line).copied().map(usize::from);
        lines.filter_map(move |line| self.text.get(start_of(line)?..start_of(line + 1)?))
    }

    /// The bytes of lines that follow each other.
    pub fn range(&self, lines: &Range<usize>) -> TextRange {
        let start_of = |line: usize| self.starts.get(line).copied().map_or(self.text.len(), usize::from);
        range(start_of(lines.start), start_of(lines.end))
    }
}

fn offset(at: usize) -> TextSize {
    TextSize::try_from(at).unwrap_or_default()
}

/// The lines of a new text that are not in the old one: all that is shown of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewLines {
    kept: LinedText<'static>,
    /// For each run of lines that are kept: the number of the first in the new text, and among those kept.
    runs: Vec<(usize, usize)>,
    count: usize,
}

impl NewLines {
    /// How many lines the new text has.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Lines that follow each other in one change.
    pub fn lines(&self, lines: Range<usize>) -> impl Iterator<Item = &str> {
        let run = self.runs.partition_point(|(first, _)| *first <= lines.start).checked_sub(1);
        let (first, kept) = run.and_then(|run| self.runs.get(run)).copied().unwrap_or_default();
        let start = lines.start - first + kept;
        self.kept.lines(start..start + lines.len())
    }
}

/// Lines of the old text, and the lines of the new text that stand in their place. One of the two
/// may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineChange {
    /// Lines of the old text.
    pub old: Range<usize>,
    /// Lines of the new text.
    pub new: Range<usize>,
}

/// A text, and the lines in which another form of it differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineDiff<'t> {
    /// The first form.
    pub old: LinedText<'t>,
    /// What the second form has in place of its lines.
    pub new: NewLines,
    /// The differences in the order of the text.
    pub changes: Vec<LineChange>,
}

impl<'t> LineDiff<'t> {
    /// What changes in `text` from one patch to another, which holds all edits of the first and more.
    pub fn between(text: &'t str, before: &Patch, after: &Patch) -> LineDiff<'t> {
        let mut builder = Builder::default();
        let mut at = 0;
        for block in blocks(text, after) {
            builder.skip(lines_in(&text[at..block.start]));
            let lines = range(block.start, block.end);
            builder.compare(&before.apply_within(text, lines), &after.apply_within(text, lines));
            at = block.end;
        }
        let rest = &text[at..];
        builder.skip(lines_in(rest) + usize::from(!rest.is_empty() && !rest.ends_with('\n')));
        let old = if before.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(before.apply(text)) };
        let Builder { new, new_line: count, runs, changes, .. } = builder;
        LineDiff { old: LinedText::new(old), new: NewLines { kept: LinedText::new(new), runs, count }, changes }
    }

    /// All lines that the second form has in a hunk.
    pub fn new_lines(&self, hunk: &DiffHunk) -> impl Iterator<Item = &str> {
        hunk.parts.iter().flat_map(|part| {
            let (same, changes) = match part {
                HunkPart::Same(lines) => (lines.old.clone(), [].as_slice()),
                HunkPart::Changed(changes) => (0..0, changes.as_slice()),
            };
            let new = changes.iter().flat_map(|change| self.new.lines(change.new.clone()));
            self.old.lines(same).chain(new)
        })
    }

    /// The differences with up to `context` lines around each; where those meet, they are one hunk.
    pub fn hunks(&self, context: usize) -> Vec<DiffHunk> {
        let mut hunks: Vec<DiffHunk> = Vec::new();
        for run in self.changes.chunk_by(|a, b| a.old.end == b.old.start) {
            let (Some(first), Some(last)) = (run.first(), run.last()) else { continue };
            let joined = LineChange { old: first.old.start..last.old.end, new: first.new.start..last.new.end };
            match hunks.last_mut() {
                Some(hunk) if joined.old.start - hunk.old.end <= context.saturating_mul(2) => {
                    hunk.parts.push(HunkPart::Same(LineChange {
                        old: hunk.old.end..joined.old.start,
                        new: hunk.new.end..joined.new.start,
                    }));
                    (hunk.old.end, hunk.new.end) = (joined.old.end, joined.new.end);
                    hunk.parts.push(HunkPart::Changed(run.to_vec()));
                }
                _ => {
                    let parts = vec![HunkPart::Changed(run.to_vec())];
                    hunks.push(DiffHunk { old: joined.old, new: joined.new, parts });
                }
            }
        }
        for hunk in &mut hunks {
            hunk.widen(context, self.old.count());
        }
        hunks
    }
}

/// Differences that are shown together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffHunk {
    /// Lines of the old text.
    pub old: Range<usize>,
    /// Lines of the new text.
    pub new: Range<usize>,
    /// What these lines are, in their order.
    pub parts: Vec<HunkPart>,
}

/// A part of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HunkPart {
    /// Lines that stay; there are as many old as new ones.
    Same(LineChange),
    /// Changes that follow each other without a line in between.
    Changed(Vec<LineChange>),
}

impl DiffHunk {
    /// Adds lines that stay before and after, as far as there are any.
    fn widen(&mut self, context: usize, old_count: usize) {
        let before = context.min(self.old.start);
        if before > 0 {
            let (old, new) = (self.old.start - before, self.new.start - before);
            self.parts.insert(0, HunkPart::Same(LineChange { old: old..self.old.start, new: new..self.new.start }));
            (self.old.start, self.new.start) = (old, new);
        }
        let after = context.min(old_count - self.old.end);
        if after > 0 {
            let (old, new) = (self.old.end + after, self.new.end + after);
            self.parts.push(HunkPart::Same(LineChange { old: self.old.end..old, new: self.new.end..new }));
            (self.old.end, self.new.end) = (old, new);
        }
    }
}

/// The differences as far as they are found.
#[derive(Default)]
struct Builder {
    /// The new lines of all changes.
    new: String,
    /// How many there are.
    kept: usize,
    runs: Vec<(usize, usize)>,
    /// Lines passed so far.
    old_line: usize,
    new_line: usize,
    changes: Vec<LineChange>,
}

impl Builder {
    fn skip(&mut self, lines: usize) {
        self.old_line += lines;
        self.new_line += lines;
    }

    fn compare(&mut self, old: &str, new: &str) {
        let (old, new): (Vec<&str>, Vec<&str>) =
            (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
        let same_start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        let (old, new) = (&old[same_start..], &new[same_start..]);
        let same_end = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
        self.skip(same_start);
        self.compare_inner(&old[..old.len() - same_end], &new[..new.len() - same_end]);
        self.skip(same_end);
    }

    fn compare_inner(&mut self, old: &[&str], new: &[&str]) {
        if old.len() <= 1 || new.len() <= 1 {
            return self.change(old.len(), new);
        }
        for op in capture_diff_slices(Algorithm::Myers, old, new) {
            match op {
                DiffOp::Equal { len, .. } => self.skip(len),
                op => self.change(op.old_range().len(), &new[op.new_range()]),
            }
        }
    }

    fn change(&mut self, old: usize, lines: &[&str]) {
        let (old, new) = (self.old_line..self.old_line + old, self.new_line..self.new_line + lines.len());
        (self.old_line, self.new_line) = (old.end, new.end);
        if !lines.is_empty() {
            self.runs.push((new.start, self.kept));
            self.kept += lines.len();
            self.new.extend(lines.iter().copied());
        }
        if !old.is_empty() || !new.is_empty() {
            self.changes.push(LineChange { old, new });
        }
    }
}

/// How many lines end in `text`.
fn lines_in(text: &str) -> usize {
    memchr::memchr_iter(b'\n', text.as_bytes()).count()
}

/// The lines that the edits of a patch touch, as bytes. An edit and all that it touches lie in one block.
fn blocks(text: &str, patch: &Patch) -> Vec<Range<usize>> {
    let mut blocks: Vec<Range<usize>> = Vec::new();
    for range in patch.ranges() {
        let (start, end) = (usize::from(range.start()), usize::from(range.end()));
        let start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        // An edit that takes a line end joins the next line to its own.
        let end = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
        match blocks.last_mut() {
            Some(last) if start < last.end || last.end == text.len() => last.end = last.end.max(end),
            _ => blocks.push(start..end),
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Edit;

    /// Applies replacements of parts of `text`, and shows each change as `old lines => new lines`.
    #[track_caller]
    fn check(text: &str, edits: &[(&str, &str)], expected: &[&str]) {
        let mut patch = Patch::default();
        for (part, new) in edits {
            let at = text.find(part).unwrap();
            patch.try_add(&[Edit::replace(range(at, at + part.len()), *new)]).unwrap();
        }
        check_patch(text, &patch, expected);
    }

    /// The second form, put together from lines that stay and lines that change.
    fn new_text(diff: &LineDiff<'_>) -> String {
        let (mut text, mut at) = (String::new(), 0);
        for change in &diff.changes {
            text.extend(diff.old.lines(at..change.old.start));
            assert_eq!(text.split_inclusive('\n').count(), change.new.start);
            text.extend(diff.new.lines(change.new.clone()));
            at = change.old.end;
        }
        text.extend(diff.old.lines(at..diff.old.count()));
        text
    }

    #[track_caller]
    fn check_patch(text: &str, patch: &Patch, expected: &[&str]) {
        let diff = LineDiff::between(text, &Patch::default(), patch);
        assert_eq!((diff.old.text(), new_text(&diff)), (text, patch.apply(text)));
        assert_eq!(diff.new.count(), patch.apply(text).split_inclusive('\n').count());
        let shown: Vec<String> = diff
            .changes
            .iter()
            .map(|change| {
                let old: String = diff.old.lines(change.old.clone()).collect();
                let new: String = diff.new.lines(change.new.clone()).collect();
                format!("{} {old:?} => {new:?}", change.old.start)
            })
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn each_line_is_a_change_of_its_own() {
        check(
            "a\nb\nc\nd",
            &[("a", "A"), ("b", "B"), ("d", "D")],
            &[r#"0 "a\n" => "A\n""#, r#"1 "b\n" => "B\n""#, r#"3 "d" => "D""#],
        );
    }

    #[test]
    fn inserted_and_deleted_lines_leave_their_neighbours_alone() {
        check("a\nb\nc\n", &[("b\n", "")], &[r#"1 "b\n" => """#]);
        let mut patch = Patch::default();
        patch.try_add(&[Edit::insert(TextSize::new(2), "x\ny\n")]).unwrap();
        check_patch("a\nb\n", &patch, &[r#"1 "" => "x\ny\n""#]);
        let mut patch = Patch::default();
        patch.try_add(&[Edit::insert(TextSize::new(4), "x\n")]).unwrap();
        check_patch("a\nb\n", &patch, &[r#"2 "" => "x\n""#]);
        check_patch("a\nb", &Patch::default(), &[]);
    }

    #[test]
    fn lines_within_a_long_edit_stay() {
        check("a\nb\nc\nd\n", &[("a\nb\nc", "1\nb\n3")], &[r#"0 "a\n" => "1\n""#, r#"2 "c\n" => "3\n""#]);
        check("a\nb\nc\n", &[("a\n", "a ")], &[r#"0 "a\nb\n" => "a b\n""#]);
        check("a\nb", &[("b", "b\n")], &[r#"1 "b" => "b\n""#]);
        check("a\nb\n", &[("b\n", "b")], &[r#"1 "b\n" => "b""#]);
    }

    #[test]
    fn hunks_meet_where_their_context_does() {
        let text = "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let mut patch = Patch::default();
        for line in ["1", "6"] {
            let at = text.find(line).unwrap();
            patch.try_add(&[Edit::replace(range(at, at + 1), "x\ny")]).unwrap();
        }
        let diff = LineDiff::between(text, &Patch::default(), &patch);
        let spans = |context| -> Vec<_> { diff.hunks(context).into_iter().map(|h| (h.old, h.new)).collect() };
        assert_eq!(spans(0), [(1..2, 1..3), (6..7, 7..9)]);
        assert_eq!(spans(1), [(0..3, 0..4), (5..8, 6..10)]);
        assert_eq!(spans(2), [(0..9, 0..11)]);
        assert_eq!(diff.hunks(2)[0].parts.len(), 5);
    }

    #[test]
    fn the_second_patch_may_hold_more_edits_than_the_first() {
        let text = "f(a, b)\ng\n";
        let mut before = Patch::default();
        before.try_add(&[Edit::replace(range(2, 3), "A")]).unwrap();
        let mut after = before.clone();
        let pieces = vec![crate::source::Piece::Keep(range(5, 6)), crate::source::Piece::Keep(range(2, 3))];
        after.try_add(&[Edit { range: range(2, 6), pieces }]).unwrap();
        let diff = LineDiff::between(text, &before, &after);
        assert_eq!((diff.old.text(), new_text(&diff).as_str()), ("f(A, b)\ng\n", "f(bA)\ng\n"));
        assert_eq!(diff.changes, [LineChange { old: 0..1, new: 0..1 }]);
    }
}
