//! Results as they are kept: a file for each program and target, one line of JSON for each test. Files of several machines can lie together.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// What became of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verdict {
    /// It found what it wanted.
    Passed,
    /// It found something else, or ended its process.
    Failed,
    /// It says itself that it cannot be run here.
    Skipped,
    /// It had half of the time of a process, and did not end.
    Slow,
    /// The time of its program was over before.
    Left,
}

/// A test with what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct TestResult {
    /// Its name, with its suite.
    pub(super) test: String,
    pub(super) verdict: Verdict,
    /// How long it took, if it ended.
    pub(super) seconds: f64,
    /// What it said, if it did not pass.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) message: String,
}

/// What results are of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Head {
    pub(super) suite: String,
    /// The file of the program.
    pub(super) program: String,
    pub(super) target: String,
    /// Of the package.
    pub(super) version: String,
    /// A digest of the emulator's library.
    pub(super) library: String,
    /// The time of a process.
    pub(super) seconds: u64,
}

/// The results of a program on a target.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Kept {
    pub(super) head: Head,
    pub(super) results: Vec<TestResult>,
    /// What checks of the emulator found, each once.
    pub(super) findings: Vec<String>,
}

/// A line of a file.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Line {
    Head(Head),
    Test(TestResult),
    Finding(String),
}

impl Kept {
    /// The file of what a head says, below the folder of results.
    pub(super) fn path(folder: &Path, head: &Head) -> PathBuf {
        folder.join(&head.suite).join(&head.target).join(format!("{}.jsonl", head.program))
    }

    /// What is known of a head: nothing if the library, the package or the time of a process was another one.
    pub(super) fn open(folder: &Path, head: &Head) -> Result<Kept> {
        let path = Kept::path(folder, head);
        let known = match fs::read_to_string(&path) {
            Ok(text) => Some(Kept::parse(&text).with_context(|| format!("reading `{}`", path.display()))?),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error).with_context(|| format!("reading `{}`", path.display())),
        };
        let known = known.filter(|known| known.head == *head);
        Ok(known.unwrap_or_else(|| Kept { head: head.clone(), results: Vec::new(), findings: Vec::new() }))
    }

    /// Notes that there is such a program, if nothing is known of it.
    pub(super) fn note(folder: &Path, head: &Head) -> Result<()> {
        if Kept::path(folder, head).exists() {
            return Ok(());
        }
        Kept { head: head.clone(), results: Vec::new(), findings: Vec::new() }.write(folder)
    }

    /// Writes the file.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        let path = Kept::path(folder, &self.head);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).with_context(|| format!("creating `{}`", parent.display()))?;
        let part = path.with_extension("part");
        fs::write(&part, self.text()?).with_context(|| format!("writing `{}`", part.display()))?;
        fs::rename(&part, &path).with_context(|| format!("writing `{}`", path.display()))
    }

    fn text(&self) -> serde_json::Result<String> {
        let tests = self.results.iter().cloned().map(Line::Test);
        let findings = self.findings.iter().cloned().map(Line::Finding);
        let lines = [Line::Head(self.head.clone())].into_iter().chain(tests).chain(findings);
        lines.map(|line| Ok(serde_json::to_string(&line)? + "\n")).collect()
    }

    fn parse(text: &str) -> Result<Kept> {
        let (mut head, mut results, mut findings) = (None, Vec::new(), Vec::new());
        for line in text.lines() {
            match serde_json::from_str(line)? {
                Line::Head(found) => head = Some(found),
                Line::Test(result) => results.push(result),
                Line::Finding(text) => findings.push(text),
            }
        }
        Ok(Kept { head: head.context("no line says what the results are of")?, results, findings })
    }
}

/// All results below a folder, by suite, target and program.
pub(super) fn read_all(folder: &Path) -> Result<Vec<Kept>> {
    let mut files = Vec::new();
    collect(folder, &mut files).with_context(|| format!("listing `{}`", folder.display()))?;
    files.sort();
    let read = |path: &PathBuf| {
        let text = fs::read_to_string(path)?;
        Kept::parse(&text)
    };
    files.iter().map(|path| read(path).with_context(|| format!("reading `{}`", path.display()))).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(library: &str) -> Head {
        let [suite, program, target, version] = ["s", "p", "gfx90a", "1"].map(str::to_owned);
        Head { suite, program, target, version, library: library.to_owned(), seconds: 30 }
    }

    #[test]
    fn results_come_back_and_hold_for_the_library_they_were_made_with() {
        let folder = tempfile::tempdir().unwrap();
        let result =
            TestResult { test: "A.b".to_owned(), verdict: Verdict::Slow, seconds: 0.5, message: "a\nb".to_owned() };
        let kept = Kept { head: head("x"), results: vec![result], findings: vec!["race".to_owned()] };
        kept.write(folder.path()).unwrap();
        assert_eq!(Kept::open(folder.path(), &head("x")).unwrap(), kept);
        assert!(Kept::open(folder.path(), &head("y")).unwrap().results.is_empty());
        Kept::note(folder.path(), &head("y")).unwrap();
        assert_eq!(read_all(folder.path()).unwrap(), [kept]);
    }

    #[test]
    fn lines_without_a_head_are_refused() {
        assert!(Kept::parse("").is_err());
        assert!(Kept::parse("{\"finding\":\"race\"}\n{").is_err());
    }
}
