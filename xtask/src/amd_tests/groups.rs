//! Runs the tests of a program in groups, each in a process of its own, until each is known.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use super::googletest;
use super::kept::{TestResult, Verdict};

/// Lines of a message that are kept.
const LINES: usize = 12;

/// How a process ended, and what it left.
pub(super) struct Ended {
    /// None if its time was over, else whether it said that all is well.
    pub(super) well: Option<bool>,
    /// The last words of a process that did not end well, from the system.
    pub(super) ending: String,
    pub(super) output: String,
    pub(super) errors: String,
    /// The text of its report, if it wrote one.
    pub(super) report: Option<String>,
}

/// The times of a program.
pub(super) struct Times {
    /// What a process gets. A test that has had half of it is too slow.
    pub(super) process: Duration,
    /// When no further process is started.
    pub(super) end: Instant,
}

/// Starts a process with some tests and a limit of time.
pub(super) type Start<'s, E> = dyn Fn(&[String], Duration) -> Result<Ended, E> + 's;

/// Neighbours of the same fixture, whatever their parameters, `largest` of them at most.
pub(super) fn groups(tests: &[String], largest: usize) -> Vec<&[String]> {
    // `Some/Fixture/0.Test/1` and `Some/Fixture/1.Test/0` belong together.
    let fixture = |test: &String| {
        let suite = test.split('.').next().unwrap_or(test);
        suite.trim_end_matches(|sign: char| sign.is_ascii_digit()).to_owned()
    };
    let alike = tests.chunk_by(|a, b| fixture(a) == fixture(b));
    alike.flat_map(|tests| tests.chunks(largest)).collect()
}

/// Runs a group to its end, or to a test that is too slow: those behind it are likely to be, and others can come first.
///
/// A test that fails ends its process, so that what it leaves behind fails no other; the next goes on behind it.
pub(super) fn run_group<E>(group: &[String], times: &Times, run: &Start<'_, E>) -> Result<Vec<TestResult>, E> {
    let mut results = Vec::new();
    let mut rest = group;
    // One at a time where a process does not tell how far it came.
    let mut at_once = group.len();
    while !rest.is_empty() {
        let limit = times.process.min(times.end.saturating_duration_since(Instant::now()));
        if limit.is_zero() {
            results.extend(rest.iter().map(|test| result(test, Verdict::Left, String::new())));
            break;
        }
        let tests = &rest[..at_once.min(rest.len())];
        let found = of_process(tests, &run(tests, limit)?, (limit, times.process / 2));
        if found.is_empty() {
            // Of a single test there is always something.
            at_once = 1;
            continue;
        }
        rest = &rest[found.len()..];
        results.extend(found);
        if results.last().is_some_and(|last| last.verdict == Verdict::Slow) {
            break;
        }
    }
    Ok(results)
}

/// What a process tells of the first of its tests, up to one that did not pass. Nothing if it does not tell which of several stopped it.
/// The times are that of the process, and that after which a test is too slow.
fn of_process(tests: &[String], ended: &Ended, (limit, slow): (Duration, Duration)) -> Vec<TestResult> {
    let report = ended.report.as_ref().and_then(|text| googletest::report(text).ok());
    let is_reported = report.is_some();
    let progress = googletest::progress(&ended.output);
    let running = progress.running.filter(|_| !is_reported);
    let told = report.unwrap_or(progress.ended);
    let mut found = Vec::new();
    for (test, told) in tests.iter().zip(told.into_iter().filter(|told| tests.contains(&told.test))) {
        if *test != told.test {
            break;
        }
        let has_failed = told.verdict == Verdict::Failed;
        let message = if has_failed { message(&told.message, ended) } else { short(&told.message) };
        found.push(TestResult { message, ..told });
        if has_failed {
            return found;
        }
    }
    if found.len() == tests.len() {
        // It failed behind its tests.
        if let Some(last) = found.last_mut().filter(|last| ended.well == Some(false) && last.verdict == Verdict::Passed)
        {
            *last = result(&last.test, Verdict::Failed, message("the process failed behind its last test", ended));
        }
        return found;
    }
    let next = &tests[found.len()];
    let said = running.filter(|(test, _)| test == next).map(|(_, said)| said);
    if said.is_none() && tests.len() > 1 {
        // Those before it need no second look.
        return found;
    }
    if ended.well.is_none() {
        let before: f64 = found.iter().map(|result| result.seconds).sum();
        let is_slow = limit.as_secs_f64() - before >= slow.as_secs_f64();
        if is_slow || found.is_empty() {
            found.push(result(next, if is_slow { Verdict::Slow } else { Verdict::Left }, String::new()));
        }
        return found;
    }
    let said = said.unwrap_or_else(|| "the program did not run the test".to_owned());
    found.push(result(next, Verdict::Failed, message(&said, ended)));
    found
}

fn result(test: &str, verdict: Verdict, message: String) -> TestResult {
    TestResult { test: test.to_owned(), verdict, seconds: 0.0, message }
}

/// What a test said, what the runtime said, and how the process ended.
fn message(said: &str, ended: &Ended) -> String {
    let ending = if ended.report.is_some() { "" } else { &ended.ending };
    let mut known = HashSet::new();
    let errors: Vec<&str> = ended.errors.lines().filter(|line| known.insert(*line)).collect();
    let errors = errors[..errors.len().min(LINES)].join("\n");
    let parts = [short(said), errors, ending.to_owned()];
    parts.iter().filter(|part| !part.is_empty()).map(String::as_str).collect::<Vec<_>>().join("\n")
}

/// The first lines, each of a length that can be read.
fn short(text: &str) -> String {
    let lines = text.trim().lines().take(LINES).map(|line| line.chars().take(300).collect::<String>());
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::convert::Infallible;

    use super::*;

    const LIMIT: (Duration, Duration) = (Duration::from_secs(10), Duration::from_secs(5));

    fn names(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    fn line(test: &str, mark: &str) -> String {
        format!("[ RUN      ] {test}\n[ {mark} ] {test} (1 ms)\n")
    }

    fn ended(well: Option<bool>, output: &str, errors: &str) -> Ended {
        let ending = if well.is_none() { "did not end in time" } else { "was ended by signal 6" };
        Ended { well, ending: ending.into(), output: output.into(), errors: errors.into(), report: None }
    }

    /// A program of which `A.crash` aborts, `A.slow` never ends and `A.bad` finds something else.
    fn program(tests: &[String], speaks: bool) -> Ended {
        let mut output = String::new();
        for test in tests {
            match test.as_str() {
                "A.crash" | "A.slow" => {
                    output += &["[ RUN      ] ", test, "\nlast words\n"].concat();
                    let well = (test == "A.crash").then_some(false);
                    return ended(well, if speaks { &output } else { "" }, "fault\nfault\n");
                }
                "A.bad" => {
                    output += &line(test, " FAILED ");
                    return ended(Some(false), if speaks { &output } else { "" }, "");
                }
                _ => output += &line(test, "      OK"),
            }
        }
        ended(Some(true), if speaks { &output } else { "" }, "")
    }

    fn run(tests: &str, speaks: bool) -> (Vec<(String, Verdict)>, Vec<usize>) {
        let times = Times { process: Duration::from_secs(5), end: Instant::now() + Duration::from_secs(60) };
        let sizes = RefCell::new(Vec::new());
        let start = |tests: &[String], _: Duration| {
            sizes.borrow_mut().push(tests.len());
            Ok::<_, Infallible>(program(tests, speaks))
        };
        let Ok(results) = run_group(&names(tests), &times, &start);
        (results.into_iter().map(|result| (result.test, result.verdict)).collect(), sizes.into_inner())
    }

    #[test]
    fn a_test_that_fails_hides_no_other() {
        let (results, sizes) = run("A.a A.crash A.b A.bad A.c", true);
        let expected = [
            ("A.a", Verdict::Passed),
            ("A.crash", Verdict::Failed),
            ("A.b", Verdict::Passed),
            ("A.bad", Verdict::Failed),
            ("A.c", Verdict::Passed),
        ];
        assert_eq!(results, expected.map(|(test, verdict)| (test.to_owned(), verdict)));
        assert_eq!(sizes, [5, 3, 1]);
    }

    #[test]
    fn a_group_ends_at_a_slow_test_which_has_had_half_of_the_time() {
        let (results, sizes) = run("A.a A.slow A.c", true);
        assert_eq!(results, [("A.a".to_owned(), Verdict::Passed), ("A.slow".to_owned(), Verdict::Slow)]);
        assert_eq!(sizes, [3]);
        // `A.a` took 1 ms.
        let tests = names("A.a A.slow");
        let of = |limit: u64| {
            of_process(&tests, &program(&tests, true), (Duration::from_millis(limit), Duration::from_millis(5)))
        };
        assert_eq!((of(5).len(), of(6).len()), (1, 2));
    }

    #[test]
    fn tests_of_a_program_that_says_nothing_run_alone() {
        let (results, sizes) = run("A.a A.crash", false);
        assert_eq!(results[1], ("A.crash".to_owned(), Verdict::Failed));
        assert_eq!(sizes, [2, 1, 1]);
    }

    #[test]
    fn messages_have_each_line_of_the_runtime_once_and_the_end() {
        let tests = names("A.crash");
        let found = of_process(&tests, &program(&tests, true), LIMIT);
        assert_eq!(found[0].message, "last words\nfault\nwas ended by signal 6");
    }

    #[test]
    fn a_report_counts_before_lines() {
        let tests = names("A.a A.b");
        let test = |name: &str| {
            format!(r#"{{"name": "{name}", "status": "RUN", "result": "COMPLETED", "time": "1s", "classname": "A"}}"#)
        };
        let report = format!(r#"{{"testsuites": [{{"testsuite": [{}, {}]}}]}}"#, test("a"), test("b"));
        let ended = Ended { report: Some(report), ..ended(Some(true), "", "") };
        let verdicts: Vec<_> = of_process(&tests, &ended, LIMIT).iter().map(|result| result.verdict).collect();
        assert_eq!(verdicts, [Verdict::Passed, Verdict::Passed]);
        let failed = Ended { well: Some(false), ..ended };
        let found = of_process(&tests, &failed, LIMIT);
        assert_eq!(found[1].verdict, Verdict::Failed);
        assert_eq!(found[1].message, "the process failed behind its last test");
    }

    #[test]
    fn what_there_is_no_time_for_is_left() {
        let times = Times { process: Duration::from_secs(5), end: Instant::now() };
        let start = |_: &[String], _: Duration| Ok::<_, Infallible>(ended(Some(true), "", ""));
        let Ok(results) = run_group(&names("A.a A.b"), &times, &start);
        assert!(results.len() == 2 && results.iter().all(|result| result.verdict == Verdict::Left));
        let tests = names("A.slow");
        assert_eq!(of_process(&tests, &program(&tests, true), (LIMIT.1 / 2, LIMIT.1))[0].verdict, Verdict::Left);
    }

    #[test]
    fn groups_are_of_one_fixture_and_not_too_large() {
        let tests = names("T/0.a T/1.a U.a U.b");
        let lengths = |tests: &[String]| groups(tests, 50).iter().map(|group| group.len()).collect::<Vec<_>>();
        assert_eq!(lengths(&tests), [2, 2]);
        let many: Vec<String> = (0..120).map(|number| format!("T.a/{number}")).collect();
        assert_eq!(lengths(&many), [50, 50, 20]);
    }
}
