//! Figures in the manner of the tools: references converted and not, by category, API and name.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::time::Duration;

use camino::Utf8Path;

use crate::diagnostic::Head;
use crate::engine::Outcome;
use crate::mapping::{Kind, Table};
use crate::project::Converted;
use crate::report::{line_start, one_line};
use crate::source::SourceText;

/// References converted and not converted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Count {
    converted: usize,
    unconverted: usize,
}

impl std::ops::AddAssign for Count {
    fn add_assign(&mut self, other: Count) {
        self.converted += other.converted;
        self.unconverted += other.unconverted;
    }
}

/// What is counted: category, API and name.
type Subject = (String, String, String);

/// The figures of one file, or of all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Statistics {
    references: BTreeMap<Subject, Count>,
    bytes: usize,
    bytes_touched: usize,
    lines: usize,
    lines_touched: usize,
}

/// The rules whose findings are references that stay.
const UNCONVERTED: &[&str] = &["unsupported-name", "other-release-name", "unsupported-header"];

impl Statistics {
    /// The figures of one file.
    pub(super) fn of(converted: &Converted<'_>, table: &Table) -> Statistics {
        let Some((source, outcome)) = converted.conversion else {
            let bytes = converted.bytes();
            let lines = bytes.split_inclusive(|&byte| byte == b'\n').count();
            return Statistics { bytes: bytes.len(), lines, ..Statistics::default() };
        };
        let text = source.text();
        let mut statistics = Statistics { bytes: text.len(), lines: text.lines().count(), ..Statistics::default() };
        statistics.count_references(source, outcome, table);
        statistics.measure_edits(source, outcome);
        statistics
    }

    fn count_references(&mut self, source: &SourceText, outcome: &Outcome, table: &Table) {
        for diagnostic in outcome.applied.heads() {
            if let Some(subject) = subject(source, diagnostic, table) {
                self.references.entry(subject).or_default().converted += 1;
            }
        }
        for diagnostic in &outcome.remaining {
            let stays = UNCONVERTED.contains(&diagnostic.rule.name) || diagnostic.fix.is_some();
            if let Some(subject) = subject(source, diagnostic.head(), table).filter(|_| stays) {
                self.references.entry(subject).or_default().unconverted += 1;
            }
        }
    }

    fn measure_edits(&mut self, source: &SourceText, outcome: &Outcome) {
        let mut lines = BTreeSet::new();
        for range in outcome.patch.ranges() {
            self.bytes_touched += usize::from(range.len());
            let last = source.position(range.end()).line;
            lines.extend(source.position(range.start()).line..=last);
        }
        self.lines_touched = lines.len();
    }

    fn add(&mut self, other: &Statistics) {
        for (subject, count) in &other.references {
            *self.references.entry(subject.clone()).or_default() += *count;
        }
        self.bytes += other.bytes;
        self.bytes_touched += other.bytes_touched;
        self.lines += other.lines;
        self.lines_touched += other.lines_touched;
    }

    fn total(&self) -> Count {
        let mut total = Count::default();
        for count in self.references.values() {
            total += *count;
        }
        total
    }

    fn by(&self, key: impl Fn(&Subject) -> &String) -> BTreeMap<String, Count> {
        let mut counts: BTreeMap<String, Count> = BTreeMap::new();
        for (subject, count) in &self.references {
            *counts.entry(key(subject).clone()).or_default() += *count;
        }
        counts
    }

    /// The sections of a report: title, and counts by what the title says.
    fn sections(&self) -> [(&'static str, BTreeMap<String, Count>); 3] {
        [("category", self.by(|subject| &subject.0)), ("api", self.by(|s| &s.1)), ("name", self.by(|s| &s.2))]
    }
}

/// What a finding counts as; nothing if it is about no reference to CUDA.
fn subject(source: &SourceText, diagnostic: Head, table: &Table) -> Option<Subject> {
    let subject = |category: &str, api: &str, name: &str| (category.to_owned(), api.to_owned(), name.to_owned());
    if diagnostic.rule.name == "chevron-launch" {
        return Some(subject("launch", "runtime", "<<<>>>"));
    }
    let name = source.slice(diagnostic.range);
    let in_header = diagnostic.rule.code.starts_with('H');
    let entry = table.get(name).iter().find(|entry| (entry.kind == Kind::Header) == in_header)?;
    let category = if in_header { "include" } else { entry.kind.as_str() };
    Some(subject(category, entry.library, name))
}

fn total_of(files: &[(&Utf8Path, &Statistics)]) -> Statistics {
    let mut total = Statistics::default();
    for (_, statistics) in files {
        total.add(statistics);
    }
    total
}

fn percent(part: usize, whole: usize) -> String {
    // A file without references is converted in full.
    let per_mille = (part * 1000).checked_div(whole).unwrap_or(1000);
    format!("{}.{}", per_mille / 10, per_mille % 10)
}

/// Writes the figures of each file, and of all if there are several.
pub(super) fn write_text(out: &mut dyn Write, files: &[(&Utf8Path, &Statistics)], time: Duration) -> io::Result<()> {
    for (path, statistics) in files {
        writeln!(out, "statistics of {}:", one_line(path.as_str()))?;
        write_figures(out, statistics)?;
    }
    if files.len() > 1 {
        writeln!(out, "statistics of all {} files:", files.len())?;
        write_figures(out, &total_of(files))?;
    }
    writeln!(out, "  time                   {:.3} s", time.as_secs_f64())
}

fn write_figures(out: &mut dyn Write, statistics: &Statistics) -> io::Result<()> {
    let total = statistics.total();
    let conversion = percent(total.converted, total.converted + total.unconverted);
    writeln!(out, "  converted references   {}", total.converted)?;
    writeln!(out, "  unconverted references {}", total.unconverted)?;
    writeln!(out, "  conversion             {conversion} %")?;
    writeln!(out, "  bytes touched          {} of {}", statistics.bytes_touched, statistics.bytes)?;
    writeln!(out, "  lines touched          {} of {}", statistics.lines_touched, statistics.lines)?;
    for (title, counts) in statistics.sections() {
        let converted = |count: &Count| count.converted;
        let unconverted = |count: &Count| count.unconverted;
        write_section(out, &format!("converted by {title}"), &counts, converted)?;
        write_section(out, &format!("unconverted by {title}"), &counts, unconverted)?;
    }
    Ok(())
}

fn write_section(
    out: &mut dyn Write,
    title: &str,
    counts: &BTreeMap<String, Count>,
    figure: impl Fn(&Count) -> usize,
) -> io::Result<()> {
    let shown: Vec<_> = counts.iter().filter(|(_, count)| figure(count) > 0).collect();
    if shown.is_empty() {
        return Ok(());
    }
    writeln!(out, "  {title}:")?;
    shown.into_iter().try_for_each(|(name, count)| writeln!(out, "    {name}: {}", figure(count)))
}

/// Writes the same as CSV, one figure each line.
pub(super) fn write_csv(out: &mut dyn Write, files: &[(&Utf8Path, &Statistics)], time: Duration) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(["file", "section", "name", "converted", "unconverted"])?;
    for (path, statistics) in files {
        write_csv_rows(&mut writer, &line_start(path.as_str()), statistics)?;
    }
    if files.len() > 1 {
        write_csv_rows(&mut writer, "total", &total_of(files))?;
    }
    writer.write_record(["total", "seconds", "", &format!("{:.3}", time.as_secs_f64()), ""])?;
    writer.flush()
}

/// For bytes and lines the columns hold what was touched and what was not.
fn write_csv_rows(writer: &mut csv::Writer<&mut dyn Write>, file: &str, statistics: &Statistics) -> io::Result<()> {
    let mut row = |section: &str, name: &str, count: Count| {
        writer.write_record([file, section, name, &count.converted.to_string(), &count.unconverted.to_string()])
    };
    let touched = |touched: usize, all: usize| Count { converted: touched, unconverted: all.saturating_sub(touched) };
    row("references", "", statistics.total())?;
    row("bytes", "", touched(statistics.bytes_touched, statistics.bytes))?;
    row("lines", "", touched(statistics.lines_touched, statistics.lines))?;
    for (section, counts) in statistics.sections() {
        counts.into_iter().try_for_each(|(name, count)| row(section, &name, count))?;
    }
    Ok(())
}
