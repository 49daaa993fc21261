//! `hipshift hipify`, and the binary called as one of the tools.

use std::ffi::OsString;
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;

use super::args::Arguments;
use super::files::{Output, Plan, plan};
use super::help::{write_help, write_version, write_versions};
use super::options::{Flag, Key, Tool};
use super::settings::resolve;
use super::statistics::{Statistics, write_csv, write_text};
use crate::cli::exit::{Exit, or_failure};
use crate::cli::output::{error, note, stderr, stdout};
use crate::cli::settings::builtin_table;
use crate::diagnostic::{Applicability, Severity};
use crate::mapping::Table;
use crate::project::{Converted, Doors, FileReport, Finding, Run, Source, Staging, Status, convert_files, read};
use crate::report::{Visible, one_line};
use crate::settings::Settings;

/// Runs with the arguments behind the program's or the command's name.
pub(in crate::cli) fn run(tool: Tool, typed: &[OsString]) -> Exit {
    or_failure(try_run(tool, typed), Exit::Failed)
}

fn try_run(tool: Tool, typed: &[OsString]) -> anyhow::Result<Exit> {
    let arguments = Arguments::parse(tool, typed)?;
    for option in &arguments.unknown {
        note(&format!("the unknown option `{option}` was passed over"));
    }
    if answered(&arguments)? {
        return Ok(Exit::Clean);
    }
    let started = Instant::now();
    let (settings, table) = resolve(&arguments)?;
    let plan = plan(&arguments)?;
    if settings.skip_excluded {
        note("blocks that hang on macros are converted; only those such as `#if 0` stay as they are");
    }
    let results = Mutex::new(FxHashMap::default());
    let reports = convert(&plan, (&settings, &table), &results)?;
    let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    write_results(&plan, &results)?;
    write_findings(&reports, arguments.has(Flag::QuietWarnings) || arguments.has(Flag::Examine))?;
    let statistics: Vec<(&Utf8Path, &Statistics)> = plan
        .sources
        .iter()
        .filter_map(|source| Some((source.path.as_path(), &results.get(&source.path)?.statistics)))
        .collect();
    write_statistics(&arguments, &statistics, started)?;
    let failed = reports.iter().any(|report| report.status == Status::Failed);
    Ok(if failed { Exit::Failed } else { Exit::Clean })
}

/// Prints what was asked for in place of a conversion.
fn answered(arguments: &Arguments) -> anyhow::Result<bool> {
    let mut out = stdout();
    if arguments.has(Flag::Help) {
        write_help(&mut out, arguments.tool)?;
    } else if arguments.has(Flag::Version) {
        write_version(&mut out, arguments.tool)?;
    } else if arguments.has(Flag::Versions) {
        write_versions(&mut out, builtin_table()?)?;
    } else {
        return Ok(false);
    }
    out.flush()?;
    Ok(true)
}

/// What is kept of a file that was read.
struct FileResult {
    /// The result, if it does not go to a file of its own.
    bytes: Vec<u8>,
    statistics: Statistics,
}

type Results = Mutex<FxHashMap<Utf8PathBuf, FileResult>>;

/// Converts all files; results with a file of their own are written, together or not at all.
fn convert(plan: &Plan, (settings, table): (&Settings, &Table), results: &Results) -> anyhow::Result<Vec<FileReport>> {
    let staging = Staging::to(plan.doors.clone());
    for (file, original) in &plan.backups {
        // A file that cannot be read is reported by the conversion.
        if let Ok(bytes) = read(file) {
            staging.write(original, &bytes, file)?;
        }
    }
    let observe = |source: &Source, converted: Converted<'_>| {
        let statistics = Statistics::of(&converted, table);
        let bytes = if source.output.is_none() { converted.bytes().into_owned() } else { Vec::new() };
        let result = FileResult { bytes, statistics };
        results.lock().unwrap_or_else(PoisonError::into_inner).insert(source.path.clone(), result);
    };
    let run = Run {
        table,
        settings,
        survey: None,
        staging: Some(&staging),
        observer: Some(&observe),
        ledger: None,
        decisions: None,
        share: None,
        helpers: None,
    };
    let reports = convert_files(&plan.sources, run, || {})?;
    staging.commit()?;
    Ok(reports)
}

/// Writes the results that have no file of their own.
fn write_results(plan: &Plan, results: &FxHashMap<Utf8PathBuf, FileResult>) -> anyhow::Result<()> {
    let all = || plan.sources.iter().filter(|source| source.output.is_none()).filter_map(|s| results.get(&s.path));
    match &plan.output {
        Output::Standard => {
            let mut out = std::io::stdout().lock();
            all().try_for_each(|result| out.write_all(&result.bytes))?;
            out.flush()?;
        }
        Output::File(path) if plan.sources.iter().any(|source| source.output.is_none()) => {
            let bytes: Vec<u8> = all().flat_map(|result| &result.bytes).copied().collect();
            // As the tool does, over what an earlier run wrote.
            let staging = Staging::to(plan.doors.clone());
            staging.write(path, &bytes, path)?;
            staging.commit()?;
        }
        _ => {}
    }
    Ok(())
}

fn write_file(path: &Utf8Path, bytes: &[u8]) -> anyhow::Result<()> {
    let staging = Staging::to(Doors::output(path, &[])?);
    staging.write(path, bytes, path)?;
    staging.commit()?;
    Ok(())
}

/// Lists what a person has to look at, one line each, the way compilers do.
fn write_findings(reports: &[FileReport], quiet: bool) -> anyhow::Result<()> {
    for report in reports {
        if let Some(message) = &report.error {
            error(&one_line(message));
        }
    }
    if quiet {
        return Ok(());
    }
    let mut err = Visible::new(stderr());
    for report in reports {
        for finding in report.findings.iter().filter(|finding| wants_a_look(finding)) {
            let (at, diagnostic) = (finding.start, &finding.diagnostic);
            let (code, message) = (diagnostic.rule.code, &diagnostic.message);
            write!(err, "{}:{}:{}: warning: {message}", report.path, at.line, at.column)?;
            diagnostic.notes.iter().try_for_each(|note| write!(err, "; {note}"))?;
            writeln!(err, " [{code}]")?;
        }
    }
    err.flush()?;
    Ok(())
}

/// What stays and may not compile or run, and what was changed at a price.
fn wants_a_look(finding: &Finding) -> bool {
    let diagnostic = &finding.diagnostic;
    if !finding.applied {
        return diagnostic.severity >= Severity::Warning;
    }
    let is_risky = diagnostic.fix.as_ref().is_some_and(|fix| fix.applicability == Applicability::Unsafe);
    is_risky && !diagnostic.notes.is_empty()
}

/// Statistics go to the file that was named, else beside the converted text: hipify-perl has
/// that on standard output.
fn write_statistics(arguments: &Arguments, files: &[(&Utf8Path, &Statistics)], started: Instant) -> anyhow::Result<()> {
    let file = arguments.value(Key::StatisticsFile);
    let as_csv = arguments.has(Flag::PrintStatsCsv);
    let wanted = arguments.has(Flag::PrintStats) || arguments.has(Flag::Examine);
    if !wanted && !as_csv && file.is_none() {
        return Ok(());
    }
    let (mut text, mut csv) = (Vec::new(), Vec::new());
    write_text(&mut text, files, started.elapsed())?;
    write_csv(&mut csv, files, started.elapsed())?;
    if let Some(file) = file {
        write_file(Utf8Path::new(file), if as_csv { &csv } else { &text })?;
    }
    let mut out: Box<dyn Write> = if arguments.tool == Tool::Perl { Box::new(stderr()) } else { Box::new(stdout()) };
    if wanted {
        out.write_all(&text)?;
    }
    if as_csv && file.is_none() {
        out.write_all(&csv)?;
    }
    out.flush()?;
    Ok(())
}
