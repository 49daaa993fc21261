//! The checks beside those of NVIDIA's compute-sanitizer: each program of `fixtures/sanitizer` has one defect, or none.
//! `tests/data/sanitizer.csv` says what finds it, and `docs/checks.md` is made of that table.
//!
//! `//~ text` on the line of the defect: a finding with that text names the line; `//+ text`: a finding has that text, and no
//! line, as it is about a call of the host; `//? text`: a finding has that text, and sometimes another line, or none; `//- text`: nothing
//! finds it, and what it is. A mark in a program without a defect is a
//! false alarm that is known.

use crate::common;

use std::fmt::Write as _;
use std::fs;
use std::sync::OnceLock;

use crate::common::{json, validate};
use serde_json::Value;

const FOLDER: &str = "fixtures/sanitizer";

/// The options of each run of all programs; the last two are switches that a row may need.
const RUNS: &[&str] = &["--checks=default", "--checks=all", "--api-errors", "--leaks"];

/// A row of `tests/data/sanitizer.csv`.
#[derive(Debug, serde::Deserialize)]
struct Row {
    program: String,
    defect: String,
    /// The tool of compute-sanitizer whose documents promise it, or `none`.
    expected: String,
    /// `line`: found, and the line is named; `found`: found in a call of the host, of which no line is known; `no`.
    #[serde(rename = "hipshift default")]
    default: String,
    /// The same with `--checks all`.
    #[serde(rename = "hipshift all")]
    all: String,
    /// The option that finds it where default checks do not.
    switch: String,
    /// What the tools of compute-sanitizer said of it: `line`, `found`, `no`; empty where they did not run.
    memcheck: String,
    racecheck: String,
    initcheck: String,
    synccheck: String,
    /// Why it is not found, or what else is to be known.
    why: String,
}

impl Row {
    fn is_clean(&self) -> bool {
        self.program.starts_with("clean_")
    }

    fn path(&self) -> String {
        format!("{FOLDER}/{}.cu", self.program)
    }

    /// Whether a run of `RUNS` has to find the defect, and its line.
    fn found_by(&self, run: usize) -> &str {
        match RUNS[run] {
            "--checks=all" => &self.all,
            option if option == self.switch => "found",
            _ => &self.default,
        }
    }
}

fn rows() -> Vec<Row> {
    let path = common::root().join("tests/data/sanitizer.csv");
    csv::Reader::from_path(path).unwrap().deserialize().map(Result::unwrap).collect()
}

/// The mark of a program: its sign, its text and its line.
fn mark(row: &Row) -> Option<(char, String, usize)> {
    let text = fs::read_to_string(common::root().join(row.path())).unwrap();
    let mut found = text.lines().zip(1..).filter_map(|(line, number)| {
        let (_, mark) = line.split_once("//")?;
        let (sign, text) = mark.split_once(' ')?;
        let sign = ["~", "+", "?", "-"].contains(&sign).then(|| sign.chars().next())??;
        Some((sign, text.to_owned(), number))
    });
    let first = found.next();
    assert!(found.next().is_none(), "two marks in {}", row.path());
    first
}

/// What each run of `RUNS` said of all programs. The first one compiles, the others take that from the cache.
fn results() -> Option<&'static [Value]> {
    static RESULTS: OnceLock<Option<Vec<Value>>> = OnceLock::new();
    let run = |option: &&str| {
        let output = validate(&[FOLDER, "--arch=gfx90a,gfx1100", "--format=json", option])?;
        Some(json(&output))
    };
    RESULTS.get_or_init(|| RUNS.iter().map(run).collect()).as_deref()
}

/// The targets of a program in the result of a run.
fn targets<'a>(result: &'a Value, row: &Row) -> &'a [Value] {
    let programs = result["programs"].as_array().unwrap();
    let program = programs.iter().find(|program| program["name"] == row.program.as_str()).unwrap();
    program["targets"].as_array().unwrap()
}

fn findings(target: &Value) -> Vec<&str> {
    target["findings"].as_array().unwrap().iter().map(|finding| finding.as_str().unwrap()).collect()
}

/// Whether a finding names a line of a program.
fn names(finding: &str, path: &str, line: usize) -> bool {
    finding.contains(&format!("{path}:{line})"))
}

#[test]
fn each_program_has_a_row_and_a_mark_that_fits() {
    let rows = rows();
    let mut listed: Vec<String> = rows.iter().map(Row::path).collect();
    listed.sort();
    let files = common::files_below(FOLDER, &["cu"]);
    assert_eq!(listed, files.iter().map(|path| common::shown(path)).collect::<Vec<_>>());
    for row in &rows {
        let sign = mark(row).map(|(sign, ..)| sign);
        let found: Vec<&str> = (0..RUNS.len()).map(|run| row.found_by(run)).collect();
        let fits = match sign {
            Some('~') => found.contains(&"line"),
            Some('+' | '?') => found.contains(&"found") && !found.contains(&"line"),
            _ => found.iter().all(|found| *found == "no") && sign.is_none() == row.is_clean(),
        };
        assert!(fits, "{row:?}");
        let is_missed = sign == Some('-');
        let asks_why = if row.is_clean() { sign.is_some() } else { matches!(sign, Some('-' | '?')) };
        assert_eq!(asks_why, !row.why.is_empty(), "{row:?}");
        let needs_switch = row.default == "no" && sign.is_some() && !is_missed;
        assert_eq!(needs_switch, !row.switch.is_empty(), "{row:?}");
        let tools = ["memcheck", "racecheck", "initcheck", "synccheck", "none"];
        assert!(tools.contains(&row.expected.as_str()), "{row:?}");
    }
}

#[test]
fn defects_are_found_as_the_table_says() {
    let Some(results) = results() else { return };
    for row in &rows() {
        let mark = mark(row);
        for (run, result) in results.iter().enumerate() {
            for target in targets(result, row) {
                let findings = findings(target);
                let is_it = |finding: &&str| match &mark {
                    Some(('~', text, line)) => finding.contains(text) && names(finding, &row.path(), *line),
                    Some(('+', text, _)) => finding.contains(text) && !finding.contains(FOLDER),
                    Some(('?', text, _)) => finding.contains(text),
                    // Whatever is told now of what was missed: the table has to say so.
                    _ => true,
                };
                let is_found = findings.iter().any(is_it);
                assert_eq!(is_found, row.found_by(run) != "no", "{} {row:?} {target:#}", RUNS[run]);
                let verdict = if findings.is_empty() { "ran" } else { "findings" };
                assert_eq!(target["verdict"], verdict, "{} {row:?} {target:#}", RUNS[run]);
            }
        }
    }
}

/// Besides, what is told of a program is about its defect: the two sides of a race, and what is read too early, are one.
#[test]
fn nothing_else_is_found() {
    let Some(results) = results() else { return };
    for row in &rows() {
        let mark = mark(row);
        for (run, result) in results.iter().enumerate() {
            for finding in targets(result, row).iter().flat_map(findings) {
                let is_expected = match &mark {
                    Some((_, text, line)) => finding.contains(text) || names(finding, &row.path(), *line),
                    None => false,
                };
                let of_race = mark.as_ref().is_some_and(|(_, text, _)| text.starts_with("race in LDS"));
                let is_other_side = of_race && finding.starts_with("race in LDS");
                // A kernel that was stopped makes calls fail, and what they should have freed is not.
                let is_consequence = !row.is_clean() && run > 1 && !finding.contains(FOLDER);
                assert!(is_expected || is_other_side || is_consequence, "{} {row:?} {finding}", RUNS[run]);
            }
        }
    }
}

#[test]
fn the_page_is_up_to_date() {
    let rows = rows();
    let (clean, defects): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(Row::is_clean);
    let mut page = HEAD.to_owned();
    let _ = writeln!(page, "{}", summary(&defects, &clean));
    page.push_str(TABLE);
    page.extend(defects.iter().map(table_row));
    page.push_str("\n## Not found, or without the line\n\n| program | why |\n|---|---|\n");
    for row in defects.iter().filter(|row| !row.why.is_empty()) {
        let _ = writeln!(page, "| {} | {} |", link(row), row.why);
    }
    let _ = write!(page, "\n## Programs without a defect\n\n{TABLE}");
    page.extend(clean.iter().map(table_row));
    let is_alarmed = clean.iter().any(|row| !row.why.is_empty());
    page.push_str(if is_alarmed { "\n## False alarms\n\n| program | why |\n|---|---|\n" } else { "" });
    for row in clean.iter().filter(|row| !row.why.is_empty()) {
        let _ = writeln!(page, "| {} | {} |", link(row), row.why);
    }
    common::check_generated("docs/checks.md", &page);
}

const HEAD: &str = "# Checks beside compute-sanitizer\n\n\
    What the checks of the emulator ([validation.md](validation.md#checks)) find, beside the tools of NVIDIA's compute-sanitizer. \
    Each program in `fixtures/sanitizer` is written for this, in CUDA, and has one defect; some have none and look as if they had. \
    `tests/sanitizer.rs` converts all of them, runs them as gfx90a and gfx1100, compares what is found with \
    `tests/data/sanitizer.csv`, and makes this page of that table (`UPDATE_DOCS=1`). By hand:\n\n\
    ```text\n\
    hipshift validate fixtures/sanitizer --arch gfx90a,gfx1100              # \"default\"\n\
    hipshift validate fixtures/sanitizer --arch gfx90a,gfx1100 --checks all # \"all\"; also with --api-errors, --leaks\n\
    nvcc -std=c++17 -arch=sm_90 -lineinfo -o program fixtures/sanitizer/NAME.cu\n\
    compute-sanitizer --tool memcheck --leak-check full --report-api-errors all ./program\n\
    compute-sanitizer --tool racecheck ./program\n\
    compute-sanitizer --tool initcheck ./program\n\
    compute-sanitizer --tool synccheck ./program\n\
    ```\n\n\
    *line*: found, and the line of the defect is named. *found*: found, and no line is named, or not always the right one; hipshift knows the lines of kernels, not \
    those of calls by the host. *no*: not found. Empty: not run. A program without a defect in which something is found has a false alarm. \
    \"Documented\" is the tool whose documents promise to find it. \"Needs\" is the option without which hipshift finds nothing.\n";

const TABLE: &str = "| program | defect | documented | default | all | needs | memcheck | racecheck | initcheck | synccheck |\n\
    |---|---|---|---|---|---|---|---|---|---|\n";

/// How many defects are found by what.
fn summary(defects: &[Row], clean: &[Row]) -> String {
    let count = |is: &dyn Fn(&Row) -> bool| defects.iter().filter(|row| is(row)).count();
    let default = count(&|row| row.default != "no");
    let all = count(&|row| row.default == "no" && row.all != "no");
    let switches = count(&|row| row.all == "no" && !row.switch.is_empty());
    let missed = count(&|row| row.all == "no" && row.switch.is_empty());
    let alarms = clean.iter().filter(|row| row.default != "no" || row.all != "no" || !row.switch.is_empty()).count();
    let of_clean = match alarms {
        0 => format!("In the {} programs without a defect, it finds nothing.", clean.len()),
        _ => format!(
            "Of {} programs without a defect, it finds fault with {alarms}: these are the false alarms that are known.",
            clean.len()
        ),
    };
    let mut text = format!(
        "\nOf {} defects, hipshift finds {default} by default, {all} more with `--checks all`, {switches} more with `--api-errors` or \
         `--leaks`, and misses {missed}. {of_clean}\n",
        defects.len(),
    );
    let is_found = |answer: &str| !answer.is_empty() && answer != "no";
    let answers =
        |row: &Row| [&row.memcheck, &row.racecheck, &row.initcheck, &row.synccheck].map(|text| is_found(text));
    let has_run = defects.iter().any(|row| !row.memcheck.is_empty());
    if has_run {
        let found = count(&|row| answers(row).contains(&true));
        let both = count(&|row| answers(row).contains(&true) && (row.all != "no" || !row.switch.is_empty()));
        let others = match count(&|row| row.memcheck.is_empty()) {
            0 => String::new(),
            others => format!(" {others} were not run with them."),
        };
        let _ = writeln!(
            text,
            "The four tools of compute-sanitizer (2025.3.1, on an NVIDIA H100) find {found} of them; {both} are found by both.{others}"
        );
    }
    text
}

fn link(row: &Row) -> String {
    format!("[{}](../{})", row.program, row.path())
}

fn table_row(row: &Row) -> String {
    let needs = if row.switch.is_empty() { String::new() } else { format!("`{}`", row.switch) };
    let tools = [&row.memcheck, &row.racecheck, &row.initcheck, &row.synccheck].map(String::as_str).join(" | ");
    let (link, Row { defect, expected, default, all, .. }) = (link(row), row);
    format!("| {link} | {defect} | {expected} | {default} | {all} | {needs} | {tools} |\n")
}
