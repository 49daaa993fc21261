//! `hipshift map`

use std::io::Write;

use serde::Serialize;

use super::args::{Map, PlainFormatWord};
use super::exit::Exit;
use super::output::stdout_for;
use super::settings::builtin_table;
use crate::mapping::{Entry, RocmVersion, Table};
use crate::project::parse_rocm;
use crate::report::line_start;

/// What is known about one name that was asked for.
#[derive(Serialize)]
struct Answer<'t> {
    name: &'t str,
    /// Lines where it is the CUDA name.
    entries: Vec<Line<'t>>,
    /// Lines where it is the HIP name.
    reverse: Vec<Line<'t>>,
    /// CUDA names spelt alike, if nothing else was found.
    similar: Vec<&'t str>,
}

#[derive(Serialize)]
struct Line<'t> {
    cuda: &'t str,
    hip: &'t str,
    roc: &'t str,
    kind: &'static str,
    support: &'static str,
    library: &'static str,
    since: Option<String>,
    until: Option<String>,
    note: &'t str,
    /// Whether the line holds for the release asked for.
    current: bool,
    /// How calls change, as templates with argument numbers.
    calls: Vec<String>,
}

pub(super) fn run(arguments: &Map) -> anyhow::Result<Exit> {
    let table = builtin_table()?;
    let rocm = arguments.rocm.as_deref().map(parse_rocm).transpose()?.unwrap_or(RocmVersion::NEWEST);
    let answers: Vec<Answer<'_>> = arguments.names.iter().map(|name| answer(table, name, rocm)).collect();
    let is_json = arguments.json || arguments.format == PlainFormatWord::Json;
    let mut out = stdout_for(!is_json);
    if is_json {
        serde_json::to_writer_pretty(&mut out, &answers)?;
        writeln!(out)?;
    } else {
        answers.iter().try_for_each(|answer| write_answer(&mut out, answer, rocm))?;
    }
    out.flush()?;
    let known = answers.iter().all(|answer| !answer.entries.is_empty() || !answer.reverse.is_empty());
    Ok(if known { Exit::Clean } else { Exit::Findings })
}

fn answer<'t>(table: &'t Table, name: &'t str, rocm: RocmVersion) -> Answer<'t> {
    let line = |entry| Line::new(table, entry, rocm);
    let entries: Vec<_> = table.get(name).iter().map(line).collect();
    let reverse: Vec<_> = table.reverse(name).into_iter().filter(|entry| entry.cuda != name).map(line).collect();
    let similar = if entries.is_empty() && reverse.is_empty() { table.similar(name, 8) } else { Vec::new() };
    Answer { name, entries, reverse, similar }
}

impl<'t> Line<'t> {
    fn new(table: &'t Table, entry: &'t Entry, rocm: RocmVersion) -> Line<'t> {
        Line {
            cuda: entry.cuda,
            hip: entry.hip,
            roc: entry.roc,
            kind: entry.kind.as_str(),
            support: entry.support.as_str(),
            library: entry.library,
            since: entry.range.since.map(|version| version.to_string()),
            until: entry.range.until.map(|version| version.to_string()),
            note: entry.note,
            current: entry.range.contains(rocm),
            calls: table.calls_of(entry.cuda).iter().map(ToString::to_string).collect(),
        }
    }
}

fn write_answer(out: &mut dyn Write, answer: &Answer<'_>, rocm: RocmVersion) -> std::io::Result<()> {
    for line in answer.entries.iter().chain(&answer.reverse) {
        write_line(out, line, rocm)?;
    }
    if !answer.similar.is_empty() {
        writeln!(out, "{}: not known; similar: {}", line_start(answer.name), answer.similar.join(", "))?;
    } else if answer.entries.is_empty() && answer.reverse.is_empty() {
        writeln!(out, "{}: not known", line_start(answer.name))?;
    }
    Ok(())
}

fn write_line(out: &mut dyn Write, line: &Line<'_>, rocm: RocmVersion) -> std::io::Result<()> {
    let hip = if line.hip.is_empty() { "no counterpart" } else { line.hip };
    write!(out, "{} → {hip}  ({} of {}, {}", line.cuda, line.kind, line.library, line.support)?;
    match (&line.since, &line.until) {
        (Some(since), Some(until)) => write!(out, ", ROCm {since} to {until}")?,
        (Some(since), None) => write!(out, ", from ROCm {since}")?,
        (None, Some(until)) => write!(out, ", until ROCm {until}")?,
        (None, None) => {}
    }
    writeln!(out, "{})", if line.current { String::new() } else { format!("; not for ROCm {rocm}") })?;
    if !line.roc.is_empty() {
        writeln!(out, "  AMD's own library: {}", line.roc)?;
    }
    for call in &line.calls {
        writeln!(out, "  call: {call}")?;
    }
    if !line.note.is_empty() {
        writeln!(out, "  note: {}", line.note)?;
    }
    Ok(())
}
