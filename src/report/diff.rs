//! What a fix changes, the old lines beside the new ones.

use maud::{Markup, html};
use similar::{ChangeTag, DiffTag, InlineChange, TextDiff};

use crate::project::Hunk;

/// Parts of a line; `true` for those that differ.
type Parts = Vec<(bool, String)>;

/// One row: the number and parts of the old line, and of the new line.
#[derive(Default)]
struct Row {
    old: Option<(usize, Parts)>,
    new: Option<(usize, Parts)>,
    changes: bool,
}

/// A table with the old lines on the left and the new ones on the right.
pub(super) fn side_by_side(hunk: &Hunk) -> Markup {
    html! {
        table.diff {
            caption.hidden { "What the fix changes" }
            colgroup { col.line; col; col.line; col; }
            thead.hidden { tr {
                th scope="col" { "Line" }
                th scope="col" { "Before" }
                th scope="col" { "Line" }
                th scope="col" { "After" }
            } }
            tbody {
                @for row in rows(hunk) {
                    tr {
                        (cell(row.old.as_ref(), if row.changes { "old" } else { "" }))
                        (cell(row.new.as_ref(), if row.changes { "new" } else { "" }))
                    }
                }
            }
        }
    }
}

fn cell(side: Option<&(usize, Parts)>, class: &str) -> Markup {
    html! {
        @if let Some((number, parts)) = side {
            td.number { (number) }
            td class=(class) {
                code { @for (differs, text) in parts { @if *differs { mark { (text) } } @else { (text) } } }
            }
        } @else {
            td.number {}
            td.blank {}
        }
    }
}

fn rows(hunk: &Hunk) -> Vec<Row> {
    let diff = TextDiff::from_lines(&hunk.before, &hunk.after);
    let mut rows = Vec::new();
    for op in diff.ops() {
        let changes = op.tag() != DiffTag::Equal;
        let (mut old, mut new) = (Vec::new(), Vec::new());
        for change in diff.iter_inline_changes(op) {
            match change.tag() {
                ChangeTag::Delete => old.push(numbered(hunk, change.old_index(), &change)),
                ChangeTag::Insert => new.push(numbered(hunk, change.new_index(), &change)),
                ChangeTag::Equal => {
                    old.push(numbered(hunk, change.old_index(), &change));
                    new.push(numbered(hunk, change.new_index(), &change));
                }
            }
        }
        let count = old.len().max(new.len());
        let (mut old, mut new) = (old.into_iter(), new.into_iter());
        rows.extend((0..count).map(|_| Row { old: old.next(), new: new.next(), changes }));
    }
    rows
}

fn numbered(hunk: &Hunk, index: Option<usize>, change: &InlineChange<'_, str>) -> (usize, Parts) {
    let parts = change.iter_strings_lossy();
    let parts = parts.map(|(differs, text)| (differs, text.trim_end_matches(['\n', '\r']).to_owned()));
    (hunk.line as usize + index.unwrap_or(0), parts.collect())
}
