//! Merges two forms of one text: what both changed alike or only one changed is taken, the rest is a
//! conflict between markers.
//!
//! The regions are those of `git merge-file`: changes without a line between them that stays belong
//! together. The markers are those of its style `zdiff3`: the text that both come from stands between
//! them, and lines that both sides start or end with do not.

use std::ops::Range;

use super::line_edits::{LineEdit, line_edits};

/// What stands behind the markers of a conflict.
#[derive(Debug, Clone, Copy)]
pub struct MergeLabels<'l> {
    /// Behind `<<<<<<<`.
    pub ours: &'l str,
    /// Behind `|||||||`.
    pub base: &'l str,
    /// Behind `>>>>>>>`.
    pub theirs: &'l str,
}

/// A merged text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Merged {
    /// The text, with markers around each conflict.
    pub bytes: Vec<u8>,
    /// The lines, from 1, with the first marker of each conflict.
    pub conflicts: Vec<usize>,
}

/// Merges the changes from `base` to `ours` with those from `base` to `theirs`. A text that differs from
/// another only in its line ends is no other text: the line ends are merged as a whole.
pub fn merge(base: &[u8], ours: &[u8], theirs: &[u8], labels: MergeLabels<'_>) -> Merged {
    let ends = [base, ours, theirs].map(LineEnds::of);
    let [Some(base_ends), Some(our_ends), Some(their_ends)] = ends else {
        return merge_lines([base, ours, theirs], labels, LineEnds::Lf);
    };
    let wanted = if our_ends == base_ends { their_ends } else { our_ends };
    if [base_ends, our_ends, their_ends] == [wanted; 3] {
        return merge_lines([base, ours, theirs], labels, wanted);
    }
    let [base, ours, theirs] = [base, ours, theirs].map(|text| wanted.applied_to(text));
    merge_lines([&base, &ours, &theirs], labels, wanted)
}

/// Whether a merge left conflicts in a text that nobody has resolved yet.
pub fn has_conflict_markers(text: &[u8]) -> bool {
    let mut wanted = [b"<<<<<<< ".as_slice(), b"=======", b">>>>>>> "].into_iter().peekable();
    for line in text.split(|&byte| byte == b'\n') {
        wanted.next_if(|marker| line.starts_with(marker));
    }
    wanted.peek().is_none()
}

/// How all lines of a text end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineEnds {
    Lf,
    CrLf,
}

impl LineEnds {
    /// `None` if there are both.
    fn of(text: &[u8]) -> Option<LineEnds> {
        let all = memchr::memchr_iter(b'\n', text).count();
        let with_return = memchr::memmem::find_iter(text, b"\r\n").count();
        match with_return {
            0 => Some(LineEnds::Lf),
            count if count == all => Some(LineEnds::CrLf),
            _ => None,
        }
    }

    /// `text`, whose line ends are all alike, with these.
    fn applied_to(self, text: &[u8]) -> Vec<u8> {
        let mut changed = Vec::with_capacity(text.len() + text.len() / 16);
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            let content = line.strip_suffix(b"\n").map(|line| line.strip_suffix(b"\r").unwrap_or(line));
            changed.extend_from_slice(content.unwrap_or(line));
            changed.extend_from_slice(if content.is_some() { self.bytes() } else { b"" });
        }
        changed
    }

    fn bytes(self) -> &'static [u8] {
        match self {
            LineEnds::Lf => b"\n",
            LineEnds::CrLf => b"\r\n",
        }
    }
}

fn merge_lines(texts: [&[u8]; 3], labels: MergeLabels<'_>, ends: LineEnds) -> Merged {
    let [base, ours, theirs] = texts.map(lines);
    let mut ours = Side::new(&base, &ours);
    let mut theirs = Side::new(&base, &theirs);
    let mut writer = Writer { merged: Merged::default(), at_line: 1, labels, ends };
    let mut at = 0;
    while let Some(start) = [ours.next_start(), theirs.next_start()].into_iter().flatten().min() {
        writer.lines(&base[at..start]);
        let mut region = start..start;
        let (our_edits, their_edits) = (ours.at, theirs.at);
        while ours.joins(&mut region) || theirs.joins(&mut region) {}
        let (our_lines, their_lines) = (ours.lines_of(our_edits, &region), theirs.lines_of(their_edits, &region));
        if theirs.at == their_edits || our_lines == their_lines {
            writer.lines(our_lines);
        } else if ours.at == our_edits {
            writer.lines(their_lines);
        } else {
            writer.conflict(&Conflict::of(&base[region.clone()], our_lines, their_lines));
        }
        at = region.end;
    }
    writer.lines(&base[at..]);
    writer.merged
}

fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|&byte| byte == b'\n').collect()
}

/// One of the texts that are merged.
struct Side<'t> {
    lines: &'t [&'t [u8]],
    edits: Vec<LineEdit>,
    /// The first edit that was not looked at.
    at: usize,
}

impl<'t> Side<'t> {
    fn new(base: &[&[u8]], lines: &'t [&'t [u8]]) -> Side<'t> {
        Side { lines, edits: line_edits(base, lines), at: 0 }
    }

    /// The line of the base where the next edit starts.
    fn next_start(&self) -> Option<usize> {
        self.edits.get(self.at).map(|edit| edit.old.start)
    }

    /// Adds the next edit to `region`, lines of the base, if it touches it.
    fn joins(&mut self, region: &mut Range<usize>) -> bool {
        let Some(edit) = self.edits.get(self.at).filter(|edit| edit.old.start <= region.end) else { return false };
        region.end = region.end.max(edit.old.end);
        self.at += 1;
        true
    }

    /// The lines in place of `region`, within which are the edits from `first` on that were looked at.
    fn lines_of(&self, first: usize, region: &Range<usize>) -> &'t [&'t [u8]] {
        let edits = &self.edits[first..self.at];
        // Without an edit, lines are as far from those of the base as behind the edit before.
        let before = first.checked_sub(1).and_then(|before| self.edits.get(before));
        let (old, new) = before.map_or((0, 0), |edit| (edit.old.end, edit.new.end));
        let start = new + (region.start - old);
        let (old, new) = edits.last().map_or((old, new), |edit| (edit.old.end, edit.new.end));
        &self.lines[start..new + (region.end - old)]
    }
}

/// A conflict without the lines that both sides start or end with.
struct Conflict<'t> {
    start: &'t [&'t [u8]],
    base: &'t [&'t [u8]],
    ours: &'t [&'t [u8]],
    theirs: &'t [&'t [u8]],
    end: &'t [&'t [u8]],
}

impl<'t> Conflict<'t> {
    fn of(base: &'t [&'t [u8]], ours: &'t [&'t [u8]], theirs: &'t [&'t [u8]]) -> Conflict<'t> {
        let start = ours.iter().zip(theirs).take_while(|(a, b)| a == b).count();
        let (start, ours) = ours.split_at(start);
        let theirs = &theirs[start.len()..];
        let end = ours.iter().rev().zip(theirs.iter().rev()).take_while(|(a, b)| a == b).count();
        let (ours, end) = ours.split_at(ours.len() - end);
        let theirs = &theirs[..theirs.len() - end.len()];
        Conflict { start, base, ours, theirs, end }
    }
}

struct Writer<'l> {
    merged: Merged,
    /// The line that is written next.
    at_line: usize,
    labels: MergeLabels<'l>,
    ends: LineEnds,
}

impl Writer<'_> {
    fn lines(&mut self, lines: &[&[u8]]) {
        for line in lines {
            self.merged.bytes.extend_from_slice(line);
        }
        self.at_line += lines.len();
    }

    fn conflict(&mut self, conflict: &Conflict<'_>) {
        let labels = self.labels;
        self.lines(conflict.start);
        self.merged.conflicts.push(self.at_line);
        self.side("<<<<<<< ", labels.ours, conflict.ours);
        self.side("||||||| ", labels.base, conflict.base);
        self.side("=======", "", conflict.theirs);
        self.side(">>>>>>> ", labels.theirs, &[]);
        self.lines(conflict.end);
    }

    /// A marker and the lines after it, each with a line end.
    fn side(&mut self, marker: &str, label: &str, lines: &[&[u8]]) {
        for part in [marker, label] {
            self.merged.bytes.extend_from_slice(part.as_bytes());
        }
        self.merged.bytes.extend_from_slice(self.ends.bytes());
        self.at_line += 1;
        self.lines(lines);
        if lines.last().is_some_and(|line| !line.ends_with(b"\n")) {
            self.merged.bytes.extend_from_slice(self.ends.bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LABELS: MergeLabels<'_> = MergeLabels { ours: "o", base: "b", theirs: "t" };

    #[track_caller]
    fn check([base, ours, theirs]: [&str; 3], expected: &str, conflicts: &[usize]) {
        let merged = merge(base.as_bytes(), ours.as_bytes(), theirs.as_bytes(), LABELS);
        assert_eq!(String::from_utf8(merged.bytes).unwrap(), expected);
        assert_eq!(merged.conflicts, conflicts);
    }

    #[test]
    fn changes_with_a_line_between_them_fit_together() {
        check(["a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\nd\n"], "A\nb\nC\nd\n", &[]);
        check(["a\nb\n", "a\nb\n", "x\n"], "x\n", &[]);
        check(["a\nb\n", "x\n", "x\n"], "x\n", &[]);
    }

    #[test]
    fn a_conflict_shows_both_sides_and_what_they_come_from() {
        let expected = "1\n2\n<<<<<<< o\nA\n||||||| b\na\n=======\nB\n>>>>>>> t\n3\n";
        check(["1\na\n3\n", "1\n2\nA\n3\n", "1\n2\nB\n3\n"], expected, &[3]);
    }

    #[test]
    fn texts_without_a_final_line_end_stay_readable() {
        check(["a", "b", "c"], "<<<<<<< o\nb\n||||||| b\na\n=======\nc\n>>>>>>> t\n", &[1]);
        check(["a\nb", "A\nb", "a\nb"], "A\nb", &[]);
    }

    #[test]
    fn line_ends_are_merged_as_a_whole() {
        // Ours changed the line ends and a line, theirs another line.
        check(["a\nb\nc\n", "A\r\nb\r\nc\r\n", "a\nb\nC\n"], "A\r\nb\r\nC\r\n", &[]);
        check(["a\nb\nc\n", "A\nb\nc\n", "a\r\nb\r\nC\r\n"], "A\r\nb\r\nC\r\n", &[]);
        let expected = "<<<<<<< o\r\nb\r\n||||||| b\r\na\r\n=======\r\nc\r\n>>>>>>> t\r\n";
        check(["a\r\n", "b\r\n", "c\r\n"], expected, &[1]);
    }

    #[test]
    fn markers_of_an_earlier_merge_are_seen() {
        let merged = merge(b"a\n", b"b\n", b"c\n", LABELS);
        assert!(has_conflict_markers(&merged.bytes));
        assert!(!has_conflict_markers(b"k<<<1, 2>>>();\n<<<<<<< \n=======\n"));
    }
}
