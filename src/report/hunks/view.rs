//! What one file changes, in parts between which findings can stand.

use std::io::{self, Write};
use std::ops::Range;

use super::findings::{open, write_finding};
use super::paint::{Paint, Role};
use super::visible::visible;
use super::{side_by_side, unified, word_diff};
use crate::project::{FileDiff, FileReport, hunk_line};
use crate::source::DiffHunk;

/// How differences are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffView {
    /// A patch that tools can apply.
    Patch,
    /// Old lines above new ones.
    Unified,
    /// Old lines beside new ones, in so many columns.
    SideBySide(usize),
    /// Old words beside new ones.
    Words,
}

/// How differences are shown, and how much around them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ViewOptions {
    /// The form.
    pub view: DiffView,
    /// Whether colour is wanted. A patch never has any.
    pub colour: bool,
    /// Lines around each change.
    pub context: usize,
}

/// What one file changes; `T` is the text of a part or where it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileView<T> {
    /// What stands above the hunks.
    pub head: T,
    /// The lines of the original that each hunk shows, counted from 1, and its text.
    pub hunks: Vec<(Range<u32>, T)>,
}

/// Shows the differences of one file. Each hunk is headed by the rules that made it. `keep` takes one part after the
/// other, so that not all need be in memory.
pub fn view<U, E>(
    diff: &FileDiff<'_>,
    options: ViewOptions,
    mut keep: impl FnMut(Vec<u8>) -> Result<U, E>,
) -> Result<FileView<U>, E> {
    let paint = Paint { colour: options.colour };
    let hunks = diff.lines.hunks(options.context);
    let rules = diff.rules(&hunks);
    let head = keep(head(diff, options.view, paint))?;
    let hunks = hunks.iter().zip(&rules).map(|(hunk, rules)| {
        let heading = rules.iter().map(|rule| rule.name).collect::<Vec<_>>().join(", ");
        Ok((lines_of(&hunk.old), keep(hunk_text(diff, hunk, &heading, options))?))
    });
    Ok(FileView { head, hunks: hunks.collect::<Result<_, E>>()? })
}

fn hunk_text(diff: &FileDiff<'_>, hunk: &DiffHunk, heading: &str, options: ViewOptions) -> Vec<u8> {
    let paint = Paint { colour: options.colour };
    let mut text = String::new();
    paint.push(&mut text, Role::Hunk, hunk_line(hunk, heading).trim_end());
    text.push('\n');
    match options.view {
        DiffView::Patch => return patch_hunk(diff, hunk, heading),
        DiffView::Unified => text.push_str(&unified::write(&diff.lines, hunk, paint)),
        DiffView::SideBySide(width) => text.push_str(&side_by_side::write(&diff.lines, hunk, width, paint)),
        DiffView::Words => text.push_str(&word_diff::write(&diff.lines, hunk, paint)),
    }
    text.into_bytes()
}

fn head(diff: &FileDiff<'_>, view: DiffView, paint: Paint) -> Vec<u8> {
    if view == DiffView::Patch {
        return diff.header().into_bytes();
    }
    let mut head = String::new();
    for line in diff.header().lines() {
        paint.push(&mut head, Role::File, visible(line).trim_end());
        head.push('\n');
    }
    head.into_bytes()
}

fn patch_hunk(diff: &FileDiff<'_>, hunk: &DiffHunk, heading: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    diff.write_hunk(hunk, heading, &mut bytes);
    bytes
}

fn lines_of(lines: &Range<usize>) -> Range<u32> {
    let number = |line: usize| u32::try_from(line + 1).unwrap_or(u32::MAX);
    number(lines.start)..number(lines.end)
}

impl<T: Copy> FileView<T> {
    /// Writes the parts, and the findings of the file at their place: in front of the first hunk
    /// below, or behind the hunk that shows their line. `git apply` ends a file at the first line
    /// that belongs to no hunk, so in a patch they stand above all.
    pub fn write(
        &self,
        out: &mut dyn Write,
        report: &FileReport,
        options: ViewOptions,
        fetch: impl Fn(T) -> io::Result<Vec<u8>>,
    ) -> io::Result<()> {
        if options.view == DiffView::Patch {
            write_findings(out, report, options)?;
        }
        out.write_all(&fetch(self.head)?)?;
        let mut findings = open(report).filter(|_| options.view != DiffView::Patch).peekable();
        for (lines, hunk) in &self.hunks {
            while let Some(finding) = findings.next_if(|finding| finding.start.line < lines.start) {
                write_finding(out, report, finding, (true, options.colour))?;
            }
            out.write_all(&fetch(*hunk)?)?;
            while let Some(finding) = findings.next_if(|finding| finding.start.line < lines.end) {
                write_finding(out, report, finding, (false, options.colour))?;
            }
        }
        findings.try_for_each(|finding| write_finding(out, report, finding, (true, options.colour)))
    }
}

/// Writes the findings of a file that does not change.
pub fn write_findings(out: &mut dyn Write, report: &FileReport, options: ViewOptions) -> io::Result<()> {
    open(report).try_for_each(|finding| write_finding(out, report, finding, (true, options.colour)))
}
