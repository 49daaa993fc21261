//! The hunks of a review, and what was decided about each.

use crate::diagnostic::{RuleInfo, Verdict};
use crate::project::{Decisions, Part, ReviewFile};

/// All hunks in their order, with the decisions that they make up.
pub(super) struct Items {
    pub(super) files: Vec<ReviewFile>,
    pub(super) list: Vec<Item>,
    pub(super) decisions: Decisions,
}

/// A hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    /// The index of its file.
    pub(super) file: usize,
    /// The indices of its fixes.
    pub(super) fixes: Vec<usize>,
    /// What was decided.
    pub(super) verdict: Option<Verdict>,
    /// Why; may be given before the decision.
    pub(super) reason: String,
    /// Whether an earlier decision does not hold any more.
    pub(super) is_stale: bool,
}

/// How many hunks there are of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) accepted: usize,
    pub(super) rejected: usize,
    pub(super) edited: usize,
    pub(super) undecided: usize,
}

impl Items {
    /// The hunks of `files` as far as `decisions` tell about them.
    pub(super) fn new(files: Vec<ReviewFile>, decisions: Decisions) -> Items {
        let mut list = Vec::new();
        for (index, file) in files.iter().enumerate() {
            for Part { fixes, decided, is_stale } in file.parts(decisions.of(file.path())) {
                let (verdict, reason) =
                    decided.map_or((None, String::new()), |(verdict, reason)| (Some(verdict), reason));
                list.push(Item { file: index, fixes, verdict, reason, is_stale });
            }
        }
        Items { files, list, decisions }
    }

    pub(super) fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for item in &self.list {
            match item.verdict {
                Some(Verdict::Accept) => counts.accepted += 1,
                Some(Verdict::Reject) => counts.rejected += 1,
                Some(Verdict::Edit(_)) => counts.edited += 1,
                None => counts.undecided += 1,
            }
        }
        counts
    }

    /// An item and its file.
    pub(super) fn get(&self, at: usize) -> Option<(&Item, &ReviewFile)> {
        let item = self.list.get(at)?;
        Some((item, self.files.get(item.file)?))
    }

    /// The first undecided item from `from` on, else the first of all.
    pub(super) fn undecided(&self, from: usize) -> Option<usize> {
        let is_open = |at: &usize| self.list.get(*at).is_some_and(|item| item.verdict.is_none());
        (from..self.list.len()).find(is_open).or_else(|| (0..from.min(self.list.len())).find(is_open))
    }

    /// Decides about an item, for the reason that it has.
    pub(super) fn decide(&mut self, at: usize, verdict: Verdict) {
        let Some(item) = self.list.get_mut(at) else { return };
        let Some(file) = self.files.get(item.file) else { return };
        item.verdict = Some(verdict.clone());
        item.is_stale = false;
        self.decisions.put(file.path(), file.decision(&item.fixes, verdict, item.reason.clone()));
    }

    /// Takes the decision about an item back.
    pub(super) fn take_back(&mut self, at: usize) {
        let Some(item) = self.list.get_mut(at) else { return };
        let Some(file) = self.files.get(item.file) else { return };
        item.verdict = None;
        item.reason.clear();
        self.decisions.take_back(file.path(), &file.keys(&item.fixes));
    }

    /// Gives the reason of an item, and of the decision about it if there is one.
    pub(super) fn explain(&mut self, at: usize, reason: String) {
        let Some(item) = self.list.get_mut(at) else { return };
        item.reason = reason;
        if let Some(verdict) = item.verdict.clone() {
            self.decide(at, verdict);
        }
    }

    /// Puts parts of an item in its place, undecided as it is; how many there are.
    pub(super) fn split(&mut self, at: usize) -> usize {
        let Some((item, file)) = self.get(at) else { return 0 };
        let parts = file.split(&item.fixes);
        self.replace(at, parts)
    }

    fn replace(&mut self, at: usize, parts: Vec<Vec<usize>>) -> usize {
        let (count, Some(whole)) = (parts.len(), self.list.get(at).cloned()) else { return 0 };
        if count > 1 {
            let parts = parts.into_iter().map(|fixes| Item { fixes, ..whole.clone() });
            self.list.splice(at..=at, parts);
        }
        count
    }

    /// Decides about all undecided hunks of a file; how many there are.
    pub(super) fn decide_file(&mut self, file: usize, verdict: &Verdict) -> usize {
        let open = |item: &Item| item.file == file && item.verdict.is_none();
        let open: Vec<usize> = (0..self.list.len()).filter(|&at| self.list.get(at).is_some_and(open)).collect();
        for &at in &open {
            self.decide(at, verdict.clone());
        }
        open.len()
    }

    /// Decides about all undecided fixes of a rule; how many there are. Hunks with fixes of other rules, too, are
    /// taken apart.
    pub(super) fn decide_rule(&mut self, rule: &RuleInfo, verdict: &Verdict) -> usize {
        let (mut at, mut decided) = (0, 0);
        while let Some((item, file)) = self.get(at) {
            let is_open = item.verdict.is_none();
            let is_of_rule = |fix: &usize| file.fixes.get(*fix).is_some_and(|fix| fix.rule.code == rule.code);
            let (own, others): (Vec<usize>, Vec<usize>) = item.fixes.iter().copied().partition(is_of_rule);
            if is_open && !own.is_empty() {
                decided += own.len();
                if !others.is_empty() {
                    self.replace(at, vec![own, others]);
                }
                self.decide(at, verdict.clone());
            }
            at += 1;
        }
        decided
    }

    /// How many undecided fixes of a rule there are.
    pub(super) fn open_fixes(&self, rule: &RuleInfo) -> usize {
        let open = (0..self.list.len()).filter_map(|at| self.get(at)).filter(|(item, _)| item.verdict.is_none());
        let own = |(item, file): (&Item, &ReviewFile)| {
            item.fixes.iter().filter(|&&fix| file.fixes.get(fix).is_some_and(|fix| fix.rule.code == rule.code)).count()
        };
        open.map(own).sum()
    }

    /// The rules of an item, each once, in the order of the text.
    pub(super) fn rules(&self, at: usize) -> Vec<&'static RuleInfo> {
        let mut rules: Vec<&'static RuleInfo> = Vec::new();
        let Some((item, file)) = self.get(at) else { return rules };
        for rule in item.fixes.iter().filter_map(|&fix| file.fixes.get(fix)).map(|finding| finding.rule) {
            if !rules.iter().any(|known| known.code == rule.code) {
                rules.push(rule);
            }
        }
        rules
    }

    /// Lets an item stand for all fixes on its lines, as a person who writes these lines decides about all of them.
    /// The place of the item afterwards.
    pub(super) fn take_whole_lines(&mut self, at: usize) -> usize {
        let Some((item, file)) = self.get(at) else { return at };
        let (index, all) = (item.file, file.on_same_lines(&item.fixes));
        let mut place = at;
        for other in (0..self.list.len()).rev() {
            let Some(item) = self.list.get_mut(other).filter(|item| item.file == index && other != at) else {
                continue;
            };
            item.fixes.retain(|fix| !all.contains(fix));
            if item.fixes.is_empty() {
                self.list.remove(other);
                place -= usize::from(other < at);
            }
        }
        if let Some(item) = self.list.get_mut(place) {
            item.fixes = all;
        }
        place
    }

    /// Whether an item has `wanted`, in lower case, in its path, rules, messages or lines.
    pub(super) fn holds(&self, at: usize, wanted: &str) -> bool {
        let Some((item, file)) = self.get(at) else { return false };
        let has = |text: &str| text.to_lowercase().contains(wanted);
        let lines = file.lines(&item.fixes);
        let mut findings = item.fixes.iter().filter_map(|&fix| file.fixes.get(fix));
        has(file.path().as_str())
            || has(&lines.before)
            || has(&lines.after)
            || matches!(&item.verdict, Some(Verdict::Edit(text)) if has(text))
            || findings.any(|finding| has(finding.rule.name) || has(finding.rule.code) || has(&finding.message))
    }
}
