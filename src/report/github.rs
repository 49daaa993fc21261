//! Findings as workflow commands, which GitHub shows beside the lines of a pull request.

use std::io::{self, Write};

use super::visible::escaped;
use crate::diagnostic::Severity;
use crate::project::FileReport;

/// Writes one command for each finding.
pub fn write_github(out: &mut dyn Write, reports: &[FileReport]) -> io::Result<()> {
    for report in reports {
        // GitHub finds the file by its path from the top of the repository.
        let path = report.path.as_str().trim_start_matches("./");
        if let Some(error) = &report.error {
            writeln!(out, "::error file={}::{}", property(path), data(&escaped(error)))?;
        }
        for finding in report.findings.iter().filter(|finding| !finding.applied) {
            let diagnostic = &finding.diagnostic;
            let command = match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Info | Severity::Hint => "notice",
            };
            let (start, end) = (finding.start, finding.end);
            write!(out, "::{command} file={},line={}", property(path), start.line)?;
            write!(out, ",endLine={}", end.line)?;
            // Columns mean something on a single line only.
            if start.line == end.line {
                write!(out, ",col={},endColumn={}", start.column, end.column)?;
            }
            let title = format!("{} {}", diagnostic.rule.code, diagnostic.rule.name);
            let notes = diagnostic.notes.iter().flat_map(|note| ["\nnote: ", note]).collect::<String>();
            let message = format!("{}{notes}", diagnostic.message);
            writeln!(out, ",title={}::{}", property(&title), data(&escaped(&message)))?;
        }
    }
    Ok(())
}

/// Escapes what follows `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
