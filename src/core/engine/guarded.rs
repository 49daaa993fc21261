//! One text for CUDA and HIP: where the forms differ, both stand in it, each under a condition.

use std::ops::Range;

use super::guard_lines::Lines;
use crate::analysis::{GUARD, GUARD_UNLESS};
use crate::source::{LineChange, LineDiff, LinedText, Newline, Patch, SourceFile};
use crate::syntax::{DirectiveKind, Document};

/// The text with what `patch` changes beside what was there: HIP compilers read what `convert` makes of the
/// file, and all others what the file was. Nothing if no place for the directives is found.
pub fn guarded(document: &Document, patch: &Patch) -> Option<String> {
    if patch.is_empty() {
        return Some(document.text().to_owned());
    }
    let diff = LineDiff::between(document.text(), &Patch::default(), patch);
    let new = Document::new(SourceFile { text: patch.apply(document.text()), ..document.file().clone() });
    let groups = grouped(&diff.changes, (&Lines::of(document), &Lines::of(&new)));
    let newline = document.file().newline;
    let whole = [LineChange { old: 0..diff.old.count(), new: 0..diff.new.count() }];
    let texts = (&diff.old, &LinedText::new(new.text()));
    let mut texts = [&groups[..], &whole].into_iter().map(|groups| write(texts, groups, newline));
    texts.find(|text| says_both(text.clone(), document, &new))
}

/// The changes, joined and widened until a directive may stand around each.
pub(super) fn grouped(changes: &[LineChange], (old, new): (&Lines, &Lines)) -> Vec<LineChange> {
    Grouping { changes: &joined(changes), old, new }.groups()
}

/// The changes, with those in one that touch.
fn joined(changes: &[LineChange]) -> Vec<LineChange> {
    let mut all: Vec<LineChange> = Vec::new();
    for change in changes {
        match all.last_mut().filter(|last| change.old.start <= last.old.end) {
            Some(last) => (last.old.end, last.new.end) = (change.old.end, change.new.end),
            None => all.push(change.clone()),
        }
    }
    all
}

/// Joins changes until a directive may stand around each.
struct Grouping<'l> {
    changes: &'l [LineChange],
    old: &'l Lines,
    new: &'l Lines,
}

impl Grouping<'_> {
    fn groups(&self) -> Vec<LineChange> {
        let mut groups: Vec<LineChange> = Vec::new();
        for change in self.changes {
            if groups.last().is_some_and(|last| change.old.end <= last.old.end && change.new.end <= last.new.end) {
                continue;
            }
            let mut group = self.widened(change.clone());
            while let Some(last) = groups.pop_if(|last| last.old.end >= group.old.start) {
                let old = last.old.start.min(group.old.start)..last.old.end.max(group.old.end);
                group = self.widened(self.both(old));
            }
            groups.push(group);
        }
        groups
    }

    /// Adds lines until nothing that belongs together is cut.
    fn widened(&self, group: LineChange) -> LineChange {
        let mut group = group;
        loop {
            let mut old = group.old.clone();
            while old.start > 0 && !self.old.is_free(old.start) {
                old.start -= 1;
            }
            while !self.old.is_free(old.end) {
                old.end += 1;
            }
            self.old.cover_chains(&mut old);
            let mut new = self.both(old).new;
            self.new.cover_chains(&mut new);
            let cover = self.old_of(&new);
            // Never narrower than before, so that this ends.
            let wider = self.both(cover.start.min(group.old.start)..cover.end.max(group.old.end));
            if wider == group {
                return group;
            }
            group = wider;
        }
    }

    /// Lines of the old text with those that stand in their place. A change that they touch belongs to them.
    fn both(&self, old: Range<usize>) -> LineChange {
        let first = self.changes.partition_point(|change| change.old.end < old.start);
        let after = self.changes.partition_point(|change| change.old.start <= old.end);
        let mut group = old;
        for change in self.changes.iter().take(after).skip(first) {
            group = group.start.min(change.old.start)..group.end.max(change.old.end);
        }
        let before = self.changes.partition_point(|change| change.old.end < group.start);
        let within = self.changes.partition_point(|change| change.old.end <= group.end);
        let new = self.shifted(group.start, before)..self.shifted(group.end, within);
        LineChange { old: group, new }
    }

    /// The line of the new text that a line of the old one is, behind so many changes.
    fn shifted(&self, line: usize, changes: usize) -> usize {
        let last = changes.checked_sub(1).and_then(|last| self.changes.get(last));
        last.map_or(line, |last| line - last.old.end + last.new.end)
    }

    /// Lines of the old text that stand in the place of lines of the new one.
    fn old_of(&self, new: &Range<usize>) -> Range<usize> {
        let start = self.changes.partition_point(|change| change.new.end < new.start);
        let end = self.changes.partition_point(|change| change.new.start <= new.end);
        let back = |line: usize, changes: usize| {
            let last = changes.checked_sub(1).and_then(|last| self.changes.get(last));
            last.map_or(line, |last| line.saturating_sub(last.new.end) + last.old.end)
        };
        let start = match self.changes.get(start) {
            Some(change) if change.new.start < new.start => change.old.start,
            _ => back(new.start, start),
        };
        start..back(new.end, end)
    }
}

fn write((old, new): (&LinedText<'_>, &LinedText<'_>), groups: &[LineChange], newline: Newline) -> String {
    let end = newline.as_str();
    let mut out = String::with_capacity(old.text().len() + new.text().len());
    let mut at = 0;
    for group in groups {
        out.extend(old.lines(at..group.old.start));
        let mut parts = [(new, &group.new), (old, &group.old)].map(|(text, lines)| {
            let mut part: String = text.lines(lines.clone()).collect();
            if !part.is_empty() && !part.ends_with('\n') {
                part.push_str(end);
            }
            part
        });
        if group.old.start == 0
            && let [hip, cuda] = &mut parts
        {
            let marks =
                [hip, cuda].map(|part| part.strip_prefix('\u{feff}').map(str::to_owned).map(|rest| *part = rest));
            out.extend(marks.iter().any(Option::is_some).then_some('\u{feff}'));
        }
        let [hip, cuda] = parts;
        let (open, middle) = match (hip.is_empty(), cuda.is_empty()) {
            (true, _) => (GUARD_UNLESS, ""),
            (_, true) => (GUARD, ""),
            _ => (GUARD, "#else"),
        };
        let separator = if middle.is_empty() { "" } else { end };
        out.extend([open, end, &hip, middle, separator, &cuda, "#endif", end]);
        at = group.old.end;
    }
    out.extend(old.lines(at..old.count()));
    out
}

/// Whether the text is the old one without HIP and the new one with it, for a preprocessor that finds the
/// directives where this module put them. The last line may have got an end. Guards of an earlier run may be in all three.
fn says_both(text: String, old: &Document, new: &Document) -> bool {
    let document = Document::new(SourceFile { text, ..old.file().clone() });
    let same = |hip: bool, expected: &Document| {
        let [seen, expected] = [&document, expected].map(|document| one_side(document, hip));
        seen == expected || seen.trim_end_matches(['\r', '\n']) == expected
    };
    same(false, old) && same(true, new)
}

/// The text that a compiler reads, for HIP or not, after the guards of this module.
fn one_side(document: &Document, hip: bool) -> String {
    let text = document.text();
    let mut out = String::with_capacity(text.len());
    // For each open `#if`: whether it is a guard and what is read in it.
    let mut open: Vec<Option<bool>> = Vec::new();
    let mut at = 0;
    for directive in document.directives() {
        let line = document.slice(directive.range).trim_end();
        let was_read = open.iter().flatten().all(|read| *read);
        let is_guard = match directive.kind {
            kind if kind.opens_condition() => {
                let read = [(GUARD, hip), (GUARD_UNLESS, !hip)]
                    .iter()
                    .find(|(guard, _)| *guard == line)
                    .map(|(_, read)| *read);
                open.push(read);
                read.is_some()
            }
            DirectiveKind::Else | DirectiveKind::Elif => match open.last_mut() {
                Some(Some(read)) => {
                    *read = !*read;
                    true
                }
                _ => false,
            },
            DirectiveKind::Endif => open.pop().flatten().is_some(),
            _ => false,
        };
        if !is_guard {
            continue;
        }
        let start = usize::from(directive.range.start());
        let after = text[start..].find('\n').map_or(text.len(), |newline| start + newline + 1);
        if was_read {
            out.push_str(&text[at..start]);
        }
        at = after;
    }
    if open.iter().flatten().all(|read| *read) {
        out.push_str(&text[at..]);
    }
    out
}
