//! Findings as text, one line each.

use std::io::{self, Write};

use super::visible::{line_start, one_line};
use crate::diagnostic::Applicability;
use crate::project::FileReport;

/// Writes `path:line:column: severity code name: message`, and what can be fixed.
pub fn write_concise(out: &mut dyn Write, reports: &[FileReport]) -> io::Result<()> {
    for report in reports {
        for finding in report.findings.iter().filter(|finding| !finding.applied) {
            let (at, diagnostic) = (finding.start, &finding.diagnostic);
            let (severity, rule) = (diagnostic.severity.as_str(), diagnostic.rule);
            let fix = match diagnostic.fix.as_ref().map(|fix| fix.applicability) {
                Some(Applicability::Safe) => " [--fix]",
                Some(Applicability::Unsafe) => " [--unsafe-fixes]",
                Some(Applicability::DisplayOnly) | None => "",
            };
            let place = format!("{}:{}:{}", line_start(report.path.as_str()), at.line, at.column);
            writeln!(out, "{place}: {severity} {} {}: {}{fix}", rule.code, rule.name, one_line(&diagnostic.message))?;
        }
    }
    Ok(())
}
