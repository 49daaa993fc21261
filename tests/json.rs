//! What commands say to programs: JSON that is whole, and says what the text for people says.

use crate::common;

use std::io::Write as _;
use std::process::{Output, Stdio};

use crate::common::folder::{Folder, check, command, hipshift};
use serde_json::{Value, json};

const CUDA: &str = "\
#include <cuda_runtime.h>
void f(float* x) {
    cudaMalloc(&x, 4);
    k<<<1, 2>>>(cudaSuccess);
    first();
    second();
    third();
    cudaFrobnicate(x);
}
";

fn json_of(output: &Output) -> Value {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn json_in(folder: &Folder, arguments: &[&str]) -> Value {
    json_of(&hipshift(folder, arguments))
}

fn with_input(arguments: &[&str], input: &str) -> Output {
    let folder = Folder::new(&[]);
    let mut command = command(folder.0.path(), arguments);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

/// Describes values by their types, for comparing forms.
fn types(value: &Value) -> Value {
    match value {
        Value::Null => json!("null"),
        Value::Bool(_) => json!("boolean"),
        Value::Number(_) => json!("number"),
        Value::String(_) => json!("string"),
        Value::Array(values) => json!(values.iter().take(1).map(types).collect::<Vec<_>>()),
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), types(value))).collect(),
    }
}

#[test]
fn differences_are_hunks_with_fixes_and_findings() {
    let folder = Folder::new(&[("a.cu", CUDA), ("plain.cpp", "int x;\n")]);
    let arguments = ["diff", ".", "--format", "json", "-U", "1"];
    let output = hipshift(&folder, &arguments);
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!("diff", serde_json::to_string_pretty(&json_of(&output)).unwrap());
}

#[test]
fn differences_of_standard_input_are_those_of_a_file() {
    let folder = Folder::new(&[("a.cu", CUDA)]);
    let from_file = json_in(&folder, &["diff", "a.cu", "--format", "json"]);
    let output = with_input(&["diff", "-", "--format", "json"], CUDA);
    assert_eq!(output.status.code(), Some(1));
    let mut from_input = json_of(&output);
    assert_eq!(from_input["files"][0]["path"], "<stdin>");
    from_input["files"][0]["path"] = json!("a.cu");
    assert_eq!(from_input, from_file);
    let patch = String::from_utf8(with_input(&["diff", "-"], CUDA).stdout).unwrap();
    assert!(patch.contains("\n-    cudaMalloc(&x, 4);\n"), "{patch}");
    assert_eq!(with_input(&["diff", "-"], "int x;\n").status.code(), Some(0));
    check(&folder, &["diff", "-", "--patch", "-"], 2, "stands alone");
    check(&folder, &["diff", "-", "a.cu"], 2, "stands alone");
}

#[test]
fn one_form_of_differences_at_a_time() {
    let folder = Folder::new(&[("a.cu", CUDA)]);
    for form in [&["-y"][..], &["--word-diff"], &["--patch", "-"], &["--split-by", "rule", "-o", "p"]] {
        check(&folder, &[&["diff", "a.cu", "--format", "json"], form].concat(), 2, "a form of its own");
    }
}

/// Puts the lines after in place of the lines before.
fn apply(text: &str, hunks: &[Value]) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (mut result, mut at) = (String::new(), 0);
    let strings = |value: &Value| -> Vec<String> { serde_json::from_value(value.clone()).unwrap() };
    for hunk in hunks {
        let before = strings(&hunk["before"]["lines"]);
        let named = usize::try_from(hunk["before"]["start"].as_u64().unwrap()).unwrap();
        let start = if before.is_empty() { named } else { named - 1 };
        result.extend(lines[at..start].iter().copied());
        at = start + before.len();
        assert_eq!(lines[start..at], before);
        result.extend(strings(&hunk["after"]["lines"]));
    }
    result.extend(lines[at..].iter().copied());
    result
}

#[test]
fn the_lines_of_all_hunks_make_the_conversion() {
    for (name, context) in [("fixtures", "0"), ("fixtures", "3"), ("target/corpus", "2")] {
        let folder = Folder::new(&[]);
        let input = common::root().join(name);
        let Ok(input) = std::fs::canonicalize(input) else { continue };
        let input = input.to_str().unwrap();
        hipshift(&folder, &["convert", input, "-o", "out", "-q"]);
        let json = json_in(&folder, &["diff", input, "--format", "json", "-U", context]);
        let files = json["files"].as_array().unwrap();
        assert!(files.len() > 50);
        for file in files {
            let path = file["path"].as_str().unwrap();
            let hunks = file["hunks"].as_array().unwrap();
            if file["encoding"] == "latin-1" {
                continue;
            }
            // The header with definitions is new, and no fix of one finding.
            let is_header = path.ends_with("/hipshift_warp.h");
            let before = if is_header { String::new() } else { std::fs::read_to_string(path).unwrap() };
            let after = folder.read(&format!("out{}", path.strip_prefix(input).unwrap()));
            assert_eq!(apply(&before, hunks), after, "{path}");
            let is_explained = |hunk: &Value| !hunk["fixes"].as_array().unwrap().is_empty();
            assert!(is_header || hunks.iter().all(is_explained), "{path}");
        }
    }
}

#[test]
fn every_command_that_answers_speaks_json() {
    let folder = Folder::new(&[("a.cu", CUDA)]);
    let commands: &[(&str, &[&str])] = &[
        ("convert", &["convert", "a.cu", "--dry-run", "--format", "json"]),
        ("lint", &["lint", "a.cu", "--format", "json"]),
        ("estimate", &["lint", "a.cu", "--estimate", "--format", "json"]),
        ("map", &["map", "cudaFree", "--format", "json"]),
        ("explain", &["explain", "A003", "--format", "json"]),
        ("rules", &["explain", "--format", "json"]),
        ("doctor", &["doctor", "--format", "json"]),
    ];
    let forms = commands.iter().map(|(name, arguments)| ((*name).to_owned(), types(&json_in(&folder, arguments))));
    let mut forms: serde_json::Map<String, Value> = forms.collect();
    // What is installed differs from machine to machine.
    forms["doctor"]["hip"] = json!([]);
    forms["doctor"]["gpus"] = json!([]);
    forms["doctor"]["missing"] = json!([]);
    forms["doctor"]["executors"][0]["path"] = json!("string or null");
    forms["doctor"]["programs"][0]["path"] = json!("string or null");
    forms["doctor"]["libraries"][0]["path"] = json!("string or null");
    insta::assert_snapshot!("forms", serde_json::to_string_pretty(&forms).unwrap());
}

#[test]
fn the_old_spelling_of_map_is_kept() {
    let folder = Folder::new(&[]);
    let old = json_in(&folder, &["map", "cudaFree", "--json"]);
    assert_eq!(old, json_in(&folder, &["map", "cudaFree", "--format", "json"]));
    assert_eq!(old[0]["entries"][0]["hip"], "hipFree");
    check(&folder, &["map", "cudaFree", "--json", "--format", "text"], 2, "cannot be used with");
}

#[test]
fn explain_and_doctor_say_the_same_to_people_and_programs() {
    let folder = Folder::new(&[]);
    let text = |arguments: &[&str]| String::from_utf8(hipshift(&folder, arguments).stdout).unwrap();
    let rules = json_in(&folder, &["explain", "--format", "json"]);
    let list = text(&["explain"]);
    let rules = rules["rules"].as_array().unwrap();
    assert_eq!(list.lines().count(), rules.len());
    for (line, rule) in list.lines().zip(rules) {
        assert!(line.starts_with(rule["code"].as_str().unwrap()) && line.ends_with(rule["summary"].as_str().unwrap()));
        let one = json_in(&folder, &["explain", rule["code"].as_str().unwrap(), "--format", "json"]);
        assert_eq!(one["name"], rule["name"]);
        assert!(text(&["explain", one["name"].as_str().unwrap()]).ends_with(one["page"].as_str().unwrap()));
    }
    let doctor = json_in(&folder, &["doctor", "--format", "json"]);
    assert!(
        text(&["doctor"]).contains(&format!("{} lines, {} call rules", doctor["table_lines"], doctor["call_rules"]))
    );
}
