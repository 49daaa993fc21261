//! What programs of googletest's say: their list of tests, their report in JSON, and their lines where they did not come to a report.

use serde::Deserialize;

use super::kept::{TestResult, Verdict};

/// The names of all tests of a list that are not disabled, as filters take them.
pub(super) fn tests(list: &str) -> Vec<String> {
    let mut tests = Vec::new();
    let mut suite = "";
    for line in list.lines() {
        // Behind it stands the type or the value of a parameter.
        let name = line.split("  # ").next().unwrap_or(line).trim_end();
        match name.strip_prefix("  ") {
            Some(test) if !suite.is_empty() => tests.push(format!("{suite}{test}")),
            Some(_) => {}
            // What the program itself prints is no suite.
            None => suite = if name.ends_with('.') && !name.contains(' ') { name } else { "" },
        }
    }
    tests.retain(|test| !test.split(['.', '/']).any(|part| part.starts_with("DISABLED_")));
    tests
}

#[derive(Deserialize)]
struct Report {
    testsuites: Vec<ReportSuite>,
}

#[derive(Deserialize)]
struct ReportSuite {
    testsuite: Vec<ReportTest>,
}

#[derive(Deserialize)]
struct ReportTest {
    classname: String,
    name: String,
    /// `RUN`, or `NOTRUN` where the filter or an earlier failure left it out.
    status: String,
    /// `COMPLETED` or `SKIPPED`, if it was run.
    #[serde(default)]
    result: String,
    /// As `1.5s`.
    #[serde(default)]
    time: String,
    #[serde(default)]
    failures: Vec<Failure>,
    #[serde(default)]
    skipped: Vec<Skipped>,
}

#[derive(Deserialize)]
struct Failure {
    failure: String,
}

#[derive(Deserialize)]
struct Skipped {
    message: String,
}

/// The tests of a report, in the order in which they were run.
pub(super) fn report(text: &str) -> serde_json::Result<Vec<TestResult>> {
    let report: Report = serde_json::from_str(text)?;
    let all = report.testsuites.into_iter().flat_map(|suite| suite.testsuite);
    Ok(all.filter(|test| test.status == "RUN").map(ReportTest::result).collect())
}

impl ReportTest {
    fn result(self) -> TestResult {
        let seconds: f64 = self.time.trim_end_matches('s').parse().unwrap_or_default();
        let messages: Vec<String> = self.failures.into_iter().map(|failure| failure.failure).collect();
        let (verdict, message) = match (messages.as_slice(), self.result.as_str()) {
            ([_, ..], _) => (Verdict::Failed, messages.join("\n")),
            ([], "SKIPPED") => {
                let reasons: Vec<String> = self.skipped.into_iter().map(|skipped| skipped.message).collect();
                (Verdict::Skipped, reasons.join("\n"))
            }
            _ => (Verdict::Passed, String::new()),
        };
        TestResult { test: format!("{}.{}", self.classname, self.name), verdict, seconds, message }
    }
}

/// What lines of a program that did not come to its report tell.
#[derive(Debug, PartialEq)]
pub(super) struct Progress {
    /// Tests that ended.
    pub(super) ended: Vec<TestResult>,
    /// The test that was running, with what was printed since it began.
    pub(super) running: Option<(String, String)>,
}

/// Reads such lines.
pub(super) fn progress(output: &str) -> Progress {
    let mut progress = Progress { ended: Vec::new(), running: None };
    for line in output.lines() {
        let (mark, rest) = match line.strip_prefix('[').and_then(|line| line.split_once("] ")) {
            Some((mark, rest)) => (mark.trim(), rest),
            None => ("", line),
        };
        let verdict = match mark {
            "RUN" => {
                progress.running = Some((rest.trim().to_owned(), String::new()));
                continue;
            }
            "OK" => Verdict::Passed,
            "FAILED" => Verdict::Failed,
            "SKIPPED" => Verdict::Skipped,
            _ => {
                if let Some((_, said)) = &mut progress.running {
                    said.extend([line, "\n"]);
                }
                continue;
            }
        };
        // The list of failures at the end has the same mark.
        if let Some((test, said)) = progress.running.take_if(|(test, _)| names(rest, test)) {
            let message = if verdict == Verdict::Passed { String::new() } else { said.trim_end().to_owned() };
            progress.ended.push(TestResult { test, verdict, seconds: seconds(rest), message });
        }
    }
    progress
}

/// Whether what stands behind a mark is about a test: its name, and perhaps its parameter and its time.
fn names(rest: &str, test: &str) -> bool {
    rest.strip_prefix(test).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ',']))
}

/// The time in `NAME (12 ms)`.
fn seconds(rest: &str) -> f64 {
    let number = rest.rsplit_once(" (").and_then(|(_, time)| time.strip_suffix(" ms)")?.parse::<f64>().ok());
    number.unwrap_or_default() / 1000.0
}

/// The option that has a program run some tests only.
pub(super) fn filter(tests: &[String]) -> String {
    // Some signs have a meaning in a filter; any sign matches them.
    let names = tests.iter().map(|test| test.replace([':', '-', '*'], "?"));
    format!("--gtest_filter={}", names.collect::<Vec<_>>().join(":"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(test: &str, verdict: Verdict, seconds: f64, message: &str) -> TestResult {
        TestResult { test: test.to_owned(), verdict, seconds, message: message.to_owned() }
    }

    #[test]
    fn names_of_a_list_have_their_suite_and_no_parameters() {
        let list = "Running main() from gmock_main.cc\nversion: 1.\nPlain.\n  First\n  DISABLED_Second\n\
                    Typed/0.  # TypeParam = some<float, 4>\n  Test\nDISABLED_Group.\n  Test\n\
                    Values/Group.\n  Test/0  # GetParam() = 4-byte object <01-00 00-00>\n";
        assert_eq!(tests(list), ["Plain.First", "Typed/0.Test", "Values/Group.Test/0"]);
        assert!(tests("  no suite\n").is_empty());
    }

    #[test]
    fn a_report_tells_what_passed_failed_and_was_skipped() {
        let text = r#"{"tests": 4, "testsuites": [{"name": "S/0", "testsuite": [
            {"name": "A", "status": "RUN", "result": "COMPLETED", "time": "1.5s", "classname": "S/0"},
            {"name": "B", "status": "RUN", "result": "COMPLETED", "time": "0s", "classname": "S/0",
             "failures": [{"failure": "f.cpp:1\nExpected", "type": ""}, {"failure": "more", "type": ""}]},
            {"name": "C", "status": "RUN", "result": "SKIPPED", "time": "0s", "classname": "S/0",
             "skipped": [{"message": "no peer"}]},
            {"name": "D", "status": "NOTRUN", "result": "SUPPRESSED", "time": "0s", "classname": "S/0"}]}]}"#;
        let expected = [
            result("S/0.A", Verdict::Passed, 1.5, ""),
            result("S/0.B", Verdict::Failed, 0.0, "f.cpp:1\nExpected\nmore"),
            result("S/0.C", Verdict::Skipped, 0.0, "no peer"),
        ];
        assert_eq!(report(text).unwrap(), expected);
        assert!(report("{\"tests\": 4, ").is_err());
    }

    #[test]
    fn lines_tell_how_far_a_program_came() {
        let output = "[==========] Running 4 tests\n[ RUN      ] S/0.A\n[       OK ] S/0.A (1500 ms)\n\
                      [ RUN      ] S/0.AB\nf.cpp:1\n[  FAILED  ] S/0.AB, where TypeParam = int (2 ms)\n\
                      [ RUN      ] S/0.C\n[  SKIPPED ] S/0.C (0 ms)\n[ RUN      ] S/0.D\nsaid\n[ odd\n";
        let ended = vec![
            result("S/0.A", Verdict::Passed, 1.5, ""),
            result("S/0.AB", Verdict::Failed, 0.002, "f.cpp:1"),
            result("S/0.C", Verdict::Skipped, 0.0, ""),
        ];
        let running = Some(("S/0.D".to_owned(), "said\n[ odd\n".to_owned()));
        assert_eq!(progress(output), Progress { ended, running });
        let end = progress(
            "[ RUN      ] A.B\n[  FAILED  ] A.B (1 ms)\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] A.B\n",
        );
        assert_eq!((end.ended.len(), end.running), (1, None));
    }

    #[test]
    fn signs_of_filters_in_names_match_any_sign() {
        let names = ["A.b/f32_r-1".to_owned(), "A.c".to_owned()];
        assert_eq!(filter(&names), "--gtest_filter=A.b/f32_r?1:A.c");
    }
}
