//! The fixes of one file in hunks, as a person decides about them.

use camino::Utf8Path;
use rustc_hash::{FxHashMap, FxHashSet};

use super::convert::{Converted, Source};
use crate::diagnostic::{Decision, Diagnostic, Fix, FixKey, FixKeys, Verdict};
use crate::engine::{FixedLines, Known, Outdated, Standing, by_hand, inserts_elsewhere, lines_of, rules};
use crate::source::{DiffHunk, Edit, LineDiff, Patch, SourceFile, TextRange};

/// A file and all fixes that can be applied to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewFile {
    /// The file before conversion.
    pub file: SourceFile,
    /// The findings that the fixes belong to, sorted by place.
    pub fixes: Vec<Diagnostic>,
    /// What each fix is known by.
    keys: Vec<FixKey>,
    /// Fixes with the same number change the same lines.
    groups: Vec<usize>,
}

/// Fixes that are decided about together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Indices of the fixes, sorted.
    pub fixes: Vec<usize>,
    /// What was decided about them, and why.
    pub decided: Option<(Verdict, String)>,
    /// Whether a decision about them is not followed, as something is not what it was.
    pub is_stale: bool,
}

impl ReviewFile {
    /// The fixes of a conversion that kept them; nothing if there are none.
    pub fn of(source: &Source, converted: Converted<'_>) -> Option<ReviewFile> {
        let (source_text, outcome) = converted.conversion?;
        let fixes: Vec<_> = outcome.applied.iter().filter(|finding| finding.fix.is_some()).collect();
        if fixes.is_empty() {
            return None;
        }
        let keys = FixKeys::of(source_text.text());
        let keys = fixes.iter().map(|finding| keys.key(finding.rule, finding.range)).collect();
        let groups = groups(source_text.text(), &fixes);
        Some(ReviewFile {
            file: SourceFile { path: source.path.clone(), ..source_text.file().clone() },
            fixes,
            keys,
            groups,
        })
    }

    /// Adds fixes of a conversion that followed decisions: where a fix was rejected, another one may come forward that it
    /// stood in front of.
    pub fn add(&mut self, converted: Converted<'_>) {
        let Some((source_text, outcome)) = converted.conversion else { return };
        let keys = FixKeys::of(source_text.text());
        let known: FxHashSet<&FixKey> = self.keys.iter().collect();
        let is_other = |finding: &Diagnostic| {
            finding.fix.as_ref().is_some_and(|fix| !fix.by_hand)
                && !known.contains(&keys.key(finding.rule, finding.range))
        };
        let others: Vec<Diagnostic> = outcome.applied.iter().filter(is_other).collect();
        if others.is_empty() {
            return;
        }
        self.fixes.extend(others);
        let order: FxHashMap<&str, usize> = rules().map(|rule| rule.code).zip(0..).collect();
        self.fixes
            .sort_by_key(|finding| (finding.range.start(), finding.range.end(), order.get(finding.rule.code).copied()));
        self.keys = self.fixes.iter().map(|finding| keys.key(finding.rule, finding.range)).collect();
        self.groups = groups(source_text.text(), &self.fixes);
    }

    /// The path as the user gave it.
    pub fn path(&self) -> &Utf8Path {
        &self.file.path
    }

    /// All fixes in the order of the text: one hunk for lines that follow each other, taken apart where
    /// `decisions` say different things.
    pub fn parts(&self, decisions: &[Decision]) -> Vec<Part> {
        let known = Known::of(&self.file.text, &self.fixes);
        // The decision that each fix follows, and what those are about that are not followed.
        let mut holders: Vec<Option<usize>> = vec![None; self.fixes.len()];
        let mut stale: FxHashSet<&FixKey> = FxHashSet::default();
        for (number, decision) in decisions.iter().enumerate() {
            match known.standing(decision) {
                Standing::Holds(members) => members.into_iter().for_each(|member| holders[member] = Some(number)),
                Standing::Outdated(Outdated::Changed) => stale.extend(&decision.fixes),
                Standing::Outdated(Outdated::Gone) | Standing::Done => {}
            }
        }
        let mut parts = Vec::new();
        for hunk in self.hunks() {
            let mut by_holder: Vec<(Option<usize>, Vec<usize>)> = Vec::new();
            for fix in hunk {
                match by_holder.iter_mut().find(|(holder, _)| *holder == holders[fix]) {
                    Some((_, fixes)) => fixes.push(fix),
                    None => by_holder.push((holders[fix], vec![fix])),
                }
            }
            for (holder, fixes) in by_holder {
                let decision = holder.and_then(|number| decisions.get(number));
                let decided = decision.map(|decision| (decision.verdict.clone(), decision.reason.clone()));
                let is_stale = holder.is_none() && fixes.iter().any(|&fix| stale.contains(&self.keys[fix]));
                parts.push(Part { fixes, decided, is_stale });
            }
        }
        parts
    }

    /// The fixes by hunk.
    fn hunks(&self) -> Vec<Vec<usize>> {
        let all: Vec<usize> = (0..self.fixes.len()).collect();
        let mut hunks: Vec<(TextRange, Vec<usize>)> = Vec::new();
        for group in self.by_lines(&all) {
            let Some(block) = self.lines(&group).blocks.first().copied() else { continue };
            match hunks.last_mut() {
                Some((lines, fixes)) if block.start() <= lines.end() => {
                    *lines = lines.cover(block);
                    fixes.extend(group);
                }
                _ => hunks.push((block, group)),
            }
        }
        hunks.into_iter().map(|(_, fixes)| sorted(fixes)).collect()
    }

    /// The parts that fixes fall into: by lines, else one by one.
    pub fn split(&self, fixes: &[usize]) -> Vec<Vec<usize>> {
        let by_lines = self.by_lines(fixes);
        if by_lines.len() > 1 {
            return by_lines;
        }
        let mut single: Vec<Vec<usize>> = Vec::new();
        for &fix in fixes {
            // Fixes that do the same stay together.
            let edits = |fix: usize| self.fixes[fix].fix.as_ref().map(|fix| &fix.edits);
            match single.iter_mut().find(|part| edits(part[0]) == edits(fix)) {
                Some(part) => part.push(fix),
                None => single.push(vec![fix]),
            }
        }
        single
    }

    /// Those of `fixes` that change the same lines, in the order of the text.
    fn by_lines(&self, fixes: &[usize]) -> Vec<Vec<usize>> {
        let mut parts: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut place = FxHashMap::default();
        for &fix in fixes {
            let group = self.groups[fix];
            let at = *place.entry(group).or_insert_with(|| {
                parts.push((group, Vec::new()));
                parts.len() - 1
            });
            parts[at].1.push(fix);
        }
        let start =
            |part: &(usize, Vec<usize>)| self.lines(&part.1).blocks.first().map(|block| (block.start(), block.end()));
        parts.sort_by_cached_key(start);
        parts.into_iter().map(|(_, part)| part).collect()
    }

    /// All fixes on the lines of `fixes`.
    pub fn on_same_lines(&self, fixes: &[usize]) -> Vec<usize> {
        let groups: FxHashSet<usize> = fixes.iter().map(|&fix| self.groups[fix]).collect();
        (0..self.fixes.len()).filter(|&fix| groups.contains(&self.groups[fix])).collect()
    }

    /// What fixes make of their lines.
    pub fn lines(&self, fixes: &[usize]) -> FixedLines {
        FixedLines::of(&self.file.text, self.of_fixes(fixes))
    }

    /// The number of the first line that fixes change, from 1.
    pub fn line_number(&self, fixes: &[usize]) -> usize {
        let start = self.lines(fixes).blocks.first().map_or(0, |block| usize::from(block.start()));
        self.file.text[..start].matches('\n').count() + 1
    }

    /// What is to be kept about a decision on fixes.
    pub fn decision(&self, fixes: &[usize], verdict: Verdict, reason: String) -> Decision {
        let FixedLines { before, after, .. } = self.lines(fixes);
        Decision { fixes: self.keys(fixes), verdict, reason, before, after }
    }

    /// What fixes are known by, sorted.
    pub fn keys(&self, fixes: &[usize]) -> Vec<FixKey> {
        sorted(fixes.iter().map(|&fix| self.keys[fix].clone()).collect())
    }

    /// What fixes change, or the text of a person in their place. The lines of the fixes come first, then
    /// what they insert elsewhere.
    pub fn diff(&self, fixes: &[usize], verdict: Option<&Verdict>, context: usize) -> (LineDiff<'_>, Vec<DiffHunk>) {
        let mut patch = Patch::default();
        let lines = self.lines(fixes);
        if let (Some(Verdict::Edit(text)), Some(block)) = (verdict, lines.only_block()) {
            let elsewhere =
                self.of_fixes(fixes).flat_map(|fix| &fix.edits).filter(|edit| inserts_elsewhere(edit, block));
            for edit in std::iter::once(&by_hand(&self.file, block, text)).chain(elsewhere) {
                // What does not fit was not applied before either.
                let _ = patch.try_add(std::slice::from_ref(edit));
            }
        } else {
            for fix in self.of_fixes(fixes) {
                let _ = patch.try_add(&fix.edits);
            }
        }
        let diff = LineDiff::between(&self.file.text, &Patch::default(), &patch);
        let mut hunks = diff.hunks(context);
        let start = lines.blocks.first().map(|block| block.start());
        let is_own = |hunk: &DiffHunk| start.is_some_and(|start| diff.old.range(&hunk.old).contains_inclusive(start));
        hunks.sort_by_key(|hunk| !is_own(hunk));
        (diff, hunks)
    }

    fn of_fixes(&self, fixes: &[usize]) -> impl Iterator<Item = &Fix> {
        fixes.iter().filter_map(|&fix| self.fixes.get(fix)?.fix.as_ref())
    }
}

fn sorted<T: Ord>(mut list: Vec<T>) -> Vec<T> {
    list.sort();
    list.dedup();
    list
}

/// A number for each fix, which is that of all fixes that share lines with it.
fn groups(text: &str, fixes: &[Diagnostic]) -> Vec<usize> {
    let mut spans: Vec<(TextRange, usize)> = Vec::new();
    for (index, finding) in fixes.iter().enumerate() {
        let edits = || finding.fix.iter().flat_map(|fix| &fix.edits);
        let inserts_only = edits().all(Edit::inserts_lines);
        let own = edits().filter(|edit| inserts_only || !edit.inserts_lines());
        spans.extend(own.map(|edit| (lines_of(text, edit), index)));
    }
    spans.sort_by_key(|(range, index)| (range.start(), range.end(), *index));
    let mut groups: Vec<usize> = (0..fixes.len()).collect();
    let mut last: Option<(TextRange, usize)> = None;
    for (range, index) in spans {
        match &mut last {
            Some((lines, first)) if range.start() < lines.end() || range == *lines => {
                join(&mut groups, *first, index);
                *lines = lines.cover(range);
            }
            _ => last = Some((range, index)),
        }
    }
    (0..fixes.len()).map(|index| root(&groups, index)).collect()
}

fn root(groups: &[usize], mut index: usize) -> usize {
    while groups[index] != index {
        index = groups[index];
    }
    index
}

fn join(groups: &mut [usize], one: usize, other: usize) {
    let (one, other) = (root(groups, one), root(groups, other));
    groups[one.max(other)] = one.min(other);
}
