//! Lets findings follow what a person decided about their fixes.

use std::cell::OnceCell;

use rustc_hash::{FxHashMap, FxHashSet};

use super::fixed_lines::{FixedLines, inserts_elsewhere, lines_of};
use super::suppress::Suppressed;
use crate::diagnostic::{Applicability, Decision, Diagnostic, Findings, Fix, FixKey, FixKeys, Verdict};
use crate::rules;
use crate::settings::RuleSelection;
use crate::source::{Edit, Patch, SourceFile, TextRange, single_blanks};

/// Why a decision is not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outdated {
    /// There is no such fix any more.
    Gone,
    /// The lines, or what fixes would make of them, are not what they were.
    Changed,
}

/// A decision that is not followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stale {
    /// The decision.
    pub decision: Decision,
    /// Why.
    pub why: Outdated,
}

/// What became of decisions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decided {
    /// Findings whose fix is not wanted, and why.
    pub rejected: Vec<Suppressed>,
    /// Where a person's text takes the place of fixes.
    pub edited: Vec<TextRange>,
    /// Decisions that are not followed.
    pub stale: Vec<Stale>,
}

/// How a decision stands to the fixes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It can be followed; the indices of its fixes.
    Holds(Vec<usize>),
    /// It was followed when the file was converted in place.
    Done,
    /// It cannot be followed.
    Outdated(Outdated),
}

/// Moves findings whose fixes were rejected out of `findings`, which are sorted by place. Accepted fixes become safe ones;
/// those of lines that a person rewrote bring that text.
pub fn decide(
    file: &SourceFile,
    findings: &mut Findings,
    (decisions, selection): (&[Decision], &RuleSelection),
) -> Decided {
    let mut decided = Decided::default();
    if decisions.is_empty() {
        return decided;
    }
    let mut all: Vec<Diagnostic> = findings.iter().collect();
    let found = &mut all;
    let known = Known::of(&file.text, found);
    let judged: Vec<(&Decision, Standing)> =
        decisions.iter().map(|decision| (decision, known.standing(decision))).collect();
    let mut rejected = FxHashMap::default();
    for (decision, standing) in judged {
        match standing {
            Standing::Holds(members) => {
                decided.edited.extend(carry_out(file, found, (decision, &members), &mut rejected));
            }
            Standing::Outdated(why) if may_be_found(decision, selection) => {
                decided.stale.push(Stale { decision: decision.clone(), why });
            }
            Standing::Done | Standing::Outdated(_) => {}
        }
    }
    *findings = Findings::default();
    for (index, diagnostic) in all.into_iter().enumerate() {
        match rejected.get(&index) {
            Some(reason) => decided.rejected.push(Suppressed { diagnostic, reason: (*reason).to_owned() }),
            None => findings.push(&diagnostic),
        }
    }
    decided
}

/// Whether this run looks for all that a decision is about.
fn may_be_found(decision: &Decision, selection: &RuleSelection) -> bool {
    let mut rules = decision.fixes.iter().filter_map(|fix| rules::find(fix.rule));
    rules.all(|rule| selection.is_enabled(rule.info))
}

/// Has findings follow a decision. Gives the lines that hold a person's text, if any do.
fn carry_out<'d>(
    file: &SourceFile,
    found: &mut [Diagnostic],
    (decision, members): (&'d Decision, &[usize]),
    rejected: &mut FxHashMap<usize, &'d str>,
) -> Option<TextRange> {
    match &decision.verdict {
        Verdict::Reject => rejected.extend(members.iter().map(|&member| (member, decision.reason.as_str()))),
        Verdict::Accept => {
            for &member in members {
                let Some(finding) = found.get_mut(member) else { continue };
                if let Some(fix) = finding.fix.as_mut().filter(|fix| fix.applicability == Applicability::Unsafe) {
                    fix.applicability = Applicability::Safe;
                    finding.note(format!("accepted in review{}", because(&decision.reason)));
                }
            }
        }
        Verdict::Edit(text) => return write_by_hand(file, found, members, text),
    }
    None
}

/// `: reason`, or nothing.
fn because(reason: &str) -> String {
    if reason.is_empty() { String::new() } else { format!(": {reason}") }
}

/// Has all fixes of some lines write `text` there. What they insert elsewhere stays.
fn write_by_hand(file: &SourceFile, found: &mut [Diagnostic], members: &[usize], text: &str) -> Option<TextRange> {
    let fixes = members.iter().filter_map(|&member| found.get(member)?.fix.as_ref());
    let block = FixedLines::of(&file.text, fixes).only_block()?;
    let written = by_hand(file, block, text);
    for &member in members {
        let Some(finding) = found.get_mut(member) else { continue };
        let Some(fix) = finding.fix.take() else { continue };
        let elsewhere = fix.edits.into_iter().filter(|edit| inserts_elsewhere(edit, block));
        let edits = std::iter::once(written.clone()).chain(elsewhere).collect();
        finding.fix = Some(Fix { by_hand: true, ..Fix::safe("write the lines as edited in review", edits) });
    }
    Some(block)
}

/// The edit that puts `text`, with `\n` at its line ends, in place of the lines of `block`.
pub fn by_hand(file: &SourceFile, block: TextRange, text: &str) -> Edit {
    Edit::replace(block, as_in_file(file, block, text))
}

/// `text` with the line ends of the lines that it replaces, and with none at its end where they have none.
fn as_in_file(file: &SourceFile, block: TextRange, text: &str) -> String {
    let is_open = usize::from(block.end()) == file.text.len() && !file.text.ends_with('\n');
    let end_of = |line: &str| if line.ends_with("\r\n") { "\r\n" } else { "\n" };
    let replaced: Vec<&str> =
        file.text[block].split_inclusive('\n').filter(|line| line.ends_with('\n')).map(end_of).collect();
    let last = replaced.last().copied().unwrap_or(file.newline.as_str());
    let mut written = String::with_capacity(text.len() + 1);
    for (number, line) in text.lines().enumerate() {
        written.extend([line, replaced.get(number).copied().unwrap_or(last)]);
    }
    if is_open {
        let end = written.strip_suffix("\r\n").or_else(|| written.strip_suffix('\n')).map_or(written.len(), str::len);
        written.truncate(end);
    }
    written
}

/// The fixes of a file, and what they are known by.
pub struct Known<'f> {
    text: &'f str,
    found: &'f [Diagnostic],
    members: FxHashMap<FixKey, Vec<usize>>,
    /// The lines of the text with single blanks.
    lines: OnceCell<Vec<String>>,
    /// The fixes that can be applied together.
    fitting: OnceCell<Vec<usize>>,
}

impl<'f> Known<'f> {
    /// The fixes of `found`, findings in `text`.
    pub fn of(text: &'f str, found: &'f [Diagnostic]) -> Known<'f> {
        let keys = FixKeys::of(text);
        let mut members: FxHashMap<FixKey, Vec<usize>> = FxHashMap::default();
        for (index, finding) in found.iter().enumerate().filter(|(_, finding)| is_applicable(finding)) {
            members.entry(keys.key(finding.rule, finding.range)).or_default().push(index);
        }
        Known { text, found, members, lines: OnceCell::new(), fitting: OnceCell::new() }
    }

    /// How a decision stands to the fixes.
    pub fn standing(&self, decision: &Decision) -> Standing {
        let found = decision.fixes.iter().filter_map(|key| self.members.get(key));
        let mut members: Vec<usize> = found.clone().flatten().copied().collect();
        members.sort_unstable();
        if members.is_empty() {
            return if self.is_done(decision) { Standing::Done } else { Standing::Outdated(Outdated::Gone) };
        }
        let is_whole = found.count() == decision.fixes.len();
        let holds = match decision.verdict {
            Verdict::Reject => true,
            Verdict::Accept => !self.is_risky(&members) || (is_whole && self.is_unchanged(decision, &members)),
            Verdict::Edit(_) => is_whole && self.is_unchanged(decision, &members) && self.is_alone(&members),
        };
        if holds { Standing::Holds(members) } else { Standing::Outdated(Outdated::Changed) }
    }

    fn fixes<'m>(&self, members: impl IntoIterator<Item = &'m usize>) -> impl Iterator<Item = &'f Fix> {
        members.into_iter().filter_map(|&member| self.found.get(member)?.fix.as_ref())
    }

    fn is_risky(&self, members: &[usize]) -> bool {
        self.fixes(members).any(|fix| fix.applicability == Applicability::Unsafe)
    }

    fn is_unchanged(&self, decision: &Decision, members: &[usize]) -> bool {
        let lines = FixedLines::of(self.text, self.fixes(members));
        lines.before == decision.before && lines.after == decision.after
    }

    /// Whether the lines of these fixes are one block, and no other fix would change them.
    fn is_alone(&self, members: &[usize]) -> bool {
        let Some(block) = FixedLines::of(self.text, self.fixes(members)).only_block() else { return false };
        let own: FxHashSet<usize> = members.iter().copied().collect();
        let others = self.fitting.get_or_init(|| self.fitting()).iter().filter(|other| !own.contains(other));
        let mut edits = self.fixes(others).flat_map(|fix| &fix.edits);
        !edits.any(|edit| overlap(lines_of(self.text, edit), block))
    }

    /// The fixes that can be applied together. Others were not shown to the person.
    fn fitting(&self) -> Vec<usize> {
        let mut patch = Patch::default();
        let mut fits = |fix: &Fix| patch.try_add(&fix.edits).is_ok();
        let all = self.found.iter().enumerate().filter(|(_, finding)| is_applicable(finding));
        all.filter(|(_, finding)| finding.fix.as_ref().is_some_and(&mut fits)).map(|(index, _)| index).collect()
    }

    /// Whether the text holds what following the decision makes of it.
    fn is_done(&self, decision: &Decision) -> bool {
        let made = match &decision.verdict {
            Verdict::Accept => &decision.after,
            Verdict::Edit(text) => text,
            Verdict::Reject => return false,
        };
        let lines = self.lines.get_or_init(|| self.text.lines().map(single_blanks).collect());
        let made: Vec<String> = made.lines().map(single_blanks).collect();
        made.split(|line| line == "…").all(|part| part.is_empty() || lines.windows(part.len()).any(|some| some == part))
    }
}

/// Whether a finding has a fix that can be applied at all.
fn is_applicable(finding: &Diagnostic) -> bool {
    finding.fix.as_ref().is_some_and(|fix| fix.applicability > Applicability::DisplayOnly)
}

/// Whether two ranges share text, or one is empty and lies within the other.
fn overlap(one: TextRange, other: TextRange) -> bool {
    one == other || (one.start() < other.end() && other.start() < one.end())
}
