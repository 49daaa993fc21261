//! Findings as JSON, one object on a line each, so that a pipe can read them one by one.

use std::io::{self, Write};

use serde::Serialize;

use super::json::{JsonFinding, SCHEMA};
use crate::project::FileReport;

#[derive(Serialize)]
struct Line<'r> {
    schema: u32,
    path: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'r str>,
    #[serde(flatten)]
    finding: Option<JsonFinding<'r>>,
}

/// Writes a line for each finding, and one for each file that could not be read.
pub fn write_jsonl(out: &mut dyn Write, reports: &[FileReport]) -> io::Result<()> {
    for report in reports {
        let path = report.path.as_str();
        if let Some(error) = &report.error {
            serde_json::to_writer(&mut *out, &Line { schema: SCHEMA, path, error: Some(error), finding: None })?;
            writeln!(out)?;
        }
        for finding in &report.findings {
            let finding = Some(JsonFinding::of(report, finding));
            serde_json::to_writer(&mut *out, &Line { schema: SCHEMA, path, error: None, finding })?;
            writeln!(out)?;
        }
    }
    Ok(())
}
