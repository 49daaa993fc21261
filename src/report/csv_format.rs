//! The findings as CSV, one line each, and one line for each file and applied rule.

use std::io::{self, Write};

use crate::project::FileReport;

/// Writes the table, its header first.
pub fn write_csv(out: &mut dyn Write, reports: &[FileReport]) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(["path", "line", "column", "code", "rule", "severity", "applied", "count", "message"])?;
    for report in reports {
        for (code, count) in &report.applied {
            let rule = crate::engine::rules().find(|rule| rule.code == *code);
            let name = rule.map_or("", |rule| rule.name);
            let count = count.to_string();
            writer.write_record([report.path.as_str(), "", "", code, name, "", "true", count.as_str(), ""])?;
        }
        for finding in &report.findings {
            let (rule, at) = (finding.diagnostic.rule, finding.start);
            let fields = [at.line.to_string(), at.column.to_string()];
            let applied = if finding.applied { "true" } else { "false" };
            let severity = finding.diagnostic.severity.as_str();
            let [line, column] = [fields[0].as_str(), fields[1].as_str()];
            let message = finding.diagnostic.message.as_str();
            writer.write_record([
                report.path.as_str(),
                line,
                column,
                rule.code,
                rule.name,
                severity,
                applied,
                "1",
                message,
            ])?;
        }
        if let Some(error) = &report.error {
            writer.write_record([report.path.as_str(), "", "", "", "", "error", "false", "1", error])?;
        }
    }
    writer.flush()
}
