//! What a run changes in one file, hunk by hunk, with the fixes that made each.

use std::collections::BTreeSet;

use super::convert::Converted;
use super::names::Names;
use crate::diagnostic::{Diagnostic, Findings, RuleInfo};
use crate::source::{DiffHunk, Encoding, HunkPart, LineChange, LineDiff, Patch};

/// What a run changes in one file: its name, its lines, or both.
#[derive(Debug)]
pub struct FileDiff<'c> {
    /// What the file is called.
    pub names: Names,
    /// Its lines.
    pub lines: LineDiff<'c>,
    /// How the lines become bytes.
    pub encoding: Encoding,
    /// Findings whose fixes made the difference.
    pub applied: Option<&'c Findings>,
}

impl<'c> FileDiff<'c> {
    /// What `converted` differs in from the file; nothing if it does not.
    pub fn of(names: Names, converted: Converted<'c>) -> Option<FileDiff<'c>> {
        let nothing = Patch::default();
        let (text, patch, encoding, applied) = match converted.conversion {
            Some((source, outcome)) => (source.text(), &outcome.patch, source.file().encoding, Some(&outcome.applied)),
            // Its lines stay, so nobody asks for them.
            None => ("", &nothing, Encoding::Utf8, None),
        };
        if patch.is_empty() && !names.differ() {
            return None;
        }
        let lines = LineDiff::between(text, &nothing, patch);
        let changes = names.differ() || !lines.changes.is_empty();
        changes.then_some(FileDiff { names, lines, encoding, applied })
    }

    /// The lines in front of the first hunk of a patch.
    pub fn header(&self) -> String {
        let lines = &self.lines;
        let all = lines.old.count().max(lines.new.count());
        let changed: usize = lines.changes.iter().map(|change| change.old.len().max(change.new.len())).sum();
        // Whole percents, rounded down; all lines of an empty file stay.
        let similarity = (all.saturating_sub(changed) * 100).checked_div(all).unwrap_or(100);
        self.names.header(similarity, !lines.changes.is_empty())
    }

    /// The rules whose fixes made each of `hunks`, each once in the order of its findings. A fix with edits in
    /// several hunks counts for each of them.
    pub fn rules(&self, hunks: &[DiffHunk]) -> Vec<Vec<&'static RuleInfo>> {
        let mut rules: Vec<Vec<&RuleInfo>> = vec![Vec::new(); hunks.len()];
        self.visit_fixes(hunks, |hunk, finding| {
            if let Some(own) = rules.get_mut(hunk).filter(|own| !own.contains(&finding.rule)) {
                own.push(finding.rule);
            }
        });
        rules
    }

    /// The findings whose fixes made each of `hunks`. A fix with edits in several is in each of them.
    pub fn fixes(&self, hunks: &[DiffHunk]) -> Vec<Vec<Diagnostic>> {
        let mut fixes: Vec<Vec<Diagnostic>> = vec![Vec::new(); hunks.len()];
        self.visit_fixes(hunks, |hunk, finding| {
            if let Some(own) = fixes.get_mut(hunk) {
                own.push(finding.clone());
            }
        });
        fixes
    }

    /// Calls `visit` with each fix, once for each hunk that it has edits in.
    fn visit_fixes(&self, hunks: &[DiffHunk], mut visit: impl FnMut(usize, &Diagnostic)) {
        let ranges: Vec<_> = hunks.iter().map(|hunk| self.lines.old.range(&hunk.old)).collect();
        for finding in self.applied.iter().flat_map(|applied| applied.iter()) {
            let mut touched = BTreeSet::new();
            for edit in finding.fix.iter().flat_map(|fix| &fix.edits) {
                let first = ranges.partition_point(|range| range.end() < edit.range.start());
                let after = ranges.partition_point(|range| range.start() <= edit.range.end());
                touched.extend(first..after);
            }
            for hunk in touched {
                visit(hunk, &finding);
            }
        }
    }

    /// Adds the file to a patch, with `context` lines around each change.
    pub fn write_patch(&self, context: usize, out: &mut Vec<u8>) {
        out.extend_from_slice(self.header().as_bytes());
        for hunk in self.lines.hunks(context) {
            self.write_hunk(&hunk, "", out);
        }
    }

    /// Adds a hunk to a patch. Tools pass over the heading, which is one line.
    pub fn write_hunk(&self, hunk: &DiffHunk, heading: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(hunk_line(hunk, heading).as_bytes());
        for part in &hunk.parts {
            match part {
                HunkPart::Same(lines) => self.write_lines(b' ', self.lines.old.lines(lines.old.clone()), out),
                HunkPart::Changed(changes) => self.write_changes(changes, out),
            }
        }
    }

    fn write_changes(&self, changes: &[LineChange], out: &mut Vec<u8>) {
        for change in changes {
            self.write_lines(b'-', self.lines.old.lines(change.old.clone()), out);
        }
        for change in changes {
            self.write_lines(b'+', self.lines.new.lines(change.new.clone()), out);
        }
    }

    fn write_lines<'l>(&self, sign: u8, lines: impl Iterator<Item = &'l str>, out: &mut Vec<u8>) {
        for line in lines {
            out.push(sign);
            out.extend_from_slice(&self.encoding.encode(line));
            if !line.ends_with('\n') {
                out.extend_from_slice(b"\n\\ No newline at end of file\n");
            }
        }
    }
}

/// `@@ -1,2 +1,3 @@ heading`, with its line end.
pub fn hunk_line(hunk: &DiffHunk, heading: &str) -> String {
    let span = |lines: &std::ops::Range<usize>| match lines.len() {
        // Where there is no line, the line before is named.
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        count => format!("{},{count}", lines.start + 1),
    };
    let gap = if heading.is_empty() { "" } else { " " };
    format!("@@ -{} +{} @@{gap}{heading}\n", span(&hunk.old), span(&hunk.new))
}
