//! Runs that are killed, or whose disk is full, at every single change of the disk: what is left is the
//! tree of before or the tree of after, and nothing else.
#![cfg(unix)]

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Output, Stdio};

use crate::common::folder::{Folder, command, hipshift, journal, state_home};
use crate::common::tree::{Node, Tree, set_mode, tree};

const CUDA: &str = "#include <cuda_runtime.h>\nvoid f(void* p) { cudaFree(p); }\n";
const FAULT: &str = "HIPSHIFT_TEST_FAULT";

/// A command, and how the folder looks that it is run in.
struct Case {
    arguments: &'static [&'static str],
    /// A later run that changes nothing itself.
    next: &'static [&'static str],
    folder: fn() -> Folder,
    /// Fewer stops would mean that some changes of the disk are not counted.
    least_stops: usize,
}

fn project() -> Folder {
    let folder = Folder::new(&[
        (".git/HEAD", ""),
        ("a.cu", "#include \"sub/b.cuh\"\n#include <cuda.h>"),
        ("sub/b.cuh", CUDA),
        ("sub/dos.cpp", "#include <cuda.h>\r\nint a;\r\n"),
        ("plain.cpp", "int x;\n"),
        ("real/linked.cu", CUDA),
    ]);
    set_mode(&folder.path("sub/b.cuh"), 0o640);
    std::os::unix::fs::symlink("real/linked.cu", folder.path("link.cu")).unwrap();
    folder
}

fn converted() -> Folder {
    let folder = project();
    let output = hipshift(&folder, &["convert", ".", "--in-place", "--allow-dirty", "--ext", "hip"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    folder
}

fn with_old_output() -> Folder {
    let folder = project();
    folder.write("out/a.cu", b"// an older result\n");
    folder.write("out/plain.cpp", b"int x;\n");
    set_mode(&folder.path("out/a.cu"), 0o600);
    folder
}

/// Results that were edited, and sources that were changed, renamed, removed and added since.
fn with_history() -> Folder {
    let folder = project();
    let output = hipshift(&folder, &["convert", ".", "-o", "out"]);
    // The result lacks the link.
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    folder.write("out/a.cu", format!("// by hand\n{}", folder.read("out/a.cu")).as_bytes());
    folder.write("a.cu", format!("{}\n\n// upstream cudaFree\n", folder.read("a.cu")).as_bytes());
    std::fs::rename(folder.path("sub/b.cuh"), folder.path("moved.cuh")).unwrap();
    std::fs::remove_file(folder.path("sub/dos.cpp")).unwrap();
    folder.write("fresh/new.cu", CUDA.as_bytes());
    folder
}

/// A folder in which a second run follows a first one.
fn with_last_run() -> Folder {
    let folder = converted();
    folder.write("late.cu", CUDA.as_bytes());
    folder
}

const NEXT: &[&str] = &["convert", "plain.cpp", "--in-place", "--allow-dirty"];
const NEXT_OUTPUT: &[&str] = &["convert", "plain.cpp", "-o", "out/"];

const CASES: &[Case] = &[
    Case {
        arguments: &["convert", ".", "--in-place", "--allow-dirty", "--ext", "hip", "-j", "1", "-q"],
        next: NEXT,
        folder: project,
        least_stops: 34,
    },
    Case {
        arguments: &["convert", ".", "--in-place", "--allow-dirty", "-j", "1", "-q"],
        next: NEXT,
        folder: with_last_run,
        least_stops: 17,
    },
    Case {
        arguments: &["convert", ".", "-o", "out", "-j", "1", "-q"],
        next: NEXT_OUTPUT,
        folder: with_old_output,
        least_stops: 42,
    },
    Case {
        arguments: &["lint", ".", "--fix", "--allow-dirty", "--format", "concise", "-j", "1"],
        next: NEXT,
        folder: project,
        least_stops: 32,
    },
    Case { arguments: &["undo"], next: NEXT, folder: converted, least_stops: 30 },
    Case { arguments: &["update", "-o", "out", "-j", "1"], next: NEXT_OUTPUT, folder: with_history, least_stops: 40 },
];

/// Runs until the `number`th change of the disk, looks around as others would, and kills with SIGKILL.
/// `false` if the run ended by itself.
fn killed_at(folder: &Folder, arguments: &[&str], number: usize, look: impl FnOnce(&Tree)) -> bool {
    let mut command = command(folder.0.path(), arguments);
    command.env(FAULT, format!("stop:{number}")).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let stopped = BufReader::new(child.stderr.take().unwrap()).lines().any(|line| line.unwrap() == "stopped");
    if stopped {
        look(&tree(folder.0.path()));
        child.kill().unwrap();
    }
    let status = child.wait().unwrap();
    assert_eq!(status.signal(), stopped.then_some(9));
    stopped
}

fn is_temporary(path: &str) -> bool {
    path.rsplit('/').next().unwrap().starts_with(".hipshift-")
}

/// Every file is the old one or the new one, as a whole; half-written ones have names of their own.
#[track_caller]
fn assert_each_whole(seen: &Tree, old: &Tree, new: &Tree) {
    for (path, node) in seen.iter().filter(|(path, node)| !is_temporary(path) && **node != Node::Empty) {
        assert!(old.get(path) == Some(node) || new.get(path) == Some(node), "{path}: {node:?}");
    }
}

#[track_caller]
fn recover(folder: &Folder, next: &[&str]) -> Output {
    let output = hipshift(folder, next);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    output
}

fn trees(case: &Case) -> (Tree, Tree) {
    let folder = (case.folder)();
    let old = tree(folder.0.path());
    hipshift(&folder, case.arguments);
    let new = tree(folder.0.path());
    assert_ne!(old, new);
    (old, new)
}

/// How many changes of the disk a run makes.
fn stops(case: &Case) -> usize {
    let (mut low, mut high) = (0, 200);
    while low + 1 < high {
        let middle = usize::midpoint(low, high);
        let is_reached = killed_at(&(case.folder)(), case.arguments, middle, |_| {});
        (low, high) = if is_reached { (middle, high) } else { (low, middle) };
    }
    low
}

#[test]
fn a_kill_at_any_change_of_the_disk_leaves_the_old_tree_or_the_new() {
    for case in CASES {
        let (old, new) = trees(case);
        let (mut stops, mut ended_old, mut ended_new) = (0, 0, 0);
        loop {
            let folder = (case.folder)();
            let look = |seen: &Tree| assert_each_whole(seen, &old, &new);
            if !killed_at(&folder, case.arguments, stops + 1, look) {
                break;
            }
            stops += 1;
            recover(&folder, case.next);
            let now = tree(folder.0.path());
            if now == old {
                ended_old += 1;
            } else {
                assert_eq!(now, new, "{:?}, killed at {stops}", case.arguments);
                ended_new += 1;
            }
        }
        assert!(stops >= case.least_stops, "{:?} stops {stops} times", case.arguments);
        assert!(ended_old > 3 && ended_new > 3, "{:?}: {ended_old} old, {ended_new} new", case.arguments);
    }
}

#[test]
fn undo_after_a_kill_leads_back_to_the_old_tree() {
    let case = &CASES[0];
    let (old, new) = trees(case);
    let mut stops = 0;
    loop {
        let folder = (case.folder)();
        if !killed_at(&folder, case.arguments, stops + 1, |seen| assert_each_whole(seen, &old, &new)) {
            break;
        }
        stops += 1;
        let output = hipshift(&folder, &["undo"]);
        let nothing_to_undo = String::from_utf8_lossy(&output.stderr).contains("no run is known");
        assert!(output.status.code() == Some(0) || nothing_to_undo, "killed at {stops}: {output:?}");
        assert_eq!(tree(folder.0.path()), old, "killed at {stops}");
    }
    assert!(stops >= case.least_stops);
}

#[test]
fn an_update_after_a_killed_first_conversion_puts_it_in_order() {
    let case = Case { arguments: &["convert", ".", "-o", "out", "-j", "1", "-q"], folder: project, ..CASES[2] };
    let (old, new) = trees(&case);
    let (mut stops, mut updated) = (0, 0);
    loop {
        let folder = (case.folder)();
        if !killed_at(&folder, case.arguments, stops + 1, |seen| assert_each_whole(seen, &old, &new)) {
            break;
        }
        stops += 1;
        let output = hipshift(&folder, &["update", "-o", "out", "-j", "1"]);
        let is_finished = output.status.code() == Some(0);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(is_finished || text.contains("no results of an earlier conversion"), "killed at {stops}: {text}");
        assert_eq!(tree(folder.0.path()), if is_finished { new.clone() } else { old.clone() }, "killed at {stops}");
        updated += usize::from(is_finished);
    }
    assert!(stops >= case.least_stops && updated > 3 && updated < stops, "{updated} of {stops}");
}

#[test]
fn a_kill_while_a_killed_run_is_put_in_order_does_no_harm() {
    let case = &CASES[0];
    let (old, new) = trees(case);
    let total = stops(case);
    for first in [total / 2, total - 8, total - 5, total - 2] {
        for second_run in [["undo", "--force"].as_slice(), NEXT] {
            for second in 1.. {
                let folder = (case.folder)();
                assert!(killed_at(&folder, case.arguments, first, |_| {}));
                let look = |seen: &Tree| assert_each_whole(seen, &old, &new);
                let stopped = killed_at(&folder, second_run, second, look);
                recover(&folder, NEXT);
                let now = tree(folder.0.path());
                assert!(now == old || now == new, "killed at {first} and {second}: {now:#?}");
                if !stopped {
                    break;
                }
            }
        }
    }
}

#[test]
fn a_disk_that_is_full_at_any_change_leaves_the_old_tree() {
    // In place with new names, undoing, and updating make all kinds of changes.
    for case in [&CASES[0], &CASES[4], &CASES[5]] {
        let (old, new) = trees(case);
        for number in 1..=stops(case) {
            let folder = (case.folder)();
            let mut command = command(folder.0.path(), case.arguments);
            let output = command.env(FAULT, format!("fail:{number}")).output().unwrap();
            let now = tree(folder.0.path());
            let context = format!("{:?}, full at {number}: {output:?}", case.arguments);
            if output.status.code() == Some(2) {
                assert_eq!(now, old, "{context}");
                assert!(String::from_utf8_lossy(&output.stderr).contains("no storage space"), "{context}");
            } else {
                // Only the journal could not be closed.
                assert_eq!(now, new, "{context}");
            }
        }
    }
}

#[test]
fn a_limit_of_the_system_on_the_size_of_files_leaves_the_old_tree() {
    let folder = project();
    let large = format!("{CUDA}{}", "// cudaFree\nint x;\n".repeat(9000));
    folder.write("z_large.cu", large.as_bytes());
    let old = tree(folder.0.path());
    let script = format!(
        "trap '' XFSZ; ulimit -f 16; exec '{}' convert . --in-place --allow-dirty -q",
        env!("CARGO_BIN_EXE_hipshift")
    );
    let output = std::process::Command::new("bash")
        .args(["-c", &script])
        .env("XDG_STATE_HOME", state_home())
        .current_dir(folder.0.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("no file was changed"), "{output:?}");
    assert_eq!(tree(folder.0.path()), old);
}

/// A power cut can keep a name and lose the content.
#[test]
fn a_run_whose_new_contents_are_broken_is_taken_back() {
    let case = &CASES[0];
    let (old, new) = trees(case);
    let mut taken_back = 0;
    for number in 1.. {
        let folder = (case.folder)();
        if !killed_at(&folder, case.arguments, number, |_| {}) {
            break;
        }
        let is_recorded = journal(folder.0.path(), "next/record.json").is_file();
        let waiting = tree(folder.0.path()).into_keys().find(|path| is_temporary(path));
        if let (true, Some(waiting)) = (is_recorded, waiting) {
            folder.write(&waiting, b"");
            let said = recover(&folder, NEXT);
            assert!(String::from_utf8_lossy(&said.stderr).contains("were taken back"), "{said:?}");
            taken_back += 1;
            assert_eq!(tree(folder.0.path()), old);
        }
    }
    assert!(taken_back > 3);
    assert_ne!(old, new);
}

#[test]
fn what_was_edited_after_a_kill_is_not_lost() {
    let case = &CASES[0];
    let mut refused = 0;
    for number in 30.. {
        let folder = (case.folder)();
        if !killed_at(&folder, case.arguments, number, |_| {}) {
            break;
        }
        let is_waiting = folder.path("sub/dos.cpp").is_file() && folder.read("sub/dos.cpp").contains("cuda.h");
        if is_waiting && journal(folder.0.path(), "next/record.json").is_file() {
            folder.write("sub/dos.cpp", b"// mine\n");
            let output = hipshift(&folder, NEXT);
            assert_eq!(output.status.code(), Some(2), "{output:?}");
            assert!(String::from_utf8_lossy(&output.stderr).contains("sub/dos.cpp` was edited"), "{output:?}");
            assert_eq!(folder.read("sub/dos.cpp"), "// mine\n");
            refused += 1;
        }
    }
    assert!(refused > 1);
}

#[test]
fn two_runs_do_not_change_one_project_at_a_time() {
    let folder = project();
    let arguments = ["convert", ".", "--in-place", "--allow-dirty", "-j", "1", "-q"];
    let look = |_: &Tree| {
        let output = hipshift(&folder, &arguments);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("another hipshift"), "{output:?}");
    };
    assert!(killed_at(&folder, &arguments, 20, look));
}
