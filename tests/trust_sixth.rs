//! Traps that a sixth attack found: outputs that are sources under another name, pipes with names of sources, patterns that
//! panic, reports with sums that no number holds, and inputs of programs outside of the project.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::Value;

use crate::common::trap::{CUDA, Trap, says};

fn source(trap: &Trap) -> String {
    fs::read_to_string(trap.folder.path("clone/x.cu")).unwrap()
}

#[test]
fn an_output_that_is_the_input_by_another_name_is_refused() {
    let trap = Trap::new();
    symlink("clone", trap.folder.path("mine")).unwrap();
    for arguments in [
        &["convert", ".", "-o", "."][..],
        &["convert", ".", "-o", "../clone"],
        &["convert", ".", "-o", "../mine"],
        &["convert", "x.cu", "-o", "../clone/x.cu"],
        &["convert", "x.cu", "-o", "../mine/x.cu"],
        &["convert", "../mine", "-o", "."],
    ] {
        says(&trap, arguments, 2, "is the input itself");
        assert_eq!(source(&trap), CUDA, "{arguments:?}");
    }
    // A second run over its own results is none of these.
    says(&trap, &["convert", ".", "-o", "../out"], 0, "");
    says(&trap, &["convert", ".", "-o", "../out"], 0, "");
}

#[test]
fn reports_do_not_take_the_place_of_sources() {
    for arguments in [
        &["convert", ".", "--dry-run", "--export-fixes"][..],
        &["diff", ".", "--patch"],
        &["lint", ".", "--write-baseline"],
    ] {
        let trap = Trap::new();
        trap.write("Makefile", "all:\n");
        for name in ["x.cu", "./x.cu", "../clone/x.cu", "Makefile"] {
            says(&trap, &[arguments, &[name]].concat(), 2, "is a source or a build file");
        }
        assert_eq!(source(&trap), CUDA, "{arguments:?}");
        let output = trap.run(&[arguments, &["new.cu"]].concat());
        assert!(matches!(output.status.code(), Some(0 | 1)), "{arguments:?}");
    }
}

#[test]
fn pipes_in_the_place_of_sources_are_told() {
    let trap = Trap::new();
    for name in ["pipe.cu", "CMakeLists.txt", "sub/pipe.cuh", "notes.txt"] {
        assert!(Command::new("mkfifo").arg(trap.folder.path("clone").join(name)).status().unwrap().success());
    }
    for arguments in [&["lint", "."][..], &["convert", ".", "-o", "out"]] {
        let said = says(&trap, arguments, 1, "pipe.cu` is a pipe");
        assert!(said.contains("CMakeLists.txt` is a pipe") && said.contains("sub/pipe.cuh` is a pipe"), "{said}");
        assert!(!said.contains("notes.txt"), "{said}");
    }
}

#[test]
fn patterns_longer_than_any_path_are_told_and_do_not_panic() {
    let trap = Trap::new();
    trap.write(
        "CMakeLists.txt",
        &format!("project(p CUDA)\nfile(GLOB x \"{}.cu\")\nadd_executable(t ${{x}})\n", "*a".repeat(100_000)),
    );
    says(&trap, &["project", "."], 1, "is too long");
    let trap = Trap::new();
    trap.write("Makefile", &format!("A := $(wildcard {})\nt: x.cu\n\tnvcc -o t x.cu\n", "*".repeat(200_000)));
    says(&trap, &["project", "."], 1, "is too long");
    let trap = Trap::new();
    trap.write(".gitignore", &format!("{}\n", "*a".repeat(100_000)));
    says(&trap, &["lint", "."], 1, "too long or deep");
    let trap = Trap::new();
    trap.write("hipshift.toml", &format!("exclude = [\"{}\"]\n", "*a".repeat(100_000)));
    says(&trap, &["lint", "."], 2, "is too long");
}

/// Changes the first part of two, and merges them.
fn merge(change: impl Fn(&mut Value)) -> (i32, String) {
    let trap = Trap::new();
    for number in ["1", "2"] {
        let output = trap.run(&["lint", ".", "--format", "json", "--shard", &format!("{number}/2")]);
        let mut report: Value = serde_json::from_slice(&output.stdout).unwrap();
        if number == "1" {
            change(&mut report);
        }
        trap.write(&format!("{number}.json"), &report.to_string());
    }
    let output = trap.run(&["report", "merge", "1.json", "2.json"]);
    (output.status.code().unwrap(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn sums_that_no_number_holds_make_no_report() {
    assert_eq!(merge(|_| {}).0, 0);
    for value in [Value::from(u64::MAX), Value::from(-1), Value::from(1e300), Value::from("many")] {
        let (code, said) = merge(|report| report["summary"]["files"] = value.clone());
        assert!(code == 2 && said.contains("is no number, or too large"), "{value}: {said}");
    }
    // A part of billions is known by what is missing.
    let (code, said) = merge(|report| {
        report["shard"]["of"] = Value::from(u32::MAX);
        report["shard"]["number"] = Value::from(u32::MAX);
    });
    assert_eq!(code, 2, "{said}");
}

#[test]
fn inputs_of_programs_outside_of_the_project_need_trust() {
    let trap = Trap::new();
    trap.write("main.cu", "int main() { return 0; }\n");
    for input in ["../outside/victim", "/proc/self/environ"] {
        trap.write("hipshift.toml", &format!("[[validate.program]]\nname = \"main\"\nstdin = \"{input}\"\n"));
        says(&trap, &["validate", ".", "--executor", "none"], 2, "which decides what is read");
    }
    trap.link("inside", "../outside/victim");
    trap.write("hipshift.toml", "[[validate.program]]\nname = \"main\"\nstdin = \"inside\"\n");
    says(&trap, &["validate", ".", "--executor", "none"], 2, "hipshift trust");
    let said = says(&trap, &["trust"], 0, "");
    assert!(said.contains("victim") || said.contains("inside"), "{said}");
}

#[test]
fn files_of_cmake_with_very_many_commands_end_soon() {
    for (line, quote) in [("else()\n", ""), ("set(x ${x})\n", ""), ("list(APPEND x a)\n", ""), ("", "\\\"")] {
        let trap = Trap::new();
        let more = [line.repeat(60_000), format!("set(y \"{}\")\n", quote.repeat(100_000))].concat();
        trap.write("CMakeLists.txt", &format!("project(p CUDA)\nif(a)\n{more}"));
        // Each took more than a minute.
        let output = trap.run(&["convert", ".", "--dry-run"]);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{line}{quote}: {:?}", output.status);
    }
    let trap = Trap::new();
    trap.write("Makefile", &format!("A={}{}\nt: x.cu\n\tnvcc -o t x.cu\n", "$(".repeat(100_000), ")".repeat(100_000)));
    let output = trap.run(&["convert", ".", "--dry-run"]);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{:?}", output.status);
}
