//! What was undone.

use std::io::{self, Write};

use serde::Serialize;

use super::visible::one_line;
use super::words::plural;
use crate::project::{UndoAction, Undone};

/// The number of the JSON format.
const SCHEMA: u32 = 1;

/// Writes what was done, or would be: a line for the run and one for each file.
pub fn write_undone(out: &mut dyn Write, undone: &Undone, done: bool) -> io::Result<()> {
    let run = match &undone.command {
        Some(command) => format!("`hipshift {command}`"),
        None => "a run that had changed nothing yet".to_owned(),
    };
    let head = if done { "undid" } else { "would undo" };
    let cut_off = if undone.cut_off { ", which had been cut off" } else { "" };
    writeln!(out, "{head} {run}{cut_off}: {}", plural(undone.files.len(), "file"))?;
    for file in &undone.files {
        let edited = if undone.edited.contains(&file.path) { "  (edited since)" } else { "" };
        writeln!(out, "  {:<12}  {}{edited}", word(file.action), one_line(file.path.as_str()))?;
    }
    Ok(())
}

fn word(action: UndoAction) -> &'static str {
    match action {
        UndoAction::Restored => "restored",
        UndoAction::BroughtBack => "brought back",
        UndoAction::Removed => "removed",
    }
}

#[derive(Serialize)]
struct Report<'r> {
    schema: u32,
    tool: &'static str,
    version: &'static str,
    command: Option<&'r str>,
    time: u64,
    cut_off: bool,
    done: bool,
    files: Vec<File<'r>>,
    edited: &'r [camino::Utf8PathBuf],
}

#[derive(Serialize)]
struct File<'r> {
    path: &'r str,
    action: &'static str,
}

/// Writes the same as JSON.
pub fn write_undone_json(out: &mut dyn Write, undone: &Undone, done: bool) -> io::Result<()> {
    let files = undone.files.iter().map(|file| File { path: file.path.as_str(), action: key(file.action) }).collect();
    let report = Report {
        schema: SCHEMA,
        tool: "hipshift",
        version: env!("CARGO_PKG_VERSION"),
        command: undone.command.as_deref(),
        time: undone.time,
        cut_off: undone.cut_off,
        done,
        files,
        edited: &undone.edited,
    };
    serde_json::to_writer_pretty(&mut *out, &report)?;
    writeln!(out)
}

fn key(action: UndoAction) -> &'static str {
    match action {
        UndoAction::Restored => "restored",
        UndoAction::BroughtBack => "brought-back",
        UndoAction::Removed => "removed",
    }
}
