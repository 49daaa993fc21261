//! Runs a test program on a target of the emulator.

use std::collections::VecDeque;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};
use hipshift::mapping::Target;
use hipshift::validate::{Call, Emulation, Ending, Limits, Setting, environment, execute};

use super::googletest::{self, filter};
use super::groups::{Ended, Times, groups, run_group};
use super::kept::{Kept, TestResult, Verdict};
use super::suite::{Fetched, Suite};
use crate::process::tied;
use crate::repository_root;

/// What stands for all tests of a program that does not list them.
const START: &str = "(start of the program)";

/// A program for a target.
pub(super) struct Program<'p> {
    pub(super) suite: &'static Suite,
    pub(super) fetched: &'p Fetched,
    pub(super) path: PathBuf,
    pub(super) target: &'static Target,
    /// The folder of the emulator's library under all its names.
    pub(super) runtime: Utf8PathBuf,
    /// A folder that the program runs in, of its own.
    pub(super) folder: Utf8PathBuf,
    /// The time of a process. A test that has had half of it is too slow.
    pub(super) process: Duration,
    /// The time of the program.
    pub(super) whole: Duration,
}

impl Program<'_> {
    /// Adds to what is known what becomes of all other tests.
    pub(super) fn run(&self, kept: &mut Kept) -> Result<()> {
        let end = Instant::now() + self.whole;
        fs::create_dir_all(&self.folder).with_context(|| format!("creating `{}`", self.folder))?;
        kept.results.retain(|result| result.verdict != Verdict::Left && result.test != START);
        let list = self
            .execute(&[format!("--gtest_filter={}", self.suite.filter), "--gtest_list_tests".to_owned()], self.whole)?;
        let tests = googletest::tests(&list.output);
        if tests.is_empty() {
            kept.results.push(without_tests(&list));
            return Ok(());
        }
        let known = std::mem::take(&mut kept.results);
        let is_known = |test: &String| known.iter().any(|result| result.test == *test);
        let open: Vec<String> = tests.iter().filter(|test| !is_known(test)).cloned().collect();
        let times = Times { process: self.process, end };
        let mut results = known.clone();
        let mut queue: VecDeque<&[String]> = groups(&open, self.suite.at_once).into();
        while let Some(group) = queue.pop_front() {
            let found = run_group(group, &times, &|tests, limit| self.process(tests, limit))?;
            queue.extend(group.get(found.len()..).filter(|rest| !rest.is_empty()));
            results.extend(found);
        }
        let place = |result: &TestResult| tests.iter().position(|test| *test == result.test);
        results.retain(|result| place(result).is_some());
        results.sort_by_key(place);
        kept.results = results;
        self.take_findings(kept);
        Ok(())
    }

    /// Runs some tests in a process.
    fn process(&self, tests: &[String], limit: Duration) -> Result<Ended> {
        let report = self.folder.join("report.json");
        fs::remove_file(&report).ok();
        let words = [filter(tests), "--gtest_fail_fast".to_owned(), format!("--gtest_output=json:{report}")];
        let ended = self.execute(&words, limit)?;
        Ok(Ended { report: fs::read_to_string(&report).ok(), ..ended })
    }

    fn execute(&self, words: &[String], limit: Duration) -> Result<Ended> {
        let start = &self.fetched.start;
        let first = [self.runtime.clone().into_std_path_buf()];
        let arguments = [&start.words(&first, &self.path), words, self.fetched.words.as_slice()].concat();
        // It is in a group of its own, which nobody ends where this task is killed.
        let (starter, arguments) = tied(&start.loader.to_string_lossy(), &arguments);
        let emulation = Emulation { checks: "default", granules: true, ..Emulation::default() };
        let mut variables = environment(&self.runtime, self.target, &emulation, None);
        variables.push(("HIPSHIFT_FINDINGS".to_owned(), self.findings().into_string()));
        variables.extend(start.environment.iter().cloned());
        let limits = Limits { time: limit, memory: None };
        let setting = Setting { arguments: &arguments, input: None, environment: &variables, limits };
        let ran = execute(Call { program: Utf8Path::new(starter), folder: &self.folder, setting });
        let ran = ran.with_context(|| format!("starting `{}`", self.path.display()))?;
        let text = |bytes: &[u8]| without_places(&String::from_utf8_lossy(bytes));
        Ok(Ended {
            well: (ran.ending != Ending::Timeout).then_some(ran.ending == Ending::Code(0)),
            ending: ran.ending.to_string(),
            output: text(&ran.output),
            errors: text(&ran.errors),
            report: None,
        })
    }

    /// The file for what checks find.
    fn findings(&self) -> Utf8PathBuf {
        self.folder.join("findings.txt")
    }

    fn take_findings(&self, kept: &mut Kept) {
        let text = fs::read_to_string(self.findings()).unwrap_or_default();
        for line in text.lines().map(without_places) {
            if !kept.findings.contains(&line) {
                kept.findings.push(line);
            }
        }
        fs::remove_file(self.findings()).ok();
    }
}

/// What stands for a program that lists no test: one that has none, or does not come so far.
fn without_tests(list: &Ended) -> TestResult {
    let words = [&list.ending, &list.errors, &list.output].map(String::as_str).join("\n");
    let message = words.trim().lines().take(12).collect::<Vec<_>>().join("\n");
    let (verdict, message) = match list.well {
        None => (Verdict::Slow, message),
        Some(false) => (Verdict::Failed, message),
        Some(true) => (Verdict::Skipped, "the program has no tests, it only has to compile".to_owned()),
    };
    TestResult { test: START.to_owned(), verdict, seconds: 0.0, message }
}

/// A text that says nothing of where this repository lies.
fn without_places(text: &str) -> String {
    text.replace(&format!("{}/", repository_root().display()), "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_without_tests_fails_only_if_it_does_not_end_well() {
        let ended = |well| {
            let errors = "no such file\n".to_owned();
            without_tests(&Ended {
                well,
                ending: "ended with code 1".into(),
                output: String::new(),
                errors,
                report: None,
            })
        };
        assert_eq!(ended(Some(true)).verdict, Verdict::Skipped);
        assert_eq!(ended(None).verdict, Verdict::Slow);
        let failed = ended(Some(false));
        assert_eq!((failed.verdict, failed.message.as_str()), (Verdict::Failed, "ended with code 1\nno such file"));
    }
}
