//! Findings that no fix of this run deals with, as lines that look like comments.

use std::io::{self, Write};

use super::paint::{Paint, Role};
use super::visible::visible;
use crate::diagnostic::{Applicability, Severity};
use crate::project::{FileReport, Finding};
use crate::report::visible::one_line;

/// The findings that are shown: those that are not dealt with, plain counts aside.
pub(in crate::report) fn open(report: &FileReport) -> impl Iterator<Item = &Finding> {
    report.findings.iter().filter(|finding| !finding.applied && finding.diagnostic.severity > Severity::Hint)
}

/// Writes a finding, with the line it is on if that is not in sight, in colour or without.
pub(super) fn write_finding(
    out: &mut dyn Write,
    report: &FileReport,
    finding: &Finding,
    (with_line, colour): (bool, bool),
) -> io::Result<()> {
    let paint = Paint { colour };
    let diagnostic = &finding.diagnostic;
    let role = match diagnostic.severity {
        Severity::Error => Role::Error,
        Severity::Warning => Role::Warning,
        Severity::Info | Severity::Hint => Role::Info,
    };
    let mut text = String::new();
    paint.push(&mut text, Role::Margin, "# ");
    paint.push(&mut text, role, diagnostic.severity.as_str());
    let (code, name, line) = (diagnostic.rule.code, diagnostic.rule.name, finding.start.line);
    let (path, message) = (one_line(report.path.as_str()), visible(&diagnostic.message));
    text.extend([" ", code, " ", name, ", line ", &line.to_string(), " of ", &path, ": ", &message, "\n"]);
    if let Some(excerpt) = report.excerpt(finding).filter(|_| with_line) {
        note(paint, "    ", visible(&excerpt.text).trim_start(), &mut text);
    }
    for advice in &diagnostic.notes {
        note(paint, "  note: ", &visible(advice), &mut text);
    }
    if let Some(fix) = diagnostic.fix.as_ref().filter(|fix| fix.applicability == Applicability::Unsafe) {
        note(paint, "  help: ", &format!("{}: possible with `--unsafe-fixes`", fix.title), &mut text);
    }
    out.write_all(text.as_bytes())
}

fn note(paint: Paint, kind: &str, text: &str, out: &mut String) {
    paint.push(out, Role::Margin, "#");
    paint.push(out, Role::Info, kind);
    out.push_str(text);
    out.push('\n');
}
