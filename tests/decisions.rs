//! `.hipshift/decisions.toml` through the real process: what later runs make of it.

use crate::common;

use std::sync::LazyLock;

use hipshift::analysis::ProjectFacts;
use hipshift::diagnostic::{Applicability, Decision, Verdict};
use hipshift::engine::{Input, convert_with};
use hipshift::project::{Converted, ReviewFile, Source};
use hipshift::settings::Settings;
use hipshift::syntax::Document;

use crate::common::folder::{Folder, check, hipshift};

const CUDA: &str = "\
#include <cuda_runtime.h>

void f(void* p, void* q) {
    cudaFree(p);
    cudaFree(q);
    cudaFree(p);
}
";

/// A project with one file, and decisions about it.
fn project(text: &str, decisions: &[String]) -> Folder {
    let folder = Folder::new(&[("src/a.cu", text)]);
    folder.write(".hipshift/decisions.toml", format!("schema = 1\n{}", decisions.concat()).as_bytes());
    folder
}

/// A decision about one fix on `line`.
fn decision(
    verdict: &str,
    (rule, at, line, number): (&str, &str, &str, usize),
    (before, after): (&str, &str),
) -> String {
    format!(
        "[[decision]]\nfile = \"src/a.cu\"\ndecision = \"{verdict}\"\nfixes = [{{ rule = \"{rule}\", at = '{at}', line = '{line}', \
         number = {number} }}]\nbefore = '''\n{before}'''\nafter = '''\n{after}'''\n"
    )
}

fn free(verdict: &str, argument: &str, number: usize) -> String {
    let line = format!("cudaFree({argument});");
    let lines = (format!("    {line}\n"), format!("    hipFree({argument});\n"));
    decision(verdict, ("renamed-name", "cudaFree", &line, number), (&lines.0, &lines.1))
}

/// Converts, and compares the result with the input after `replacements`.
#[track_caller]
fn check_converted(folder: &Folder, code: i32, message: &str, expected: &str) {
    check(folder, &["convert", "src", "-o", "out"], code, message);
    assert_eq!(folder.read("out/a.cu"), expected);
}

fn stderr(folder: &Folder, arguments: &[&str]) -> String {
    String::from_utf8_lossy(&hipshift(folder, arguments).stderr).into_owned()
}

fn stdout(folder: &Folder, arguments: &[&str]) -> String {
    String::from_utf8_lossy(&hipshift(folder, arguments).stdout).into_owned()
}

fn hip(rejected: &[usize]) -> String {
    let converted = |line: &str| line.replace("cuda_runtime", "hip/hip_runtime").replace("cudaFree", "hipFree");
    let lines = CUDA.lines().zip(1..).map(|(line, number)| {
        let line = if rejected.contains(&number) { line.to_owned() } else { converted(line) };
        line + "\n"
    });
    lines.collect()
}

#[test]
fn a_rejected_fix_is_left_out_and_told() {
    let folder = project(CUDA, &[free("reject", "p", 2)]);
    check_converted(&folder, 0, "rejected in review: 1 fix  src/a.cu:6", &hip(&[6]));
    // From anywhere, by any path.
    check(&folder, &["convert", "./src/a.cu", "-o", "one.cu"], 0, "rejected in review");
    assert_eq!(folder.read("one.cu"), hip(&[6]));
    check(&folder, &["convert", "src", "-o", "all", "--no-decisions"], 0, "1 of 1 file converted");
    assert_eq!(folder.read("all/a.cu"), hip(&[]));
}

#[test]
fn decisions_stay_with_lines_that_move() {
    let moved = CUDA.replace("void f", "int first;\nint second;\nvoid f").replace("    cudaFree(p)", "  cudaFree( p )");
    let moved = moved.replace("cudaFree( p )", "cudaFree(p)");
    let folder = project(&moved, &[free("reject", "p", 2)]);
    check(&folder, &["convert", "src", "-o", "out"], 0, "rejected in review: 1 fix  src/a.cu:8");
}

#[test]
fn all_commands_follow_decisions() {
    let folder = project(CUDA, &[free("reject", "q", 1)]);
    let diff = stdout(&folder, &["diff", "src"]);
    assert!(diff.contains("+    hipFree(p);") && !diff.contains("hipFree(q)"), "{diff}");
    assert!(stderr(&folder, &["diff", "src"]).contains("not listed: 1 rejected in review"));
    check(&folder, &["lint", "src"], 0, "1 rejected in review");
    let json = stdout(&folder, &["convert", "src", "--dry-run", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["files"][0]["rejected"][0]["subject"], "cudaFree");
    let sarif: serde_json::Value =
        serde_json::from_str(&stdout(&folder, &["lint", "src", "--format", "sarif"])).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["suppressions"][0]["justification"], "rejected in review");
    check(&folder, &["lint", "src", "--fix"], 0, "1 rejected in review");
    assert_eq!(folder.read("src/a.cu"), hip(&[5]));
    // The line reads as it did, so the decision holds for the HIP source, too.
    check(&folder, &["lint", "src"], 0, "1 rejected in review");
    check(&folder, &["convert", "src", "--in-place"], 0, "rejected in review: 1 fix");
    assert_eq!(folder.read("src/a.cu"), hip(&[5]));
}

#[test]
fn a_fix_beside_a_rejected_one_on_its_line_is_applied() {
    let text = "#include <cuda_runtime.h>\nvoid f(void* p) { cudaFree(p), cudaFreeHost(p); }\n";
    let line = "void f(void* p) { cudaFree(p), cudaFreeHost(p); }";
    let key = ("renamed-name", "cudaFree", line, 1);
    let folder = project(text, &[decision("reject", key, (&format!("{line}\n"), ""))]);
    check(&folder, &["lint", "src", "--fix"], 0, "1 rejected in review");
    assert_eq!(
        folder.read("src/a.cu"),
        "#include <hip/hip_runtime.h>\nvoid f(void* p) { cudaFree(p), hipHostFree(p); }\n"
    );
}

#[test]
fn a_rejection_follows_its_fix_into_a_line_that_others_change() {
    let text = "#include <cuda_runtime.h>\nvoid f(void* p) { cudaFreeHost(p), cudaFree(p), cudaFree(0); }\n";
    let line = "void f(void* p) { cudaFreeHost(p), cudaFree(p), cudaFree(0); }";
    let key = ("renamed-name", "cudaFree", line, 2);
    // `cudaFree` is a part of `cudaFreeHost`, so that the second place of its text is the first of the name.
    let folder = project(text, &[decision("reject", key, (&format!("{line}\n"), ""))]);
    let converted = "#include <hip/hip_runtime.h>\nvoid f(void* p) { hipHostFree(p), cudaFree(p), hipFree(0); }\n";
    let before = folder.read(".hipshift/decisions.toml");
    let convert: &[&str] = &["convert", "src", "--in-place"];
    let fix: &[&str] = &["lint", "src", "--fix"];
    for (command, words) in [
        (convert, ["1 of 1 file", "0 of 1 file", "0 of 1 file"]),
        (fix, ["fixed 3 findings", "1 rejected in review", "1 rejected in review"]),
    ] {
        for words in words {
            check(&folder, command, 0, words);
            assert_eq!(folder.read("src/a.cu"), converted);
            assert_eq!(stderr(&folder, &["convert", "src", "--dry-run"]), "");
        }
        let line = "void f(void* p) { hipHostFree(p), cudaFree(p), hipFree(0); }";
        assert!(folder.read(".hipshift/decisions.toml").contains(line));
        check(&folder, &["undo"], 0, "");
        assert_eq!(
            (folder.read("src/a.cu"), folder.read(".hipshift/decisions.toml")),
            (text.to_owned(), before.clone())
        );
    }
}

#[test]
fn what_is_edited_is_written_as_it_is() {
    // Brackets that do not match here, and CRLF.
    let text = CUDA.replace('\n', "\r\n");
    let edit = free("edit", "q", 1) + "text = '''\n    if (q) {\n        hipFree(q);\n'''\n";
    let folder = project(&text, &[edit]);
    let expected = hip(&[]).replace("    hipFree(q);\n", "    if (q) {\n        hipFree(q);\n").replace('\n', "\r\n");
    check_converted(&folder, 0, "1 of 1 file converted", &expected);
    let diff = stdout(&folder, &["diff", "src", "--patch", "-"]);
    assert!(diff.contains("+    if (q) {\r\n+        hipFree(q);\r\n"), "{diff}");
    check(&folder, &["diff", "src", "--split-by", "rule", "-o", "series"], 1, "names.patch");
    assert!(folder.read("series/0002-names.patch").contains("if (q) {"), "{:?}", folder.names("series"));
    check(&folder, &["lint", "src", "--fix"], 0, "fixed 4 findings");
    assert_eq!(folder.read("src/a.cu"), expected);
    // It was followed, which is no trouble.
    assert_eq!(stderr(&folder, &["lint", "src"]), "");
}

#[test]
fn an_edit_of_other_lines_than_these_is_stale() {
    for (before, after) in
        [("    cudaFree(q); // why\n", "    hipFree(q);\n"), ("    cudaFree(q);\n", "    hipFreeAsync(q, 0);\n")]
    {
        let key = ("renamed-name", "cudaFree", "cudaFree(q);", 1);
        let edit = decision("edit", key, (before, after)) + "text = 'x'\n";
        let folder = project(CUDA, &[edit]);
        let message = "src/a.cu: `cudaFree(q);` (renamed-name): the decision to edit this is not followed";
        check_converted(&folder, 1, message, &hip(&[]));
        check(&folder, &["lint", "src"], 1, message);
    }
}

#[test]
fn an_edit_of_lines_that_another_fix_changes_is_stale() {
    let text = "#include <cuda_runtime.h>\nvoid f(void* p) { cudaFree(p), cudaFreeHost(p); }\n";
    let line = "void f(void* p) { cudaFree(p), cudaFreeHost(p); }";
    let after = line.replace("cudaFree(", "hipFree(");
    let edit = decision("edit", ("renamed-name", "cudaFree", line, 1), (&format!("{line}\n"), &format!("{after}\n")));
    let folder = project(text, &[edit + "text = 'x'\n"]);
    check(&folder, &["convert", "src", "-o", "out"], 1, "is not followed");
    assert!(folder.read("out/a.cu").contains("hipFree(p), hipHostFree(p)"));
}

#[test]
fn decisions_about_fixes_that_are_gone_are_told() {
    let folder = project(CUDA, &[free("reject", "x", 1), free("accept", "y", 1)]);
    let message = "src/a.cu: `cudaFree(x);` (renamed-name) and 1 more; `hipshift review --prune` drops such decisions";
    check_converted(&folder, 0, message, &hip(&[]));
    // Rules that do not run find nothing.
    assert_eq!(stderr(&folder, &["convert", "src", "-o", "x", "--ignore", "renamed-name"]), "");
    let file = free("reject", "p", 1).replace("src/a.cu", "src/b.cu");
    let folder = project(CUDA, &[file]);
    check(
        &folder,
        &["convert", "src", "-o", "out"],
        0,
        "no fix is left for the decision about src/b.cu, which is gone",
    );
}

const CLOCK: &str = "#include <cuda_runtime.h>\n__global__ void k(long long* x) {\n    *x = clock64();\n}\n";

fn clock(verdict: &str, after: &str) -> String {
    let key = ("unreliable-clock", "clock64", "*x = clock64();", 1);
    decision(verdict, key, ("    *x = clock64();\n", &format!("    *x = {after}();\n")))
}

#[test]
fn an_accepted_fix_is_applied_although_it_is_unsafe() {
    let folder = project(CLOCK, &[]);
    check(&folder, &["convert", "src", "-o", "out"], 1, "K005");
    assert!(folder.read("out/a.cu").contains("*x = clock64();"));
    let reason = "reason = 'measured'\n";
    let folder = project(CLOCK, &[clock("accept", "wall_clock64") + reason]);
    check(&folder, &["convert", "src", "-o", "out", "-v"], 0, "note: accepted in review: measured");
    assert!(folder.read("out/a.cu").contains("*x = wall_clock64();"));
    check(&folder, &["lint", "src"], 1, "1 fixable with `--fix`");
    check(&folder, &["lint", "src", "--fix"], 0, "fixed 2 findings");
    assert!(folder.read("src/a.cu").contains("*x = wall_clock64();"));
    assert_eq!(stderr(&folder, &["convert", "src", "--dry-run"]), "");
}

#[test]
fn another_unsafe_fix_than_the_accepted_one_is_not_applied() {
    let folder = project(CLOCK, &[clock("accept", "other_clock")]);
    check(&folder, &["convert", "src", "-o", "out"], 1, "the decision to accept this is not followed");
    assert!(folder.read("out/a.cu").contains("*x = clock64();"));
}

#[test]
fn a_file_without_cuda_has_no_use_for_decisions() {
    let folder = project("int nothing;\n", &[free("reject", "p", 1)]);
    for command in [["convert", "src", "-o", "out"].as_slice(), &["lint", "src"]] {
        let told = stderr(&folder, command);
        assert!(told.contains("no fix is left for the decision about src/a.cu: `cudaFree(p);`"), "{command:?} {told}");
    }
}

#[test]
fn a_file_that_cannot_be_understood_stops_the_run() {
    let folder = project(CUDA, &[free("rejekt", "p", 1)]);
    check(&folder, &["convert", "src", "-o", "out"], 2, "decisions.toml: TOML parse error at line 4, column 12");
    assert!(!folder.path("out").exists());
    check(&folder, &["convert", "src", "-o", "out", "--no-decisions"], 0, "converted");
}

/// A file and all that can be decided about it.
fn review_file(document: &Document) -> Option<ReviewFile> {
    let outcome = convert_with(input(document, &UNSAFE), &[]);
    let source = Source { path: document.file().path.clone(), output: None };
    ReviewFile::of(&source, Converted { known: None, conversion: Some((document.source(), &outcome)) })
}

static UNSAFE: LazyLock<Settings> = LazyLock::new(|| common::settings(Applicability::Unsafe));
static SAFE: LazyLock<Settings> = LazyLock::new(|| common::settings(Applicability::Safe));
static ALONE: LazyLock<ProjectFacts> = LazyLock::new(ProjectFacts::default);

fn input<'d>(document: &'d Document, settings: &'d Settings) -> Input<'d> {
    Input { document, project: &ALONE, table: common::table(), settings }
}

/// What conversion makes of a file with a decision about each of `parts`.
#[track_caller]
fn decided(
    document: &Document,
    (file, parts): (&ReviewFile, &[Vec<usize>]),
    settings: &Settings,
    verdict: impl Fn(&ReviewFile, &[usize]) -> Verdict,
) -> String {
    let decision = |part: &Vec<usize>| file.decision(part, verdict(file, part), String::new());
    let decisions: Vec<Decision> = parts.iter().map(decision).collect();
    let outcome = convert_with(input(document, settings), &decisions);
    assert_eq!(outcome.decided.stale, [], "{}", document.file().path);
    outcome.patch.apply(document.text())
}

/// Where fixes are rejected, others may come forward; a review shows those, too.
#[track_caller]
fn reject_until_nothing_is_left(document: &Document, mut file: ReviewFile) {
    for _ in 0..5 {
        let all: Vec<usize> = (0..file.fixes.len()).collect();
        let decisions = [file.decision(&all, Verdict::Reject, String::new())];
        let outcome = convert_with(input(document, &UNSAFE), &decisions);
        if outcome.patch.is_empty() {
            return;
        }
        file.add(Converted { known: None, conversion: Some((document.source(), &outcome)) });
        assert!(file.fixes.len() > all.len(), "{}", document.file().path);
    }
    panic!("fixes are left in {}", document.file().path);
}

#[test]
fn decisions_about_all_hunks_make_what_they_say() {
    let mut files = common::files_below("fixtures", &["cu", "cuh", "h"]);
    files.extend(common::files_below("target/corpus", &["cu", "cuh"]).into_iter().step_by(7));
    let mut hunks = 0;
    for path in files {
        let document = common::read(&path);
        let Some(file) = review_file(&document) else { continue };
        let all = common::convert(&document, &UNSAFE).patch.apply(document.text());
        let whole: Vec<Vec<usize>> = file.parts(&[]).into_iter().map(|part| part.fixes).collect();
        let split: Vec<Vec<usize>> = whole.iter().flat_map(|part| file.split(part)).collect();
        let single: Vec<Vec<usize>> = split.iter().flat_map(|part| file.split(part)).collect();
        for parts in [&whole, &split, &single] {
            hunks += parts.len();
            let shown = path.display();
            let accepted = decided(&document, (&file, parts), &SAFE, |_, _| Verdict::Accept);
            assert_eq!(accepted, all, "accepted in {shown}");
            let rejected = decided(&document, (&file, parts), &UNSAFE, |_, _| Verdict::Reject);
            assert!(!file.parts(&[]).is_empty() && rejected != all, "rejected in {shown}");
        }
        reject_until_nothing_is_left(&document, file.clone());
        // Written by hand, word for word as hipshift would.
        let can_edit = |part: &&Vec<usize>| file.lines(part).only_block().is_some();
        let editable: Vec<Vec<usize>> = whole.iter().filter(can_edit).cloned().collect();
        let by_hand = |file: &ReviewFile, part: &[usize]| Verdict::Edit(file.lines(part).after);
        assert_eq!(decided(&document, (&file, &editable), &UNSAFE, by_hand), all, "edited in {}", path.display());
    }
    assert!(hunks > 1000, "{hunks}");
}
