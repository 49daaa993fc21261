//! Findings as a code quality report of GitLab.

use std::io::{self, Write};

use serde::Serialize;

use super::fingerprint::fingerprint;
use crate::diagnostic::Severity;
use crate::project::FileReport;

#[derive(Serialize)]
struct Issue<'r> {
    description: &'r str,
    check_name: &'static str,
    fingerprint: String,
    severity: &'static str,
    location: Location<'r>,
}

#[derive(Serialize)]
struct Location<'r> {
    path: &'r str,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
    end: u32,
}

/// Writes the report and a line end.
pub fn write_gitlab(out: &mut dyn Write, reports: &[FileReport]) -> io::Result<()> {
    let mut issues = Vec::new();
    for report in reports {
        // GitLab finds the file by its path from the top of the project.
        let path = report.path.as_str().trim_start_matches("./");
        for finding in report.findings.iter().filter(|finding| !finding.applied) {
            issues.push(Issue {
                description: &finding.diagnostic.message,
                check_name: finding.diagnostic.rule.name,
                fingerprint: fingerprint(report, finding),
                severity: match finding.diagnostic.severity {
                    Severity::Error => "critical",
                    Severity::Warning => "major",
                    Severity::Info | Severity::Hint => "info",
                },
                location: Location { path, lines: Lines { begin: finding.start.line, end: finding.end.line } },
            });
        }
    }
    serde_json::to_writer_pretty(&mut *out, &issues)?;
    writeln!(out)
}
