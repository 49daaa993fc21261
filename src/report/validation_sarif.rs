//! The result of a validation as SARIF: messages of the compiler, kernels that need too much, programs that failed.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::part::Part;
use super::sarif::{artifact_of, places, write_log};
use super::validation_formats::{reason, wave_finding_line, wave_reason};
use super::validation_sums::Sums;
use crate::validate::{Gravity, Message, Place, ProgramResult, Resources, TargetResult};

/// Writes one run. Messages without a place are about the program's file with `main`.
pub fn write_validation_sarif(out: &mut dyn Write, results: &[ProgramResult], part: Option<&Part>) -> io::Result<()> {
    let mut sums = Sums::of(results).json();
    let results: Vec<Vec<Value>> = results.iter().map(of_program).collect();
    if let Some(part) = part {
        sums["shard"] = json!(places(part, results.iter().map(Vec::len), std::iter::empty()));
    }
    write_log(out, &results.concat(), &[], Some(sums))
}

fn of_program(result: &ProgramResult) -> Vec<Value> {
    let source = result.source.as_str();
    let messages = result.messages.iter().map(|message| of_message(message, source));
    let kernels = result.resources.iter().flat_map(|kernel| of_kernel(kernel, source));
    let runs =
        result.targets.iter().filter(|target| target.verdict.is_failure()).filter_map(|target| of_run(target, result));
    let wave = result.wave_difference.as_ref();
    let wave = wave.map(|wave| {
        let lines = wave.findings.iter().map(|finding| format!("\n{}", wave_finding_line(finding)));
        let text = wave_reason(wave) + &lines.collect::<String>();
        finding("wave-difference", "error", &text, &location(None, source))
    });
    messages.chain(kernels).chain(runs).chain(wave).collect()
}

fn of_message(message: &Message, source: &str) -> Value {
    let trap = message.explanation.as_ref();
    let rule = message.rule.as_ref();
    let code = trap.map(|trap| trap.code).or(rule.map(|cause| cause.code)).unwrap_or("compiler");
    let said = rule.map(|cause| format!("\n{}: {}", cause.code, cause.message)).unwrap_or_default();
    let behind = trap.map(|trap| format!("\n{}: {}", trap.code, trap.text)).unwrap_or_default();
    finding(
        code,
        message.gravity.word(),
        &format!("{}{said}{behind}", message.text),
        &location(message.place.as_ref(), source),
    )
}

fn of_kernel<'k>(kernel: &'k Resources, source: &'k str) -> impl Iterator<Item = Value> + 'k {
    kernel.warnings().into_iter().map(move |warning| {
        let text = format!("`{}` on {}: {warning}", kernel.kernel, kernel.target);
        finding("kernel-resources", "warning", &text, &location(kernel.place.as_ref(), source))
    })
}

/// A program that was refused has messages that say why.
fn of_run(target: &TargetResult, result: &ProgramResult) -> Option<Value> {
    let has_said = result.messages.iter().any(|message| message.gravity == Gravity::Error);
    let text = format!("{} on {}: {}", result.name, target.target.name, reason(&target.verdict)?);
    (!has_said).then(|| {
        let mut found = finding("program", "error", &text, &location(None, result.source.as_str()));
        found["properties"] = json!({ "evidence": target.evidence.label() });
        found
    })
}

fn finding(rule: &str, level: &str, text: &str, location: &Value) -> Value {
    json!({ "ruleId": rule, "level": level, "message": { "text": text }, "locations": [location] })
}

/// A line of a file. Compilers count columns in bytes and SARIF does not, so there is none.
fn location(place: Option<&Place>, source: &str) -> Value {
    match place {
        Some(place) => json!({ "physicalLocation": {
            "artifactLocation": artifact_of(place.file.as_str()),
            "region": { "startLine": place.line },
        } }),
        None => json!({ "physicalLocation": { "artifactLocation": artifact_of(source) } }),
    }
}
