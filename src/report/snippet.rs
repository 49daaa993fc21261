//! Findings with the line they are on, the way rustc shows them.

use std::io::{self, Write};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::diagnostic::Severity;
use crate::project::{FileReport, Finding};

/// Writes all findings of `reports` that are graver than a hint. Colour is the writer's business.
pub fn write_snippets(out: &mut dyn Write, reports: &[FileReport]) -> io::Result<()> {
    let renderer = Renderer::styled();
    for report in reports {
        for finding in report.findings.iter().filter(|finding| finding.diagnostic.severity > Severity::Hint) {
            let line = report.lines.get(&finding.start.line).map_or("", String::as_str);
            let path = report.path.as_str();
            writeln!(out, "{}\n", renderer.render(&[group(finding, line, path)]))?;
        }
    }
    Ok(())
}

fn group<'a>(finding: &'a Finding, line: &'a str, path: &'a str) -> Group<'a> {
    let diagnostic = &finding.diagnostic;
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info | Severity::Hint => Level::INFO,
    };
    let span = span_in_line(finding, line);
    let snippet = Snippet::source(line)
        .line_start(finding.start.line as usize)
        .path(path)
        .annotation(AnnotationKind::Primary.span(span).label(diagnostic.rule.name));
    let mut group = level.primary_title(&diagnostic.message).id(diagnostic.rule.code).element(snippet);
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(note));
    }
    if let Some(fix) = &diagnostic.fix {
        let what = if finding.applied { "done" } else { "possible with `--unsafe-fixes`" };
        group = group.element(Level::HELP.message(format!("{}: {what}", fix.title)));
    }
    group
}

/// The bytes of the finding within its first line.
fn span_in_line(finding: &Finding, line: &str) -> std::ops::Range<usize> {
    let byte_at =
        |column: u32| line.char_indices().nth(column.saturating_sub(1) as usize).map_or(line.len(), |(at, _)| at);
    let start = byte_at(finding.start.column);
    let end = if finding.end.line == finding.start.line { byte_at(finding.end.column) } else { line.len() };
    start..end.max(start)
}
