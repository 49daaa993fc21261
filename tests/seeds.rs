//! The checklist of the documents that the project started from: all of its 265 rows are a rule, a
//! name of the tables, a claim that the compiler checks, out of reach with a reason, or still open.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test that cannot go on fails")]

mod common;

use std::fmt::Write as _;

use hipshift::mapping::{Resolution, RocmVersion};
use hipshift::rules::find;
use hipshift::settings::Settings;

/// Rows that nobody has dealt with. May only become less.
const OPEN: usize = 0;

/// A row of `tests/data/seeds.csv`.
#[derive(Debug, serde::Deserialize)]
struct Seed {
    id: String,
    /// `rule`, `names`, `claim`, `out`, `open`, or `nothing` where the checklist asks for nothing.
    status: String,
    /// For `rule`: the names of the rules.
    rules: String,
    /// For `rule`: fixtures that show them; for `names`: CUDA's names; for `claim`: a file and a text in it.
    #[serde(rename = "where")]
    place: String,
    /// Why a row is out of reach or open, or how far it is covered.
    why: String,
}

fn seeds() -> Vec<Seed> {
    let path = common::root().join("tests/data/seeds.csv");
    csv::Reader::from_path(path).unwrap().deserialize().map(Result::unwrap).collect()
}

#[test]
fn every_row_is_there_once() {
    let ids: Vec<String> = seeds().into_iter().map(|seed| seed.id).collect();
    let expected: Vec<String> = (1..=265).map(|number| format!("S{number:03}")).collect();
    assert_eq!(ids, expected);
}

#[test]
fn every_row_is_what_it_says() {
    let mut wrong = String::new();
    for seed in seeds() {
        if let Some(complaint) = complaint(&seed) {
            let _ = writeln!(wrong, "{}: {complaint}", seed.id);
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn open_rows_become_less() {
    assert_eq!(seeds().iter().filter(|seed| seed.status == "open").count(), OPEN);
}

fn complaint(seed: &Seed) -> Option<String> {
    match seed.status.as_str() {
        "rule" => rules(seed),
        "names" => names(seed),
        "claim" => claim(seed),
        "out" | "open" => seed.why.is_empty().then(|| "has no reason".to_owned()),
        "nothing" => None,
        other => Some(format!("`{other}` is no status")),
    }
}

/// Every rule exists, and is found in one of the fixtures; every fixture shows one of them.
fn rules(seed: &Seed) -> Option<String> {
    let rules: Vec<&str> = seed.rules.split(' ').collect();
    let snapshots: Vec<String> = seed.place.split(' ').map(snapshot).collect();
    let shows = |rule: &str, snapshot: &String| snapshot.contains(&format!(" {rule}: "));
    for rule in &rules {
        if find(rule).is_none_or(|found| found.info.name != *rule) {
            return Some(format!("there is no rule `{rule}`"));
        }
        if !snapshots.iter().any(|snapshot| shows(rule, snapshot)) {
            return Some(format!("no fixture of the row shows `{rule}`"));
        }
    }
    let idle = snapshots.iter().any(|snapshot| !rules.iter().any(|rule| shows(rule, snapshot)));
    idle.then(|| "a fixture shows none of the rules".to_owned())
}

/// The findings in a fixture, as its snapshot has them; empty if there is no such fixture.
fn snapshot(fixture: &str) -> String {
    let Some(path) = fixture.strip_prefix("fixtures/rules/").filter(|_| common::root().join(fixture).exists()) else {
        return String::new();
    };
    let name = format!("tests/snapshots/rules__fixtures@{}.snap", path.replace('/', "__"));
    std::fs::read_to_string(common::root().join(name)).unwrap_or_default()
}

/// The tables have a counterpart for every name in the newest release.
fn names(seed: &Seed) -> Option<String> {
    let libraries = Settings::default().libraries;
    let resolves = |name: &&str| {
        let resolution = common::table().resolve(name, false, RocmVersion::NEWEST, &libraries);
        matches!(resolution, Some(Resolution::Name(..))) || !common::table().calls_of(name).is_empty()
    };
    let missing: Vec<&str> = seed.place.split(' ').filter(|name| !resolves(name)).collect();
    (!missing.is_empty()).then(|| format!("no counterpart: {}", missing.join(", ")))
}

/// The text stands in the file of claims that `tests/compiler.rs` compiles.
fn claim(seed: &Seed) -> Option<String> {
    let (file, text) = seed.place.split_once(':')?;
    let claims = std::fs::read_to_string(common::root().join("tests/data/claims").join(file)).unwrap_or_default();
    (!claims.contains(text)).then(|| format!("`{file}` does not have `{text}`"))
}
