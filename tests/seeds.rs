//! The checklist of the documents that the project started from: all of its 265 rows are a rule, a
//! name of the tables, a claim that the compiler checks, out of reach with a reason, or still open.

use crate::common;

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
    /// `rule`, `names`, `claim`, `example`, `out`, `open`, or `nothing` where the checklist asks for nothing.
    status: String,
    /// For `rule`: the names of the rules.
    rules: String,
    /// For `rule`: fixtures that show them; for `names`: CUDA's names; for `claim`: a file and a text in it; for `example`:
    /// a row of `tests/data/examples.csv`.
    #[serde(rename = "where")]
    place: String,
    /// Why a row is out of reach or open, or how far it is covered.
    why: String,
}

/// A row of `tests/data/statements.csv`: what the documents say, in words of this project.
#[derive(Debug, serde::Deserialize)]
struct Statement {
    id: String,
    topic: String,
    says: String,
    /// The releases whose documents say so, and their sections.
    documents: String,
}

/// The parts of a row of `tests/data/examples.csv` that the page shows.
#[derive(Debug, serde::Deserialize)]
struct Example {
    id: String,
    blocks: String,
    section: String,
    shows: String,
    runs: String,
    told: String,
    releases: String,
    why: String,
}

fn rows<T: serde::de::DeserializeOwned>(name: &str) -> Vec<T> {
    let path = common::root().join("tests/data").join(name);
    csv::Reader::from_path(path).unwrap().deserialize().map(Result::unwrap).collect()
}

fn seeds() -> Vec<Seed> {
    rows("seeds.csv")
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
        "example" => example(seed),
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
    let name = format!("tests/snapshots/all__rules__fixtures@{}.snap", path.replace('/', "__"));
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

/// The row of an example that a program runs.
fn example(seed: &Seed) -> Option<String> {
    let is_there = example_of(seed).is_some_and(|example| !example.runs.is_empty());
    (!is_there).then(|| format!("no example `{}` runs", seed.place))
}

fn example_of(seed: &Seed) -> Option<Example> {
    rows::<Example>("examples.csv").into_iter().find(|example| example.id == seed.place)
}

/// The page for people, statement by statement.
#[test]
fn the_page_about_the_documents_is_up_to_date() {
    let (seeds, statements) = (seeds(), rows::<Statement>("statements.csv"));
    assert_eq!(
        seeds.iter().map(|seed| &seed.id).collect::<Vec<_>>(),
        statements.iter().map(|s| &s.id).collect::<Vec<_>>()
    );
    let mut page = HEAD.to_owned();
    let count = |wanted: &str| seeds.iter().filter(|seed| answer(seed) == wanted).count();
    let (works, holds, reason, nothing) = (count("works"), count("holds"), count("reason"), count("nothing to do"));
    let _ = writeln!(
        page,
        "\n{} statements: {works} work, {holds} hold, {reason} have a reason, {nothing} ask for nothing.",
        seeds.len()
    );
    let mut topic = "";
    for (seed, statement) in seeds.iter().zip(&statements) {
        if topic != statement.topic {
            topic = &statement.topic;
            let _ = write!(
                page,
                "\n## {topic}\n\n| | what the documents say | where | answer | shown by |\n|---|---|---|---|---|\n"
            );
        }
        let cells: [&str; 5] = [&seed.id, &statement.says, &statement.documents, answer(seed), &shown_by(seed)];
        let cells = cells.map(cell);
        let _ = writeln!(page, "| {} |", cells.join(" | "));
    }
    page.push_str(EXAMPLES);
    for example in rows::<Example>("examples.csv") {
        let cells = [&example.id, &example.blocks, &example.section, &example.shows, &shown_by_example(&example)];
        let cells = cells.map(|text| cell(text));
        let _ = writeln!(page, "| {} | {} |", cells.join(" | "), example.releases.replace(' ', ", "));
    }
    common::check_generated("docs/documents.md", &page);
}

const EXAMPLES: &str = "\n## Examples\n\n\
    The blocks of code of the five documents, by document and number, and in the end (P) what they say without one. Each is written anew \
    in a program that compiles for the releases of the last column and runs as gfx90a and gfx1100 with the newest; what is wrong in \
    a document is told by a rule or by the compiler.\n\n\
    | | blocks | section | what they show | shown by | compiles for |\n|---|---|---|---|---|---|\n";

/// Links to the programs, and to the rules that tell what is wrong in the documents.
fn shown_by_example(example: &Example) -> String {
    let programs = example.runs.split(' ').filter_map(|word| word.strip_prefix("fixtures/")?.split_once(':'));
    let mut shown: Vec<String> = programs
        .map(|(path, name)| format!("`{name}` in [{}](../fixtures/{path})", path.rsplit('/').next().unwrap()))
        .collect();
    let tellers = example.told.split(';').filter_map(|item| item.split_once('@'));
    shown.extend(tellers.map(|(teller, _)| match teller {
        "compiler" => "told by the compiler".to_owned(),
        rule => format!("told by [`{rule}`](rules/{rule}.md)"),
    }));
    let shown = shown.join(", ");
    if example.why.is_empty() { shown } else { format!("{shown}; {}", example.why) }
}

const HEAD: &str = "# What HIP's documents say, and what hipshift does about it\n\n\
    Five editions of ROCm's page on HIP's kernel language, of 5.x, 6.2, 6.3, 6.4 and 7.x, the one of 6.2 with a function \
    reference, were read statement by statement. `tests/seeds.rs` makes this page of `tests/data/seeds.csv` and \
    `tests/data/statements.csv`, and fails where a row shows no rule, name or claim any more; \
    `tests/rules.rs` runs the fixtures, each for the release that its first line names or else the newest, and `tests/compiler.rs` \
    compiles the claims for 5.7, 6.4 and 7.2. The documents' 97 blocks of code are rows of `tests/data/examples.csv`: \
    `tests/documents.rs` compiles and runs the programs in `fixtures/documents` that show them.\n\n\
    *works*: a rule converts or reports it, or a name of the tables does. *holds*: nothing is to be done, as the \
    compiler or a run says. *reason*: nothing is done, and the last column says why. *nothing to do*: the statement asks for nothing.\n";

/// What is done about a statement, in a word or two.
fn answer(seed: &Seed) -> &'static str {
    match seed.status.as_str() {
        "rule" | "names" => "works",
        "claim" | "example" => "holds",
        "out" | "open" => "reason",
        _ => "nothing to do",
    }
}

/// Links to rules and fixtures, names, claims, and reasons.
fn shown_by(seed: &Seed) -> String {
    let mut shown = match seed.status.as_str() {
        "rule" => {
            let rules = seed.rules.split(' ').map(|rule| format!("[`{rule}`](rules/{rule}.md)"));
            let fixtures =
                seed.place.split(' ').map(|path| format!("[{}](../{path})", path.rsplit('/').next().unwrap()));
            rules.chain(fixtures).collect::<Vec<_>>().join(", ")
        }
        "names" => format!("`{}`", seed.place.replace(' ', "`, `")),
        "claim" => {
            let (file, text) = seed.place.split_once(':').unwrap();
            format!("`{text}` in [{file}](../tests/data/claims/{file})")
        }
        "example" => {
            let runs = example_of(seed).unwrap().runs;
            let (path, kernel) = runs.split(' ').next().unwrap().split_once(':').unwrap();
            format!("`{kernel}` in [{}](../{path})", path.rsplit('/').next().unwrap())
        }
        _ => String::new(),
    };
    if !seed.why.is_empty() {
        shown.push_str(if shown.is_empty() { "" } else { "; " });
        shown.push_str(&seed.why);
    }
    shown
}

/// Text that keeps within a cell of a table, where `__` would make letters bold.
fn cell(text: &str) -> String {
    let mut is_code = false;
    let word = |word: &str| {
        let was_code = is_code;
        is_code ^= word.matches('`').count() % 2 == 1;
        let is_plain = !was_code && !word.contains('`') && word.contains("__");
        if is_plain { format!("`{word}`") } else { word.to_owned() }
    };
    text.replace('|', "\\|").split(' ').map(word).collect::<Vec<_>>().join(" ")
}
