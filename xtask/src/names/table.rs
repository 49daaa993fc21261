//! Reads the mapping tables.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use super::release::Release;

/// One line of a table.
pub(super) struct Row {
    /// Name of the file, without its ending.
    pub(super) table: String,
    pub(super) cuda: String,
    pub(super) hip: String,
    pub(super) roc: String,
    pub(super) kind: String,
    pub(super) since: Option<Release>,
    pub(super) until: Option<Release>,
}

#[derive(Deserialize)]
struct Line {
    cuda: String,
    hip: String,
    roc: String,
    kind: String,
    since: String,
    until: String,
}

impl Row {
    /// Whether the row speaks about a release.
    pub(super) fn covers(&self, release: Release) -> bool {
        self.since.is_none_or(|since| since <= release) && self.until.is_none_or(|until| release <= until)
    }

    pub(super) fn is_header(&self) -> bool {
        self.kind == "header"
    }
}

/// Reads every table of a folder, in the order of their names.
pub(super) fn read_all(folder: &Path) -> Result<Vec<Row>> {
    let mut files = fs::read_dir(folder)
        .with_context(|| format!("listing `{}`", folder.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<PathBuf>>>()?;
    // Some tables are not of names and have columns of their own.
    let others = [
        "guards.csv",
        "families.csv",
        "instructions.csv",
        "members.csv",
        "device_only.csv",
        "numbers.csv",
        "opaque.csv",
        "vectors.csv",
    ];
    let is_table = |file: &PathBuf| !others.iter().any(|other| file.ends_with(other));
    files.retain(|file| file.extension().is_some_and(|ending| ending == "csv") && is_table(file));
    files.sort();
    let mut rows = Vec::new();
    for file in files {
        read(&file, &mut rows).with_context(|| format!("reading `{}`", file.display()))?;
    }
    Ok(rows)
}

fn read(file: &Path, rows: &mut Vec<Row>) -> Result<()> {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    for line in csv::Reader::from_path(file)?.deserialize() {
        let line: Line = line?;
        rows.push(Row {
            table: stem.to_string(),
            since: release(&line.since)?,
            until: release(&line.until)?,
            cuda: line.cuda,
            hip: line.hip,
            roc: line.roc,
            kind: line.kind,
        });
    }
    Ok(())
}

fn release(field: &str) -> Result<Option<Release>> {
    (!field.is_empty()).then(|| field.parse()).transpose()
}
