//! The report as one HTML file that needs nothing else: no script, no font, no address.

use std::collections::BTreeMap;
use std::io::{self, Write};

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::diff::side_by_side;
use super::estimate::{Estimate, meaning};
use super::summary::wave_reason;
use super::unlisted::unlisted;
use super::words::plural;
use crate::diagnostic::{Applicability, RuleInfo, Severity};
use crate::engine::rules;
use crate::project::{Excerpt, FileReport, Finding, WaveDecision};

const STYLE: &str = include_str!("html.css");

/// Writes the page.
pub fn write_html(out: &mut dyn Write, reports: &[FileReport], wave: Option<&WaveDecision>) -> io::Result<()> {
    let body = html! {
        (summary(reports, wave))
        (effort(&Estimate::of(reports)))
        (by_rule(reports))
        (by_file(reports))
    };
    page(out, "hipshift report", "Findings on the way from CUDA to HIP", &body)
}

/// Writes a page with a title, a line about it, and what belongs below.
pub(super) fn page(out: &mut dyn Write, title: &str, about: &str, body: &Markup) -> io::Result<()> {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { (title) }
                    p { (about) ", made by hipshift " (env!("CARGO_PKG_VERSION")) "." }
                }
                main { (body) }
            }
        }
    };
    writeln!(out, "{}", page.into_string())
}

fn open(report: &FileReport) -> impl Iterator<Item = &Finding> {
    report.findings.iter().filter(|finding| !finding.applied)
}

fn summary(reports: &[FileReport], wave: Option<&WaveDecision>) -> Markup {
    let count =
        |severity| reports.iter().flat_map(open).filter(|finding| finding.diagnostic.severity == severity).count();
    let with_findings = reports.iter().filter(|report| open(report).next().is_some()).count();
    html! {
        section aria-labelledby="summary" {
            h2 id="summary" { "Summary" }
            ul.cards {
                @for severity in [Severity::Error, Severity::Warning, Severity::Info] {
                    @let number = count(severity);
                    li class=(severity.as_str()) {
                        strong id=(format!("count-{}", severity.as_str())) { (number) }
                        " " (noun(number, severity))
                    }
                }
                li { strong id="count-files" { (with_findings) } " of " (plural(reports.len(), "file")) " with findings" }
            }
            @if let Some((policy, reason)) = wave.map(wave_reason) {
                p { "Wave policy: " (policy) ", " (reason) "." }
            }
            @if let Some(sentence) = unlisted(reports) {
                p { "Not in this report, or not hipshift's own: " (sentence) "." }
            }
            @for error in reports.iter().filter_map(|report| report.error.as_ref()) {
                p.error { "Not read: " (error) }
            }
        }
    }
}

fn noun(count: usize, severity: Severity) -> &'static str {
    match (severity, count) {
        (Severity::Error, 1) => "error",
        (Severity::Error, _) => "errors",
        (Severity::Warning, 1) => "warning",
        (Severity::Warning, _) => "warnings",
        (Severity::Info | Severity::Hint, _) => "for information",
    }
}

/// A bar for each effort; the table beside it says the same in numbers.
fn effort(estimate: &Estimate) -> Markup {
    const WIDTH: usize = 360;
    let most = estimate.groups.iter().map(|group| group.findings).max().unwrap_or(0).max(1);
    let title = estimate.groups.iter().map(|group| format!("{} {}", group.effort.as_str(), group.findings));
    let title = title.collect::<Vec<_>>().join(", ");
    html! {
        section aria-labelledby="effort" {
            h2 id="effort" { "Effort" }
            svg.chart role="img" aria-label=(format!("Findings by effort: {title}")) viewBox="0 0 560 108" {
                @for (row, group) in estimate.groups.iter().enumerate() {
                    @let top = row * 36;
                    // A finding must be seen, however many there are of the other kinds.
                    @let width = (group.findings * WIDTH / most).max(usize::from(group.findings > 0) * 3);
                    text x="0" y=(top + 21) { (group.effort.as_str()) }
                    rect class=(group.effort.as_str()) x="100" y=(top + 4) width=(width) height="26" rx="3" {}
                    text x=(108 + width) y=(top + 21) { (group.findings) }
                }
            }
            table {
                caption { "Findings by effort, plain translations included" }
                thead { tr {
                    th scope="col" { "Effort" }
                    th scope="col" { "What it means" }
                    th.number scope="col" { "Findings" }
                    th.number scope="col" { "Files" }
                } }
                tbody {
                    @for group in &estimate.groups {
                        tr {
                            th scope="row" { (group.effort.as_str()) }
                            td { (with_code(meaning(group.effort))) }
                            td.number id=(format!("effort-{}", group.effort.as_str())) { (group.findings) }
                            td.number { (group.files) }
                        }
                    }
                }
            }
        }
    }
}

fn by_rule(reports: &[FileReport]) -> Markup {
    let mut counts: BTreeMap<&str, (Severity, usize, usize)> = BTreeMap::new();
    for report in reports {
        let mut in_file: BTreeMap<&str, (Severity, usize)> = BTreeMap::new();
        for finding in open(report) {
            let severity = finding.diagnostic.severity;
            let total = in_file.entry(finding.diagnostic.rule.code).or_insert((severity, 0));
            *total = (total.0.max(severity), total.1 + 1);
        }
        for (code, (severity, count)) in in_file {
            let total = counts.entry(code).or_insert((severity, 0, 0));
            *total = (total.0.max(severity), total.1 + count, total.2 + 1);
        }
    }
    let row =
        |rule: &'static RuleInfo| counts.get(rule.code).map(|&(severity, count, files)| (rule, severity, count, files));
    let mut rows: Vec<_> = rules().filter_map(row).collect();
    rows.sort_by_key(|&(_, severity, count, _)| std::cmp::Reverse((severity, count)));
    if rows.is_empty() {
        return html! { p { "There are no findings." } };
    }
    html! {
        section aria-labelledby="rules" {
            h2 id="rules" { "Rules" }
            table {
                caption { "Findings by rule, gravest first" }
                thead { tr {
                    th scope="col" { "Code" }
                    th scope="col" { "Rule" }
                    th scope="col" { "Severity" }
                    th.number scope="col" { "Findings" }
                    th.number scope="col" { "Files" }
                    th scope="col" { "What it finds" }
                } }
                tbody {
                    @for (rule, severity, count, files) in rows {
                        tr {
                            th scope="row" { code { (rule.code) } }
                            td { (rule.name) }
                            td { span class=(format!("badge {}", severity.as_str())) { (severity.as_str()) } }
                            td.number id=(format!("rule-{}", rule.code)) { (count) }
                            td.number { (files) }
                            td { (with_code(&rule.summary())) }
                        }
                    }
                }
            }
        }
    }
}

fn by_file(reports: &[FileReport]) -> Markup {
    html! {
        @if reports.iter().any(|report| open(report).next().is_some()) { section aria-labelledby="files" {
            h2 id="files" { "Files" }
            @for report in reports.iter().filter(|report| open(report).next().is_some()) {
                details open {
                    summary { code { (report.path) } " · " (plural(open(report).count(), "finding")) }
                    @for finding in open(report) { (self::finding(report, finding)) }
                }
            }
        } }
    }
}

fn finding(report: &FileReport, finding: &Finding) -> Markup {
    let diagnostic = &finding.diagnostic;
    html! {
        article class=(diagnostic.severity.as_str()) {
            h3 {
                span class=(format!("badge {}", diagnostic.severity.as_str())) { (diagnostic.severity.as_str()) }
                " " code { (diagnostic.rule.code) } " " (diagnostic.rule.name)
                span.place { (finding.start.line) ":" (finding.start.column) }
            }
            p { (with_code(&diagnostic.message)) }
            pre.source { code { @if let Some(excerpt) = report.excerpt(finding) { (marked(&excerpt)) } } }
            @for note in &diagnostic.notes { p.note { "Note: " (with_code(note)) } }
            @if let Some(fix) = &diagnostic.fix {
                p.fix { "Fix: " (with_code(&fix.title)) @if fix.applicability != Applicability::Safe { " (may change behaviour)" } }
            }
            @for hunk in finding.proposal.iter().flat_map(|proposal| &proposal.hunks) { (side_by_side(hunk)) }
        }
    }
}

/// A message whose parts between backticks are code.
pub(super) fn with_code(text: &str) -> Markup {
    html! {
        @for (number, part) in text.split('`').enumerate() {
            @if number % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// A line with a mark around what the finding is about.
fn marked(Excerpt { text, part, .. }: &Excerpt<'_>) -> Markup {
    html! { (text[..part.start]) mark { (text[part.clone()]) } (text[part.end..]) }
}
