//! Findings as SARIF 2.1.0, which code hosts and editors read.

use std::io::{self, Write};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::fingerprint::fingerprint;
use super::json::JsonWavePolicy;
use super::part::{Part, PartWords};
use crate::diagnostic::{Applicability, RuleInfo, Severity};
use crate::project::{FileReport, Finding, Hidden, Proposal, Replacement, WaveDecision, Why};
use crate::source::Position;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Writes one run and a line end. Findings that do not count are in it, marked as suppressed.
pub fn write_sarif(
    out: &mut dyn Write,
    reports: &[FileReport],
    (wave, part): (Option<&WaveDecision>, Option<&Part>),
) -> io::Result<()> {
    let rules: Vec<&RuleInfo> = crate::engine::rules().collect();
    let results: Vec<Vec<Value>> = reports.iter().map(|report| results(report, &rules)).collect();
    let unread: Vec<Option<Value>> = reports.iter().map(notification).collect();
    let mut properties = serde_json::Map::new();
    if let Some(decision) = wave {
        properties.insert("wavePolicy".to_owned(), json!(JsonWavePolicy::of(decision)));
    }
    if let Some(part) = part {
        let unread = unread.iter().map(|unread| usize::from(unread.is_some()));
        properties.insert("shard".to_owned(), json!(places(part, results.iter().map(Vec::len), unread)));
    }
    let properties = (!properties.is_empty()).then_some(Value::Object(properties));
    write_log(out, &results.concat(), &unread.into_iter().flatten().collect::<Vec<_>>(), properties)
}

/// A part with a place for each result and each thing that could not be read: that of their file or program.
pub(super) fn places(
    part: &Part,
    results: impl Iterator<Item = usize>,
    unread: impl Iterator<Item = usize>,
) -> PartWords {
    let each = |(at, count): (usize, usize)| std::iter::repeat_n(part.position(at), count);
    PartWords {
        positions: results.enumerate().flat_map(each).collect(),
        unread: unread.enumerate().flat_map(each).collect(),
        ..part.words()
    }
}

/// Writes results of one run, with the rules that they may name, what could not be done, and what else is known of the run.
pub(super) fn write_log(
    out: &mut dyn Write,
    results: &[Value],
    unread: &[Value],
    properties: Option<Value>,
) -> io::Result<()> {
    let rules: Vec<&RuleInfo> = crate::engine::rules().collect();
    let mut log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "hipshift",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(|rule| descriptor(rule)).collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": unread.is_empty(),
                "toolExecutionNotifications": unread,
            }],
            "results": results,
        }],
    });
    if let Some(properties) = properties {
        log["runs"][0]["properties"] = properties;
    }
    serde_json::to_writer_pretty(&mut *out, &log)?;
    writeln!(out)
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info | Severity::Hint => "note",
    }
}

fn descriptor(rule: &RuleInfo) -> Value {
    let page = rule.page();
    json!({
        "id": rule.code,
        "name": rule.name,
        "shortDescription": { "text": rule.summary() },
        "help": { "text": page, "markdown": page },
        "defaultConfiguration": { "level": level(rule.severity) },
    })
}

fn notification(report: &FileReport) -> Option<Value> {
    let error = report.error.as_ref()?;
    Some(json!({
        "level": "error",
        "message": { "text": error },
        "locations": [{ "physicalLocation": { "artifactLocation": artifact(report) } }],
    }))
}

fn results(report: &FileReport, rules: &[&RuleInfo]) -> Vec<Value> {
    let open = report.findings.iter().filter(|finding| !finding.applied).map(|finding| (finding, None));
    let hidden = report.hidden.iter().map(|hidden| (&hidden.finding, Some(suppression(hidden))));
    open.chain(hidden).map(|(finding, suppression)| result(report, finding, suppression, rules)).collect()
}

fn result(report: &FileReport, finding: &Finding, suppression: Option<Value>, rules: &[&RuleInfo]) -> Value {
    let diagnostic = &finding.diagnostic;
    let notes = diagnostic.notes.iter().flat_map(|note| ["\nnote: ", note]).collect::<String>();
    let mut place = location(report, finding.start, finding.end);
    if let Some(excerpt) = report.excerpt(finding) {
        place["physicalLocation"]["contextRegion"] =
            json!({ "startLine": finding.start.line, "snippet": { "text": excerpt.text } });
    }
    let mut result = json!({
        "ruleId": diagnostic.rule.code,
        "level": level(diagnostic.severity),
        "message": { "text": format!("{}{notes}", diagnostic.message) },
        "locations": [place],
        "partialFingerprints": { "hipshift/v1": fingerprint(report, finding) },
    });
    if let Some(index) = rules.iter().position(|rule| rule.code == diagnostic.rule.code) {
        result["ruleIndex"] = json!(index);
    }
    if !finding.labels.is_empty() {
        let labels = diagnostic.labels.iter().zip(&finding.labels);
        let related = labels.map(|(label, (start, end))| {
            let mut related = location(report, *start, *end);
            related["message"] = json!({ "text": label.message });
            related
        });
        result["relatedLocations"] = related.collect();
    }
    if let Some(fix) = fix(report, finding) {
        result["fixes"] = json!([fix]);
    }
    // An empty list says that somebody looked and suppressed nothing.
    result["suppressions"] = suppression.into_iter().collect();
    result
}

fn fix(report: &FileReport, finding: &Finding) -> Option<Value> {
    let (fix, proposal): (_, &Proposal) = (finding.diagnostic.fix.as_ref()?, finding.proposal.as_ref()?);
    let replacement = |replacement: &Replacement| {
        json!({
            "deletedRegion": region(replacement.start, replacement.end),
            "insertedContent": { "text": replacement.text },
        })
    };
    let safety = if fix.applicability == Applicability::Safe { "" } else { " (may change behaviour)" };
    Some(json!({
        "description": { "text": format!("{}{safety}", fix.title) },
        "artifactChanges": [{
            "artifactLocation": artifact(report),
            "replacements": proposal.replacements.iter().map(replacement).collect::<Vec<_>>(),
        }],
    }))
}

fn suppression(hidden: &Hidden) -> Value {
    match &hidden.why {
        Why::Comment(reason) if reason.is_empty() => json!({ "kind": "inSource" }),
        Why::Comment(reason) => json!({ "kind": "inSource", "justification": reason }),
        Why::Rejected(reason) if reason.is_empty() => {
            json!({ "kind": "external", "justification": "rejected in review" })
        }
        Why::Rejected(reason) => {
            json!({ "kind": "external", "justification": format!("rejected in review: {reason}") })
        }
        Why::Baseline => json!({ "kind": "external", "justification": "the baseline holds it" }),
    }
}

fn location(report: &FileReport, start: Position, end: Position) -> Value {
    json!({ "physicalLocation": { "artifactLocation": artifact(report), "region": region(start, end) } })
}

fn region(start: Position, end: Position) -> Value {
    json!({
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    })
}

/// What stays as it is in the path of a URI.
const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

fn artifact(report: &FileReport) -> Value {
    artifact_of(report.path.as_str())
}

/// The file of a path.
pub(super) fn artifact_of(path: &str) -> Value {
    let path = path.replace('\\', "/");
    let encoded = utf8_percent_encode(path.trim_start_matches("./"), PATH);
    let scheme = if path.starts_with('/') { "file://" } else { "" };
    json!({ "uri": format!("{scheme}{encoded}") })
}
