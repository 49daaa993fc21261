//! What is known to fail in silence: a list that may only get shorter.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use hipshift::mapping::RocmVersion;

use super::fact;
use super::verdict::Answer;

/// What became of the facts of each library, by release.
pub(super) type Answers = [(RocmVersion, Vec<Vec<Answer>>)];

fn path() -> PathBuf {
    fact::folder().join("silent.txt")
}

/// What fails in silence: the release and the fact, with the compiler's words.
fn failures(answers: &Answers) -> BTreeMap<String, &str> {
    let of_releases = answers.iter().flat_map(|(release, libraries)| {
        libraries.iter().flatten().filter_map(move |answer| Some((release, answer, answer.silent_error()?)))
    });
    of_releases.map(|(release, answer, error)| (format!("{release} {}", answer.label), error)).collect()
}

/// Writes the list anew: a line each, with the compiler's words behind a tab.
pub(super) fn write(answers: &Answers) -> Result<()> {
    let failures = failures(answers);
    let text: String = failures.iter().flat_map(|(fact, error)| [fact, "\t", error, "\n"]).collect();
    fs::write(path(), text).with_context(|| format!("writing `{}`", path().display()))
}

/// What the list does not have. The words are left out of it, as they change with the compiler.
pub(super) fn unknown(answers: &Answers) -> Result<Vec<String>> {
    let known = fs::read_to_string(path()).with_context(|| format!("reading `{}`", path().display()))?;
    let known: BTreeSet<&str> = known.lines().filter_map(|line| Some(line.split_once('\t')?.0)).collect();
    let unknown = failures(answers).into_iter().filter(|(fact, _)| !known.contains(fact.as_str()));
    Ok(unknown.map(|(fact, error)| format!("{fact}: {error}")).collect())
}
