//! The lines of a hunk in two columns, old and new, wrapped to the width of the terminal.

use unicode_width::UnicodeWidthChar as _;

use super::paint::{Paint, Role};
use super::visible::visible;
use super::words::{Segment, segments};
use super::wrap::TAB;
use crate::source::{DiffHunk, HunkPart, LineChange, LineDiff};

/// Columns are never narrower, however narrow the terminal is.
const NARROWEST: usize = 8;

pub(super) fn write(diff: &LineDiff<'_>, hunk: &DiffHunk, width: usize, paint: Paint) -> String {
    let digits = diff.old.count().max(diff.new.count()).to_string().len();
    // ` 12 text │  12 text`: each side has a number with a blank, three columns stand in between.
    let column = (width.saturating_sub(3) / 2).saturating_sub(digits + 1).max(NARROWEST);
    let mut table = Table { digits, column, paint, out: String::new() };
    for part in &hunk.parts {
        match part {
            HunkPart::Same(lines) => write_same(diff, lines, &mut table),
            HunkPart::Changed(changes) => changes.iter().for_each(|change| write_change(diff, change, &mut table)),
        }
    }
    table.out
}

fn write_same(diff: &LineDiff<'_>, lines: &LineChange, table: &mut Table) {
    for ((line, old), new) in diff.old.lines(lines.old.clone()).zip(lines.old.clone()).zip(lines.new.clone()) {
        let shown = visible(line);
        let segments = [Segment { text: &shown, differs: false }];
        table.row(Role::Same, Some((old, &segments)), Role::Same, Some((new, &segments)));
    }
}

fn write_change(diff: &LineDiff<'_>, change: &LineChange, table: &mut Table) {
    let mut old = change.old.clone().zip(diff.old.lines(change.old.clone()));
    let mut new = change.new.clone().zip(diff.new.lines(change.new.clone()));
    loop {
        let (left, right) = (old.next(), new.next());
        if left.is_none() && right.is_none() {
            return;
        }
        let (left_shown, right_shown) = (left.map(|(_, line)| visible(line)), right.map(|(_, line)| visible(line)));
        let [left_parts, right_parts] =
            segments(left_shown.as_deref().unwrap_or_default(), right_shown.as_deref().unwrap_or_default());
        let left = left.map(|(number, _)| (number, left_parts.as_slice()));
        let right = right.map(|(number, _)| (number, right_parts.as_slice()));
        table.row(Role::Removed, left, Role::Added, right);
    }
}

struct Table {
    digits: usize,
    column: usize,
    paint: Paint,
    out: String,
}

/// A line: its number from 0, and its parts.
type Side<'s> = Option<(usize, &'s [Segment<'s>])>;

impl Table {
    fn row(&mut self, left_role: Role, left: Side<'_>, right_role: Role, right: Side<'_>) {
        let wrap = |role, side: Side<'_>| {
            side.map(|(_, segments)| wrap(segments, self.column, self.paint, role)).unwrap_or_default()
        };
        let (left_rows, right_rows) = (wrap(left_role, left), wrap(right_role, right));
        for row in 0..left_rows.len().max(right_rows.len()) {
            let number = |side: Side<'_>| side.filter(|_| row == 0).map(|(number, _)| number + 1);
            let (left_text, left_width) = left_rows.get(row).map_or(("", 0), |(text, width)| (text.as_str(), *width));
            self.number(number(left));
            self.out.push_str(left_text);
            self.out.push_str(&" ".repeat(self.column.saturating_sub(left_width)));
            let changes = left_role != Role::Same;
            self.paint.push(&mut self.out, Role::Margin, mark(changes, left.is_some(), right.is_some()));
            self.number(number(right));
            self.out.push_str(right_rows.get(row).map_or("", |(text, _)| text.as_str()));
            self.out.truncate(self.out.trim_end_matches(' ').len());
            self.out.push('\n');
        }
    }

    fn number(&mut self, number: Option<usize>) {
        let digits = self.digits;
        let shown = number.map(|number| number.to_string()).unwrap_or_default();
        self.paint.push(&mut self.out, Role::Margin, &format!("{shown:>digits$} "));
    }
}

/// What stands between the columns, so that changes can be told without colour.
fn mark(changes: bool, old: bool, new: bool) -> &'static str {
    match (changes, old, new) {
        (false, ..) => " │ ",
        (true, true, false) => " < ",
        (true, false, true) => " > ",
        (true, ..) => " | ",
    }
}

/// Rows of at most `width` columns, with the width that each has.
fn wrap(segments: &[Segment<'_>], width: usize, paint: Paint, role: Role) -> Vec<(String, usize)> {
    let mut rows = vec![(String::new(), 0)];
    for segment in segments {
        let mut part = String::new();
        let push = |rows: &mut Vec<(String, usize)>, part: &mut String| {
            if let Some((row, _)) = rows.last_mut() {
                paint.push_segments(row, role, &[Segment { text: part, differs: segment.differs }]);
            }
            part.clear();
        };
        for character in segment.text.chars() {
            let used = rows.last().map_or(0, |(_, used)| *used);
            let takes = if character == '\t' { TAB - used % TAB } else { character.width().unwrap_or(0) };
            if used + takes > width {
                push(&mut rows, &mut part);
                rows.push((String::new(), 0));
            }
            if character == '\t' {
                part.push_str(&" ".repeat(takes));
            } else {
                part.push(character);
            }
            if let Some((_, used)) = rows.last_mut() {
                *used += takes;
            }
        }
        push(&mut rows, &mut part);
    }
    rows
}
