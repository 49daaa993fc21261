//! Why tests fail: a table that people write, as `tests/data/amd_tests.csv`.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// The table, below the root of the repository.
pub(super) const TABLE: &str = "tests/data/amd_tests.csv";

/// Whose a failure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Ruling {
    /// The emulator or the runtime is wrong.
    Fault,
    /// It needs what a GPU alone has.
    Silicon,
    /// The test or the library is wrong, on a GPU too.
    Theirs,
}

/// A row. The first four are patterns, in which `*` stands for any text.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cause {
    suite: String,
    program: String,
    test: String,
    target: String,
    pub(super) verdict: Ruling,
    pub(super) reason: String,
}

/// A test that failed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'p> {
    pub(super) suite: &'p str,
    pub(super) program: &'p str,
    pub(super) test: &'p str,
    pub(super) target: &'p str,
}

impl Cause {
    /// Whether the row is about a test.
    pub(super) fn explains(&self, place: Place<'_>) -> bool {
        let pairs = [
            (&self.suite, place.suite),
            (&self.program, place.program),
            (&self.test, place.test),
            (&self.target, place.target),
        ];
        pairs.iter().all(|(pattern, text)| matches(pattern, text))
    }

    /// The row, for messages.
    pub(super) fn shown(&self) -> String {
        [self.suite.as_str(), &self.program, &self.test, &self.target].join(",")
    }
}

/// Reads the table.
pub(super) fn read(path: &Path) -> Result<Vec<Cause>> {
    let reading = || format!("reading `{}`", path.display());
    let rows =
        csv::Reader::from_path(path).with_context(reading)?.into_deserialize().collect::<Result<Vec<Cause>, _>>();
    let rows = rows.with_context(reading)?;
    for row in &rows {
        ensure!(!row.reason.trim().is_empty(), "{}: a row of `{}` has no reason", row.shown(), path.display());
    }
    Ok(rows)
}

/// Whether a text is like a pattern.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository_root;

    #[test]
    fn patterns_match_whole_texts() {
        for (pattern, text) in
            [("*", ""), ("a*c", "abc"), ("a*c", "acc"), ("*b*", "abc"), ("abc", "abc"), ("a*b*c", "axbxc")]
        {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("a", "ab"), ("a*c", "ab"), ("ab*bc", "abc"), ("", "a"), ("a*b*c", "acb")] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn the_table_of_the_repository_can_be_read() {
        read(&repository_root().join(TABLE)).unwrap();
    }

    #[test]
    fn rows_without_reasons_and_unknown_verdicts_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        let read = |row: &str| {
            std::fs::write(&path, format!("suite,program,test,target,verdict,reason\n{row}\n")).unwrap();
            read(&path)
        };
        let rows = read("hipcub,p,A.*,*,silicon,needs two GPUs").unwrap();
        let place = Place { suite: "hipcub", program: "p", test: "A.b/0", target: "gfx90a" };
        assert!(rows[0].explains(place) && !rows[0].explains(Place { test: "B.b", ..place }));
        assert!(read("hipcub,p,A.*,*,silicon, ").is_err());
        assert!(read("hipcub,p,A.*,*,maybe,because").is_err());
    }
}
