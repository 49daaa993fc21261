//! The command line through the real process: exit codes, files written, bad input.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::folder::{Folder, check, command, hipshift, stateless};
use insta_cmd::assert_cmd_snapshot;

const CUDA: &str = "#include <cuda_runtime.h>\nvoid f(void* p) { cudaFree(p); }\n";
const HIP: &str = "#include <hip/hip_runtime.h>\nvoid f(void* p) { hipFree(p); }\n";

#[test]
fn help_fits_the_terminal() {
    assert_cmd_snapshot!("help", stateless(Path::new("."), &["--help"]));
    assert_cmd_snapshot!("convert_help", stateless(Path::new("."), &["convert", "-h"]));
}

#[test]
fn a_tree_is_mirrored() {
    let folder =
        Folder::new(&[("in/a.cu", CUDA), ("in/sub/b.h", CUDA), ("in/plain.cpp", "int x;\n"), ("in/data.txt", "x")]);
    check(&folder, &["convert", "in", "-o", "out"], 0, "2 of 3 files converted to out");
    assert_eq!(folder.names("out"), ["a.cu", "data.txt", "plain.cpp", "sub/b.h"]);
    assert_eq!(folder.read("out/a.cu"), HIP);
    assert_eq!(folder.read("in/a.cu"), CUDA);
    check(&folder, &["convert", "in", "-o", "few", "--sources-only"], 0, "converted");
    assert_eq!(folder.names("few"), ["a.cu", "plain.cpp", "sub/b.h"]);
}

#[test]
fn exit_codes_tell_what_is_left() {
    let folder = Folder::new(&[("clean.cu", CUDA), ("left.cu", "void f() { cudaFrobnicate(); }\n")]);
    check(&folder, &["convert", "clean.cu", "--dry-run"], 0, "dry run");
    check(&folder, &["convert", "left.cu", "--dry-run"], 1, "A005 unknown-name");
    check(&folder, &["convert", "none.cu", "--dry-run"], 2, "none.cu");
    check(&folder, &["convert", "clean.cu"], 2, "say where the result goes");
    check(&folder, &["convert", "clean.cu", "-o", "-"], 2, "names no file");
    check(&folder, &["convert", "clean.cu", "--nonsense"], 2, "--nonsense");
    assert_eq!(folder.read("clean.cu"), CUDA);
}

#[test]
fn standard_input_becomes_standard_output() {
    let folder = Folder::new(&[]);
    let mut child = command(folder.0.path(), &["convert", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"x\xff cudaSuccess\r\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.stdout, b"#include <hip/hip_runtime.h>\r\nx\xff hipSuccess\r\n");
}

#[test]
fn files_change_in_place_and_get_new_names() {
    let folder = Folder::new(&[
        ("a.cu", "#include \"b.cuh\"\n#include \"cuda.h\"\n"),
        ("b.cuh", CUDA),
        ("notes.md", "cudaFree"),
    ]);
    check(&folder, &["convert", ".", "--in-place", "--ext", "hip"], 0, "in place");
    assert_eq!(folder.names("."), ["a.hip", "b.hip.h", "notes.md"]);
    assert_eq!(folder.read("a.hip"), "#include \"b.hip.h\"\n#include \"hip/hip_runtime.h\"\n");
    assert_eq!(folder.read("b.hip.h"), HIP);
}

#[test]
fn a_dirty_git_tree_is_not_changed() {
    let folder = Folder::new(&[("a.cu", CUDA)]);
    let git = Command::new("git").arg("init").arg("-q").current_dir(folder.0.path()).status().unwrap();
    assert!(git.success());
    check(&folder, &["convert", "a.cu", "--in-place"], 2, "uncommitted changes");
    assert_eq!(folder.read("a.cu"), CUDA);
    check(&folder, &["convert", "a.cu", "--in-place", "--allow-dirty"], 0, "in place");
    assert_eq!(folder.read("a.cu"), HIP);
}

#[test]
fn ignored_files_are_left_out() {
    let folder = Folder::new(&[("a.cu", CUDA), ("build/b.cu", CUDA), (".gitignore", "build/\n"), ("sub/c.cu", CUDA)]);
    check(&folder, &["convert", ".", "-o", "../out_of_ignored"], 0, "2 of 2");
    check(&folder, &["convert", ".", "--dry-run", "--exclude", "sub"], 0, "1 of 1");
    check(&folder, &["convert", ".", "--dry-run", "--include", "c.*"], 0, "1 of 1");
    let _ = std::fs::remove_dir_all(folder.path("../out_of_ignored"));
}

#[test]
fn earlier_output_is_no_input() {
    let folder = Folder::new(&[("a.cu", CUDA)]);
    check(&folder, &["convert", ".", "-o", "./out"], 0, "1 of 1");
    check(&folder, &["convert", ".", "-o", "./out"], 0, "1 of 1");
    check(&folder, &["convert", ".", "-o", "out"], 0, "1 of 1");
    let absolute = folder.path("out");
    check(&folder, &["convert", ".", "-o", absolute.to_str().unwrap()], 0, "1 of 1");
    assert_eq!(folder.names("."), ["a.cu", "out/a.cu"]);
}

#[test]
fn a_file_that_cannot_be_read_is_named_and_the_rest_converted() {
    let folder = Folder::new(&[("in/a.cu", CUDA)]);
    folder.write("in/wide.cu", b"\xff\xfec\0u\0d\0a\0");
    check(&folder, &["convert", "in", "-o", "out"], 2, "wide.cu: the file is UTF-16");
    assert_eq!(folder.names("out"), ["a.cu"]);
}

#[test]
fn bytes_outside_of_edits_survive() {
    let folder = Folder::new(&[]);
    let bytes = b"\xef\xbb\xbf#include <cuda.h>\r\nint a\0b; \t\r\n// caf\xc3\xa9 cudaFree";
    folder.write("a.cu", bytes);
    check(&folder, &["convert", "a.cu", "-o", "b.cu"], 0, "1 of 1");
    let expected = b"\xef\xbb\xbf#include <hip/hip_runtime.h>\r\nint a\0b; \t\r\n// caf\xc3\xa9 cudaFree";
    assert_eq!(std::fs::read(folder.path("b.cu")).unwrap(), expected);
}

#[test]
fn wrong_options_say_what_is_right() {
    let folder = Folder::new(&[("a.cu", CUDA), ("empty/x.txt", "")]);
    check(
        &folder,
        &["convert", "a.cu", "--dry-run", "--arch", "sm_80"],
        2,
        "unknown target `sm_80`; known targets: gfx900",
    );
    check(&folder, &["convert", "a.cu", "--dry-run", "--rocm", "4.0"], 2, "choose 5.7 to 7.2");
    check(&folder, &["convert", "a.cu", "--dry-run", "--ignore", "X999"], 2, "`hipshift explain` lists all rules");
    check(&folder, &["convert", "a.cu", "-o", "b.cu", "--in-place"], 2, "cannot be used with");
    check(&folder, &["convert", "empty", "--dry-run"], 2, "there is no C++ or CUDA file");
    check(&folder, &["convert", "-", "a.cu"], 2, "`-` stands alone");
    check(&folder, &["convert", ".", "-o", "a.cu"], 2, "name a directory");
}

#[test]
fn the_nearest_configuration_holds() {
    let folder = Folder::new(&[
        ("hipshift.toml", "rocm = \"7.2\"\n"),
        ("sub/hipshift.toml", "launch = \"chevron\"\n"),
        ("sub/a.cu", "#include <cuda.h>\nvoid f() { k<<<1, 2>>>(); }\n"),
    ]);
    check(&folder, &["convert", "sub/a.cu", "-o", "out.cu"], 0, "1 of 1");
    assert!(folder.read("out.cu").contains("k<<<1, 2>>>()"));
    folder.write("sub/hipshift.toml", b"rocm = \"7.2\"\nlunch = 1\n");
    check(&folder, &["convert", "sub/a.cu", "--dry-run"], 2, "line 2, column 1");
}

#[test]
fn tables_of_a_project_win() {
    let folder = Folder::new(&[
        ("a.cu", CUDA),
        ("hipshift.toml", "mappings = [\"own.csv\"]\n"),
        ("own.csv", "cuda,hip,roc,kind,support,since,until,note\ncudaFree,myFree,,function,full,,,\n"),
    ]);
    check(&folder, &["convert", "a.cu", "-o", "out.cu"], 0, "1 of 1");
    assert!(folder.read("out.cu").contains("myFree(p)"));
    folder.write("own.csv", b"cuda,hip\na,b\n");
    check(&folder, &["convert", "a.cu", "--dry-run"], 2, "user.csv, line 1");
}

#[test]
fn files_of_others_are_not_overwritten_in_silence() {
    let folder = Folder::new(&[("in/a.cu", CUDA), ("in/README", "theirs\n"), ("out/README", "mine\n")]);
    check(&folder, &["convert", "in", "-o", ""], 2, "the path behind `-o` is empty");
    let told = "1 file that no earlier run wrote was overwritten, `out/README` first";
    check(&folder, &["convert", "in", "-o", "out"], 0, &format!("{told}; `hipshift undo out` brings them back"));
    check(&folder, &["undo", "out"], 0, "");
    assert_eq!(folder.read("out/README"), "mine\n");
    check(&folder, &["convert", "in", "-o", "out", "--no-manifest"], 0, &format!("{told}; nothing brings them back"));
    let again = hipshift(&folder, &["convert", "in", "-o", "out", "--no-manifest"]);
    assert!(!String::from_utf8_lossy(&again.stderr).contains("overwritten"), "{again:?}");
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    let folder = Folder::new(&[("in/a.cu", CUDA)]);
    std::os::unix::fs::symlink("..", folder.path("in/loop")).unwrap();
    check(&folder, &["convert", "in", "--dry-run"], 0, "symbolic links are not followed: `in/loop`");
    check(
        &folder,
        &["convert", "in", "-o", "out"],
        1,
        "`in/loop` is a symbolic link, which is not followed; it was left out",
    );
}

#[test]
fn reports_for_programs_are_complete() {
    let folder = Folder::new(&[("a.cu", "void f() { cudaFrobnicate(); }\n")]);
    let output = hipshift(&folder, &["convert", "a.cu", "--dry-run", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let finding = &report["files"][0]["findings"][0];
    assert_eq!((&report["schema"], &finding["code"]), (&serde_json::json!(1), &serde_json::json!("A005")));
    assert_eq!(finding["start"], serde_json::json!({ "line": 1, "column": 12 }));
    check(
        &folder,
        &["convert", "a.cu", "--dry-run", "--format", "csv"],
        1,
        "a.cu,1,12,A005,unknown-name,warning,false,1",
    );
}

#[test]
fn names_and_rules_can_be_asked_for() {
    let folder = Folder::new(&[]);
    check(&folder, &["map", "cudaMalloc"], 0, "cudaMalloc → hipMalloc  (function of runtime, full)");
    check(&folder, &["map", "hipMalloc"], 0, "cudaMalloc → hipMalloc");
    check(&folder, &["map", "cudaMaloc"], 1, "similar: cudaMalloc");
    check(&folder, &["map", "cudaMalloc", "--json"], 0, "\"hip\": \"hipMalloc\"");
    check(&folder, &["explain", "A003"], 0, "## Why is this bad?");
    check(&folder, &["explain", "renamed-name"], 0, "# A001 renamed-name");
    check(&folder, &["explain", "Z9"], 2, "lists all rules");
    check(&folder, &["doctor"], 0, "releases       ROCm 5.7 to 7.2");
    check(&folder, &["completions", "bash"], 0, "_hipshift");
    check(&folder, &["man"], 0, ".TH hipshift 1");
    check(&folder, &["man", "convert"], 0, ".TH hipshift-convert 1");
    check(&folder, &["man", "nothing"], 2, "there is no command `nothing`; there are convert, diff");
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let folder = Folder::new(&[]);
    for number in 0..40 {
        folder.write(&format!("in/{number}.cu"), format!("{CUDA}void g() {{ cudaFrob{number}(); }}\n").as_bytes());
    }
    let run = |threads: &str| {
        let output = hipshift(&folder, &["convert", "in", "-o", threads, "-j", threads, "--format", "csv"]);
        let bytes: Vec<_> =
            folder.names(threads).iter().map(|name| folder.read(&format!("{threads}/{name}"))).collect();
        (output.stdout, bytes)
    };
    assert_eq!(run("1"), run("2"));
}
