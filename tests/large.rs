//! Very large files: how much memory they take, and that far distances change nothing in the result.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test that cannot go on fails")]

mod common;

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use hipshift::settings::Settings;

/// Bytes of the generated file, at the least.
const SIZE: usize = 30_000_000;

/// What memory may be: this, with the pages of the program itself, and so many times the size of the largest file.
const FIXED: usize = 58_000_000;
const TIMES: usize = 3;

/// The most memory in bytes that a run of the program took; `None` where the system does not tell.
fn peak_of(arguments: &[&str]) -> Option<usize> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
    let mut child = command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = None;
    let exit = loop {
        // The figure only grows, and is gone with the program.
        peak = fs::read_to_string(&status).ok().and_then(|status| high_water_mark(&status)).or(peak);
        if let Some(exit) = child.try_wait().unwrap() {
            break exit;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    assert!(matches!(exit.code(), Some(0 | 1)), "{arguments:?} ended with {exit}");
    peak
}

/// `VmHWM:    1234 kB`, in bytes.
fn high_water_mark(status: &str) -> Option<usize> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

/// Runs the program on `part` repeated, and compares what it takes with what it may take.
#[track_caller]
fn check_peak(part: &str, arguments: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("large.cu");
    fs::write(&file, part.repeat(SIZE.div_ceil(part.len()))).unwrap();
    let size = usize::try_from(fs::metadata(&file).unwrap().len()).unwrap();
    let (file, output) = (file.to_str().unwrap(), folder.path().join("converted.cu"));
    let arguments = arguments.iter().map(|argument| match *argument {
        "FILE" => file,
        "OUTPUT" => output.to_str().unwrap(),
        other => other,
    });
    let arguments: Vec<&str> = arguments.collect();
    let Some(peak) = peak_of(&arguments) else {
        eprintln!("not tested: this system does not tell how much memory a program takes");
        return;
    };
    let most = FIXED + TIMES * size;
    assert!(peak <= most, "{arguments:?} took {peak} bytes for a file of {size}; {most} are allowed");
}

fn fixture(path: &str) -> String {
    fs::read_to_string(common::root().join("fixtures").join(path)).unwrap()
}

#[test]
fn a_very_large_file_is_converted_in_little_memory() {
    check_peak(&fixture("vector_add/src/main.cu"), &["convert", "FILE", "-o", "OUTPUT", "-j1"]);
}

#[test]
fn a_very_large_file_is_linted_in_little_memory() {
    check_peak(&fixture("vector_add/src/main.cu"), &["lint", "FILE", "--format", "json", "-j1"]);
}

/// Further than the tokens of a block may lie apart, and longer than a short token may be.
const FAR: usize = 66_000;

/// A text with its first gaps between paragraphs much wider.
fn stretched(text: &str) -> String {
    text.replacen("\n\n", &"\n".repeat(FAR), 3)
}

/// The codes of the rules that found something, and the text after conversion without wide gaps.
fn converted(text: &str) -> (Vec<&'static str>, String) {
    let document = common::document(text);
    let outcome = common::convert(&document, &Settings::default());
    let mut converted = outcome.patch.apply(text);
    while converted.contains("\n\n\n") {
        converted = converted.replace("\n\n\n", "\n\n");
    }
    (common::findings(&outcome).iter().map(|finding| finding.rule.code).collect(), converted)
}

#[test]
fn what_lies_far_apart_is_converted_alike() {
    let mut stretches = 0;
    for path in common::files_below("fixtures", &["cu", "cuh"]) {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let wide = stretched(&text);
        stretches += usize::from(wide != text);
        assert_eq!(converted(&wide), converted(&text), "{}", common::shown(&path));
    }
    assert!(stretches > 50, "only {stretches} fixtures have gaps");
}
