//! What a run found out about one file, without the file itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use camino::Utf8PathBuf;

use super::effort::EffortCounts;
use super::line_keys::{LineKeys, subject};
use super::proposal::Proposal;
use super::shown_line::{Excerpt, ShownLine};
use crate::diagnostic::{Diagnostic, Severity};
use crate::engine::{Carried, Decided, Outcome, Outdated, Stale, Suppressed};
use crate::source::{Position, SourceText, TextRange};

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Its text changed.
    Converted,
    /// It holds CUDA, but nothing was changed.
    Unchanged,
    /// It holds no CUDA.
    NoCuda,
    /// It could not be read.
    Failed,
}

/// A finding with all that is needed to show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The finding.
    pub diagnostic: Diagnostic,
    /// Where it starts.
    pub start: Position,
    /// Where it ends.
    pub end: Position,
    /// The text it is about, its first line only; the beginning of it, if that is long.
    pub subject: String,
    /// Whether its fix was applied.
    pub applied: bool,
    /// Where its labels stand, in their order: start and end.
    pub labels: Vec<(Position, Position)>,
    /// What its first line is known by: its text with single blanks, of a very long one a digest; empty for a hint.
    pub line_key: Arc<str>,
    /// Its number, from 1, among the findings of its rule on lines of this text; 0 if nobody counted.
    pub occurrence: usize,
    /// What its fix would make of the text; only linting asks.
    pub proposal: Option<Proposal>,
}

/// Why a finding is not among those that stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// A comment switches it off, for this reason.
    Comment(String),
    /// The baseline holds it.
    Baseline,
    /// Its fix was rejected in a review, for this reason.
    Rejected(String),
}

/// A finding that does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hidden {
    /// The finding.
    pub finding: Finding,
    /// Why it does not count.
    pub why: Why,
}

/// What a run found out about one file.
#[derive(Debug, Clone)]
pub struct FileReport {
    /// The path as the user gave it.
    pub path: Utf8PathBuf,
    /// Where the result goes.
    pub output: Option<Utf8PathBuf>,
    /// What became of it.
    pub status: Status,
    /// Bytes read.
    pub bytes: usize,
    /// Kernel launches with chevrons in it.
    pub launches: usize,
    /// Whether its result includes the header with definitions.
    pub includes_helpers: bool,
    /// How many fixes of each rule were applied.
    pub applied: BTreeMap<&'static str, usize>,
    /// Findings that remain, and applied ones that want a person's eye.
    pub findings: Vec<Finding>,
    /// Findings that do not count.
    pub hidden: Vec<Hidden>,
    /// The lines where text of a person takes the place of fixes.
    pub edited: Vec<u32>,
    /// Decisions about its fixes that are not followed.
    pub stale: Vec<Stale>,
    /// Rejected fixes that are known by something else in the result, which takes the place of the file.
    pub carried: Vec<Carried>,
    /// How much work the findings are, hints included; only linting counts.
    pub efforts: EffortCounts,
    /// CUDA-like names that the file declares.
    pub declared: Vec<String>,
    /// Why it could not be read.
    pub error: Option<String>,
    /// The lines that findings are on, for showing them: line number to text.
    pub lines: BTreeMap<u32, ShownLine>,
    pub(super) line_keys: LineKeys,
}

impl FileReport {
    /// A report that says nothing but what became of the file.
    pub fn new(path: Utf8PathBuf, status: Status, bytes: usize) -> FileReport {
        FileReport {
            path,
            output: None,
            status,
            bytes,
            launches: 0,
            includes_helpers: false,
            applied: BTreeMap::new(),
            findings: Vec::new(),
            hidden: Vec::new(),
            edited: Vec::new(),
            stale: Vec::new(),
            carried: Vec::new(),
            efforts: EffortCounts::new(),
            declared: Vec::new(),
            error: None,
            lines: BTreeMap::new(),
            line_keys: LineKeys::default(),
        }
    }

    /// The report on a file that could not be read.
    pub(super) fn failed(path: Utf8PathBuf, error: String) -> FileReport {
        FileReport { error: Some(error), ..FileReport::new(path, Status::Failed, 0) }
    }

    /// The report of a conversion.
    pub fn of(source: &SourceText, launches: usize, outcome: Outcome) -> FileReport {
        let status = if outcome.patch.is_empty() { Status::Unchanged } else { Status::Converted };
        let mut report = FileReport::new(source.file().path.clone(), status, source.text().len());
        report.launches = launches;
        report.declared = outcome.declared;
        let mut applied = outcome.applied;
        for head in applied.heads() {
            *report.applied.entry(head.rule.code).or_default() += 1;
        }
        applied.retain(|head| head.severity > Severity::Hint);
        for diagnostic in applied.iter() {
            report.add(source, diagnostic, true);
        }
        for diagnostic in outcome.remaining {
            report.add(source, diagnostic, false);
        }
        report.findings.sort_by_key(|finding| finding.diagnostic.range.start());
        // What is not translated stays CUDA, so that plain translations count.
        report.add_suppressed(source, outcome.suppressed);
        report.add_decided(source, outcome.decided);
        report
    }

    /// Keeps what comments switch off.
    pub(super) fn add_suppressed(&mut self, source: &SourceText, suppressed: impl IntoIterator<Item = Suppressed>) {
        for Suppressed { diagnostic, reason } in suppressed {
            let finding = self.finding(source, diagnostic, false);
            self.hidden.push(Hidden { finding, why: Why::Comment(reason) });
        }
    }

    /// Keeps what became of decisions.
    pub(super) fn add_decided(&mut self, source: &SourceText, decided: Decided) {
        for rejected in decided.rejected {
            let finding = self.finding(source, rejected.diagnostic, false);
            self.hidden.push(Hidden { finding, why: Why::Rejected(rejected.reason) });
        }
        self.edited = decided.edited.iter().map(|lines| source.position(lines.start()).line).collect();
        self.stale = decided.stale;
    }

    fn add(&mut self, source: &SourceText, diagnostic: Diagnostic, applied: bool) {
        let finding = self.finding(source, diagnostic, applied);
        self.findings.push(finding);
    }

    /// A finding with all that is needed to show it; its lines are kept.
    pub(super) fn finding(&mut self, source: &SourceText, diagnostic: Diagnostic, applied: bool) -> Finding {
        let place = |range: TextRange| (source.position(range.start()), source.position(range.end()));
        let (start, end) = place(diagnostic.range);
        let labels: Vec<_> = diagnostic.labels.iter().map(|label| place(label.range)).collect();
        let mut line_key = Arc::default();
        if diagnostic.severity > Severity::Hint {
            self.lines.entry(start.line).or_insert_with(|| ShownLine::new(source.line_text(diagnostic.range.start())));
            line_key = self.line_keys.at(source, diagnostic.range.start()).text;
            for (label, (label_start, _)) in diagnostic.labels.iter().zip(&labels) {
                self.lines
                    .entry(label_start.line)
                    .or_insert_with(|| ShownLine::new(source.line_text(label.range.start())));
            }
        }
        let subject = subject(source, diagnostic.range);
        Finding { diagnostic, start, end, subject, applied, labels, line_key, occurrence: 0, proposal: None }
    }

    /// The line that a finding is on, as far as it is shown.
    pub fn excerpt(&self, finding: &Finding) -> Option<Excerpt<'_>> {
        self.excerpt_of(finding.start, finding.end)
    }

    /// The line where a place starts, as far as it is shown.
    pub fn excerpt_of(&self, start: Position, end: Position) -> Option<Excerpt<'_>> {
        let line = self.lines.get(&start.line)?;
        Some(line.around(start.column, (end.line == start.line).then_some(end.column)))
    }

    /// The findings whose fix was rejected in a review.
    pub fn rejected(&self) -> impl Iterator<Item = &Finding> {
        self.hidden.iter().filter(|hidden| matches!(hidden.why, Why::Rejected(_))).map(|hidden| &hidden.finding)
    }

    /// Whether lines or fixes are not what they were when a person decided about them.
    pub fn awaits_review(&self) -> bool {
        self.stale.iter().any(|stale| stale.why == Outdated::Changed)
    }

    /// The findings that a person has to act on: errors and warnings without an applied fix.
    pub fn open(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| !finding.applied && finding.diagnostic.severity >= Severity::Warning)
    }
}
