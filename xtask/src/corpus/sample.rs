//! Draws findings from the corpus at random, so that people can judge them: docs/precision.md.
//!
//! A finding's place in the draw hangs on its rule, file and line alone, so that a change of one
//! rule leaves the rest of the sample as it is.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result};
use clap::Args;
use serde::Deserialize;

use super::sources_dir;
use crate::program;

/// Options of `xtask corpus sample`.
#[derive(Args)]
pub(super) struct Arguments {
    /// Findings to draw
    #[arg(long, default_value_t = 200)]
    count: usize,
    /// Chooses the sample
    #[arg(long, default_value_t = 2026)]
    seed: u64,
    /// The least severity: info, warning or error
    #[arg(long, default_value = "warning")]
    severity: String,
}

#[derive(Deserialize)]
struct Report {
    files: Vec<File>,
}

#[derive(Deserialize)]
struct File {
    path: String,
    findings: Vec<Finding>,
}

#[derive(Deserialize)]
struct Finding {
    code: String,
    rule: String,
    severity: String,
    message: String,
    start: Place,
}

#[derive(Deserialize)]
struct Place {
    line: usize,
    column: usize,
}

/// One row of the sample.
struct Row {
    order: u64,
    text: String,
}

/// Prints the sample as a table in Markdown, without verdicts.
#[expect(clippy::print_stdout, reason = "the sample is the result")]
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let root = sources_dir();
    let mut command = Command::new(program::build("release")?);
    command.args(["convert", "--dry-run", "--format", "json"]).arg(&root).stdin(Stdio::null());
    let output = command.output().context("starting hipshift")?;
    let report: Report = serde_json::from_slice(&output.stdout).context("reading hipshift's report")?;
    let mut rows = Vec::new();
    for file in &report.files {
        rows.extend(rows_of(file, &root, arguments));
    }
    rows.sort_by_key(|row| row.order);
    rows.truncate(arguments.count);
    rows.sort_by(|a, b| a.text.cmp(&b.text));
    println!("| place | finding | line | verdict |\n|---|---|---|---|");
    for row in rows {
        println!("{}", row.text);
    }
    Ok(ExitCode::SUCCESS)
}

fn rows_of(file: &File, root: &Path, arguments: &Arguments) -> Vec<Row> {
    let path = Path::new(&file.path);
    let shown = path.strip_prefix(root).unwrap_or(path).display().to_string();
    let text = std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let level = |severity: &str| ["hint", "info", "warning", "error"].iter().position(|word| *word == severity);
    let wanted = file.findings.iter().filter(|finding| level(&finding.severity) >= level(&arguments.severity));
    let row = |finding: &Finding| {
        let line = finding.start.line.checked_sub(1).and_then(|line| lines.get(line)).map_or("", |line| line.trim());
        let key = format!("{}|{}|{shown}|{line}|{}", arguments.seed, finding.code, finding.start.column);
        let cut: String = line.chars().take(70).collect::<String>().replace('|', "\\|").replace('`', "'");
        let message = finding.message.replace('|', "\\|");
        let (severity, rule, at) = (&finding.severity, &finding.rule, finding.start.line);
        Row { order: hash(&key), text: format!("| {shown}:{at} | {severity} {rule}: {message} | `{cut}` | |") }
    };
    wanted.map(row).collect()
}

/// FNV-1a of 64 bits, mixed once more so that similar keys lie far apart.
fn hash(key: &str) -> u64 {
    let fnv = key
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    (fnv ^ (fnv >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd)
}
