//! Findings with the line they are on, the way rustc shows them.

use std::io::{self, Write};

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};

use crate::diagnostic::{Applicability, Severity};
use crate::project::{FileReport, Finding};
use crate::source::Position;

/// Writes all findings of `reports` that are graver than a hint. Colour is the writer's business.
/// `safe_fixes` says what becomes of a safe fix that is not applied.
pub fn write_snippets(out: &mut dyn Write, reports: &[FileReport], safe_fixes: &str) -> io::Result<()> {
    let renderer = Renderer::styled();
    for report in reports {
        for finding in report.findings.iter().filter(|finding| finding.diagnostic.severity > Severity::Hint) {
            writeln!(out, "{}\n", renderer.render(&[group(finding, report, safe_fixes)]))?;
        }
    }
    Ok(())
}

fn group<'a>(finding: &'a Finding, report: &'a FileReport, safe_fixes: &str) -> Group<'a> {
    let diagnostic = &finding.diagnostic;
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info | Severity::Hint => Level::INFO,
    };
    let main = AnnotationKind::Primary;
    let snippet = snippet(report, (finding.start, finding.end), main, diagnostic.rule.name);
    let mut group = level.primary_title(&diagnostic.message).id(diagnostic.rule.code).element(snippet);
    for (label, place) in diagnostic.labels.iter().zip(&finding.labels) {
        group = group.element(self::snippet(report, *place, AnnotationKind::Context, &label.message));
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(note));
    }
    if let Some(fix) = &diagnostic.fix {
        let what = match fix.applicability {
            _ if finding.applied => "done",
            Applicability::Safe => safe_fixes,
            Applicability::Unsafe => "possible with `--unsafe-fixes`",
            Applicability::DisplayOnly => "a sketch, to be done by hand",
        };
        group = group.element(Level::HELP.message(format!("{}: {what}", fix.title)));
    }
    group
}

/// The line where a place starts, with a mark under the place.
fn snippet<'a>(
    report: &'a FileReport,
    (start, end): (Position, Position),
    kind: AnnotationKind,
    label: &'a str,
) -> Snippet<'a, Annotation<'a>> {
    let line = report.lines.get(&start.line).map_or("", String::as_str);
    let annotation = kind.span(span_in_line(line, start, end)).label(label);
    Snippet::source(line).line_start(start.line as usize).path(report.path.as_str()).annotation(annotation)
}

/// The bytes of a place within its first line.
fn span_in_line(line: &str, start: Position, end: Position) -> std::ops::Range<usize> {
    let byte_at =
        |column: u32| line.char_indices().nth(column.saturating_sub(1) as usize).map_or(line.len(), |(at, _)| at);
    let first = byte_at(start.column);
    let last = if end.line == start.line { byte_at(end.column) } else { line.len() };
    first..last.max(first)
}
