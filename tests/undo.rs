//! `hipshift undo` through the real process.

use crate::common;

use std::process::Command;

use crate::common::folder::{Folder, check, hipshift};
use crate::common::tree::tree;

const CUDA: &str = "#include <cuda_runtime.h>\nvoid f(void* p) { cudaFree(p); }\n";

fn in_place(folder: &Folder, options: &[&str]) {
    let arguments = [&["convert", ".", "--in-place", "--allow-dirty", "-q"], options].concat();
    check(folder, &arguments, 0, "");
}

#[test]
fn everything_comes_back_byte_by_byte() {
    let folder = Folder::new(&[
        ("a.cu", "#include \"sub/b.cuh\"\r\n\tcudaFree(0);"),
        ("sub/b.cuh", CUDA),
        ("plain.cpp", "int x;\n"),
        ("notes.md", "cudaFree"),
    ]);
    folder.write("latin.cu", b"// caf\xe9\ncudaSuccess\n");
    #[cfg(unix)]
    common::tree::set_mode(&folder.path("a.cu"), 0o750);
    let before = tree(folder.0.path());
    in_place(&folder, &["--ext", "hip"]);
    assert_eq!(folder.names("."), ["a.hip", "latin.hip", "notes.md", "plain.cpp", "sub/b.hip.h"]);
    let converted = tree(folder.0.path());

    check(
        &folder,
        &["undo", "--dry-run"],
        0,
        "would undo `hipshift convert . --in-place --allow-dirty -q --ext hip`: 6 files",
    );
    assert_eq!(tree(folder.0.path()), converted);
    let output = hipshift(&folder, &["undo"]);
    insta::assert_snapshot!("undo", String::from_utf8_lossy(&output.stdout));
    assert_eq!(tree(folder.0.path()), before);

    // Undoing is a run as well.
    check(&folder, &["undo"], 0, "undid `hipshift undo`: 6 files");
    assert_eq!(tree(folder.0.path()), converted);
    check(&folder, &["undo"], 0, "");
    assert_eq!(tree(folder.0.path()), before);
}

#[test]
fn files_that_were_edited_since_are_named_and_kept() {
    let folder = Folder::new(&[("a.cu", CUDA), ("b.cu", CUDA), ("c.cu", CUDA)]);
    let before = tree(folder.0.path());
    in_place(&folder, &[]);
    folder.write("b.cu", b"// mine\n");
    std::fs::remove_file(folder.path("c.cu")).unwrap();
    let edited = tree(folder.0.path());
    check(&folder, &["undo"], 2, "edited since the run: `b.cu`, `c.cu`; nothing was undone; `--force`");
    check(&folder, &["undo", "--dry-run"], 2, "restored      b.cu  (edited since)");
    assert_eq!(tree(folder.0.path()), edited);
    check(&folder, &["undo", "--force"], 0, "3 files");
    assert_eq!(tree(folder.0.path()), before);
    // Even then the edit is not lost.
    check(&folder, &["undo"], 0, "");
    assert_eq!(tree(folder.0.path()), edited);
}

#[test]
fn a_renamed_file_that_was_edited_since_is_kept() {
    let folder = Folder::new(&[("a.cu", CUDA)]);
    in_place(&folder, &["--ext", "hip"]);
    folder.write("a.hip", b"// mine\n");
    check(&folder, &["undo"], 2, "`a.hip`");
    // The old name is taken by somebody else.
    in_place(&Folder::new(&[("b.cu", CUDA)]), &[]);
    folder.write("a.cu", b"// another\n");
    check(&folder, &["undo"], 2, "`a.cu`, `a.hip`");
    assert_eq!(folder.names("."), ["a.cu", "a.hip"]);
}

#[test]
fn the_program_readable_form_says_the_same() {
    let folder = Folder::new(&[("a.cu", CUDA), ("b.cuh", CUDA)]);
    in_place(&folder, &["--ext", "hip"]);
    let output = hipshift(&folder, &["undo", "--dry-run", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(json["time"].as_u64().unwrap() > 1_700_000_000);
    assert_eq!((&json["done"], &json["cut_off"]), (&false.into(), &false.into()));
    let files: Vec<String> =
        json["files"].as_array().unwrap().iter().map(|file| format!("{} {}", file["path"], file["action"])).collect();
    let expected =
        [r#""a.cu" "brought-back""#, r#""a.hip" "removed""#, r#""b.cuh" "brought-back""#, r#""b.hip.h" "removed""#];
    assert_eq!(files, expected);
    folder.write("a.hip", b"x");
    let output = hipshift(&folder, &["undo", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &json["edited"][0]), (Some(2), &"a.hip".into()));
}

#[test]
fn output_goes_and_with_it_the_directories_that_were_made() {
    let folder = Folder::new(&[("in/a.cu", CUDA), ("in/deep/er/b.cu", CUDA), ("out/own.txt", "x")]);
    check(&folder, &["convert", "in", "-o", "out", "-q"], 0, "");
    assert_eq!(folder.names("out"), ["a.cu", "deep/er/b.cu", "own.txt"]);
    check(&folder, &["undo", "out"], 0, "removed       out/deep/er/b.cu");
    assert_eq!(folder.names("out"), ["own.txt"]);
    assert!(!folder.path("out/deep").exists());
    check(&folder, &["undo", "out"], 0, "brought back  out/deep/er/b.cu");
    assert_eq!(folder.names("out"), ["a.cu", "deep/er/b.cu", "own.txt"]);
}

#[test]
fn a_directory_that_somebody_uses_stays() {
    let folder = Folder::new(&[("in/deep/a.cu", CUDA)]);
    check(&folder, &["convert", "in", "-o", "out", "-q"], 0, "");
    folder.write("out/deep/mine.txt", b"x");
    check(&folder, &["undo", "out"], 0, "1 file");
    assert_eq!(folder.names("out"), ["deep/mine.txt"]);
}

#[test]
fn only_the_last_run_is_undone_and_each_project_has_its_own() {
    let folder = Folder::new(&[("one/.git/x", ""), ("one/a.cu", CUDA), ("two/.git/x", ""), ("two/a.cu", CUDA)]);
    for project in ["one", "two"] {
        check(&folder, &["convert", project, "--in-place", "--allow-dirty", "-q"], 0, "");
    }
    folder.write("one/b.cu", CUDA.as_bytes());
    check(&folder, &["lint", "one", "--fix", "--allow-dirty"], 0, "fixed");
    check(&folder, &["undo", "one/a.cu"], 0, "undid `hipshift lint one --fix --allow-dirty`: 1 file");
    assert_eq!(folder.read("one/b.cu"), CUDA);
    assert_ne!(folder.read("one/a.cu"), CUDA);
    check(&folder, &["undo", "two"], 0, "1 file");
    assert_eq!(folder.read("two/a.cu"), CUDA);
}

#[test]
fn a_run_that_changes_nothing_leaves_the_journal_alone() {
    let folder = Folder::new(&[("plain.cpp", "int x;\n")]);
    in_place(&folder, &[]);
    assert!(!folder.path(".hipshift").exists());
    check(&folder, &["undo"], 2, "no run is known that could be undone in `.` or above");
    folder.write("a.cu", CUDA.as_bytes());
    in_place(&folder, &[]);
    in_place(&folder, &[]);
    check(&folder, &["undo"], 0, "1 file");
    assert_eq!(folder.read("a.cu"), CUDA);
}

#[test]
fn a_work_tree_of_git_is_clean_after_undo() {
    let folder = Folder::new(&[("a.cu", CUDA)]);
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=t", "-c", "user.email=t@localhost"];
        let output = Command::new("git").args(identity).args(arguments).current_dir(folder.0.path()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "x"]);
    check(&folder, &["convert", ".", "--in-place", "-q"], 0, "");
    check(&folder, &["undo"], 0, "");
    assert_eq!(git(&["status", "--porcelain"]), "");
    check(&folder, &["convert", ".", "--in-place", "-q"], 0, "");
}

#[test]
fn what_comes_back_is_newer_than_what_was_built() {
    let folder = Folder::new(&[("a.cu", CUDA)]);
    let long_ago = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_hours(24);
    std::fs::File::open(folder.path("a.cu")).unwrap().set_modified(long_ago).unwrap();
    in_place(&folder, &[]);
    let built = std::fs::metadata(folder.path("a.cu")).unwrap().modified().unwrap();
    check(&folder, &["undo"], 0, "");
    assert!(std::fs::metadata(folder.path("a.cu")).unwrap().modified().unwrap() >= built);
}

#[cfg(unix)]
#[test]
fn links_stay_links() {
    let folder = Folder::new(&[("src/.git/x", ""), ("elsewhere/real.cu", CUDA)]);
    std::os::unix::fs::symlink("../elsewhere/real.cu", folder.path("src/link.cu")).unwrap();
    let before = tree(folder.0.path());
    check(&folder, &["convert", "src/link.cu", "--in-place", "--allow-dirty", "-q"], 0, "");
    assert_ne!(folder.read("elsewhere/real.cu"), CUDA);
    check(&folder, &["undo", "src"], 0, "elsewhere/real.cu");
    assert_eq!(tree(folder.0.path()), before);
    check(&folder, &["convert", "src/link.cu", "--in-place", "--allow-dirty", "-q", "--ext", "hip"], 0, "");
    assert_eq!(folder.names("src"), [".git/x", "link.hip"]);
    check(&folder, &["undo", "src"], 0, "brought back  src/link.cu");
    assert_eq!(tree(folder.0.path()), before);
}
