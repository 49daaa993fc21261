//! The lines of a hunk below each other.

use super::paint::{Paint, Role};
use super::visible::visible;
use super::words::segments;
use crate::project::hunk_line;
use crate::source::{DiffHunk, HunkPart, LineChange, LineDiff};

/// A hunk with its head, each line with its end.
pub fn unified_hunk(diff: &LineDiff<'_>, hunk: &DiffHunk, paint: Paint) -> String {
    let mut out = paint.text(Role::Hunk, hunk_line(hunk, "").trim_end());
    out.push('\n');
    out.push_str(&write(diff, hunk, paint));
    out
}

pub(super) fn write(diff: &LineDiff<'_>, hunk: &DiffHunk, paint: Paint) -> String {
    let mut out = String::new();
    for part in &hunk.parts {
        match part {
            HunkPart::Same(lines) => {
                for line in diff.old.lines(lines.old.clone()) {
                    out.extend([" ", &visible(line), "\n"]);
                    mark_missing_end(line, &mut out);
                }
            }
            HunkPart::Changed(changes) => write_changes(diff, changes, paint, &mut out),
        }
    }
    out
}

fn write_changes(diff: &LineDiff<'_>, changes: &[LineChange], paint: Paint, out: &mut String) {
    let mut added = String::new();
    for change in changes {
        let mut new = diff.new.lines(change.new.clone());
        for line in diff.old.lines(change.old.clone()) {
            let partner = new.next();
            let (shown, partner_shown) = (visible(line), partner.map(visible));
            let [left, right] = segments(&shown, partner_shown.as_deref().unwrap_or_default());
            push(paint, Role::Removed, "-", (&left, line), out);
            if let Some(partner) = partner {
                push(paint, Role::Added, "+", (&right, partner), &mut added);
            }
        }
        for line in new {
            let shown = visible(line);
            let [_, whole] = segments("", &shown);
            push(paint, Role::Added, "+", (&whole, line), &mut added);
        }
    }
    out.push_str(&added);
}

fn push(
    paint: Paint,
    role: Role,
    sign: &str,
    (segments, line): (&[super::words::Segment<'_>], &str),
    out: &mut String,
) {
    paint.push(out, role, sign);
    paint.push_segments(out, role, segments);
    out.push('\n');
    mark_missing_end(line, out);
}

/// Says so as `diff` does where a line has no end.
fn mark_missing_end(line: &str, out: &mut String) {
    if !line.ends_with('\n') {
        out.push_str("\\ No newline at end of file\n");
    }
}
