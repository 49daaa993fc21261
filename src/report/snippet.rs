//! Findings with the line they are on, the way rustc shows them.

use super::visible::one_line;
use std::io::{self, Write};

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::diagnostic::{Applicability, Severity};
use crate::project::{Excerpt, FileReport, Finding};
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
    let mut group = Group::with_title(level.primary_title(&diagnostic.message).id(diagnostic.rule.code));
    group = with_snippet(group, report, (finding.start, finding.end), (main, diagnostic.rule.name));
    for (label, place) in diagnostic.labels.iter().zip(&finding.labels) {
        group = with_snippet(group, report, *place, (AnnotationKind::Context, &label.message));
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

/// Adds the line where a place starts, with a mark under the place.
fn with_snippet<'a>(
    group: Group<'a>,
    report: &'a FileReport,
    (start, end): (Position, Position),
    (kind, label): (AnnotationKind, &'a str),
) -> Group<'a> {
    let (path, number) = (one_line(report.path.as_str()), start.line as usize);
    let origin = Origin::path(path.clone()).line(number).char_column(start.column as usize);
    let Some(Excerpt { text, part, is_cut }) = report.excerpt_of(start, end) else { return group.element(origin) };
    let snippet = Snippet::source(text).line_start(number).annotation(kind.span(part).label(label));
    // The column in a line that is cut is not that in the excerpt.
    if is_cut { group.element(origin).element(snippet) } else { group.element(snippet.path(path)) }
}
