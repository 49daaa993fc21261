//! Traps that a fifth attack found: outputs that are no files, names that statistics show, and build files and sources of a few hundred
//! bytes that took minutes or gigabytes.
#![cfg(unix)]

use std::os::unix::fs::FileTypeExt as _;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::common::trap::{CUDA, Trap};

/// Makes a pipe, and has somebody read from it.
fn pipe(trap: &Trap, name: &str) -> std::process::Child {
    let path = trap.folder.path(name);
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    Command::new("cat").arg(path).stdout(std::process::Stdio::piped()).spawn().unwrap()
}

#[test]
fn what_is_no_file_is_written_to_and_not_replaced() {
    for arguments in [
        &["hipify", "x.cu", "-o"][..],
        &["convert", "x.cu", "-o"],
        &["diff", ".", "--patch"],
        &["lint", ".", "--write-baseline"],
    ] {
        let trap = Trap::new();
        let reader = pipe(&trap, "clone/stream");
        let output = trap.run(&[arguments, &["stream"]].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(matches!(output.status.code(), Some(0 | 1)), "{arguments:?}: {said}");
        let kind = trap.folder.path("clone/stream").symlink_metadata().unwrap().file_type();
        assert!(kind.is_fifo(), "{arguments:?}");
        let read = reader.wait_with_output().unwrap().stdout;
        assert!(!read.is_empty(), "{arguments:?}: {said}");
    }
}

#[test]
fn a_pipe_that_nobody_reads_is_not_waited_for() {
    let trap = Trap::new();
    assert!(Command::new("mkfifo").arg(trap.folder.path("clone/all.patch")).status().unwrap().success());
    let said = bounded(&trap, &["diff", ".", "--patch", "all.patch"], 2);
    assert!(said.contains("all.patch"), "{said}");
}

#[test]
fn statistics_show_no_marks_of_a_terminal() {
    let trap = Trap::new();
    trap.write("n\u{1b}[31m\u{202e}.cu", CUDA);
    let output = trap.run(&["hipify", "--print-stats-csv", "--no-output", "n\u{1b}[31m\u{202e}.cu"]);
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(said.contains("202e") && !said.contains(['\u{1b}', '\u{202e}']), "{said:?}");
}

/// Runs a command within 512 MiB of memory and 20 seconds, and checks how it ends.
fn bounded(trap: &Trap, arguments: &[&str], code: i32) -> String {
    let line = format!("ulimit -v 524288; exec timeout 20 {} {}", env!("CARGO_BIN_EXE_hipshift"), arguments.join(" "));
    let mut command = Command::new("bash");
    command.args(["-c", &line]).current_dir(trap.folder.path("clone"));
    command.env("XDG_STATE_HOME", trap.path("state")).env("XDG_CACHE_HOME", trap.path("cache"));
    let start = Instant::now();
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    assert!(start.elapsed() < Duration::from_secs(20), "{arguments:?}");
    said
}

#[test]
fn lists_of_cmake_that_double_end_soon() {
    let trap = Trap::new();
    let text = format!("macro(m)\nset(A ${{ARGN}} ${{ARGN}})\nendmacro()\n{}", "m(${A} a)\n".repeat(40));
    trap.write("CMakeLists.txt", &text);
    assert!(bounded(&trap, &["project", "."], 1).contains("there are too many commands to follow"));
}

#[test]
fn patterns_of_make_that_lead_to_each_other_end_soon() {
    let trap = Trap::new();
    let rules: Vec<String> = (0..80).map(|number| format!("%: %{number}\n\tnvcc -c $<\n")).collect();
    trap.write("Makefile", &format!("{}all: a\n\tnvcc -o all $^\n", rules.concat()));
    assert!(bounded(&trap, &["project", "."], 1).contains("lead to too many names"));
}

#[test]
fn targets_that_hand_on_what_others_hand_on_end_soon() {
    let trap = Trap::new();
    let target = |number: usize| {
        let next = number + 1;
        format!(
            "add_library(t{number} x.cu)\ntarget_link_libraries(t{number} PUBLIC t{next})\n\
             target_include_directories(t{number} PUBLIC i{number})\n"
        )
    };
    let all: String = (0..3000).map(target).collect();
    trap.write("CMakeLists.txt", &format!("project(p CUDA)\n{all}add_library(t3000 x.cu)\n"));
    assert!(bounded(&trap, &["project", "."], 1).contains("is left out: there is too much"));
}

#[test]
fn headers_of_one_name_in_many_folders_are_followed_soon() {
    let trap = Trap::new();
    for number in 0..400 {
        trap.write(&format!("d{number}/h.cuh"), "#include \"h.cuh\"\n#define cudaFree x\n");
    }
    bounded(&trap, &["lint", "."], 0);
}

#[test]
fn changed_lines_in_a_row_are_guarded_soon() {
    let trap = Trap::new();
    trap.write(
        "x.cu",
        &format!("#include <cuda_runtime.h>\nvoid f(void *p) {{\n{}}}\n", "cudaFree(p);\n".repeat(8000)),
    );
    trap.write("sub/y.cu", &format!("{}{}", "#ifdef A\ncudaFree(p);\n".repeat(4000), "#endif\n".repeat(4000)));
    bounded(&trap, &["convert", ".", "--emit", "guarded", "--dry-run"], 0);
}
