//! `hipshift validate` with the real compiler for AMD GPUs.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test that cannot go on fails")]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use common::{json, validate};
use serde_json::Value;

/// The errors of a validation: file name, line, column, and text with the rule that it has to do with.
fn errors(document: &Value) -> Vec<(String, u64, u64, String)> {
    let programs = document["programs"].as_array().unwrap().iter();
    let messages = programs.flat_map(|program| program["messages"].as_array().unwrap());
    let errors = messages.filter(|message| message["severity"] == "error");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let place =
        |m: &Value| (text(&m["file"]), m["line"].as_u64().unwrap(), m["column"].as_u64().unwrap(), text(&m["text"]));
    errors.map(place).collect()
}

#[test]
fn errors_of_the_compiler_stand_at_the_lines_of_the_cuda_source() {
    let Some(output) = validate(&["fixtures/validate/errors", "--arch=gfx90a", "--executor=none", "--format=json"])
    else {
        return;
    };
    assert_eq!(output.status.code(), Some(1));
    let found = errors(&json(&output));
    let mut lines: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
    let mut shown = String::new();
    for (file, line, column, text) in &found {
        lines.entry(file.clone()).or_default().insert(*line);
        let source = fs::read_to_string(common::root().join(file)).unwrap();
        let source = source.lines().nth(usize::try_from(*line).unwrap() - 1).unwrap();
        let indent = " ".repeat(usize::try_from(*column).unwrap() - 1);
        writeln!(shown, "{file}:{line}:{column}: {text}\n  {source}\n  {indent}^").unwrap();
    }
    let mut marks = 0;
    for path in common::files_below("fixtures/validate/errors", &["cu"]) {
        let text = fs::read_to_string(&path).unwrap();
        let marked = text.lines().zip(1..).filter(|(line, _)| line.contains("//~ error")).map(|(_, number)| number);
        let marked: BTreeSet<u64> = marked.collect();
        marks += marked.len();
        let name = path.strip_prefix(fs::canonicalize(common::root()).unwrap()).unwrap().to_str().unwrap().to_owned();
        assert_eq!(lines.get(&name), Some(&marked), "{name}");
    }
    assert!(marks >= 30, "{marks}");
    insta::assert_snapshot!("errors_at_cuda_lines", shown);
}

#[test]
fn what_was_only_compiled_is_not_called_well() {
    let Some(output) = validate(&["fixtures/vector_add", "--executor=none"]) else { return };
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    insta::assert_snapshot!(String::from_utf8(output.stdout).unwrap(), @r"
    program     gfx90a (wave64)  gfx1100 (wave32)
    vector_add  not run          not run
    not run (2 results): there is nothing to run it
    1 program, 2 results: 0 well, 0 failed, 2 not run
    evidence: 0 emulated, 2 compiled
    ");
}

#[test]
fn each_release_is_compiled_with_its_own_headers() {
    for release in ["5.7", "6.4"] {
        let Some(output) = validate(&["fixtures/vector_add", "--executor=none", "--rocm", release]) else { return };
        assert_eq!(output.status.code(), Some(0), "{release}: {}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn a_project_without_programs_is_trouble() {
    let Some(output) = validate(&["fixtures/vector_add/src/kernels.cuh"]) else { return };
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no `main`"));
}

#[test]
fn a_missing_compiler_says_where_it_was_looked_for() {
    let output = Command::new(env!("CARGO_BIN_EXE_hipshift"))
        .args(["validate", "fixtures/vector_add", "--toolchain", "/nowhere"])
        .current_dir(common::root())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("headers of HIP 7.2") && text.contains("--toolchain (/nowhere)"), "{text}");
}
