//! The report as JSON. The format has a number of its own and changes only with it.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use super::fingerprint::fingerprint;
use super::part::{Part, PartWords};
use super::summary::wave_reason;
use super::totals::Totals;
use super::unlisted::{Unlisted, edited};
use crate::diagnostic::{Applicability, Fix, Label};
use crate::project::{FileReport, Finding, Proposal, Replacement, Status, WaveDecision};
use crate::source::Position;

/// The number of the format.
pub(super) const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Report<'r> {
    schema: u32,
    tool: &'static str,
    version: &'static str,
    /// How many lanes warps have, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    wave_policy: Option<JsonWavePolicy>,
    /// Which part of a run it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    shard: Option<PartWords>,
    summary: Summary<'r>,
    files: Vec<File<'r>>,
}

/// How many lanes warps have after conversion.
#[derive(Serialize)]
pub(super) struct JsonWavePolicy {
    /// `logical32` or `native`.
    policy: &'static str,
    reason: String,
}

#[derive(Serialize)]
struct Summary<'r> {
    files: usize,
    converted: usize,
    without_cuda: usize,
    failed: usize,
    bytes: usize,
    launches: usize,
    applied: &'r BTreeMap<&'static str, usize>,
    open: usize,
    /// Lines where text of a reviewer takes the place of fixes.
    edited: usize,
    /// Findings that no file lists.
    unlisted: Unlisted,
}

#[derive(Serialize)]
struct File<'r> {
    path: &'r str,
    output: Option<&'r str>,
    status: &'static str,
    bytes: usize,
    launches: usize,
    applied: &'r BTreeMap<&'static str, usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'r str>,
    findings: Vec<JsonFinding<'r>>,
    /// Fixes that were rejected in a review.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rejected: Vec<JsonFinding<'r>>,
}

#[derive(Serialize)]
pub(super) struct JsonFinding<'r> {
    code: &'static str,
    rule: &'static str,
    severity: &'static str,
    message: &'r str,
    subject: &'r str,
    start: Place,
    end: Place,
    notes: &'r [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<JsonLabel<'r>>,
    applied: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    fingerprint: Option<String>,
    fix: Option<JsonFix<'r>>,
}

#[derive(Serialize)]
struct JsonLabel<'r> {
    message: &'r str,
    start: Place,
    end: Place,
}

/// Line and column from 1; the column counts characters.
#[derive(Serialize)]
struct Place {
    line: u32,
    column: u32,
}

#[derive(Serialize)]
struct JsonFix<'r> {
    title: &'r str,
    safety: &'static str,
    /// Only linting tells them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    edits: Vec<JsonEdit<'r>>,
}

/// A range and what stands there afterwards.
#[derive(Serialize)]
struct JsonEdit<'r> {
    start: Place,
    end: Place,
    text: &'r str,
}

/// Writes the report of a run, or of a part of one, and a line end.
pub fn write_json(
    out: &mut dyn Write,
    reports: &[FileReport],
    (wave, part): (Option<&WaveDecision>, Option<&Part>),
) -> io::Result<()> {
    let totals = Totals::of(reports);
    let report = Report {
        schema: SCHEMA,
        tool: "hipshift",
        version: env!("CARGO_PKG_VERSION"),
        wave_policy: wave.map(JsonWavePolicy::of),
        shard: part.map(Part::words),
        summary: Summary {
            files: totals.files,
            converted: totals.converted,
            without_cuda: totals.without_cuda,
            failed: totals.failed,
            bytes: totals.bytes,
            launches: totals.launches,
            applied: &totals.applied_by_rule,
            open: totals.open_count(),
            edited: edited(reports),
            unlisted: Unlisted::of(reports),
        },
        files: reports.iter().map(File::from).collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &report)?;
    writeln!(out)
}

impl JsonWavePolicy {
    pub(super) fn of(decision: &WaveDecision) -> JsonWavePolicy {
        let (policy, reason) = wave_reason(decision);
        JsonWavePolicy { policy, reason }
    }
}

impl<'r> From<&'r FileReport> for File<'r> {
    fn from(report: &'r FileReport) -> File<'r> {
        File {
            path: report.path.as_str(),
            output: report.output.as_ref().map(|output| output.as_str()),
            status: status_word(report.status),
            bytes: report.bytes,
            launches: report.launches,
            applied: &report.applied,
            error: report.error.as_deref(),
            findings: report.findings.iter().map(|finding| JsonFinding::of(report, finding)).collect(),
            rejected: report.rejected().map(|finding| JsonFinding::of(report, finding)).collect(),
        }
    }
}

pub(super) fn status_word(status: Status) -> &'static str {
    match status {
        Status::Converted => "converted",
        Status::Unchanged => "unchanged",
        Status::NoCuda => "no-cuda",
        Status::Failed => "failed",
    }
}

pub(super) fn safety_word(applicability: Applicability) -> &'static str {
    match applicability {
        Applicability::Safe => "safe",
        Applicability::Unsafe => "unsafe",
        Applicability::DisplayOnly => "display-only",
    }
}

impl<'r> JsonFinding<'r> {
    pub(super) fn of(report: &FileReport, finding: &'r Finding) -> JsonFinding<'r> {
        let diagnostic = &finding.diagnostic;
        let label = |(label, (start, end)): (&'r Label, &(Position, Position))| JsonLabel {
            message: &label.message,
            start: (*start).into(),
            end: (*end).into(),
        };
        JsonFinding {
            code: diagnostic.rule.code,
            rule: diagnostic.rule.name,
            severity: diagnostic.severity.as_str(),
            message: &diagnostic.message,
            subject: &finding.subject,
            start: finding.start.into(),
            end: finding.end.into(),
            notes: &diagnostic.notes,
            labels: diagnostic.labels.iter().zip(&finding.labels).map(label).collect(),
            applied: finding.applied,
            fingerprint: (finding.occurrence > 0).then(|| fingerprint(report, finding)),
            fix: diagnostic.fix.as_ref().map(|fix| JsonFix::of(fix, finding.proposal.as_ref())),
        }
    }
}

impl From<Position> for Place {
    fn from(position: Position) -> Place {
        Place { line: position.line, column: position.column }
    }
}

impl<'r> JsonFix<'r> {
    fn of(fix: &'r Fix, proposal: Option<&'r Proposal>) -> JsonFix<'r> {
        let safety = safety_word(fix.applicability);
        let edit =
            |edit: &'r Replacement| JsonEdit { start: edit.start.into(), end: edit.end.into(), text: &edit.text };
        let edits = proposal.map_or_else(Vec::new, |proposal| proposal.replacements.iter().map(edit).collect());
        JsonFix { title: &fix.title, safety, edits }
    }
}
