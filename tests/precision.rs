//! docs/precision.md: that its numbers follow from its rows, and that enough of the warnings are true.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;

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
