//! `hipshift review` in a real terminal.
#![cfg(unix)]

use crate::common;

use std::io::Read as _;
use std::time::{Duration, Instant};

use crate::common::folder::{Folder, check, hipshift};
use crate::common::terminal::Session;

/// A copy of a small project with 12 hunks.
fn project() -> Folder {
    let folder = Folder::new(&[]);
    for name in ["check.h", "kernels.cuh", "main.cu"] {
        let from = common::root().join("fixtures/vector_add/src").join(name);
        folder.write(&format!("src/{name}"), &std::fs::read(from).unwrap());
    }
    folder
}

fn start(folder: &Folder) -> Session {
    Session::start(folder.0.path(), &["review", "src"], &[])
}

#[track_caller]
fn check_end(session: Session, code: i32, message: &str) {
    let (found, screen) = session.end();
    assert_eq!(found, Some(code), "{screen}");
    assert!(screen.contains(message), "no `{message}` in:\n{screen}");
}

/// What `convert` makes of the project without decisions, after replacements.
#[track_caller]
fn expected(folder: &Folder, name: &str, replacements: &[(&str, &str)]) -> String {
    check(folder, &["convert", "src", "-o", "plain", "--no-decisions"], 0, "3 of 3 files converted");
    let plain = folder.read(&format!("plain/{name}"));
    replacements.iter().fold(plain, |text, (from, to)| {
        assert!(text.contains(from), "no `{from}` in {text}");
        text.replacen(from, to, 1)
    })
}

#[test]
fn a_session_makes_the_tree_that_was_decided_on() {
    let folder = project();
    // Editors are told to change the line, as a person would.
    folder.write("edit.sh", b"sed -i.bak 's/hipFree(pointer)/hipFreeAsync(pointer, 0)/' \"$1\"\n");
    let editor = format!("sh {}", folder.path("edit.sh").display());
    let first = Session::start(folder.0.path(), &["review", "src"], &[("EDITOR", &editor)]);
    first.wait_for("hunk 1 of 12, 12 undecided");
    // Reject, go back, take back, accept.
    first.press_for("n", "hunk 2 of 12, 11 undecided");
    first.press_for("b", "rejected | safe | cuda-header");
    first.press_for("u", "hunk 1 of 12, 12 undecided");
    first.press_for("y", "hunk 2 of 12, 11 undecided");
    // Split by lines; reject the second one, for a reason.
    first.press_for("s", "2 parts, to be decided one by one");
    first.press_for("y", "hunk 3 of 13, 11 undecided");
    first.press_for("rkept for \x7f\x7fthe log", "reason: kept fothe log_");
    first.press_for("\x1b", "y accept");
    first.press_for("rkept for the log", "reason: kept for the log_");
    first.press_for("\r", "y accept");
    first.press_for("n", "hunk 4 of 13, 10 undecided");
    // Search, and edit what is found.
    first.press_for("/(pointer)\r", "hunk 13 of 13, 10 undecided");
    first.press_for("e", "these are the ones that were skipped");
    first.press_for("/ASYNC(pointer\r", "edited | safe | renamed-name");
    first.press_for("?", "accept: runs apply the fixes");
    first.press_for("x", "y accept");
    first.press_for("q", "next: `hipshift review src` goes on");
    check_end(first, 1, "13 hunks: 2 accepted, 1 rejected, 1 edited, 9 undecided");

    let second = start(&folder);
    second.wait_for("hunk 4 of 13, 9 undecided");
    // All of a rule, also where hunks hold more than that.
    second.press_for("A", "undecided fixes of renamed-name: accepted");
    second.wait_for("missing-runtime-header");
    second.press_for("d", "1 undecided hunk in src/kernels.cuh: rejected");
    second.press_for("y", "undecided | safe | changed-call");
    second.press_for("y", "undecided | safe | chevron-launch");
    second.press_for("n", "All hunks are decided: ");
    second.press_for("q", "hipshift convert src --in-place");
    check_end(second, 0, "undecided");
    insta::assert_snapshot!(folder.read(".hipshift/decisions.toml"));

    check_tree(&folder);
}

/// Compares what `convert` makes of the decisions with what it makes without them.
#[track_caller]
fn check_tree(folder: &Folder) {
    check(folder, &["convert", "src", "-o", "out"], 0, "rejected in review: 4 fixes");
    let check_h = expected(folder, "check.h", &[("hipSuccess", "cudaSuccess")]);
    assert_eq!(folder.read("out/check.h"), check_h);
    let kernels = expected(folder, "kernels.cuh", &[("#include <hip/hip_runtime.h>\n", "")]);
    assert_eq!(folder.read("out/kernels.cuh"), kernels);
    let launches = [
        (
            "hipLaunchKernelGGL(HIP_KERNEL_NAME(add<float, 4>), dim3((blocks + 3) / 4), dim3(threads), 0, stream, dev_a",
            "add<float, 4><<<(blocks + 3) / 4, threads, 0, stream>>>(dev_a",
        ),
        (
            "hipLaunchKernelGGL(largest_error, dim3(blocks), dim3(threads), threads * sizeof(float), stream, dev_sum",
            "largest_error<<<blocks, threads, threads * sizeof(float), stream>>>(dev_sum",
        ),
        ("hipFree(pointer)", "hipFreeAsync(pointer, 0)"),
    ];
    assert_eq!(folder.read("out/main.cu"), expected(folder, "main.cu", &launches));

    // In place, what was decided still holds, and nobody asks again.
    let same = || {
        for name in ["check.h", "kernels.cuh", "main.cu"] {
            assert_eq!(folder.read(&format!("src/{name}")), folder.read(&format!("out/{name}")), "{name}");
        }
    };
    check(folder, &["convert", "src", "--in-place"], 0, "2 of 3 files converted");
    same();
    check(folder, &["convert", "src", "--in-place"], 0, "rejected in review: 4 fixes");
    same();
    let third = start(folder);
    check_end(third, 0, "0 undecided");
}

#[test]
fn a_session_that_is_killed_has_lost_nothing() {
    let folder = project();
    let session = start(&folder);
    session.wait_for("hunk 1 of 12");
    session.press_for("y", "hunk 2 of 12");
    session.press_for("n", "hunk 3 of 12");
    session.kill();
    let session = start(&folder);
    session.wait_for("hunk 3 of 12, 10 undecided");
    session.press_for("\x03", "1 accepted, 1 rejected, 0 edited, 10 undecided");
    check_end(session, 1, "goes on");
}

#[test]
fn a_terminal_that_is_closed_ends_the_session() {
    let folder = project();
    let (mut pty, pts) = pty_process::blocking::open().unwrap();
    let line = format!("trap '' HUP; exec {} review src", env!("CARGO_BIN_EXE_hipshift"));
    let command = pty_process::blocking::Command::new("sh").args(["-c", &line]).current_dir(folder.0.path());
    let mut child = command.spawn(pts).unwrap();
    let mut shown = Vec::new();
    while !String::from_utf8_lossy(&shown).contains("hunk 1 of 12") {
        let mut bytes = [0; 4096];
        let count = pty.read(&mut bytes).unwrap();
        shown.extend_from_slice(&bytes[..count]);
    }
    drop(pty);
    let start = Instant::now();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None => assert!(start.elapsed() < Duration::from_secs(30), "it does not end"),
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(status.code(), Some(2));
}

#[test]
fn the_screen_follows_the_size_of_the_terminal() {
    let folder = project();
    let session = start(&folder);
    session.wait_for("hunk 1 of 12");
    session.wait_for_rows(24);
    session.resize(60, 12);
    session.wait_for("hunk 1 of 12");
    session.wait_for("more rows below");
    session.wait_for_rows(12);
    session.press_for("q", "next:");
    check_end(session, 1, "12 undecided");
}

#[test]
fn colour_is_used_where_it_is_wanted() {
    let folder = project();
    let check = |arguments: &[&str], environment: &[(&str, &str)], wanted: bool| {
        let session = Session::start(folder.0.path(), arguments, environment);
        session.wait_for("? help  q quit");
        assert_eq!(session.is_coloured(), wanted, "{arguments:?} {environment:?}");
        session.press_for("q", "12 undecided");
        check_end(session, 1, "0 accepted");
    };
    check(&["review", "src"], &[], true);
    check(&["review", "src"], &[("NO_COLOR", "1")], false);
    check(&["review", "src", "--color", "never"], &[], false);
    check(&["review", "src", "--color", "always"], &[("NO_COLOR", "1")], true);
    assert!(!folder.path(".hipshift").exists());
}

#[test]
fn an_editor_that_fails_decides_nothing() {
    let folder = project();
    for (editor, message) in [("false", "`false` failed"), ("true", "the text is as it was")] {
        let session = Session::start(folder.0.path(), &["review", "src"], &[("VISUAL", editor), ("EDITOR", "x")]);
        session.wait_for("hunk 1 of 12");
        session.press_for("e", message);
        session.press_for("q", "12 undecided");
        check_end(session, 1, "0 edited");
    }
}

#[test]
fn without_a_terminal_other_commands_are_named() {
    let folder = project();
    check(&folder, &["review", "src"], 2, "there is no terminal here");
    for command in ["hipshift diff src", "hipshift convert src --in-place", "hipshift lint src --fix"] {
        check(&folder, &["review", "src"], 2, command);
    }
    check(&folder, &["review", "-"], 2, "`review` reads files");
}

#[test]
fn what_is_decided_is_not_asked_again() {
    let folder = project();
    let session = Session::start(folder.0.path(), &["review", "src/kernels.cuh"], &[]);
    session.wait_for("hunk 1 of 1");
    session.press_for("y", "All hunks are decided");
    session.press_for("\r", "next:");
    check_end(session, 0, "1 hunk: 1 accepted");
    let session = Session::start(folder.0.path(), &["review", "src/kernels.cuh"], &[]);
    check_end(session, 0, "1 hunk: 1 accepted");
    let session = Session::start(folder.0.path(), &["review", "src/kernels.cuh", "--again"], &[]);
    session.wait_for("accepted | safe | missing-runtime-header");
    session.press_for("nq", "1 rejected");
    check_end(session, 0, "0 accepted");
    folder.write("src/kernels.cuh", b"int nothing;\n");
    let session = Session::start(folder.0.path(), &["review", "src/kernels.cuh"], &[]);
    check_end(session, 0, "there is nothing to review");
    check(&folder, &["review", "src", "--prune"], 0, "1 dropped, 0 left in .hipshift/decisions.toml");
    check(&folder, &["review", "src", "--prune"], 0, "0 dropped");
    assert!(hipshift(&folder, &["convert", "src", "-o", "out"]).stderr.is_empty());
}
