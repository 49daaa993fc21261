//! Writes `docs/amd-tests.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::cause::{Cause, Place, Ruling};
use super::kept::{Kept, TestResult, Verdict};
use super::suite::SUITES;

/// Why rocBLAS takes a run of its own.
const ROCBLAS: &str = " rocBLAS's program reads 0.9 GB of test data at each start: it had not listed its tests after four minutes on two\n\
                       cores with other work, so it needs something like `--minutes 300 --seconds 1800`.";

/// What was found out about the findings of checks: a section of its own.
const FINDINGS: &str = include_str!("findings.md");

/// What is known, ready to be written down.
pub(super) struct Page {
    pub(super) kept: Vec<Kept>,
    pub(super) causes: Vec<Cause>,
}

/// How many tests came to what.
#[derive(Default)]
struct Count {
    /// With the whole of them, those that were not run included.
    programs: usize,
    all: usize,
    tests: usize,
    passed: usize,
    failed: usize,
    silicon: usize,
    slow: usize,
    skipped: usize,
    left: usize,
}

/// Failures that are shown as one.
#[derive(Default)]
struct Group<'p> {
    /// By target.
    tests: BTreeMap<&'p str, usize>,
    programs: BTreeSet<(&'p str, &'p str)>,
    example: &'p str,
}

impl Page {
    /// The page.
    pub(super) fn text(&self) -> String {
        let parts =
            [self.introduction(), self.table(), self.programs(), self.failures(), self.skipped(), self.findings()];
        parts.concat()
    }

    /// Failures that no row explains.
    pub(super) fn unexplained(&self) -> usize {
        self.failed().filter(|(_, _, row)| row.is_none()).count()
    }

    /// Rows of the table that explain nothing of what is kept.
    pub(super) fn idle(&self) -> Vec<String> {
        let used: BTreeSet<usize> = self.failed().filter_map(|(_, _, row)| row).collect();
        let idle = self.causes.iter().enumerate().filter(|(row, _)| !used.contains(row));
        idle.map(|(_, cause)| cause.shown()).collect()
    }

    /// The tests that failed, with the number of the row that explains each.
    fn failed(&self) -> impl Iterator<Item = (&Kept, &TestResult, Option<usize>)> {
        let all = self.kept.iter().flat_map(|kept| kept.results.iter().map(move |result| (kept, result)));
        let failed = all.filter(|(_, result)| result.verdict == Verdict::Failed);
        failed.map(|(kept, result)| (kept, result, self.row(kept, result)))
    }

    fn row(&self, kept: &Kept, result: &TestResult) -> Option<usize> {
        let head = &kept.head;
        let place = Place { suite: &head.suite, program: &head.program, test: &result.test, target: &head.target };
        self.causes.iter().position(|cause| cause.explains(place))
    }

    fn introduction(&self) -> String {
        let seconds: BTreeSet<u64> = self.kept.iter().map(|kept| kept.head.seconds).collect();
        let seconds: Vec<String> = seconds.iter().map(u64::to_string).collect();
        let versions: BTreeSet<_> = self.kept.iter().map(|kept| (&kept.head.suite, &kept.head.version)).collect();
        let versions: Vec<String> = versions.iter().map(|(suite, version)| format!("{suite} {version}")).collect();
        let has_run = |kept: &&Kept| !kept.results.is_empty();
        let here = |name: &&str| self.kept.iter().filter(has_run).any(|kept| kept.head.suite == **name);
        let missing: Vec<&str> = SUITES.iter().map(|suite| suite.name).filter(|name| !here(name)).collect();
        let missing = match missing.as_slice() {
            [] => String::new(),
            names => {
                format!(" Not run: {}.{}", names.join(", "), if names.contains(&"rocblas") { ROCBLAS } else { "" })
            }
        };
        format!(
            "# AMD's own tests\n\n\
             Programs with which AMD tests its libraries, as Debian compiled them for AMD GPUs, run on the emulator: machine code and\n\
             expectations that nobody here wrote. This page is written by\n\n    \
             cargo run -p xtask -- amd-tests rocrand hiprand hipcub hipblas --minutes 1\n\n\
             which fetches packages with apt into `target/amd-tests`, tells their sizes before, and keeps a result for each test; another\n\
             run goes on with what is left. `amd-tests --page` makes the page from results alone, which may be of several machines\n\
             (`target/amd-tests/results`). Each group of tests has a process of its own, and a test that fails ends it. Checks of the\n\
             emulator are those of `validate`, with `--bounds granule`. Tests of rocPRIM, rocThrust, rocFFT, rocSPARSE and rocSOLVER are not\n\
             looked at.\n\n\
             Packages: {}.{missing} A process has {} seconds, and a test is *too slow* that has had\n\
             at least half of them. *Needs silicon* are failures of tests that ask for what a GPU alone has, *skipped* are tests that say\n\
             themselves that they cannot be run here, and *left* are those that the time of their program did not suffice for: nothing is\n\
             known of them. Both say more of the machine, which had other work, than of the emulator.\n\n",
            versions.join(", "),
            seconds.join(" or "),
        )
    }

    fn count(&self, kept: &[&Kept]) -> Count {
        let programs = kept.iter().filter(|kept| !kept.results.is_empty()).count();
        let mut count = Count { programs, all: kept.len(), ..Count::default() };
        for (kept, result) in kept.iter().flat_map(|kept| kept.results.iter().map(move |result| (kept, result))) {
            count.tests += 1;
            let ruling = || self.row(kept, result).map(|row| self.causes[row].verdict);
            *match result.verdict {
                Verdict::Passed => &mut count.passed,
                Verdict::Failed if ruling() == Some(Ruling::Silicon) => &mut count.silicon,
                Verdict::Failed => &mut count.failed,
                Verdict::Skipped => &mut count.skipped,
                Verdict::Slow => &mut count.slow,
                Verdict::Left => &mut count.left,
            } += 1;
        }
        count
    }

    fn table(&self) -> String {
        let mut groups = BTreeMap::<(&str, &str), Vec<&Kept>>::new();
        for kept in &self.kept {
            groups.entry((&kept.head.suite, &kept.head.target)).or_default().push(kept);
        }
        let mut text = String::from(
            "## Result\n\n| suite | target | programs run | tests | passed | failed | too slow | needs silicon | skipped | left |\n\
             |---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
        );
        for ((suite, target), kept) in groups {
            let count = self.count(&kept);
            let Count { programs, all, tests, passed, failed, slow, silicon, skipped, left } = count;
            let numbers = [tests, passed, failed, slow, silicon, skipped, left].map(|number| number.to_string());
            writeln!(text, "| {suite} | {target} | {programs} of {all} | {} |", numbers.join(" | ")).ok();
        }
        text
    }

    /// What came of each program.
    fn programs(&self) -> String {
        let targets: BTreeSet<&str> = self.kept.iter().map(|kept| kept.head.target.as_str()).collect();
        let mut programs = BTreeMap::<(&str, &str), BTreeMap<&str, &Kept>>::new();
        for kept in &self.kept {
            programs.entry((&kept.head.suite, &kept.head.program)).or_default().insert(&kept.head.target, kept);
        }
        let names: Vec<&str> = targets.iter().copied().collect();
        let mut text = format!(
            "\n## Programs\n\nTests that passed, of all that a program has.\n\n| suite | program | {} |\n|---|---|{}\n",
            names.join(" | "),
            "---|".repeat(names.len())
        );
        for ((suite, program), of_target) in programs {
            let cell = |target: &&str| {
                let kept = of_target.get(target).filter(|kept| !kept.results.is_empty());
                kept.map_or_else(|| "not run".to_owned(), |kept| self.cell(kept))
            };
            let cells: Vec<String> = targets.iter().map(cell).collect();
            writeln!(text, "| {suite} | {program} | {} |", cells.join(" | ")).ok();
        }
        text
    }

    fn cell(&self, kept: &Kept) -> String {
        let count = self.count(&[kept]);
        let others = [
            (count.failed, "failed"),
            (count.slow, "too slow"),
            (count.silicon, "need silicon"),
            (count.skipped, "skipped"),
            (count.left, "left"),
        ];
        let others = others.iter().filter(|(number, _)| *number > 0).map(|(number, word)| format!("; {number} {word}"));
        format!("{} of {}{}", count.passed, count.tests, others.collect::<String>())
    }

    fn failures(&self) -> String {
        let mut explained = BTreeMap::<(Ruling, &str), Group>::new();
        let mut open = BTreeMap::<&str, Group>::new();
        for (kept, result, row) in self.failed() {
            let cause = row.map(|row| &self.causes[row]);
            let group = match cause {
                Some(cause) => explained.entry((cause.verdict, &cause.reason)).or_default(),
                None => open.entry(&result.message).or_default(),
            };
            *group.tests.entry(&kept.head.target).or_default() += 1;
            group.programs.insert((&kept.head.suite, &kept.head.program));
            group.example = &result.test;
        }
        if explained.is_empty() && open.is_empty() {
            return "\n## Failures\n\nNone.\n".to_owned();
        }
        let mut text =
            String::from("\n## Failures\n\n| programs | tests | example | whose | cause |\n|---|---|---|---|---|\n");
        for ((ruling, reason), group) in &explained {
            let whose = match ruling {
                Ruling::Fault => "hipshift's",
                Ruling::Silicon => "needs silicon",
                Ruling::Theirs => "AMD's, on a GPU too",
            };
            writeln!(text, "{} {whose} | {} |", group.row(), one_line(reason)).ok();
        }
        for (message, group) in &open {
            let message: String = one_line(message).chars().take(400).collect();
            writeln!(text, "{} **not explained** | {message} |", group.row()).ok();
        }
        text
    }

    /// What tests say that do not want to be run here.
    fn skipped(&self) -> String {
        let mut reasons = BTreeMap::<String, BTreeMap<&str, usize>>::new();
        for kept in &self.kept {
            for result in kept.results.iter().filter(|result| result.verdict == Verdict::Skipped) {
                let reason = result.message.lines().last().map(one_line).filter(|reason| !reason.is_empty());
                let reason = reason.unwrap_or_else(|| "no reason given".to_owned());
                *reasons.entry(reason).or_default().entry(&kept.head.target).or_default() += 1;
            }
        }
        if reasons.is_empty() {
            return String::new();
        }
        let mut text = String::from("\n## Skipped by the tests themselves\n\n");
        for (reason, tests) in &reasons {
            writeln!(text, "- {}: {reason}", numbers(tests)).ok();
        }
        text
    }

    /// What the checks found, whether the test passed or not.
    fn findings(&self) -> String {
        let mut kinds = BTreeMap::<(&str, &str, String), BTreeMap<&str, usize>>::new();
        for kept in &self.kept {
            for finding in &kept.findings {
                let targets = kinds.entry((&kept.head.suite, &kept.head.program, kind(finding))).or_default();
                *targets.entry(&kept.head.target).or_default() += 1;
            }
        }
        if kinds.is_empty() {
            return String::new();
        }
        let mut text = String::from(
            "\n## Findings of checks\n\nWhat the checks of the emulator found while tests ran, whether these passed or not, without numbers and kernels.\n\n",
        );
        for ((suite, program, kind), targets) in &kinds {
            writeln!(text, "- {suite} {program}, {}: {}", numbers(targets), one_line(kind)).ok();
        }
        text + FINDINGS
    }
}

/// A finding without what differs from launch to launch: what happened, and the innermost place in a source.
fn kind(finding: &str) -> String {
    let happened = finding.split(" in kernel ").next().unwrap_or(finding);
    // Every other part stands between the signs of code: an instruction, with registers that another instance has others of.
    let happened: String = happened.split('`').step_by(2).collect();
    let is_number = |word: &&str| word.starts_with(|sign: char| sign.is_ascii_digit());
    let words = happened.split_whitespace().map(|word| if is_number(&word) { "N" } else { word });
    let happened = words.collect::<Vec<_>>().join(" ");
    let place = finding.rsplit_once('(').map(|(_, place)| place.split([',', ')']).next().unwrap_or(place));
    match place.filter(|place| place.contains(':')) {
        Some(place) => format!("{happened} ({place})"),
        None => happened,
    }
}

impl Group<'_> {
    /// The first cells of a row.
    fn row(&self) -> String {
        let programs: Vec<String> = self.programs.iter().map(|(suite, program)| format!("{suite} {program}")).collect();
        format!("| {} | {} | `{}` |", programs.join(", "), numbers(&self.tests), self.example)
    }
}

fn numbers(tests: &BTreeMap<&str, usize>) -> String {
    let numbers: Vec<String> = tests.iter().map(|(target, number)| format!("{number} on {target}")).collect();
    numbers.join(", ")
}

/// A text that fits in a cell.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace('|', "\\|").replace('<', "&lt;").replace('*', "\\*").replace('_', "\\_")
}

#[cfg(test)]
mod tests {
    use super::super::cause;
    use super::super::kept::Head;
    use super::*;

    fn kept(suite: &str, program: &str, target: &str, results: &[(&str, Verdict, &str)]) -> Kept {
        let result = |(test, verdict, message): &(&str, Verdict, &str)| TestResult {
            test: (*test).to_owned(),
            verdict: *verdict,
            seconds: 0.0,
            message: (*message).to_owned(),
        };
        let [suite, program, target] = [suite, program, target].map(str::to_owned);
        let head = Head { suite, program, target, version: "1.0".to_owned(), library: "x".to_owned(), seconds: 30 };
        Kept { head, results: results.iter().map(result).collect(), findings: Vec::new() }
    }

    fn finding(at: &str) -> String {
        format!(
            "read of 8 bytes at {at} of LDS in kernel `k(int)`, wave 1, at 0x5: `ds` (/usr/some.hpp:49, inlined at t.cpp:1)"
        )
    }

    fn causes(rows: &str) -> Vec<Cause> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        std::fs::write(&path, format!("suite,program,test,target,verdict,reason\n{rows}")).unwrap();
        cause::read(&path).unwrap()
    }

    fn page() -> Page {
        let results = [
            ("A.good", Verdict::Passed, ""),
            ("A.bad/1", Verdict::Failed, "f.cpp:1\n1 | 2"),
            ("A.bad/2", Verdict::Failed, "f.cpp:1\n1 | 2"),
            ("A.peer", Verdict::Failed, "one GPU"),
            ("A.slow", Verdict::Slow, ""),
            ("A.left", Verdict::Left, ""),
            ("A.other", Verdict::Skipped, "f.cpp:7\nno managed memory"),
        ];
        let mut first = kept("hipcub", "sort", "gfx90a", &results);
        first.findings = ["0x10", "0x20"].map(finding).to_vec();
        let second = kept("rocrand", "basic", "gfx1100", &[("B.odd", Verdict::Failed, "said < this\nand that")]);
        let causes = causes(
            "hipcub,*,A.bad/*,*,fault,sorts wrongly\nhipcub,*,A.peer,*,silicon,needs two\nhipcub,x,*,*,fault,never\n",
        );
        Page { kept: vec![first, second, kept("rocrand", "never", "gfx1100", &[])], causes }
    }

    #[test]
    fn the_page_counts_each_test_once() {
        let text = page().text();
        for line in [
            "| hipcub | gfx90a | 1 of 1 | 7 | 1 | 2 | 1 | 1 | 1 | 1 |",
            "| rocrand | gfx1100 | 1 of 2 | 1 | 0 | 1 | 0 | 0 | 0 | 0 |",
            "| hipcub | sort | not run | 1 of 7; 2 failed; 1 too slow; 1 need silicon; 1 skipped; 1 left |",
            "| rocrand | never | not run | not run |",
            "- 1 on gfx90a: no managed memory",
            "- hipcub sort, 2 on gfx90a: read of N bytes at N of LDS (/usr/some.hpp:49)",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        assert!(text.contains("Not run: hiprand, rocblas, hipblas. rocBLAS's program reads"), "{text}");
    }

    #[test]
    fn failures_have_their_cause_or_are_not_explained() {
        let page = page();
        let text = page.text();
        for line in [
            "| hipcub sort | 2 on gfx90a | `A.bad/2` | hipshift's | sorts wrongly |",
            "| hipcub sort | 1 on gfx90a | `A.peer` | needs silicon | needs two |",
            "| rocrand basic | 1 on gfx1100 | `B.odd` | **not explained** | said &lt; this and that |",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        assert_eq!(page.unexplained(), 1);
        assert_eq!(page.idle(), ["hipcub,x,*,*"]);
    }

    #[test]
    fn findings_are_explained_where_there_are_any() {
        assert!(page().text().ends_with(FINDINGS));
        let written = std::fs::read_to_string(crate::repository_root().join("docs/amd-tests.md")).unwrap();
        assert!(written.ends_with(FINDINGS), "`xtask amd-tests --page` writes `docs/amd-tests.md`");
        // Each has a program that shows it.
        let checks = crate::repository_root().join("fixtures/checks");
        let named: Vec<&str> = FINDINGS.split('`').filter(|word| word.strip_suffix(".hip").is_some()).collect();
        assert_eq!(named.len(), 4);
        assert!(named.iter().all(|name| checks.join(name).exists()), "{named:?}");
    }

    #[test]
    fn a_page_without_failures_says_so() {
        let kept = vec![kept("hipcub", "sort", "gfx90a", &[("A.good", Verdict::Passed, "")])];
        let page = Page { kept, causes: Vec::new() };
        assert_eq!(page.unexplained(), 0);
        assert!(page.text().ends_with("\n## Failures\n\nNone.\n"));
    }
}
