//! The lines of a hunk once, with old and new words beside each other: `[-old-]{+new+}`.

use super::paint::{Paint, Role};
use super::visible::visible;
use super::words::{Word, words};
use crate::source::{DiffHunk, HunkPart, LineChange, LineDiff};

pub(super) fn write(diff: &LineDiff<'_>, hunk: &DiffHunk, paint: Paint) -> String {
    let mut out = String::new();
    for part in &hunk.parts {
        match part {
            HunkPart::Same(lines) => out.push_str(&shown(diff.old.lines(lines.old.clone()))),
            HunkPart::Changed(changes) => changes.iter().for_each(|change| write_change(diff, change, paint, &mut out)),
        }
    }
    out
}

fn write_change(diff: &LineDiff<'_>, change: &LineChange, paint: Paint, out: &mut String) {
    let (old, new) = (shown(diff.old.lines(change.old.clone())), shown(diff.new.lines(change.new.clone())));
    // Each text ends with a line end, which is not compared.
    let (old, new) = (old.strip_suffix('\n').unwrap_or(&old), new.strip_suffix('\n').unwrap_or(&new));
    for word in words(old, new) {
        match word {
            Word::Same(text) => out.push_str(text),
            Word::Removed(text) => mark(paint, Role::Removed, ("[-", text, "-]"), out),
            Word::Added(text) => mark(paint, Role::Added, ("{+", text, "+}"), out),
        }
    }
    out.push('\n');
}

/// Marks each line of `text` by itself, so that a pager that starts in the middle shows it right.
fn mark(paint: Paint, role: Role, (open, text, close): (&str, &str, &str), out: &mut String) {
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            out.push('\n');
        }
        if line.is_empty() {
            continue;
        }
        if paint.colour { paint.push(out, role, line) } else { out.extend([open, line, close]) }
    }
}

fn shown<'l>(lines: impl Iterator<Item = &'l str>) -> String {
    lines.flat_map(|line| [visible(line), "\n".into()]).collect()
}
