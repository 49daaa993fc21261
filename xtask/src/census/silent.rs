//! What is known to fail in silence: a list that may only get shorter.

use std::collections::BTreeSet;
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

/// A line for each fact that fails in silence: the release, the fact, and the compiler's words.
fn lines(answers: &Answers) -> BTreeSet<String> {
    let of_releases = answers.iter().flat_map(|(release, libraries)| {
        libraries.iter().flatten().filter_map(move |answer| Some((release, answer, answer.silent_error()?)))
    });
    of_releases.map(|(release, answer, error)| format!("{release} {}: {error}", answer.label)).collect()
}

/// Writes the list anew.
pub(super) fn write(answers: &Answers) -> Result<()> {
    let text: String = lines(answers).into_iter().map(|line| line + "\n").collect();
    fs::write(path(), text).with_context(|| format!("writing `{}`", path().display()))
}

/// What the list does not have.
pub(super) fn unknown(answers: &Answers) -> Result<Vec<String>> {
    let known = fs::read_to_string(path()).with_context(|| format!("reading `{}`", path().display()))?;
    let known: BTreeSet<&str> = known.lines().collect();
    Ok(lines(answers).into_iter().filter(|line| !known.contains(line.as_str())).collect())
}
