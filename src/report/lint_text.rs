//! Findings as text for people: each with its line, and their number at the end.

use std::io::{self, Write};

use super::snippet::write_snippets;
use super::summary::write_wave;
use super::unlisted::Unlisted;
use super::visible::one_line;
use super::words::plural;
use crate::diagnostic::{Applicability, Severity};
use crate::project::{Effort, FileReport, Finding, Status, WaveDecision};

/// Writes all findings, then the summary.
pub fn write_lint_text(out: &mut dyn Write, reports: &[FileReport], wave: Option<&WaveDecision>) -> io::Result<()> {
    write_snippets(out, reports, "possible with `--fix`")?;
    write_lint_summary(out, reports, wave)
}

/// Writes how many findings there are, what can be done about them, and for CUDA how many lanes
/// warps will have.
pub fn write_lint_summary(out: &mut dyn Write, reports: &[FileReport], wave: Option<&WaveDecision>) -> io::Result<()> {
    for error in reports.iter().filter_map(|report| report.error.as_ref()) {
        writeln!(out, "error: {}", one_line(error))?;
    }
    write_fixed(out, reports)?;
    let open: Vec<&Finding> =
        reports.iter().flat_map(|report| &report.findings).filter(|finding| !finding.applied).collect();
    if open.is_empty() {
        writeln!(out, "no findings in {}", plural(reports.len(), "file"))?;
    } else {
        let files = reports.iter().filter(|report| report.findings.iter().any(|finding| !finding.applied)).count();
        let count = |severity| open.iter().filter(|finding| finding.diagnostic.severity == severity).count();
        let severities = [Severity::Error, Severity::Warning, Severity::Info];
        let counts = severities.iter().map(|&severity| (count(severity), severity)).filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts.map(|(count, severity)| word(count, severity)).collect();
        let files = plural(files, "file");
        writeln!(out, "{} in {files}: {}", plural(open.len(), "finding"), counts.join(", "))?;
    }
    write_fixable(out, &open)?;
    if let Some(decision) = wave.filter(|_| reports.iter().any(is_to_be_converted)) {
        write_wave(out, decision, reports.iter().any(is_about_warps))?;
    }
    write_uncounted(out, reports)
}

/// Whether a file is CUDA: it has plain translations.
fn is_to_be_converted(report: &FileReport) -> bool {
    report.efforts.keys().any(|(effort, _)| *effort == Effort::Automatic)
}

/// Whether a file has findings about warps, plain translations among them.
fn is_about_warps(report: &FileReport) -> bool {
    let of_group = |code: &str| code.starts_with('W');
    let found = report.findings.iter().any(|finding| of_group(finding.diagnostic.rule.code));
    found || report.efforts.keys().any(|(_, code)| of_group(code))
}

fn word(count: usize, severity: Severity) -> String {
    if severity == Severity::Info { format!("{count} info") } else { plural(count, severity.as_str()) }
}

fn write_fixed(out: &mut dyn Write, reports: &[FileReport]) -> io::Result<()> {
    let fixed: usize = reports.iter().flat_map(|report| report.applied.values()).sum();
    let files = reports.iter().filter(|report| report.status == Status::Converted).count();
    if fixed == 0 {
        return Ok(());
    }
    writeln!(out, "fixed {} in {}", plural(fixed, "finding"), plural(files, "file"))
}

fn write_fixable(out: &mut dyn Write, open: &[&Finding]) -> io::Result<()> {
    let with = |wanted: Applicability| {
        let sureness = |finding: &&&Finding| finding.diagnostic.fix.as_ref().map(|fix| fix.applicability);
        open.iter().filter(|finding| sureness(finding) == Some(wanted)).count()
    };
    match (with(Applicability::Safe), with(Applicability::Unsafe)) {
        (0, 0) => Ok(()),
        (safe, 0) => writeln!(out, "{safe} fixable with `--fix`"),
        (0, risky) => writeln!(out, "{risky} fixable with `--unsafe-fixes`"),
        (safe, risky) => writeln!(out, "{safe} fixable with `--fix`, {risky} more with `--unsafe-fixes`"),
    }
}

/// What is not listed: plain translations, and findings that somebody accepted.
fn write_uncounted(out: &mut dyn Write, reports: &[FileReport]) -> io::Result<()> {
    let is_plain = |effort: &Effort| *effort == Effort::Automatic;
    let counts = reports.iter().flat_map(|report| &report.efforts);
    let automatic: usize = counts.filter(|((effort, _), _)| is_plain(effort)).map(|(_, count)| count).sum();
    let listed = reports.iter().flat_map(|report| &report.findings);
    let listed = listed.filter(|f| !f.applied && Effort::of(&f.diagnostic) == Some(Effort::Automatic)).count();
    if automatic > listed {
        let translations = plural(automatic - listed, "plain translation");
        writeln!(out, "{translations} not listed: `hipshift convert` does them")?;
    }
    for line in Unlisted::of(reports).lines() {
        writeln!(out, "{line}")?;
    }
    Ok(())
}
