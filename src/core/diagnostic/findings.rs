//! The findings of one file in little memory: a large file has millions of them, most alike.
//!
//! Each has a row of numbers of variable length, in which ranges count from where the finding starts and texts
//! are numbers too. So all renamings of one name have the same row, and a finding takes 16 bytes instead of
//! some 500.

use std::hash::Hasher as _;

use rustc_hash::FxHasher;

use super::finding::{Diagnostic, Label, RuleInfo, Severity};
use super::fix::{Applicability, Fix};
use crate::source::{Edit, Piece, TextRange, TextSize, Texts};

/// Findings, in an order of their own.
#[derive(Clone, Default)]
pub struct Findings {
    entries: Vec<Entry>,
    /// The rows of all entries; those of entries that were taken out or changed stay.
    rows: Vec<u8>,
    /// Where the last row of each hash starts.
    recent: Vec<usize>,
    texts: Texts,
    rules: Vec<&'static RuleInfo>,
}

/// Where a finding stands in the text and in the rows.
#[derive(Debug, Clone, Copy)]
struct Entry {
    range: TextRange,
    row: usize,
}

/// What there is to know about a finding without reading all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The rule that found it.
    pub rule: &'static RuleInfo,
    /// How bad it is.
    pub severity: Severity,
    /// Bytes of the original text.
    pub range: TextRange,
}

impl Diagnostic {
    /// What there is to know about it without reading all of it.
    pub fn head(&self) -> Head {
        Head { rule: self.rule, severity: self.severity, range: self.range }
    }
}

const SEVERITIES: [Severity; 4] = [Severity::Hint, Severity::Info, Severity::Warning, Severity::Error];
const APPLICABILITIES: [Applicability; 3] = [Applicability::DisplayOnly, Applicability::Unsafe, Applicability::Safe];

/// Stands in place of the number of an applicability.
const BY_HAND: usize = 1 + APPLICABILITIES.len();

impl Findings {
    /// How many findings there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds a finding at the end.
    pub fn push(&mut self, finding: &Diagnostic) {
        let row = self.write(finding);
        self.entries.push(Entry { range: finding.range, row });
    }

    /// All findings.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Diagnostic> {
        self.entries.iter().map(|entry| self.read(*entry))
    }

    /// What there is to know about each finding without reading all of it.
    pub fn heads(&self) -> impl ExactSizeIterator<Item = Head> {
        self.entries.iter().map(|entry| self.head(*entry))
    }

    /// What there is to know about the finding at `number` without reading all of it.
    pub fn head_at(&self, number: usize) -> Option<Head> {
        self.entries.get(number).map(|entry| self.head(*entry))
    }

    /// The finding at `number`.
    pub fn get(&self, number: usize) -> Option<Diagnostic> {
        self.entries.get(number).map(|entry| self.read(*entry))
    }

    /// How many findings start before `limit`, if they are sorted by place.
    pub fn count_before(&self, limit: TextSize) -> usize {
        self.entries.partition_point(|entry| entry.range.start() < limit)
    }

    /// Sorts by place; findings at one place stay in their order.
    pub fn sort_by_place(&mut self) {
        self.entries.sort_by_key(|entry| (entry.range.start(), entry.range.end()));
    }

    /// Keeps the findings that `keeps` wants.
    pub fn retain(&mut self, mut keeps: impl FnMut(Head) -> bool) {
        let mut entries = std::mem::take(&mut self.entries);
        entries.retain(|entry| keeps(self.head(*entry)));
        self.entries = entries;
    }

    /// Hands each finding to `stays`, and keeps those that it says stay.
    pub fn sift(&mut self, mut stays: impl FnMut(Diagnostic) -> bool) {
        let mut entries = std::mem::take(&mut self.entries);
        entries.retain(|entry| stays(self.read(*entry)));
        self.entries = entries;
    }

    /// Changes the findings that `is_meant` names.
    pub fn change(&mut self, is_meant: impl Fn(Head) -> bool, mut change: impl FnMut(&mut Diagnostic)) {
        for number in 0..self.entries.len() {
            let Some(entry) = self.entries.get(number).copied().filter(|entry| is_meant(self.head(*entry))) else {
                continue;
            };
            let mut finding = self.read(entry);
            change(&mut finding);
            self.entries[number] = Entry { row: self.write(&finding), range: finding.range };
        }
    }

    fn head(&self, entry: Entry) -> Head {
        let mut row = Row { findings: self, at: entry.row, base: entry.range.start() };
        Head { severity: row.severity(), rule: row.rule(), range: entry.range }
    }

    fn read(&self, entry: Entry) -> Diagnostic {
        Row { findings: self, at: entry.row, base: entry.range.start() }.finding(entry.range)
    }

    /// Adds the row of a finding and tells where it starts.
    fn write(&mut self, finding: &Diagnostic) -> usize {
        let row = self.rows.len();
        let rule = self.rule(finding.rule);
        self.number(finding.severity as usize);
        self.number(rule);
        self.text(&finding.message);
        let base = finding.range.start();
        self.number(finding.labels.len());
        for label in &finding.labels {
            self.range(base, label.range);
            self.text(&label.message);
        }
        self.number(finding.notes.len());
        finding.notes.iter().for_each(|note| self.text(note));
        match &finding.fix {
            Some(fix) => self.fix(base, fix),
            None => self.number(0),
        }
        self.known(row)
    }

    /// Where a row starts that is the same as the last one, which starts at `row`. Only a few are looked at.
    fn known(&mut self, row: usize) -> usize {
        let (before, new) = self.rows.split_at(row);
        let mut hasher = FxHasher::default();
        hasher.write(new);
        self.recent.resize(RECENT, usize::MAX);
        let slot = low_bits(hasher.finish());
        let known = self.recent[slot];
        // No row is the start of another one.
        if before.get(known..).is_some_and(|known| known.starts_with(new)) {
            self.rows.truncate(row);
            return known;
        }
        self.recent[slot] = row;
        row
    }

    fn fix(&mut self, base: TextSize, fix: &Fix) {
        // What a person wrote is as sure as a fix can be.
        self.number(if fix.by_hand { BY_HAND } else { 1 + fix.applicability as usize });
        self.text(&fix.title);
        self.number(fix.edits.len());
        for edit in &fix.edits {
            self.range(base, edit.range);
            self.number(edit.pieces.len());
            for piece in &edit.pieces {
                match piece {
                    Piece::Text(text) => {
                        self.number(0);
                        self.text(text);
                    }
                    Piece::Keep(kept) => {
                        self.number(1);
                        self.range(base, *kept);
                    }
                }
            }
        }
    }

    /// The number of a rule. One that reports does so many times.
    fn rule(&mut self, rule: &'static RuleInfo) -> usize {
        let known = self.rules.iter().rposition(|known| std::ptr::eq(*known, rule));
        known.unwrap_or_else(|| {
            self.rules.push(rule);
            self.rules.len() - 1
        })
    }

    fn text(&mut self, text: &str) {
        let number = self.texts.number(text);
        self.number(number as usize);
    }

    /// A range, by its distance from `base` in either direction and its length.
    fn range(&mut self, base: TextSize, range: TextRange) {
        let (base, start) = (u32::from(base) as usize, u32::from(range.start()) as usize);
        let distance = if start < base { ((base - start) << 1) | 1 } else { (start - base) << 1 };
        self.number(distance);
        self.number(usize::from(range.len()));
    }

    /// Seven bits in each byte, the lowest first; the highest bit says that another follows.
    fn number(&mut self, mut number: usize) {
        while number > 0x7f {
            self.rows.push(0x80 | low_byte(number));
            number >>= 7;
        }
        self.rows.push(low_byte(number));
    }
}

/// So many rows are looked at for one that is the same.
const RECENT: usize = 4096;

#[expect(clippy::cast_possible_truncation, reason = "only some bits are wanted")]
fn low_bits(hash: u64) -> usize {
    hash as usize % RECENT
}

#[expect(clippy::cast_possible_truncation, reason = "only the low bits are wanted")]
fn low_byte(number: usize) -> u8 {
    (number & 0x7f) as u8
}

/// Reads the row of a finding.
struct Row<'f> {
    findings: &'f Findings,
    at: usize,
    base: TextSize,
}

impl Row<'_> {
    fn finding(mut self, range: TextRange) -> Diagnostic {
        let (severity, rule) = (self.severity(), self.rule());
        let message = self.text();
        let labels = self.many(|row| Label { range: row.range(), message: row.text() });
        let notes = self.many(Row::text);
        Diagnostic { rule, severity, range, message, labels, notes, fix: self.fix() }
    }

    fn severity(&mut self) -> Severity {
        SEVERITIES[self.number()]
    }

    fn rule(&mut self) -> &'static RuleInfo {
        self.findings.rules[self.number()]
    }

    fn fix(&mut self) -> Option<Fix> {
        let number = self.number();
        let by_hand = number == BY_HAND;
        let applicability = if by_hand { Applicability::Safe } else { APPLICABILITIES[number.checked_sub(1)?] };
        let title = self.text();
        let edits = self.many(|row| Edit { range: row.range(), pieces: row.many(Row::piece) });
        Some(Fix { title, edits, applicability, by_hand })
    }

    fn piece(&mut self) -> Piece {
        match self.number() {
            0 => Piece::Text(self.text()),
            _ => Piece::Keep(self.range()),
        }
    }

    fn many<T>(&mut self, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.number()).map(|_| one(self)).collect()
    }

    fn text(&mut self) -> String {
        let number = self.number();
        self.findings.texts.get(u32::try_from(number).unwrap_or(u32::MAX)).to_owned()
    }

    fn range(&mut self) -> TextRange {
        let distance = self.number();
        let base = usize::from(self.base);
        let start = if distance & 1 == 1 { base - (distance >> 1) } else { base + (distance >> 1) };
        let len = self.number();
        crate::source::range(start, start + len)
    }

    fn number(&mut self) -> usize {
        let mut number = 0;
        let mut shift = 0;
        loop {
            let byte = self.findings.rows[self.at];
            self.at += 1;
            number |= usize::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return number;
            }
        }
    }
}

impl Extend<Diagnostic> for Findings {
    fn extend<I: IntoIterator<Item = Diagnostic>>(&mut self, more: I) {
        more.into_iter().for_each(|finding| self.push(&finding));
    }
}

impl FromIterator<Diagnostic> for Findings {
    fn from_iter<I: IntoIterator<Item = Diagnostic>>(findings: I) -> Findings {
        let mut packed = Findings::default();
        packed.extend(findings);
        packed
    }
}

impl PartialEq for Findings {
    fn eq(&self, other: &Findings) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Findings {}

impl std::fmt::Debug for Findings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::FixAvailability;
    use crate::source::range;

    const EXAMPLE: RuleInfo = RuleInfo {
        code: "A001",
        name: "one",
        severity: Severity::Hint,
        fix: FixAvailability::Sometimes,
        since: "0.1.0",
        docs: "",
    };
    static ONE: RuleInfo = EXAMPLE;
    static OTHER: RuleInfo = RuleInfo { code: "A002", name: "other", ..EXAMPLE };

    fn renamed(start: usize) -> Diagnostic {
        let mut finding = Diagnostic::new(&ONE, range(start, start + 10), "`cudaMalloc` is `hipMalloc`");
        let edit = Edit::replace(finding.range, "hipMalloc");
        finding.fix(Fix::safe("rename", vec![edit]));
        finding
    }

    /// With labels, notes and edits on both sides of it.
    fn full(start: usize) -> Diagnostic {
        let mut finding = Diagnostic::new(&OTHER, range(start, start + 1000), "");
        finding
            .severity(Severity::Error)
            .label(range(0, 1), "before")
            .label(range(start + 300_000, start + 300_001), "after");
        finding.note("one").note("two");
        let pieces =
            vec![Piece::Keep(range(3, 200)), Piece::Text("x".to_owned()), Piece::Keep(range(start + 5, start + 5))];
        let edits = vec![Edit { range: range(1, 900), pieces }, Edit::delete(range(start, start + 1))];
        finding.fix(Fix::risky("move", edits));
        finding
    }

    fn examples() -> Vec<Diagnostic> {
        let bare = Diagnostic::new(&ONE, range(7, 7), "bare");
        vec![full(900), renamed(70_000), renamed(20), bare, full(2_000_000), renamed(u32::MAX as usize - 10)]
    }

    #[test]
    fn findings_come_back_as_they_were() {
        let packed: Findings = examples().into_iter().collect();
        assert!(packed.iter().eq(examples()));
        assert!(packed.heads().eq(examples().iter().map(Diagnostic::head)));
        assert_eq!(packed.head_at(2), Some(examples()[2].head()));
        assert_eq!(packed.head_at(6), None);
    }

    #[test]
    fn they_are_sorted_sifted_and_changed() {
        let mut packed: Findings = examples().into_iter().collect();
        packed.sort_by_place();
        let mut expected = examples();
        expected.sort_by_key(|finding| (finding.range.start(), finding.range.end()));
        assert!(packed.iter().eq(expected.clone()));
        assert_eq!([0, 7, 8, 900, 901].map(|limit| packed.count_before(TextSize::new(limit))), [0, 0, 1, 2, 3]);
        let mut errors = Vec::new();
        packed.sift(|finding| {
            let stays = finding.severity < Severity::Error;
            errors.extend((!stays).then_some(finding));
            stays
        });
        let (left, out): (Vec<_>, Vec<_>) =
            expected.into_iter().partition(|finding| finding.severity < Severity::Error);
        assert_eq!(errors, out);
        assert!(packed.iter().eq(left));
        packed.retain(|head| head.range.len() == TextSize::new(10));
        packed
            .change(|head| head.range.start() == TextSize::new(20), |finding| finding.notes.push("changed".to_owned()));
        assert_eq!(packed.iter().map(|finding| finding.notes.len()).collect::<Vec<_>>(), [1, 0, 0]);
    }

    #[test]
    fn like_findings_share_what_they_hold() {
        let packed: Findings = (0..10_000).map(|number| renamed(number * 100)).collect();
        let one: Findings = std::iter::once(renamed(0)).collect();
        assert_eq!(packed.rows, one.rows);
        assert!(packed.iter().eq((0..10_000).map(|number| renamed(number * 100))));
    }
}
