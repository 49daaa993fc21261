//! What the documents show of hipshift is what it prints: each command of theirs is run, and its output compared.
#![cfg(unix)]

use crate::common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use regex_lite::Regex;

/// Documents of which every block with a command is run.
const DOCUMENTS: &[&str] = &["README.md", "docs/tutorial.md", "docs/usage.md", "docs/waves.md"];

/// Commands that compile what they convert.
const COMPILING: &[&str] = &["validate", "self-check"];

/// A command with what a document says that it prints.
struct Shown {
    /// Document and line.
    place: String,
    words: Vec<String>,
    lines: Vec<String>,
    /// Lines of a difference that the document shows after it.
    difference: Vec<String>,
}

/// All commands of a document, in their order: lines that begin with `$ ` in blocks of text.
fn shown(document: &str) -> Vec<Shown> {
    let text = fs::read_to_string(common::root().join(document)).unwrap();
    let mut all: Vec<Shown> = Vec::new();
    let mut kind = "";
    for (line, number) in text.lines().zip(1..) {
        if let Some(name) = line.strip_prefix("```") {
            kind = name;
        } else if let (Some(command), "text") = (line.strip_prefix("$ "), kind) {
            let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
            let place = format!("{document}:{number}");
            assert_eq!(words[0], "hipshift", "{place}: nobody knows whether that is true");
            all.push(Shown { place, words, lines: Vec::new(), difference: Vec::new() });
        } else if let ("text", Some(last)) = (kind, all.last_mut()) {
            last.lines.push(line.to_owned());
        } else if let ("diff", Some(last)) = (kind, all.last_mut()) {
            last.difference.push(line.to_owned());
        }
    }
    all
}

/// A place for what commands write, in place of `/tmp`.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    /// Runs a command of a document; `None` with a note where there is nothing to compile with.
    fn run(&self, words: &[String]) -> Option<Output> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
        command.args(words.iter().map(|word| word.replace("/tmp/", &self.tmp()))).current_dir(common::root());
        command.env("HIPSHIFT_RUNTIME", common::runtime()).env("XDG_STATE_HOME", self.folder.path().join("state"));
        command.env("XDG_CACHE_HOME", common::root().join("target/cache")).env("COLUMNS", "112");
        if COMPILING.contains(&words[0].as_str()) {
            command.env("HIPSHIFT_TOOLCHAIN", fs::canonicalize(common::toolchain()?).unwrap());
        }
        Some(command.output().unwrap())
    }

    fn tmp(&self) -> String {
        format!("{}/", self.folder.path().display())
    }

    /// What a run wrote, as a document would show it.
    fn lines(&self, output: &Output) -> Vec<String> {
        let both = [&output.stderr, &output.stdout].map(|bytes| String::from_utf8(bytes.clone()).unwrap());
        let text = both.concat().replace(&self.tmp(), "/tmp/");
        text.lines().map(without_times).collect()
    }
}

/// Times are those of one machine, and columns are as wide as these.
fn without_times(line: &str) -> String {
    let line = Regex::new(r"\d+\.\d+ s\b").unwrap().replace_all(line, "0.0 s").into_owned();
    Regex::new(" +").unwrap().replace_all(&line, " ").trim_end().to_owned()
}

/// Whether lines are those of a document, where `…` stands for any text of a line, and alone for any lines.
fn agree(shown: &[String], real: &[String]) -> bool {
    match shown {
        [] => real.is_empty(),
        [first, rest @ ..] if first == "…" => (0..=real.len()).any(|skipped| agree(rest, &real[skipped..])),
        [first, rest @ ..] => real.split_first().is_some_and(|(line, others)| like(first, line) && agree(rest, others)),
    }
}

fn like(shown: &str, real: &str) -> bool {
    let mut parts = shown.split('…');
    let Some(mut rest) = real.strip_prefix(parts.next().unwrap()) else { return false };
    let mut last = "";
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        (rest, last) = (&rest[at + part.len()..], part);
    }
    rest.is_empty() || shown.contains('…') && real.ends_with(last)
}

#[test]
fn every_command_prints_what_the_documents_show() {
    let place = Place { folder: tempfile::tempdir().unwrap() };
    let mut wrong = Vec::new();
    for shown in DOCUMENTS.iter().flat_map(|document| shown(document)) {
        let Some(output) = place.run(&shown.words[1..]) else { continue };
        let real = place.lines(&output);
        let expected: Vec<String> = shown.lines.iter().map(|line| without_times(line)).collect();
        if !agree(&expected, &real) {
            wrong.push(format!("{}:\n{}\nreally:\n{}", shown.place, expected.join("\n"), real.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn every_difference_that_is_shown_is_one_of_the_conversion() {
    let place = Place { folder: tempfile::tempdir().unwrap() };
    let mut count = 0;
    for shown in DOCUMENTS.iter().flat_map(|document| shown(document)).filter(|shown| !shown.difference.is_empty()) {
        let words = ["diff", &shown.words[2], "-U0"].map(str::to_owned);
        let output = String::from_utf8(place.run(&words).unwrap().stdout).unwrap();
        for line in &shown.difference {
            assert!(output.lines().any(|real| real == line), "{}: {line}\nreally:\n{output}", shown.place);
            count += 1;
        }
    }
    assert!(count > 3, "the documents show {count} changed lines");
}

#[test]
fn the_comparison_sees_what_differs() {
    let lines = |text: &str| -> Vec<String> { text.lines().map(without_times).collect() };
    let agrees = |shown: &str, real: &str| agree(&lines(shown), &lines(real));
    assert!(agrees("a  0.25 s\nb", "a 11.5 s\nb") && agrees("a\n…\nc", "a\nb\nb\nc") && agrees("a … c", "a b c"));
    assert!(!agrees("a\nb", "a") && !agrees("a", "a\nb") && !agrees("a\n…\nc", "a\nb") && !agrees("a … c", "a b d"));
    assert!(!agrees("ab", "abc") && !agrees("2 files", "3 files"));
}

#[test]
fn readme_is_short() {
    let text = fs::read_to_string(common::root().join("README.md")).unwrap();
    let lines = text.lines().count();
    assert!(lines < 150, "README.md has {lines} lines");
    let (about, commands) = (text.find("AMD GPU").unwrap(), text.find("./test").unwrap());
    assert!(about < commands && commands < 3000, "what it is and how to begin come first");
}

/// Every file that the documents name in a command is there.
#[test]
fn commands_name_files_that_exist() {
    for shown in DOCUMENTS.iter().flat_map(|document| shown(document)) {
        for word in shown.words.iter().filter(|word| word.starts_with("fixtures/")) {
            let path: PathBuf = common::root().join(Path::new(word));
            assert!(path.exists(), "{}: {word}", shown.place);
        }
    }
}
