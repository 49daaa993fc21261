//! What an update did.

use std::fmt::Write as _;
use std::io::{self, Write};

use serde::Serialize;

use super::visible::one_line;
use super::words::plural;
use crate::project::{UpdateAction, Updated, UpdatedFile};

/// The number of the JSON format.
const SCHEMA: u32 = 1;

/// What is to be told.
#[derive(Debug, Clone, Copy)]
pub struct UpdateReport<'r> {
    /// What was done, or would be.
    pub updated: &'r Updated,
    /// Whether nothing was written.
    pub dry_run: bool,
}

/// Writes a line of counts, one for each file that is not as it was, and what is left to do.
pub fn write_update(out: &mut dyn Write, report: UpdateReport<'_>) -> io::Result<()> {
    let files = &report.updated.files;
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for word in files.iter().map(state) {
        match counts.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => counts.push((word, 1)),
        }
    }
    counts.sort_by_key(|(word, _)| STATES.iter().position(|known| known == word));
    let list: Vec<String> = counts.iter().map(|(word, count)| format!("{count} {word}")).collect();
    let dry = if report.dry_run { " (dry run, nothing written)" } else { "" };
    writeln!(out, "{}{dry}: {}", plural(files.len(), "file"), list.join(", "))?;
    for file in files.iter().filter(|file| is_worth_a_line(file)) {
        writeln!(out, "  {:<12}  {}", state(file), describe(file))?;
    }
    for error in report.updated.reports.iter().filter_map(|report| report.error.as_ref()) {
        writeln!(out, "error: {}", one_line(error))?;
    }
    write_next(out, report.updated)
}

fn write_next(out: &mut dyn Write, updated: &Updated) -> io::Result<()> {
    let conflicts = updated.files.iter().filter(|file| file.action.is_conflict()).count();
    if conflicts > 0 {
        writeln!(out, "next: look at {} by hand", plural(conflicts, "conflict"))?;
    }
    match updated.open_findings() {
        0 => Ok(()),
        open => {
            writeln!(out, "{} left for a person in what changed; `hipshift lint` shows them", plural(open, "finding"))
        }
    }
}

fn is_worth_a_line(file: &UpdatedFile) -> bool {
    file.from.is_some() || !matches!(file.action, UpdateAction::Unchanged | UpdateAction::NotNamed)
}

/// `hip/a.cu:3,20, was hip/b.cu`
fn describe(file: &UpdatedFile) -> String {
    let mut text = one_line(file.path.as_str()).into_owned();
    if let UpdateAction::Conflict(lines) = &file.action {
        let lines: Vec<String> = lines.iter().map(usize::to_string).collect();
        let _ = write!(text, ":{}", lines.join(","));
    }
    if let Some(from) = &file.from {
        let _ = write!(text, ", was {from}");
    }
    let why = match &file.action {
        UpdateAction::NotRead(reason) => return format!("{text}  (kept: {})", one_line(reason)),
        UpdateAction::BinaryConflict => "  (changed on both sides, and no text: kept as it is)",
        UpdateAction::GoneConflict => "  (its input is gone, but it was edited: kept)",
        UpdateAction::RemovedConflict => "  (it was removed here, but its input changed: back again)",
        UpdateAction::LeftRemoved => "  (it was removed here)",
        UpdateAction::OpenConflict => "  (the markers of an earlier conflict are still in it)",
        _ => "",
    };
    text + why
}

/// All states, in the order in which they are counted.
const STATES: &[&str] = &[
    "conflict",
    "updated",
    "merged",
    "added",
    "renamed",
    "removed",
    "not read",
    "left removed",
    "unchanged",
    "not in SOURCE",
];

fn state(file: &UpdatedFile) -> &'static str {
    match &file.action {
        UpdateAction::Conflict(_)
        | UpdateAction::BinaryConflict
        | UpdateAction::GoneConflict
        | UpdateAction::RemovedConflict
        | UpdateAction::Unresolved
        | UpdateAction::OpenConflict => "conflict",
        UpdateAction::Updated => "updated",
        UpdateAction::Merged => "merged",
        UpdateAction::Added => "added",
        UpdateAction::Removed => "removed",
        UpdateAction::NotRead(_) => "not read",
        UpdateAction::LeftRemoved => "left removed",
        UpdateAction::Unchanged if file.from.is_some() => "renamed",
        UpdateAction::Unchanged => "unchanged",
        UpdateAction::NotNamed => "not in SOURCE",
    }
}

#[derive(Serialize)]
struct Report<'r> {
    schema: u32,
    tool: &'static str,
    version: &'static str,
    dry_run: bool,
    /// Findings that a person has to act on, in files that changed.
    open: usize,
    conflicts: usize,
    files: Vec<File<'r>>,
}

#[derive(Serialize)]
struct File<'r> {
    path: &'r str,
    input: Option<&'r str>,
    was: Option<&'r str>,
    state: &'static str,
    /// Why its input was not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'r str>,
    /// Lines with the first marker of each conflict.
    #[serde(skip_serializing_if = "<[usize]>::is_empty")]
    lines: &'r [usize],
}

/// Writes the same as JSON.
pub fn write_update_json(out: &mut dyn Write, report: UpdateReport<'_>) -> io::Result<()> {
    let updated = report.updated;
    let json = Report {
        schema: SCHEMA,
        tool: "hipshift",
        version: env!("CARGO_PKG_VERSION"),
        dry_run: report.dry_run,
        open: updated.open_findings(),
        conflicts: updated.files.iter().filter(|file| file.action.is_conflict()).count(),
        files: updated.files.iter().map(json_file).collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &json)?;
    writeln!(out)
}

fn json_file(file: &UpdatedFile) -> File<'_> {
    let lines: &[usize] = if let UpdateAction::Conflict(lines) = &file.action { lines } else { &[] };
    File {
        path: file.path.as_str(),
        input: file.input.as_ref().map(|input| input.as_str()),
        was: file.from.as_ref().map(|from| from.as_str()),
        state: key(&file.action),
        reason: if let UpdateAction::NotRead(reason) = &file.action { Some(reason) } else { None },
        lines,
    }
}

fn key(action: &UpdateAction) -> &'static str {
    match action {
        UpdateAction::Unchanged => "unchanged",
        UpdateAction::Updated => "updated",
        UpdateAction::Merged => "merged",
        UpdateAction::Added => "added",
        UpdateAction::Removed => "removed",
        UpdateAction::NotNamed => "not-named",
        UpdateAction::NotRead(_) => "not-read",
        UpdateAction::LeftRemoved => "left-removed",
        UpdateAction::Conflict(_) => "conflict",
        UpdateAction::BinaryConflict => "binary-conflict",
        UpdateAction::GoneConflict => "gone-conflict",
        UpdateAction::RemovedConflict => "removed-conflict",
        UpdateAction::Unresolved => "unresolved",
        UpdateAction::OpenConflict => "open-conflict",
    }
}
