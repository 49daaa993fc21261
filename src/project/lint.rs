//! Lints the files of a run, in parallel, and fixes them if asked to.

use std::borrow::Cow;

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::baseline::Baseline;
use super::changes::{Changes, real_path};
use super::convert::{adds_include, reconcile_reports};
use super::decisions::Decisions;
use super::effort::Effort;
use super::file_report::{FileReport, Hidden, Status, Why};
use super::interrupt::check as check_interrupt;
use super::line_keys::LineKeys;
use super::proposal::Proposal;
use super::read::{FileBytes, ReadError, read_with};
use super::shard::{ShardFiles, declared_elsewhere, is_taken};
use super::survey::{Looked, Survey};
use super::write::{Staging, WriteError};
use crate::analysis::{HelperHeader, ProjectFacts};
use crate::diagnostic::{Decision, Diagnostic, Findings, Head, Severity};
use crate::engine::{
    Checked, Decided, Input, Outcome, Suppressed, carried, decide, fix, is_worth_reading, lint, reconcile,
};
use crate::mapping::Table;
use crate::settings::Settings;
use crate::source::{Rendered, SourceFile, SourceText, TextRange, TextSize};
use crate::syntax::Document;

/// One file to lint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LintSource {
    /// The file.
    pub path: Utf8PathBuf,
    /// What to lint in place of the file's content.
    pub bytes: Option<Vec<u8>>,
}

/// What files are linted with.
#[derive(Clone, Copy)]
pub struct LintRun<'r> {
    /// The mapping tables.
    pub table: &'r Table,
    /// What the run is to do.
    pub settings: &'r Settings,
    /// Findings that do not count.
    pub baseline: Option<&'r Baseline>,
    /// What was decided about fixes.
    pub decisions: Option<&'r Decisions>,
    /// The lines that count; all of them without it.
    pub changes: Option<&'r Changes>,
    /// Whether fixes are applied.
    pub fix: bool,
    /// The directory that relative paths start from, in place of the current one.
    pub root: Option<&'r Utf8Path>,
    /// The files to lint, if not all.
    pub share: Option<&'r ShardFiles>,
    /// The header that definitions of fixes go to; without it they go into the files.
    pub helpers: Option<&'r HelperHeader>,
}

impl<'r> LintRun<'r> {
    /// A run in which all findings count and nothing is fixed.
    pub fn new(table: &'r Table, settings: &'r Settings) -> LintRun<'r> {
        LintRun {
            table,
            settings,
            baseline: None,
            decisions: None,
            changes: None,
            fix: false,
            root: None,
            share: None,
            helpers: None,
        }
    }

    fn decisions_of(&self, path: &Utf8Path) -> &'r [Decision] {
        self.decisions.map(|decisions| decisions.of(&self.path_on_disk(path))).unwrap_or_default()
    }

    fn path_on_disk<'p>(&self, path: &'p Utf8Path) -> Cow<'p, Utf8Path> {
        self.root.map_or(Cow::Borrowed(path), |root| Cow::Owned(root.join(path)))
    }
}

/// What linting made of one text.
#[derive(Debug)]
pub struct Linted {
    /// What it found; about the fixed text, where something was fixed.
    pub report: FileReport,
    /// The file with fixes, if there was something to fix.
    pub fixed: Option<Vec<u8>>,
}

impl<'s> From<&'s LintSource> for Looked<'s> {
    fn from(source: &'s LintSource) -> Looked<'s> {
        Looked { path: &source.path, bytes: source.bytes.as_deref() }
    }
}

/// Lints `sources`, or the share of them that is wanted, with which the files of `survey` begin. The reports come in the order of the
/// sources, whatever the number of threads. Fixed files are put into `staging`. `tick` is called once
/// for each file that is done.
pub fn lint_files(
    sources: &[LintSource],
    (survey, run): (&Survey, LintRun<'_>),
    staging: &Staging,
    tick: impl Fn() + Sync,
) -> Result<Vec<FileReport>, WriteError> {
    let project = ProjectFacts { helper_header: run.helpers.cloned(), ..survey.facts() };
    let lint_one = |(number, source): (usize, &LintSource)| {
        check_interrupt().map_err(|error| WriteError::new(&source.path, error))?;
        let needless = survey.needless(number).filter(|_| run.decisions_of(&source.path).is_empty());
        let linted = match needless {
            Some(size) => untouched(FileReport::new(source.path.clone(), Status::NoCuda, size)),
            None => lint_source(source, (run, &project)),
        };
        if let Some(bytes) = &linted.fixed {
            staging.write(&source.path, bytes, &source.path)?;
        }
        tick();
        Ok(linted.report)
    };
    let taken = sources.par_iter().enumerate().filter(|(_, source)| is_taken(run.share, &source.path));
    let mut reports = taken.map(lint_one).collect::<Result<Vec<_>, _>>()?;
    let elsewhere = || declared_elsewhere(run.share, sources.iter().map(Looked::from), run.table);
    reconcile_reports(&mut reports, elsewhere);
    reports.iter_mut().for_each(finish);
    Ok(reports)
}

fn untouched(report: FileReport) -> Linted {
    Linted { report, fixed: None }
}

/// Drops what turned out harmless, and counts the rest.
fn finish(report: &mut FileReport) {
    report.findings.retain(|finding| finding.diagnostic.severity > Severity::Hint);
    for finding in report.findings.iter().filter(|finding| !finding.applied) {
        count_effort(&mut report.efforts, &finding.diagnostic);
    }
}

fn lint_source(source: &LintSource, (run, project): (LintRun<'_>, &ProjectFacts)) -> Linted {
    let read = match &source.bytes {
        Some(bytes) => Ok(read_cuda(source, FileBytes::Borrowed(bytes), run)),
        None => read_with(&source.path, |bytes| read_cuda(source, bytes, run)),
    };
    let report = match read.and_then(|read| read) {
        Ok((size, Some(file))) => {
            let mut linted = lint_in_project(file, (run, project));
            linted.report.bytes = size;
            return linted;
        }
        Ok((size, None)) => FileReport::new(source.path.clone(), Status::NoCuda, size),
        Err(error) => FileReport::failed(source.path.clone(), error.to_string()),
    };
    untouched(report)
}

/// The size of a file, and its text if rules may find something in it.
fn read_cuda(
    source: &LintSource,
    bytes: FileBytes<'_>,
    run: LintRun<'_>,
) -> Result<(usize, Option<SourceFile>), ReadError> {
    let size = bytes.len();
    // Decisions about a file without CUDA are about nothing, which has to be told.
    if !is_worth_reading(&source.path, &bytes, run.table) && run.decisions_of(&source.path).is_empty() {
        return Ok((size, None));
    }
    let file = SourceFile::decode(&source.path, bytes.into_vec());
    let file = file.map_err(|source_error| ReadError::Decode { path: source.path.clone(), source: source_error })?;
    Ok((size, Some(file)))
}

/// Lints, and if `run` says so fixes, one text. What other files say is not known here.
pub fn lint_text(file: SourceFile, run: LintRun<'_>) -> Linted {
    let mut linted = lint_in_project(file, (run, &ProjectFacts::default()));
    finish(&mut linted.report);
    linted
}

/// What linting says about one document of a project, and all that was found in it, hints and findings of the baseline
/// included. `is_declared` tells the names that files of the project declare.
pub fn lint_document(
    document: &Document,
    (run, project): (LintRun<'_>, &ProjectFacts),
    is_declared: &dyn Fn(&str) -> bool,
) -> (FileReport, Checked) {
    let (checked, decided) = check_decided(document, (run, project));
    let all = Checked { found: checked.found.clone(), ..Checked::default() };
    let mut report = report(document, (checked, decided), &Lines::of(document, run));
    for finding in &mut report.findings {
        reconcile(&mut finding.diagnostic, &finding.subject, is_declared);
    }
    finish(&mut report);
    (report, all)
}

fn lint_in_project(file: SourceFile, (run, project): (LintRun<'_>, &ProjectFacts)) -> Linted {
    let document = Document::new(file);
    let (mut checked, decided) = check_decided(&document, (run, project));
    let lines = Lines::of(&document, run);
    if !run.fix {
        return untouched(report(&document, (checked, decided), &lines));
    }
    leave_what_does_not_count(&mut checked, &document, &lines);
    let outcome = Outcome { decided, ..fix(document.source(), checked, run.settings.applicability) };
    if outcome.patch.is_empty() {
        return untouched(report(&document, check_decided(&document, (run, project)), &lines));
    }
    let rendered = outcome.patch.render(document.text());
    let bytes = document.file().encode(&rendered.text).into_owned();
    let fixed = Document::new(SourceFile { text: rendered.text.clone(), ..document.file().clone() });
    let lines = Lines { before: Some((&document, &rendered)), ..lines };
    let mut checked = check(&fixed, (run, project));
    let carried = carried(document.source(), &outcome, |document| check(document, (run, project)).found);
    let rejected = still_rejected(&outcome.decided, &rendered, &mut checked);
    let mut report = report(&fixed, (checked, Decided { rejected, ..outcome.decided }), &lines);
    (report.status, report.carried) = (Status::Converted, carried);
    report.includes_helpers =
        run.helpers.is_some_and(|header| adds_include(&outcome.patch, header, &document.file().path));
    add_applied(&mut report, &fixed, &rendered, &outcome.applied);
    Linted { report, fixed: Some(bytes) }
}

/// What `lint --fix` would make of one document of a project.
pub fn fix_document(document: &Document, (run, project): (LintRun<'_>, &ProjectFacts)) -> Outcome {
    let (mut checked, decided) = check_decided(document, (run, project));
    leave_what_does_not_count(&mut checked, document, &Lines::of(document, run));
    Outcome { decided, ..fix(document.source(), checked, run.settings.applicability) }
}

/// Drops findings that the baseline holds, and those on lines that do not count.
fn leave_what_does_not_count(checked: &mut Checked, document: &Document, lines: &Lines<'_>) {
    let mut known = Occurrences::new(lines.run, document);
    // Every finding has to be numbered, also on lines that do not count.
    checked.found.retain(|finding| !known.hides(document, finding).1 && lines.count(document.source(), finding));
}

fn check(document: &Document, (run, project): (LintRun<'_>, &ProjectFacts)) -> Checked {
    lint(Input { document, project, table: run.table, settings: run.settings }).1
}

/// Findings, and those among them that a person decided about.
fn check_decided(document: &Document, (run, project): (LintRun<'_>, &ProjectFacts)) -> (Checked, Decided) {
    let mut checked = check(document, (run, project));
    let decisions = run.decisions_of(&document.file().path);
    let decided = decide(document.file(), &mut checked.found, (decisions, &run.settings.rules));
    (checked, decided)
}

/// Moves findings in the fixed text out of `checked` whose fix was rejected. Their lines may not read as they did
/// when that was decided, so they are known by their place.
fn still_rejected(decided: &Decided, rendered: &Rendered, checked: &mut Checked) -> Vec<Suppressed> {
    let place = |rejected: &Suppressed| {
        let at = rendered.to_output(rejected.diagnostic.range.start())?;
        Some(((rejected.diagnostic.rule.code, at), rejected.reason.clone()))
    };
    let places: FxHashMap<_, _> = decided.rejected.iter().filter_map(place).collect();
    let mut rejected = Vec::new();
    checked.found.sift(|diagnostic| match places.get(&(diagnostic.rule.code, diagnostic.range.start())) {
        Some(reason) => {
            rejected.push(Suppressed { reason: reason.clone(), diagnostic });
            false
        }
        None => true,
    });
    rejected
}

/// Which lines of a text count.
struct Lines<'l> {
    run: LintRun<'l>,
    /// The name that the changes know the file by.
    path: Utf8PathBuf,
    /// What the text was before it was fixed: changes are told in lines of that.
    before: Option<(&'l Document, &'l Rendered)>,
}

impl<'l> Lines<'l> {
    /// The lines of a file as it is.
    fn of(document: &Document, run: LintRun<'l>) -> Lines<'l> {
        let path = run.changes.map_or_else(Utf8PathBuf::new, |_| real_path(&document.file().path));
        Lines { run, path, before: None }
    }

    fn count(&self, source: &SourceText, finding: Head) -> bool {
        let Some(changes) = self.run.changes else { return true };
        let at = finding.range.start();
        let line = match self.before {
            Some((before, rendered)) => before.position(rendered.to_original(at)).line,
            None => source.position(at).line,
        };
        changes.contain(&self.path, line)
    }
}

/// Numbers findings that look the same, and tells which of them the baseline holds.
struct Occurrences<'l> {
    /// By the code of the rule and the number of the line's text.
    seen: FxHashMap<(&'static str, usize), usize>,
    lines: LineKeys,
    known: Option<&'l super::baseline::Known>,
}

impl<'l> Occurrences<'l> {
    fn new(run: LintRun<'l>, document: &Document) -> Occurrences<'l> {
        let known = run.baseline.and_then(|baseline| baseline.known(&run.path_on_disk(&document.file().path)));
        Occurrences { seen: FxHashMap::default(), lines: LineKeys::default(), known }
    }

    /// The number of a finding, and whether the baseline holds it. Hints are never held.
    fn hides(&mut self, document: &Document, finding: Head) -> (usize, bool) {
        if finding.severity == Severity::Hint {
            return (0, false);
        }
        self.number(document, finding)
    }

    fn number(&mut self, document: &Document, finding: Head) -> (usize, bool) {
        let line = self.lines.at(document.source(), finding.range.start());
        let code = finding.rule.code;
        let known = self.known.and_then(|known| known.get(&(code.to_owned(), line.text.to_string())));
        let number = self.seen.entry((code, line.number)).or_default();
        *number += 1;
        (*number, known.is_some_and(|known| *number <= *known))
    }
}

fn report(document: &Document, (checked, mut decided): (Checked, Decided), lines: &Lines<'_>) -> FileReport {
    let mut report = FileReport::new(document.file().path.clone(), Status::Unchanged, document.text().len());
    report.launches = document.chevron_launches();
    report.declared = checked.declared;
    let mut known = Occurrences::new(lines.run, document);
    for diagnostic in checked.found.iter() {
        let counts = lines.count(document.source(), diagnostic.head());
        if diagnostic.severity == Severity::Hint {
            if counts {
                count_effort(&mut report.efforts, &diagnostic);
            }
            continue;
        }
        let proposal = diagnostic.fix.as_ref().and_then(|fix| Proposal::of(document, fix));
        let (number, is_known) = known.number(document, diagnostic.head());
        let mut finding = report.finding(document.source(), diagnostic, false);
        (finding.occurrence, finding.proposal) = (number, proposal);
        match (counts, is_known) {
            (false, _) => {}
            (true, true) => report.hidden.push(Hidden { finding, why: Why::Baseline }),
            (true, false) => report.findings.push(finding),
        }
    }
    let suppressed = checked.suppressed.into_iter().filter(|s| s.diagnostic.severity > Severity::Hint);
    report.add_suppressed(document.source(), suppressed);
    decided.rejected.retain(|rejected| lines.count(document.source(), rejected.diagnostic.head()));
    report.add_decided(document.source(), decided);
    report
}

fn count_effort(counts: &mut super::effort::EffortCounts, diagnostic: &Diagnostic) {
    if let Some(effort) = Effort::of(diagnostic) {
        *counts.entry((effort, diagnostic.rule.code)).or_default() += 1;
    }
}

/// Counts what was fixed, and lists what of it wants a person's eye.
fn add_applied(report: &mut FileReport, fixed: &Document, rendered: &Rendered, applied: &Findings) {
    for mut diagnostic in applied.iter() {
        *report.applied.entry(diagnostic.rule.code).or_default() += 1;
        if diagnostic.severity > Severity::Hint && diagnostic.rule.severity > Severity::Hint {
            let end = TextSize::of(fixed.text());
            let moved = |at: TextSize| rendered.to_output_nearest(at).min(end);
            let place =
                |range: TextRange| TextRange::new(moved(range.start()), moved(range.end()).max(moved(range.start())));
            diagnostic.range = place(diagnostic.range);
            diagnostic.labels.iter_mut().for_each(|label| label.range = place(label.range));
            let finding = report.finding(fixed.source(), diagnostic, true);
            report.findings.push(finding);
        }
    }
    report.findings.sort_by_key(|finding| finding.diagnostic.range.start());
}
