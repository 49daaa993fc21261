//! Which formats can be joined.

use super::documents::{json, sarif};
use super::error::{MergeError, PartReport, unreadable};
use super::junit::merge_junit;
use super::node::Node;

/// The formats that can be joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeFormat {
    /// One JSON document.
    Json,
    /// SARIF 2.1.0.
    Sarif,
    /// The XML of `JUnit`.
    Junit,
}

impl MergeFormat {
    /// The format of a report, by what it begins with and holds.
    pub fn of(text: &str) -> Option<MergeFormat> {
        match text.trim_start().as_bytes().first()? {
            b'<' => Some(MergeFormat::Junit),
            b'{' if Node::read(text).ok()?.get("runs").is_some() => Some(MergeFormat::Sarif),
            b'{' => Some(MergeFormat::Json),
            _ => None,
        }
    }
}

/// The report that one run would have written, with a line end.
pub fn merge_reports(reports: &[PartReport<'_>], format: MergeFormat) -> Result<Vec<u8>, MergeError> {
    if format == MergeFormat::Junit {
        return merge_junit(reports);
    }
    let read = |report: &PartReport<'_>| Node::read(report.text).map_err(|error| unreadable(report.name, &error));
    let nodes = reports.iter().map(read).collect::<Result<Vec<Node>, _>>()?;
    let names: Vec<&str> = reports.iter().map(|report| report.name).collect();
    let merged = if format == MergeFormat::Sarif { sarif(&names, &nodes)? } else { json(&names, &nodes)? };
    let out = serde_json::to_vec_pretty(&merged);
    let mut out = out.map_err(|error| unreadable(names.first().unwrap_or(&""), &error))?;
    out.push(b'\n');
    Ok(out)
}
