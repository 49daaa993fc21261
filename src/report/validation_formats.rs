//! The result of a validation as JSON and as test results.

use std::io::{self, Write};

use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};
use serde_json::{Value, json};

use super::junit::write_suites;
use super::part::Part;
use super::resources::resource_text;
use super::validation_sums::Sums;
use super::visible::{escaped, line_start, one_line};
use crate::validate::{
    Made, Message, Mismatch, Place, ProgramResult, Resources, TargetResult, Verdict, WaveDifference, WaveFinding,
};

/// Writes one document: programs with their messages and a result for each target.
pub fn write_validation_json(out: &mut dyn Write, results: &[ProgramResult], part: Option<&Part>) -> io::Result<()> {
    let programs: Vec<Value> = results.iter().map(program).collect();
    let sums = Sums::of(results);
    let mut document = json!({ "programs": programs, "sums": sums.json() });
    if let Some(part) = part {
        document["shard"] = json!(part.words());
    }
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

fn program(result: &ProgramResult) -> Value {
    let wave = result.wave_difference.as_ref().map(|wave| {
        let findings = wave.findings.iter().map(|finding| {
            let (place, cause) = (&finding.place, &finding.cause);
            json!({ "file": place.file, "line": place.line, "column": place.column, "code": cause.code,
                    "message": cause.message, "changed": cause.wrote })
        });
        json!({ "wide": wave.wide.name, "narrow": wave.narrow.name, "difference": difference(&wave.difference),
                "findings": findings.collect::<Vec<_>>() })
    });
    json!({
        "name": result.name,
        "source": result.source,
        "messages": result.messages.iter().map(message).collect::<Vec<_>>(),
        "resources": result.resources.iter().map(kernel).collect::<Vec<_>>(),
        "targets": result.targets.iter().map(target).collect::<Vec<_>>(),
        "wave_difference": wave,
    })
}

fn message(message: &Message) -> Value {
    let place = message.place.as_ref();
    json!({
        "severity": message.gravity.word(),
        "file": place.map(|place| &place.file),
        "line": place.map(|place| place.line),
        "column": place.map(|place| place.column),
        "text": message.text,
        "count": message.count,
        "explanation": message.explanation.as_ref().map(|trap| json!({ "code": trap.code, "text": trap.text })),
        "rule": message.rule.as_ref().map(|rule| json!({ "code": rule.code, "message": rule.message, "wrote": rule.wrote })),
    })
}

fn kernel(kernel: &Resources) -> Value {
    let place = kernel.place.as_ref();
    json!({
        "kernel": kernel.kernel,
        "target": kernel.target,
        "file": place.map(|place| &place.file),
        "line": place.map(|place| place.line),
        "vgprs": kernel.registers.vector,
        "sgprs": kernel.registers.scalar,
        "agprs": kernel.registers.accumulation,
        "lds": kernel.lds,
        "scratch": kernel.scratch,
        "dynamic_stack": kernel.dynamic_stack,
        "spilled_vgprs": kernel.spilled.vector,
        "spilled_sgprs": kernel.spilled.scalar,
        "occupancy": kernel.occupancy,
        "asked_occupancy": kernel.asked,
        "warnings": kernel.warnings(),
    })
}

fn target(result: &TargetResult) -> Value {
    json!({
        "target": result.target.name,
        "wave_size": result.target.wave_size,
        "verdict": result.verdict.label(),
        "evidence": result.evidence.label(),
        "seconds": result.time.map(|time| time.as_secs_f64()),
        "reason": reason(&result.verdict),
        "difference": match &result.verdict { Verdict::Differs(found) => Some(difference(found)), _ => None },
        "last_lines": result.last_words,
        "findings": result.findings,
    })
}

fn difference(difference: &Mismatch) -> Value {
    match difference {
        Mismatch::Text(text) => json!({ "line": text.line, "expected": text.expected, "actual": text.actual }),
        Mismatch::Array(array) => json!({
            "array": array.array,
            "index": array.index,
            "wrong": array.wrong,
            "count": array.count,
            "expected": array.expected,
            "actual": array.actual,
        }),
    }
}

/// `file:line:column: error: text`, as compilers write it.
pub(super) fn message_line(message: &Message) -> String {
    format!("{}{}: {}", place_prefix(message.place.as_ref()), message.gravity.word(), message.text)
}

/// Behind a message that was said more than once.
pub(super) fn times(count: usize) -> String {
    if count > 1 { format!(" ({count} times)") } else { String::new() }
}

/// What stands before a message about a place.
pub(super) fn place_prefix(place: Option<&Place>) -> String {
    place.map_or_else(String::new, |place| format!("{}: ", line_start(&place.to_string())))
}

/// Why a program did not end well, in words.
pub(super) fn reason(verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::NotCompiled => Some("the compiler refused it".to_owned()),
        Verdict::NotLinked => Some("the linker refused it".to_owned()),
        Verdict::Made(Made::Unlinked(reason)) => Some(format!("not linked: {reason}")),
        Verdict::NotRun(reason) => Some(reason.clone()),
        Verdict::Failed(ending) => Some(ending.to_string()),
        Verdict::Unsteady(found) => {
            Some(format!("does something else with schedules of seeds {} and {}", found.seeds[0], found.seeds[1]))
        }
        Verdict::Found => Some("checks found defects".to_owned()),
        Verdict::NoReference(reason) => Some(format!("what it should come to cannot be read: {reason}")),
        Verdict::SaysFailed(line) => Some(format!("ended with code 0, but prints `{}`", line.trim())),
        Verdict::WaveDependent => Some("something else comes out where waves have another width".to_owned()),
        Verdict::Differs(difference) => Some(format!("{} is not as expected", difference.place())),
        Verdict::Made(_) | Verdict::Ran | Verdict::Matched => None,
    }
}

/// What speaks against a program whose output hangs on the width of waves, in words.
pub(super) fn wave_reason(wave: &WaveDifference) -> String {
    let verb = match wave.difference {
        Mismatch::Text(_) => "prints",
        Mismatch::Array(_) => "computes",
    };
    let [wide, narrow] = [wave.wide, wave.narrow].map(|target| format!("{} (wave{})", target.name, target.wave_size));
    format!("{verb} something else on {wide} than on {narrow}")
}

/// `file:line:column: code: what the rule says`, as messages of the compiler are shown.
pub(super) fn wave_finding_line(finding: &WaveFinding) -> String {
    let (place, cause) = (&finding.place, &finding.cause);
    let changed = if cause.wrote { " (changed by the conversion)" } else { "" };
    format!("{}: {}: {}{changed}", one_line(&place.to_string()), cause.code, cause.message)
}

/// Writes a suite for each program with a test for each target. What was not run is skipped, never passed.
pub fn write_validation_junit(out: &mut dyn Write, results: &[ProgramResult], part: Option<&Part>) -> io::Result<()> {
    write_suites(out, "hipshift validate", results.iter().map(suite), part)
}

fn suite(result: &ProgramResult) -> TestSuite {
    let mut suite = TestSuite::new(one_line(&result.name).as_ref());
    for (label, count) in Sums::of(std::slice::from_ref(result)).evidence {
        suite.add_property((label, count.to_string().as_str()));
    }
    suite.add_test_cases(result.targets.iter().map(|target| case(target, &result.resources)));
    if let Some(wave) = &result.wave_difference {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status.set_message(wave_reason(wave));
        status.set_description(escaped(&wave.findings.iter().map(wave_finding_line).collect::<Vec<_>>().join("\n")));
        suite.add_test_case(TestCase::new("waves of 64 and 32 lanes", status));
    }
    suite
}

fn case(result: &TargetResult, resources: &[Resources]) -> TestCase {
    let mut status = match &result.verdict {
        verdict if verdict.is_success() => TestCaseStatus::success(),
        Verdict::NotRun(_) | Verdict::Made(_) => TestCaseStatus::skipped(),
        _ => TestCaseStatus::non_success(NonSuccessKind::Failure),
    };
    if let Some(reason) = reason(&result.verdict) {
        status.set_message(one_line(&reason).as_ref());
    }
    if !result.findings.is_empty() {
        status.set_description(escaped(&result.findings.join("\n")));
    }
    let mut case = TestCase::new(format!("{} ({})", result.target.name, result.evidence.label()), status);
    if let Some(time) = result.time {
        case.set_time(time);
    }
    let kernels = resource_text(resources.iter().filter(|kernel| kernel.target == result.target.name));
    if !kernels.is_empty() {
        case.set_system_out(kernels);
    }
    case
}
