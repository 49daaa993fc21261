//! What is known about the name under the cursor: its HIP form, releases, differences, calls, and the findings there.

use std::fmt::Write as _;

use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind, Position};

use super::checks::Analysis;
use super::positions::Encoding;
use super::uris::rule_uri;
use crate::analysis::{Bounds, LAUNCH_BOUNDS};
use crate::diagnostic::Diagnostic;
use crate::mapping::{Entry, Kind, Resolution};
use crate::report::resource_markdown;
use crate::source::{TextRange, TextSize};
use crate::syntax::{Document, TokenIdx, TokenKind};
use crate::validate::Measured;

/// What to show at a position; nothing where nothing is known.
pub(super) fn hover(analysis: &Analysis, position: Position, encoding: Encoding) -> Option<Hover> {
    let text = &analysis.buffer.text;
    let offset = crate::source::range(text.offset(position, encoding), 0).start();
    let document = &analysis.document;
    let (range, name, is_header) = subject(document, offset)?;
    let mut page = String::new();
    write_entries(&mut page, analysis, (name, is_header));
    let around = if name == LAUNCH_BOUNDS { bounds_at(document, range) } else { range };
    for finding in findings_in(analysis, around) {
        write_finding(&mut page, &finding);
    }
    write_resources(&mut page, analysis, name);
    if page.is_empty() {
        return None;
    }
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value: page });
    Some(Hover { contents, range: Some(text.range(range, encoding)) })
}

/// What a kernel needs of a GPU, if its file was validated.
fn write_resources(page: &mut String, analysis: &Analysis, name: &str) {
    let Some(measured) = analysis.buffer.path.as_deref().and_then(Measured::read) else { return };
    let table = resource_markdown(measured.of(name).take(MOST_INSTANCES));
    if table.is_empty() {
        return;
    }
    let file = analysis.document.file();
    let since = if measured.is_about(&file.encode(&file.text)) { "" } else { ", before the file was changed" };
    let gap = if page.is_empty() { "" } else { "\n" };
    let _ = writeln!(page, "{gap}Compiled by `hipshift validate`{since}:\n\n{table}");
    if let more @ 1.. = measured.of(name).count().saturating_sub(MOST_INSTANCES) {
        let _ = writeln!(page, "and {more} more");
    }
}

/// A template shows so many instances and targets.
const MOST_INSTANCES: usize = 20;

/// The name or included file at a place, and whether it is the latter.
fn subject(document: &Document, offset: TextSize) -> Option<(TextRange, &str, bool)> {
    if let Some(include) = document.includes().find(|include| include.path_range.contains_inclusive(offset)) {
        return Some((include.path_range, include.path, true));
    }
    let token = identifier_at(document, offset)?;
    let range = document.token(token)?.range();
    Some((range, document.slice(range), false))
}

/// The identifier that a place lies in or at the end of.
pub(super) fn identifier_at(document: &Document, offset: TextSize) -> Option<TokenIdx> {
    let next = document.token_at(offset);
    let candidates = [Some(next), next.checked_sub(1)].into_iter().flatten();
    let holds = |idx: &TokenIdx| {
        let token = document.token(*idx);
        token.is_some_and(|token| token.kind == TokenKind::Ident && token.range().contains_inclusive(offset))
    };
    candidates.into_iter().find(holds)
}

/// From `__launch_bounds__` to the end of its arguments.
fn bounds_at(document: &Document, name: TextRange) -> TextRange {
    Bounds::at(document, document.token_at(name.start())).range
}

/// The findings that start within a range, or cover it from the same line on.
fn findings_in(analysis: &Analysis, range: TextRange) -> Vec<Diagnostic> {
    let first = analysis.all.count_before(range.start());
    let last = analysis.all.count_before(range.end());
    let mut found: Vec<Diagnostic> = (first..last).filter_map(|number| analysis.all.get(number)).collect();
    // A name that another file declares is known by now.
    for finding in &mut found {
        let subject = analysis.document.slice(finding.range);
        crate::engine::reconcile(finding, subject, |name| analysis.view.declared.contains(name));
    }
    found
}

fn write_entries(page: &mut String, analysis: &Analysis, (name, is_header): (&str, bool)) {
    let (table, settings) = (&analysis.project.table, &analysis.project.settings);
    let fits = |entry: &&Entry| (entry.kind == Kind::Header) == is_header;
    let entries: Vec<&Entry> = table.get(name).iter().filter(fits).collect();
    let resolution = table.resolve(name, is_header, settings.rocm, &settings.libraries);
    let headline = match resolution {
        Some(Resolution::Name(to, _)) if to == name => Some(format!("`{name}` has the same name in HIP")),
        Some(Resolution::Name(to, _)) => Some(format!("`{name}` → `{to}`")),
        Some(Resolution::OtherRelease(_)) => Some(format!("`{name}` has no counterpart in ROCm {}", settings.rocm)),
        Some(Resolution::Missing(_)) => Some(format!("`{name}` has no counterpart in HIP")),
        None => None,
    };
    if let Some(headline) = headline {
        let _ = writeln!(page, "**{headline}**\n");
        for entry in entries {
            write_entry(page, entry);
        }
        for call in table.calls_of(name) {
            let _ = writeln!(page, "- call: `{call}`");
        }
        return;
    }
    for entry in table.reverse(name).into_iter().filter(fits).take(MOST_REVERSE) {
        let _ = writeln!(page, "**`{name}` is `{}` in CUDA**\n", entry.cuda);
        write_entry(page, entry);
    }
}

/// A HIP name that stands for many of CUDA's shows so many.
const MOST_REVERSE: usize = 3;

fn write_entry(page: &mut String, entry: &Entry) {
    let hip = if entry.hip.is_empty() { "none".to_owned() } else { format!("`{}`", entry.hip) };
    let _ = write!(page, "- {hip}: {} of {}, support: {}", entry.kind.as_str(), entry.library, entry.support.as_str());
    match (entry.range.since, entry.range.until) {
        (Some(since), Some(until)) => drop(write!(page, ", ROCm {since} to {until}")),
        (Some(since), None) => drop(write!(page, ", since ROCm {since}")),
        (None, Some(until)) => drop(write!(page, ", until ROCm {until}")),
        (None, None) => {}
    }
    if !entry.roc.is_empty() {
        let _ = write!(page, ", in AMD's own library `{}`", entry.roc);
    }
    page.push('\n');
    if !entry.note.is_empty() {
        let _ = writeln!(page, "  - {}", entry.note);
    }
}

fn write_finding(page: &mut String, finding: &Diagnostic) {
    if !page.is_empty() {
        page.push('\n');
    }
    let rule = finding.rule;
    let link = rule_uri(rule.code).map(|uri| uri.as_str().to_owned()).unwrap_or_default();
    let _ =
        writeln!(page, "[{} {}]({link}), {}: {}\n", rule.code, rule.name, finding.severity.as_str(), finding.message);
    for note in &finding.notes {
        let _ = writeln!(page, "- {note}");
    }
    if let Some(fix) = &finding.fix {
        let _ = writeln!(page, "- fix: {}", fix.title);
    }
}
