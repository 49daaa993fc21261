//! `--emit guarded`: one text that is the conversion for HIP, and the original for CUDA.

use crate::common;

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::common::folder::{Folder, check};
use hipshift::engine::guarded;
use hipshift::settings::Settings;
use hipshift::syntax::Document;

const OPEN: &str = "#if defined(__HIP_PLATFORM_AMD__) || defined(__HIP__)";
const OPEN_UNLESS: &str = "#if !defined(__HIP_PLATFORM_AMD__) && !defined(__HIP__)";

/// What is left of a text when only the guards are evaluated, line by line, and without line ends at the end.
fn side(text: &str, hip: bool) -> String {
    let (mark, text) = text.split_at(if text.starts_with('\u{feff}') { 3 } else { 0 });
    let mut out = mark.to_owned();
    let mut open: Vec<Option<bool>> = Vec::new();
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        let directive = trimmed.strip_prefix('#').map(str::trim_start).unwrap_or_default();
        let read = open.iter().flatten().all(|read| *read);
        let is_guard = if line.trim_end() == OPEN {
            open.push(Some(hip));
            true
        } else if line.trim_end() == OPEN_UNLESS {
            open.push(Some(!hip));
            true
        } else if directive.starts_with("if") {
            open.push(None);
            false
        } else if directive.starts_with("else") {
            let guard = open.last_mut().and_then(Option::as_mut);
            guard.map(|read| *read = !*read).is_some()
        } else if directive.starts_with("endif") {
            open.pop().flatten().is_some()
        } else {
            false
        };
        if read && !is_guard {
            out.push_str(line);
        }
    }
    out.trim_end_matches(['\r', '\n']).to_owned()
}

fn guarded_text(document: &Document, settings: &Settings) -> (String, String) {
    let patch = common::convert(document, settings).patch;
    let text = guarded(document, &patch).unwrap_or_else(|| panic!("no guards for {}", document.file().path));
    (text, patch.apply(document.text()))
}

fn check_sides(paths: Vec<PathBuf>, settings: &Settings) {
    let (mut wrong, mut before, mut after) = (Vec::new(), 0, 0);
    for path in paths {
        let document = common::read(&path);
        let (text, converted) = guarded_text(&document, settings);
        let trimmed = |text: &str| text.trim_end_matches(['\r', '\n']).to_owned();
        if side(&text, true) != trimmed(&converted) || side(&text, false) != trimmed(document.text()) {
            wrong.push(format!("{}: sides differ", common::shown(&path)));
        }
        (before, after) = (before + document.text().lines().count(), after + text.lines().count());
        let again = common::document(&text);
        let patch = common::convert(&again, settings).patch;
        for (range, new) in patch.replacements(&text).into_iter().take(2) {
            let line = again.position(range.start()).line;
            wrong.push(format!("{}: line {line} changes again: {new:?}", common::shown(&path)));
        }
    }
    eprintln!("{before} lines became {after}");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
}

#[test]
fn both_sides_of_the_corpus_are_there() {
    let Some(files) = common::corpus() else { return };
    check_sides(files, &Settings::default());
}

#[test]
fn both_sides_of_the_fixtures_are_there() {
    let files = common::files_below("fixtures", &["cu", "cuh", "h"]);
    check_sides(files, &Settings::default());
}

/// What the preprocessor of the machine's C compiler leaves of a text without its includes, which need not be there.
fn preprocessed(text: &str, options: &[&str]) -> String {
    let is_include =
        |line: &&str| line.trim_start().strip_prefix('#').is_some_and(|rest| rest.trim_start().starts_with("include"));
    let text = text.trim_start_matches('\u{feff}');
    let text: String = text.split_inclusive('\n').filter(|line| !is_include(line)).collect();
    let mut command = Command::new("cc");
    command.args(["-x", "c++", "-E", "-P", "-w", "-undef", "-D__LINE__=0"]).args(options).arg("-");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || std::io::Write::write_all(&mut input, text.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_real_preprocessor_finds_both_sides() {
    let mut files = common::files_below("fixtures", &["cu", "cuh", "h"]);
    files.extend(common::corpus().unwrap_or_default().into_iter().step_by(20));
    let mut compared = 0;
    for path in files {
        let document = common::read(&path);
        let (text, converted) = guarded_text(&document, &Settings::default());
        let compare = |plain: &str, options: &[&str]| {
            let seen = preprocessed(&text, options);
            // No `assert_eq`: nobody reads two whole files in a message.
            assert!(seen == preprocessed(plain, options), "{}: {options:?}", common::shown(&path));
            usize::from(!seen.is_empty())
        };
        compared += compare(document.text(), &[]) + compare(&converted, &["-D__HIP_PLATFORM_AMD__"]);
        compared += compare(&converted, &["-D__HIP__"]);
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn directives_stand_between_statements() {
    let document = common::read(&common::root().join("fixtures/guarded/shapes.cu"));
    let (text, _) = guarded_text(&document, &Settings::default());
    insta::assert_snapshot!("shapes", text);
}

#[track_caller]
fn check_guarded(text: &str, expected: &str) {
    let (found, _) = guarded_text(&common::document(text), &Settings::default());
    assert_eq!(found.replace(OPEN, "#if HIP").replace(OPEN_UNLESS, "#if CUDA"), expected);
}

#[test]
fn line_ends_and_byte_order_marks_stay() {
    check_guarded(
        "\u{feff}#include <cuda.h>\r\nint x;\r\nauto e = cudaSuccess;",
        "\u{feff}#if HIP\r\n#include <hip/hip_runtime.h>\r\n#else\r\n#include <cuda.h>\r\n#endif\r\nint x;\r\n\
         #if HIP\r\nauto e = hipSuccess;\r\n#else\r\nauto e = cudaSuccess;\r\n#endif\r\n",
    );
}

#[test]
fn what_is_there_for_hip_only_has_no_other_side() {
    check_guarded("__global__ void k();\n", "#if HIP\n#include <hip/hip_runtime.h>\n#endif\n__global__ void k();\n");
    check_guarded("int x;\n", "int x;\n");
}

#[test]
fn a_file_that_cannot_be_guarded_is_told_and_left_alone() {
    let folder = Folder::new(&[("open.cu", "cudaFree(p); /* open\n"), ("in/a.cu", "int e = cudaSuccess;\n")]);
    check(
        &folder,
        &["convert", "open.cu", "-o", "out.cu", "--emit", "guarded"],
        2,
        "open.cu: no place for `#if` is found",
    );
    check(&folder, &["convert", "open.cu", "--dry-run", "--emit", "guarded"], 2, "no place for `#if` is found");
    check(&folder, &["convert", "open.cu", "-o", "out.cu"], 0, "1 of 1");
    check(&folder, &["convert", "in", "-o", "out", "--emit", "guarded"], 0, "1 of 1");
    assert!(folder.read("out/a.cu").contains(OPEN));
    check(&folder, &["convert", "in", "--in-place", "--emit", "guarded", "--ext", "hip"], 2, "add `--ext keep`");
    check(&folder, &["convert", "in", "--emit", "guarded", "--export-fixes", "a.yaml"], 2, "edits of `--emit hip`");
}

#[test]
fn guarded_files_are_left_alone_by_all_commands() {
    let cuda = "#include <cuda_runtime.h>\nvoid f(void* p) { cudaFree(p); }\n";
    let folder = Folder::new(&[("a.cu", cuda)]);
    check(&folder, &["convert", "a.cu", "--in-place", "--emit", "guarded"], 0, "in place");
    let guarded = folder.read("a.cu");
    for emit in ["guarded", "hip"] {
        check(&folder, &["convert", "a.cu", "--in-place", "--emit", emit], 0, "0 of 1");
        assert_eq!(folder.read("a.cu"), guarded);
    }
    check(&folder, &["diff", "a.cu"], 0, "");
    check(&folder, &["lint", "a.cu"], 0, "");
    folder.write("a.cu", [&guarded, "void g(void* p) { cudaFreeHost(p); }\n"].concat().as_bytes());
    check(&folder, &["convert", "a.cu", "--in-place", "--emit", "guarded"], 0, "1 of 1");
    assert!(folder.read("a.cu").starts_with(&guarded) && folder.read("a.cu").contains("hipHostFree"));
}

#[test]
fn an_update_keeps_both_forms() {
    let folder = Folder::new(&[("p/a.cu", "int e = cudaSuccess;\n"), ("p/Makefile", "NVCC = nvcc\n")]);
    check(&folder, &["convert", "p", "-o", "out", "--emit", "guarded"], 0, "1 of 1");
    folder.write("p/a.cu", b"int e = cudaErrorNotReady;\n");
    check(&folder, &["update", "-o", "out"], 0, "");
    let text = folder.read("out/a.cu");
    assert!(
        text.contains("hipErrorNotReady") && text.contains("#else\nint e = cudaErrorNotReady;\n#endif\n"),
        "{text}"
    );
    assert_eq!(folder.read("out/Makefile"), "NVCC = nvcc\n");
}
