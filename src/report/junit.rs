//! Findings as test results: one suite for each file, one failed test for each finding.

use std::io::{self, Write};

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::part::{POSITION, Part};
use super::summary::wave_reason;
use super::visible::{escaped, one_line};
use crate::project::{FileReport, Finding, WaveDecision};

/// Writes the report. A file without findings is one test that passed.
pub fn write_junit(
    out: &mut dyn Write,
    reports: &[FileReport],
    (wave, part): (Option<&WaveDecision>, Option<&Part>),
) -> io::Result<()> {
    write_suites(out, "hipshift", reports.iter().map(|report| suite(report, wave)), part)
}

/// Writes the suites of a run, or of a part of one, where each tells its place.
pub(super) fn write_suites(
    out: &mut dyn Write,
    name: &str,
    suites: impl Iterator<Item = TestSuite>,
    part: Option<&Part>,
) -> io::Result<()> {
    let mut written = Report::new(Part::mark(part, name));
    for (at, mut suite) in suites.enumerate() {
        if let Some(part) = part {
            suite.add_property((POSITION, part.position(at).to_string().as_str()));
        }
        written.add_test_suite(suite);
    }
    written.serialize(&mut *out).map_err(io::Error::other)?;
    writeln!(out)
}

fn suite(report: &FileReport, wave: Option<&WaveDecision>) -> TestSuite {
    let mut suite = TestSuite::new(one_line(report.path.as_str()).as_ref());
    if let Some((policy, _)) = wave.map(wave_reason) {
        suite.add_property(("wave-policy", policy));
    }
    if let Some(error) = &report.error {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_message(one_line(error).as_ref());
        suite.add_test_case(TestCase::new("read", status));
    }
    suite.add_test_cases(report.findings.iter().filter(|finding| !finding.applied).map(|f| case(report, f)));
    if suite.test_cases.is_empty() {
        suite.add_test_case(TestCase::new("lint", TestCaseStatus::success()));
    }
    suite
}

fn case(report: &FileReport, finding: &Finding) -> TestCase {
    let (diagnostic, at) = (&finding.diagnostic, finding.start);
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_message(one_line(&diagnostic.message).as_ref()).set_type(diagnostic.severity.as_str());
    let notes = diagnostic.notes.iter().flat_map(|note| ["\nnote: ", note]).collect::<String>();
    let place = format!("{}:{}:{}", one_line(report.path.as_str()), at.line, at.column);
    status.set_description(escaped(&format!("{place}: {}{notes}", one_line(&diagnostic.message))));
    let mut case = TestCase::new(format!("{} {}:{}", diagnostic.rule.code, at.line, at.column), status);
    case.set_classname(diagnostic.rule.name);
    case
}
