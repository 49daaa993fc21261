//! docs/precision.md, waves in HIP sources: findings that were drawn by a seed and judged by readers who had not written the rules, and
//! whether they are told today.

use crate::common;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use sha2::{Digest as _, Sha256};

const ROWS: &str = include_str!("data/wave_sample.csv");
const PAGE: &str = include_str!("../docs/precision.md");

/// A finding that was judged. What its line and the one before it read stands for its place, as numbers of lines move.
struct Row {
    /// File, code, digest of the line and the one before it.
    key: Key,
    line: String,
    is_info: bool,
    is_true: bool,
    is_told: bool,
}

type Key = (String, String, String);

fn rows() -> Vec<Row> {
    let mut reader = csv::Reader::from_reader(ROWS.as_bytes());
    let records = reader.records().map(|record| record.unwrap());
    let verdict = |word: &str| match word {
        "true" | "yes" => true,
        "false" | "no" => false,
        other => panic!("{other}"),
    };
    let row = |record: csv::StringRecord| Row {
        key: (record[0].to_owned(), record[3].to_owned(), record[2].to_owned()),
        line: record[1].to_owned(),
        is_info: &record[4] == "info",
        is_true: verdict(&record[5]),
        is_told: verdict(&record[6]),
    };
    records.map(row).collect()
}

#[test]
fn the_page_states_what_was_judged() {
    let rows = rows();
    assert_eq!(rows.len(), 150);
    let count = |is_meant: &dyn Fn(&&Row) -> bool| rows.iter().filter(is_meant).count();
    let (all, right) = (count(&|row| !row.is_info), count(&|row| !row.is_info && row.is_true));
    let (infos, right_infos) = (count(&|row| row.is_info), count(&|row| row.is_info && row.is_true));
    let line = format!(
        "Of {all} warnings and errors {right} are true, of {infos} findings for information {right_infos}; {} of the 150 are told today.",
        count(&|row| row.is_told)
    );
    assert!(PAGE.replace('\n', " ").contains(&line), "not stated: {line}");
    let told = count(&|row| !row.is_info && row.is_told);
    let right = count(&|row| !row.is_info && row.is_told && row.is_true);
    assert!(right * 10 >= told * 9, "{right} of {told}");
}

#[test]
fn what_was_judged_in_hip_sources_is_told_as_stated() {
    if common::corpus().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let hip = folder.path().join("hip");
    let hip_path = hip.to_str().unwrap();
    hipshift(&["convert", "target/corpus", "-o", hip_path, "--quiet"]);
    let report = hipshift(&["lint", hip_path, "--wave-policy", "native", "--select", "W", "--format", "json"]);
    let told = told(&report, &hip);
    let mut wrong = String::new();
    for row in rows() {
        if told.contains(&row.key) != row.is_told {
            let _ = writeln!(wrong, "{}:{} {}, judged {}", row.key.0, row.line, row.key.1, row.is_true);
        }
    }
    assert!(wrong.is_empty(), "told otherwise than tests/data/wave_sample.csv says:\n{wrong}");
}

/// Runs the program in the root of the repository.
fn hipshift(arguments: &[&str]) -> Vec<u8> {
    let output =
        Command::new(env!("CARGO_BIN_EXE_hipshift")).args(arguments).current_dir(common::root()).output().unwrap();
    assert!(output.status.code().is_some_and(|code| code < 2), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// All findings of a report.
fn told(report: &[u8], folder: &Path) -> BTreeSet<Key> {
    let report: serde_json::Value = serde_json::from_slice(report).unwrap();
    let mut digests: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut told = BTreeSet::new();
    for file in report["files"].as_array().unwrap() {
        let path = file["path"].as_str().unwrap();
        let name = Path::new(path).strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
        for finding in file["findings"].as_array().unwrap() {
            let lines = digests.entry(name.clone()).or_insert_with(|| {
                let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
                let before = std::iter::once("").chain(text.split('\n'));
                before.zip(text.split('\n')).map(|(before, line)| digest(before.trim(), line.trim())).collect()
            });
            let number = usize::try_from(finding["start"]["line"].as_u64().unwrap()).unwrap();
            told.insert((name.clone(), finding["code"].as_str().unwrap().to_owned(), lines[number - 1].clone()));
        }
    }
    told
}

/// The first twelve digits: no line of others' code stands here.
fn digest(before: &str, line: &str) -> String {
    Sha256::digest(format!("{before}\n{line}").as_bytes()).iter().take(6).fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}
