//! Joins test results of the parts of a run.

use quick_junit::{Property, Report, TestSuite};

use super::error::{MergeError, PartReport, unreadable};
use super::whole::{check_complete, check_each_once};
use crate::report::part::{POSITION, Part, PartWords};

/// A report with what it says of itself.
struct Read {
    report: Report,
    /// What the whole is called.
    name: String,
    words: PartWords,
}

/// All test suites by their places in the whole.
pub(super) fn merge_junit(reports: &[PartReport<'_>]) -> Result<Vec<u8>, MergeError> {
    let names: Vec<&str> = reports.iter().map(|report| report.name).collect();
    let read = reports.iter().map(read).collect::<Result<Vec<Read>, _>>()?;
    let Some(name) = read.first().map(|read| read.name.clone()) else { return Err(MergeError::Uneven) };
    if let Some(other) = read.iter().position(|read| read.name != name) {
        let (first, second) = (names[0].to_owned(), names[other].to_owned());
        return Err(MergeError::Different { first, second, what: "their name".to_owned() });
    }
    let (mut words, mut suites) = (Vec::new(), Vec::new());
    for (read, report) in read.into_iter().zip(reports) {
        let texts = suite_texts(report.text);
        if texts.len() != read.report.test_suites.len() {
            return Err(unreadable(report.name, "its suites are not written as hipshift writes them"));
        }
        for (suite, text) in read.report.test_suites.into_iter().zip(texts) {
            let own = suite.properties.iter().find(|property| property.name.as_str() == POSITION);
            let position =
                own.and_then(place).ok_or_else(|| unreadable(report.name, "a suite does not tell its place"))?;
            suites.push((position, without_place(text), suite));
        }
        words.push(read.words);
    }
    check_complete(&names, &words)?;
    let positions: Vec<usize> = suites.iter().map(|(position, ..)| *position).collect();
    check_each_once(&[&positions], words.first().map_or(0, |words| words.entries))?;
    suites.sort_by_key(|(position, ..)| *position);
    let (texts, suites): (Vec<String>, Vec<TestSuite>) =
        suites.into_iter().map(|(_, text, suite)| (text, suite)).unzip();
    let mut merged = Report::new(name);
    merged.add_test_suites(suites);
    let frame = merged.to_string().map_err(|error| unreadable(names.first().unwrap_or(&""), &error))?;
    Ok(format!("{}\n", in_frame(&frame, &texts)).into_bytes())
}

/// What a tag begins with; `<` stands nowhere else, as texts have `&lt;` for it.
const BEGIN: &str = "<testsuite ";
const END: &str = "</testsuite>";

/// The text of each suite. Read and written anew, line ends at the end of what a program printed would be lost.
fn suite_texts(report: &str) -> Vec<&str> {
    let text_at = |(at, _): (usize, &str)| {
        let rest = &report[at..];
        rest.find(END).map(|end| &rest[..end + END.len()])
    };
    report.match_indices(BEGIN).filter_map(text_at).collect()
}

/// A suite without the property that tells its place, and without the list of properties if that was all.
fn without_place(suite: &str) -> String {
    let mark = format!("<property name=\"{POSITION}\"");
    let mut kept: Vec<&str> = suite.split_inclusive('\n').collect();
    if let Some(at) = kept.iter().position(|line| line.trim_start().starts_with(&mark)) {
        kept.remove(at);
        let is_alone = at > 0
            && kept[at - 1].trim() == "<properties>"
            && kept.get(at).is_some_and(|line| line.trim() == "</properties>");
        if is_alone {
            kept.drain(at - 1..=at);
        }
    }
    kept.concat()
}

/// The suites of a report in the text of others.
fn in_frame(frame: &str, texts: &[String]) -> String {
    let (Some(begin), Some(end)) = (frame.find(BEGIN), frame.rfind(END)) else { return frame.to_owned() };
    // As many blanks stand before each suite as before the first.
    let before = frame[..begin].rfind('\n').unwrap_or_default();
    let between = &frame[before..begin];
    format!("{}{}{}", &frame[..begin], texts.join(between), &frame[end + END.len()..])
}

fn read(report: &PartReport<'_>) -> Result<Read, MergeError> {
    let parsed = Report::deserialize_from_str(report.text).map_err(|error| unreadable(report.name, &error))?;
    let whole = || MergeError::Whole(report.name.to_owned());
    let marked = parsed.name.as_ref().ok_or_else(whole)?;
    let (name, words) = Part::unmark(marked.as_str()).ok_or_else(whole)?;
    Ok(Read { name: name.to_owned(), words, report: parsed })
}

fn place(property: &Property) -> Option<usize> {
    property.value.as_str().parse().ok()
}
