//! docs/precision.md: that its numbers follow from its rows, that enough of the warnings are true, and that what was judged
//! true is found today and what was judged false is not.

use crate::common;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use camino::Utf8PathBuf;
use hipshift::analysis::{KeptWarps, ProjectFacts};
use hipshift::diagnostic::{Diagnostic, Severity};
use hipshift::engine::{Input, check};
use hipshift::project::{Source, survey};
use hipshift::settings::{Settings, WavePolicy};
use hipshift::syntax::Document;

const PAGE: &str = include_str!("../docs/precision.md");

/// Findings, and how many of them are true.
type Count = (usize, usize);

#[test]
fn two_hundred_findings_are_judged_with_a_reason() {
    let rows = judged("## Findings");
    assert_eq!(rows.len(), 200);
    for row in rows.iter().chain(&judged("## Wave rules")) {
        let [place, _finding, verdict, why] = row.as_slice() else { panic!("{row:?}") };
        assert!(place.rsplit_once(':').is_some_and(|(_, line)| line.parse::<usize>().is_ok()), "{row:?}");
        assert!(matches!(*verdict, "true" | "false"), "{row:?}");
        assert!(why.split_whitespace().count() > 2, "{row:?}");
    }
}

#[test]
fn counts_follow_from_the_rows() {
    let counted = counts(&judged("## Findings"));
    let stated: BTreeMap<String, Count> = judged("## Counts")
        .into_iter()
        .map(|row| (format!("{} {}", row[0], row[1]), (row[2].parse().unwrap(), row[3].parse().unwrap())))
        .collect();
    assert_eq!(counted, stated);
    for severity in ["warning", "error"] {
        let (all, right) = total(&counted, severity);
        let share = tenths(right, all);
        let line = format!("- Precision of {severity}s: {right} of {all}, {}.{} %", share / 10, share % 10);
        assert!(PAGE.contains(&line), "not stated: {line}");
    }
}

/// Of a hundred warnings.
const FLOOR: usize = 95;

#[test]
fn warnings_are_right_in_95_of_100_cases() {
    let (all, right) = total(&counts(&judged("## Findings")), "warning");
    assert!(right * 100 >= all * FLOOR, "{right} of {all}");
}

/// Places of which the verdict does not say what is found today, and why.
const CHANGED: &[(&str, &str)] = &[
    ("candle-kernels/src/moe/gguf.cuh:1271", "the one false warning of the draw, which stands"),
    ("candle-kernels/src/reduce.cu:38", "`cuda::std::numeric_limits` is converted now"),
    ("candle-kernels/src/reduce.cu:48", "`cuda::std::numeric_limits` is converted now"),
    ("candle-kernels/src/reduce.cu:58", "`cuda::std::numeric_limits` is converted now"),
    ("mistralrs-paged-attn/src/cuda/flashinfer/vec_dtypes.cuh:251", "`__float2bfloat162_rn` is defined now"),
];

/// What the files of the corpus say together, all of them being of one project, as the draws took them.
fn corpus_facts(settings: &Settings) -> Option<ProjectFacts> {
    let paths = common::corpus()?.into_iter().map(|path| Utf8PathBuf::from_path_buf(path).unwrap());
    let sources: Vec<Source> = paths.map(|path| Source { path, output: None }).collect();
    Some(survey(&sources, (common::table(), settings), None).facts())
}

/// The findings in a file of the corpus.
fn findings_in(file: &str, facts: &ProjectFacts, settings: &Settings) -> (Document, Vec<Diagnostic>) {
    let document = common::read(&common::root().join("target/corpus").join(file));
    let checked = check(Input { document: &document, project: facts, table: common::table(), settings });
    (document, checked.found.iter().collect())
}

/// Rows that are judged true and not told, or judged false and told; what counts as told may hang on the verdict.
fn contradictions(
    heading: &str,
    (facts, settings): (&ProjectFacts, &Settings),
    is_told: impl Fn(&Diagnostic, bool) -> bool,
) -> String {
    let mut by_file: BTreeMap<&str, Vec<Vec<&str>>> = BTreeMap::new();
    for row in judged(heading) {
        by_file.entry(row[0].rsplit_once(':').unwrap().0).or_default().push(row);
    }
    let mut wrong = String::new();
    for (file, rows) in by_file {
        let (document, found) = findings_in(file, facts, settings);
        let told = |verdict: bool| -> BTreeSet<(u32, &str)> {
            let told = found.iter().filter(|finding| is_told(finding, verdict)).flat_map(|finding| {
                let line = document.position(finding.range.start()).line;
                [(line, finding.rule.name), (line, finding.rule.code)]
            });
            told.collect()
        };
        let told = [told(false), told(true)];
        for row in rows {
            let line = row[0].rsplit_once(':').unwrap().1.parse().unwrap();
            let rule = row[1].split(':').next().unwrap().split_whitespace().last().unwrap();
            let verdict = row[2] == "true";
            if told[usize::from(verdict)].contains(&(line, rule)) != verdict
                && !CHANGED.iter().any(|(place, _)| *place == row[0])
            {
                let _ = writeln!(wrong, "{} {}: judged {}", row[0], row[1], row[2]);
            }
        }
    }
    wrong
}

#[test]
fn what_was_judged_stands_as_judged() {
    let settings = Settings::default();
    let Some(facts) = corpus_facts(&settings) else { return };
    let wrong = contradictions("## Findings", (&facts, &settings), |finding, _| finding.severity >= Severity::Warning);
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn what_was_judged_about_waves_stands_as_judged() {
    let settings = Settings { wave_policy: WavePolicy::Native, ..Settings::default() };
    let Some(facts) = corpus_facts(&settings) else { return };
    // As if nothing stood in the way of whole waves. What is told for information settles a false finding, and loses no true one.
    let facts = ProjectFacts { kept_warps: Some(KeptWarps::default()), ..facts };
    let wrong = contradictions("## Wave rules", (&facts, &settings), |finding, verdict| {
        verdict || finding.severity > Severity::Info || finding.fix.is_some()
    });
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// The cells of the rows of the table below a heading.
fn judged(heading: &str) -> Vec<Vec<&'static str>> {
    let section = PAGE.split(heading).nth(1).unwrap_or_else(|| panic!("no `{heading}`"));
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| ")).skip(1);
    rows.map(|line| cells(line.trim_matches('|'))).collect()
}

/// Splits at the bars that are not escaped.
fn cells(line: &str) -> Vec<&str> {
    let mut cells = Vec::new();
    let mut start = 0;
    for (at, _) in line.match_indices('|').filter(|(at, _)| !line[..*at].ends_with('\\')) {
        cells.push(line[start..at].trim());
        start = at + 1;
    }
    cells.push(line[start..].trim());
    cells
}

/// Findings by severity and rule.
fn counts(rows: &[Vec<&str>]) -> BTreeMap<String, Count> {
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    for row in rows {
        let (key, _message) = row[1].split_once(':').unwrap();
        let count = counts.entry(key.to_owned()).or_default();
        count.0 += 1;
        count.1 += usize::from(row[2] == "true");
    }
    counts
}

fn total(counts: &BTreeMap<String, Count>, severity: &str) -> Count {
    let of_it = counts.iter().filter(|(key, _)| key.starts_with(severity));
    of_it.fold((0, 0), |sum, (_, count)| (sum.0 + count.0, sum.1 + count.1))
}

/// Tenths of a percent, rounded.
fn tenths(part: usize, whole: usize) -> usize {
    (part * 2000 + whole) / (whole * 2)
}
