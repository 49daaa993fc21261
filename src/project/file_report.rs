//! What a run found out about one file, without the file itself.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;

use crate::diagnostic::{Diagnostic, Severity};
use crate::engine::Outcome;
use crate::source::{Position, TextRange};
use crate::syntax::Document;

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
    /// The text it is about, its first line only.
    pub subject: String,
    /// Whether its fix was applied.
    pub applied: bool,
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
    /// Kernel launches in it.
    pub launches: usize,
    /// How many fixes of each rule were applied.
    pub applied: BTreeMap<&'static str, usize>,
    /// Findings that remain, and applied ones that want a person's eye.
    pub findings: Vec<Finding>,
    /// CUDA-like names that the file declares.
    pub declared: Vec<String>,
    /// Why it could not be read.
    pub error: Option<String>,
    /// The lines that findings are on, for showing them: line number to text.
    pub lines: BTreeMap<u32, String>,
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
            applied: BTreeMap::new(),
            findings: Vec::new(),
            declared: Vec::new(),
            error: None,
            lines: BTreeMap::new(),
        }
    }

    /// The report of a conversion.
    pub fn of(document: &Document, outcome: Outcome) -> FileReport {
        let status = if outcome.patch.is_empty() { Status::Unchanged } else { Status::Converted };
        let mut report = FileReport::new(document.file().path.clone(), status, document.text().len());
        report.launches = document.launches().len();
        report.declared = outcome.declared;
        for diagnostic in outcome.applied {
            *report.applied.entry(diagnostic.rule.code).or_default() += 1;
            if diagnostic.severity > Severity::Hint {
                report.add(document, diagnostic, true);
            }
        }
        for diagnostic in outcome.remaining {
            report.add(document, diagnostic, false);
        }
        report.findings.sort_by_key(|finding| finding.diagnostic.range.start());
        report
    }

    fn add(&mut self, document: &Document, diagnostic: Diagnostic, applied: bool) {
        let start = document.position(diagnostic.range.start());
        let end = document.position(diagnostic.range.end());
        if diagnostic.severity > Severity::Hint {
            self.lines.entry(start.line).or_insert_with(|| line_text(document, diagnostic.range));
        }
        let subject = document.slice(diagnostic.range).lines().next().unwrap_or_default().to_owned();
        self.findings.push(Finding { diagnostic, start, end, subject, applied });
    }

    /// The findings that a person has to act on: errors and warnings without an applied fix.
    pub fn open(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| !finding.applied && finding.diagnostic.severity >= Severity::Warning)
    }
}

fn line_text(document: &Document, range: TextRange) -> String {
    let text = document.text();
    let at = usize::from(range.start());
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[at..].find('\n').map_or(text.len(), |newline| at + newline);
    text[start..end].trim_end_matches('\r').to_owned()
}
