//! Differences as JSON: hunks with the fixes that made them, and findings at their place.

use std::io::{self, Write};
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::hunks::open_findings;
use super::json::{JsonFinding, SCHEMA, safety_word, status_word};
use crate::diagnostic::Diagnostic;
use crate::project::{FileDiff, FileReport};
use crate::source::{Encoding, Position, SourceText};

/// A file without what is known only when all files are read.
#[derive(Serialize, Deserialize)]
struct Changed {
    new_path: Option<String>,
    encoding: String,
    hunks: Vec<Hunk>,
}

#[derive(Serialize, Deserialize)]
struct Hunk {
    before: Lines,
    after: Lines,
    fixes: Vec<AppliedFix>,
}

/// Lines with their ends; `start` is the number of the first, from 1, or of the line before if there is none.
#[derive(Serialize, Deserialize)]
struct Lines {
    start: usize,
    lines: Vec<String>,
}

/// A fix that made a hunk, or a part of it. One with edits in several hunks has the same `id` in each.
#[derive(Serialize, Deserialize)]
struct AppliedFix {
    id: String,
    code: String,
    rule: String,
    severity: String,
    message: String,
    title: String,
    safety: String,
}

#[derive(Serialize)]
struct File<'r> {
    path: &'r str,
    new_path: Option<String>,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'r str>,
    encoding: Option<String>,
    hunks: Vec<HunkWithFindings<'r>>,
    findings: Vec<JsonFinding<'r>>,
}

#[derive(Serialize)]
struct HunkWithFindings<'r> {
    #[serde(flatten)]
    hunk: Hunk,
    findings: Vec<JsonFinding<'r>>,
}

/// What a file adds to [`write_diff_json`], with `context` lines around each change; `source` is what was
/// converted, if anything was.
pub fn diff_json(diff: &FileDiff<'_>, source: Option<&SourceText>, context: usize) -> io::Result<Vec<u8>> {
    let hunks = diff.lines.hunks(context);
    let fixes = diff.fixes(&hunks);
    let applied = |finding: &Diagnostic| AppliedFix::of(finding, source?.position(finding.range.start()));
    let hunk = |(hunk, fixes): (&crate::source::DiffHunk, &Vec<Diagnostic>)| Hunk {
        before: Lines::of(&hunk.old, diff.lines.old.lines(hunk.old.clone())),
        after: Lines::of(&hunk.new, diff.lines.new_lines(hunk)),
        fixes: fixes.iter().filter_map(applied).collect(),
    };
    let encoding = match diff.encoding {
        Encoding::Utf8 => "utf-8",
        Encoding::Latin1 => "latin-1",
    };
    let changed = Changed {
        new_path: diff.names.differ().then(|| diff.names.new.to_string()),
        encoding: encoding.to_owned(),
        hunks: hunks.iter().zip(&fixes).map(hunk).collect(),
    };
    Ok(serde_json::to_vec(&changed)?)
}

/// Writes the files that change or have findings, one on a line each. `fetch` gives what [`diff_json`] made of a file
/// that changes.
pub fn write_diff_json(
    out: &mut dyn Write,
    reports: &[FileReport],
    mut fetch: impl FnMut(&FileReport) -> io::Result<Option<Vec<u8>>>,
) -> io::Result<()> {
    write!(
        out,
        "{{\"schema\":{SCHEMA},\"tool\":\"hipshift\",\"version\":\"{}\",\"files\":[",
        env!("CARGO_PKG_VERSION")
    )?;
    let mut separator = "\n";
    for report in reports {
        let changed = fetch(report)?.map(|bytes| serde_json::from_slice::<Changed>(&bytes)).transpose()?;
        if changed.is_none() && report.error.is_none() && open_findings(report).next().is_none() {
            continue;
        }
        out.write_all(separator.as_bytes())?;
        serde_json::to_writer(&mut *out, &File::of(report, changed))?;
        separator = ",\n";
    }
    writeln!(out, "\n]}}")
}

impl Lines {
    fn of<'l>(lines: &Range<usize>, texts: impl Iterator<Item = &'l str>) -> Lines {
        let start = if lines.is_empty() { lines.start } else { lines.start + 1 };
        Lines { start, lines: texts.map(str::to_owned).collect() }
    }

    /// Whether a line of the file, from 1, is among them.
    fn contain(&self, line: u32) -> bool {
        usize::try_from(line).is_ok_and(|line| (self.start..self.start + self.lines.len()).contains(&line))
    }
}

impl AppliedFix {
    fn of(finding: &Diagnostic, position: Position) -> Option<AppliedFix> {
        let fix = finding.fix.as_ref()?;
        Some(AppliedFix {
            id: format!("{}:{}:{}", finding.rule.code, position.line, position.column),
            code: finding.rule.code.to_owned(),
            rule: finding.rule.name.to_owned(),
            severity: finding.severity.as_str().to_owned(),
            message: finding.message.clone(),
            title: fix.title.clone(),
            safety: safety_word(fix.applicability).to_owned(),
        })
    }
}

impl<'r> File<'r> {
    /// Findings on lines that a hunk shows are in it; the file has the others.
    fn of(report: &'r FileReport, changed: Option<Changed>) -> File<'r> {
        let (new_path, encoding, hunks) = match changed {
            Some(changed) => (changed.new_path, Some(changed.encoding), changed.hunks),
            None => (None, None, Vec::new()),
        };
        let mut hunks: Vec<_> = hunks.into_iter().map(|hunk| HunkWithFindings { hunk, findings: Vec::new() }).collect();
        let mut findings = Vec::new();
        for finding in open_findings(report) {
            let place = hunks.iter_mut().find(|hunk| hunk.hunk.before.contain(finding.start.line));
            place.map_or(&mut findings, |hunk| &mut hunk.findings).push(JsonFinding::of(report, finding));
        }
        let (path, error) = (report.path.as_str(), report.error.as_deref());
        File { path, new_path, status: status_word(report.status), error, encoding, hunks, findings }
    }
}
