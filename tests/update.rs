//! `hipshift update` through the real process: histories of conversions, edits by hand and changes of the
//! sources, each compared with `git merge-file` on the same three texts.

use crate::common::folder::{Folder, check, hipshift};
use crate::common::history::{FILE, History, git_merge};
use crate::common::tree::tree;

#[test]
fn edits_and_changes_at_different_places_are_both_kept() {
    let history = History::new(&[("a.cu", FILE), ("b.cu", FILE), ("same.cu", FILE)], &[]);
    history.edit("hip/a.cu", "hipFree(pointer);", "(void)hipFree(pointer);  // by hand");
    history.edit("hip/a.cu", "void run(", "// tuned by hand\nvoid run(");
    history.edit("hip/same.cu", "wait()", "wait_by_hand()");
    history.edit(
        "cuda/a.cu",
        "    cudaDeviceSynchronize();\n",
        "    cudaDeviceSynchronize();\n    cudaGetLastError();\n",
    );
    history.edit("cuda/a.cu", "2.0f);\n}\n", "2.0f);\n    cudaDeviceReset();\n}\n");
    history.edit("cuda/b.cu", "void wait() {\n    cudaDeviceSynchronize();\n}\n\n", "");
    let before = tree(&history.folder.path("hip"));
    check(&history.folder, &["update", "-o", "hip", "--dry-run"], 0, "1 updated, 1 merged, 1 unchanged");
    assert_eq!(tree(&history.folder.path("hip")), before);
    let merged = history.update("a.cu", 0, "3 files: 1 updated, 1 merged, 1 unchanged");
    assert_eq!(merged.conflicts, 0);
    for line in ["(void)hipFree(pointer);  // by hand", "// tuned by hand", "hipGetLastError();", "hipDeviceReset();"] {
        assert!(merged.text.contains(line), "{line}");
    }
    assert!(!history.folder.read("hip/b.cu").contains("wait"));
    // Nothing changed since, so nothing is done; the earlier update can still be undone.
    check(&history.folder, &["update", "-o", "hip"], 0, "3 files: 3 unchanged");
    check(&history.folder, &["undo", "hip"], 0, "undid `hipshift update -o hip`: 2 files");
    assert_eq!(tree(&history.folder.path("hip")), before);
    check(&history.folder, &["update", "-o", "hip"], 0, "1 updated, 1 merged, 1 unchanged");
}

#[test]
fn conflicts_are_marked_and_stay_until_somebody_resolves_them() {
    let history = History::new(&[("a.cu", FILE)], &[]);
    history.edit("hip/a.cu", "hipFree(pointer);", "(void)hipFree(pointer);");
    history.edit("hip/a.cu", "2.0f", "3.0f");
    history.edit("cuda/a.cu", "cudaFree(pointer);", "cudaFreeHost(pointer);");
    history.edit("cuda/a.cu", "void wait() {", "void wait() {\n    // more");
    let merged = history.update("a.cu", 1, "conflict      hip/a.cu:4\n");
    assert_eq!(merged.conflicts, 1);
    insta::assert_snapshot!("conflict", merged.text);
    // Unchanged sources need no merge, and conflicts are not marked twice; they stay conflicts.
    let told = "conflict      hip/a.cu  (the markers of an earlier conflict are still in it)";
    check(&history.folder, &["update", "-o", "hip"], 1, told);
    history.edit("cuda/a.cu", "*= factor;", "+= factor;");
    let before = history.folder.read("hip/a.cu");
    check(&history.folder, &["update", "-o", "hip"], 2, "still open in `hip/a.cu`; resolve them first");
    assert_eq!(history.folder.read("hip/a.cu"), before);
    let start = before.find("<<<<<<<").unwrap();
    let end = before.find("converted now\n").unwrap() + "converted now\n".len();
    let resolved = [&before[..start], "    (void)hipHostFree(pointer);\n", &before[end..]].concat();
    history.folder.write("hip/a.cu", resolved.as_bytes());
    let merged = history.update("a.cu", 0, "1 merged");
    assert!(merged.text.contains("+= factor;") && merged.text.contains("(void)hipHostFree"));
    assert!(merged.text.contains("3.0f"));
}

#[test]
fn files_come_go_and_get_other_names() {
    let files = [
        ("edited.cu", FILE),
        ("gone.cu", "int gone;\n"),
        ("gone_edited.cu", "int g;\n"),
        ("util.cuh", FILE),
        ("stay.cu", "int s;\n"),
    ];
    let history = History::new(&files, &["--ext", "hip"]);
    assert_eq!(history.folder.names("hip"), ["edited.hip", "gone.hip", "gone_edited.hip", "stay.hip", "util.hip.h"]);
    history.edit("hip/edited.hip", "wait()", "wait_by_hand()");
    history.edit("hip/gone_edited.hip", "int g;", "int g;  // by hand");
    history.edit("hip/util.hip.h", "void run(", "// by hand\nvoid run(");
    let folder = &history.folder;
    std::fs::create_dir(folder.path("cuda/sub")).unwrap();
    std::fs::rename(folder.path("cuda/edited.cu"), folder.path("cuda/sub/named.cu")).unwrap();
    std::fs::rename(folder.path("cuda/util.cuh"), folder.path("cuda/sub/util.cuh")).unwrap();
    history.edit("cuda/sub/util.cuh", "cudaFree(pointer)", "cudaFreeHost(pointer)");
    std::fs::remove_file(folder.path("cuda/gone.cu")).unwrap();
    std::fs::remove_file(folder.path("cuda/gone_edited.cu")).unwrap();
    folder.write("cuda/new.cu", b"void n() { cudaFree(0); }\n");
    let output = hipshift(folder, &["update", "-o", "hip"]);
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!("renames", String::from_utf8(output.stdout).unwrap());
    let expected = ["gone_edited.hip", "new.hip", "stay.hip", "sub/named.hip", "sub/util.hip.h"];
    assert_eq!(folder.names("hip"), expected);
    assert!(folder.read("hip/sub/named.hip").contains("wait_by_hand()"));
    let util = folder.read("hip/sub/util.hip.h");
    assert!(util.contains("// by hand") && util.contains("hipHostFree(pointer)"), "{util}");
    assert_eq!(folder.read("hip/gone_edited.hip"), "int g;  // by hand\n");
    // What was kept is the user's own from now on.
    check(folder, &["update", "-o", "hip"], 0, "4 files: 4 unchanged");
    let json = hipshift(folder, &["update", "-o", "hip", "--dry-run", "--format", "json"]).stdout;
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!((&json["conflicts"], &json["files"][0]["state"]), (&0.into(), &"unchanged".into()));
}

#[test]
fn a_project_that_was_converted_in_place_takes_new_sources_from_elsewhere() {
    let dos = FILE.replace('\n', "\r\n");
    let folder = Folder::new(&[("project/.git/x", ""), ("project/src/own.cpp", "int own;\n")]);
    for tree in ["project/src", "upstream"] {
        folder.write(&format!("{tree}/dos.cu"), dos.as_bytes());
        folder.write(&format!("{tree}/mark.cu"), b"\xef\xbb\xbfvoid f() { cudaFree(0); }\nint last = cudaSuccess;");
        folder.write(&format!("{tree}/plain.h"), b"int a;\nint b;\nint c;\n");
    }
    let convert = ["convert", "project/src", "--in-place", "--allow-dirty", "-q"];
    check(&folder, &convert, 0, "");
    let base = folder.read("project/src/dos.cu");
    let edit = |path: &str, part: &str, new: &str| {
        let text = folder.read(path);
        assert!(text.contains(part), "{text}");
        std::fs::write(folder.path(path), text.replace(part, new)).unwrap();
    };
    edit("project/src/dos.cu", "2.0f", "3.0f");
    edit("project/src/plain.h", "int a;", "int a;  // by hand");
    edit("upstream/dos.cu", "wait()", "wait_longer()");
    edit("upstream/mark.cu", "int last = cudaSuccess;", "int last = cudaErrorUnknown;");
    edit("upstream/plain.h", "int c;\n", "");
    folder.write("upstream/new.cu", b"int n = cudaSuccess;\n");
    // Converting again in place is an edit as well: it must not become what is merged from.
    check(&folder, &convert, 0, "");
    check(&folder, &["convert", "upstream", "-o", "theirs", "-q"], 0, "");
    let expected = git_merge("src/dos.cu", [&folder.read("project/src/dos.cu"), &base, &folder.read("theirs/dos.cu")]);
    check(&folder, &["update", "-o", "project"], 2, "name the new ones: `hipshift update SOURCE`");
    check(&folder, &["update", "upstream", "-o", "project"], 0, "1 updated, 2 merged, 1 added, 1 not in SOURCE");
    assert_eq!(folder.read("project/src/dos.cu"), expected.text);
    assert!(expected.text.contains("3.0f") && expected.text.contains("wait_longer()\u{20}{\r\n"));
    assert_eq!(folder.read("project/src/mark.cu"), folder.read("theirs/mark.cu"));
    assert!(folder.read("project/src/mark.cu").ends_with("hipErrorUnknown;"));
    assert_eq!(folder.read("project/src/plain.h"), "int a;  // by hand\nint b;\n");
    assert_eq!(folder.read("project/src/own.cpp"), "int own;\n");
    check(&folder, &["undo", "project"], 0, "removed       project/src/new.cu");
    assert_eq!(folder.read("project/src/plain.h"), "int a;  // by hand\nint b;\nint c;\n");
}

#[test]
fn options_of_the_last_time_hold_and_what_was_removed_stays_away() {
    let files =
        [("a.cu", FILE), ("away.cu", "int away;\n"), ("away_too.cu", "int away;\nint b;\n"), ("data.bin", "x\0y")];
    let history = History::new(&files, &["--launch", "chevron"]);
    let folder = &history.folder;
    history.edit("hip/a.cu", "hipFree(pointer);", "(void)hipFree(pointer);");
    folder.write("hip/data.bin", b"x\0mine");
    folder.write("cuda/data.bin", b"x\0theirs");
    std::fs::remove_file(folder.path("hip/away.cu")).unwrap();
    std::fs::remove_file(folder.path("hip/away_too.cu")).unwrap();
    history.edit("cuda/away_too.cu", "int b;", "int c;");
    history.edit("cuda/a.cu", "2.0f", "4.0f");
    let merged = history.update("a.cu", 1, "2 conflict");
    assert!(merged.text.contains("scale<<<1, 32>>>(values, 4.0f)"), "{}", merged.text);
    assert_eq!(folder.read("hip/data.bin"), "x\0mine");
    assert!(!folder.path("hip/away.cu").exists());
    assert_eq!(folder.read("hip/away_too.cu"), "int away;\nint c;\n");
    // Another option is a change like any other, and stays.
    check(folder, &["update", "-o", "hip", "--launch", "ggl"], 0, "1 merged");
    assert!(folder.read("hip/a.cu").contains("hipLaunchKernelGGL(scale"));
    check(folder, &["update", "-o", "hip"], 0, "3 unchanged");
    assert!(folder.read("hip/a.cu").contains("(void)hipFree(pointer);"));
}

#[test]
fn what_is_missing_is_said() {
    let folder = Folder::new(&[("a.cu", FILE), ("cuda/a.cu", FILE), ("cuda2/a.cu", FILE)]);
    check(
        &folder,
        &["update"],
        2,
        "no results of an earlier conversion are known in `.` or above; name their directory with `-o`",
    );
    check(&folder, &["convert", "cuda", "-o", "bare", "--no-manifest", "-q"], 0, "");
    assert!(!folder.path("bare/.hipshift").exists());
    check(&folder, &["update", "-o", "bare"], 2, "no results");
    check(&folder, &["convert", "a.cu", "-o", "one.cu", "-q"], 0, "");
    check(&folder, &["convert", "cuda", "-o", "hip", "-q"], 0, "");
    check(&folder, &["update", "cuda", "cuda2", "-o", "hip"], 2, "name a source for each of `cuda`, in this order");
    check(&folder, &["update", "cuda2", "-o", "hip"], 0, "1 unchanged");
    folder.write("cuda2/a.cu", b"int x;\n");
    folder.write("hip/a.cu", b"int mine;\n");
    std::fs::remove_dir_all(folder.path("hip/.hipshift/base")).unwrap();
    check(&folder, &["update", "-o", "hip"], 2, ".gz: No such file");
    assert_eq!(folder.read("hip/a.cu"), "int mine;\n");
}

#[test]
fn a_conversion_over_edits_says_so_and_can_be_undone() {
    let history = History::new(&[("a.cu", FILE)], &[]);
    history.edit("hip/a.cu", "2.0f", "3.0f");
    let arguments = ["convert", "cuda", "-o", "hip", "-q"];
    check(
        &history.folder,
        &arguments,
        0,
        "1 file edited since the last conversion, and overwritten; `hipshift undo hip`",
    );
    assert!(!history.folder.read("hip/a.cu").contains("3.0f"));
    check(&history.folder, &["undo", "hip"], 0, "restored      hip/a.cu");
    assert!(history.folder.read("hip/a.cu").contains("3.0f"));
}

#[cfg(unix)]
#[test]
fn a_script_that_may_be_run_now_may_be_run_in_the_result() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new(&[("cuda/a.cu", "void f() { cudaFree(0); }\n"), ("cuda/b.sh", "#!/bin/sh\nnvcc a.cu\n")]);
    check(&folder, &["convert", "cuda", "-o", "hip"], 0, "");
    std::fs::set_permissions(folder.path("cuda/b.sh"), std::fs::Permissions::from_mode(0o755)).unwrap();
    check(&folder, &["update", "-o", "hip"], 0, "1 updated");
    let mode = folder.path("hip/b.sh").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o111, 0o111);
    check(&folder, &["update", "-o", "hip"], 0, "2 unchanged");
}
