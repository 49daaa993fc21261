//! Traps in git's files, in names and in folders that come with a project: what is looked at is not passed over in silence, and
//! what is shown has the place that it claims.
#![cfg(unix)]

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::process::Command;

use crate::common::trap::{CUDA, OUTSIDE, Trap, says};
use crate::common::tree::tree;
use crate::common::validate_command;

/// A line with an error that nobody can overlook.
const BAD: &str = "void g(void*p){cudaGraphicsVDPAURegisterOutputSurface(p,1,2);}\n";

const SINCE: &[&str] = &["lint", ".", "--since", "HEAD", "--format", "concise"];

/// A repository with one file.
fn repository(path: &str, text: &str) -> Trap {
    let trap = Trap::new();
    trap.write(path, text);
    trap.git(&["init", "-q"]);
    commit(&trap);
    trap
}

fn commit(trap: &Trap) {
    trap.git(&["add", "--all"]);
    trap.git(&["commit", "-q", "-m", "state"]);
}

fn git_in(trap: &Trap, folder: &str, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "protocol.file.allow=always"]).args(arguments).env("HOME", trap.path("home"));
    assert!(command.current_dir(trap.folder.path(folder)).status().unwrap().success(), "{arguments:?}");
}

#[test]
fn odd_names_in_a_diff_are_known() {
    for odd in ["\u{7}", "\u{8}", "\u{b}", "\u{c}", "\u{1b}", "\t", "\n", "\r", "\"", "\\", "é"] {
        let name = format!("z{odd}z.cu");
        let trap = repository(&name, "int a;\n");
        says(&trap, SINCE, 0, "no findings");
        trap.write(&name, &format!("int a;\n{BAD}"));
        says(&trap, SINCE, 1, "1 finding in 1 file");
    }
}

#[test]
fn no_setting_of_a_repository_hides_a_changed_line() {
    let lines = (0..30).map(|number| format!("int v{number};\n")).collect::<Vec<_>>().concat();
    for (key, value) in [
        ("diff.interHunkContext", "1000"),
        ("diff.context", "20"),
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.suppressBlankEmpty", "true"),
        ("diff.relative", "true"),
        ("diff.renames", "copies"),
        ("diff.wordRegex", "."),
        ("diff.wsErrorHighlight", "all"),
        ("diff.colorMoved", "zebra"),
        ("color.ui", "always"),
        ("color.diff", "always"),
        ("core.bigFileThreshold", "1"),
        ("core.quotePath", "true"),
        ("diff.ignoreSubmodules", "all"),
        ("diff.algorithm", "patience"),
        ("diff.submodule", "log"),
    ] {
        let trap = repository("a.cu", &lines);
        trap.write("b.cu", &lines);
        commit(&trap);
        trap.configure(key, value);
        trap.write("a.cu", &lines.replace("v3;", "q;").replace("v20;", "r;"));
        trap.write("b.cu", &lines.replace("int v4;\n", BAD));
        let said = says(&trap, SINCE, 1, "1 finding in 1 file");
        assert!(said.contains("b.cu:5:"), "{key}: {said}");
    }
}

#[test]
fn a_work_tree_may_have_a_line_end_in_its_name() {
    let trap = repository("q\n/kept.cu", "int a;\n");
    git_in(&trap, "clone/q\n", &["init", "-q"]);
    git_in(&trap, "clone/q\n", &["add", "--all"]);
    git_in(&trap, "clone/q\n", &["commit", "-q", "-m", "state"]);
    trap.write("q\n/kept.cu", BAD);
    says(&trap, &["lint", "q\n", "--since", "HEAD", "--format", "concise"], 1, "1 finding in 1 file");
}

#[test]
fn a_repository_within_is_looked_at() {
    let trap = repository("a.cu", "int a;\n");
    trap.write("n/b.cu", BAD);
    git_in(&trap, "clone/n", &["init", "-q"]);
    says(&trap, SINCE, 1, "1 finding in 1 file");
    says(&trap, &["lint", "a.cu", "n", "--since", "HEAD"], 1, "1 finding in 1 file");
}

#[test]
fn changed_lines_of_a_submodule_are_changed_lines() {
    let trap = repository("a.cu", "int a;\n");
    std::fs::create_dir_all(trap.folder.path("origin")).unwrap();
    std::fs::write(trap.folder.path("origin/s.cu"), format!("{BAD}int a;\n")).unwrap();
    for arguments in [&["init", "-q"][..], &["add", "--all"], &["commit", "-q", "-m", "state"]] {
        git_in(&trap, "origin", arguments);
    }
    trap.git(&["submodule", "--quiet", "add", &trap.path("origin"), "module"]);
    // A submodule that the commit does not have is new as a whole.
    says(&trap, SINCE, 1, "module/s.cu:1:");
    commit(&trap);
    says(&trap, SINCE, 0, "no findings");
    trap.write("module/s.cu", &format!("{BAD}{BAD}int a;\n"));
    says(&trap, SINCE, 1, "module/s.cu:2:");
    says(&trap, &["lint", "module/s.cu", "--since", "HEAD"], 1, "1 finding");
    says(&trap, &["lint", "a.cu", "--since", "HEAD"], 0, "no findings");
    // So is one whose commit is not there.
    git_in(&trap, "clone/module", &["commit", "-q", "-a", "-m", "more"]);
    commit(&trap);
    says(&trap, SINCE, 0, "no findings");
    git_in(&trap, "clone/module", &["reset", "-q", "--hard", "HEAD~"]);
    git_in(&trap, "clone/module", &["reflog", "expire", "--expire=now", "--all"]);
    git_in(&trap, "clone/module", &["gc", "-q", "--prune=now"]);
    says(&trap, SINCE, 1, "module/s.cu:1:");
}

#[test]
fn what_is_staged_and_cannot_be_read_is_told() {
    let trap = Trap::new();
    trap.write("q.cu", BAD);
    trap.git(&["init", "-q"]);
    trap.git(&["add", "--all"]);
    let staged = ["lint", "--staged", "--format", "concise"];
    says(&trap, &staged, 1, "1 finding in 1 file");
    let object =
        Command::new("git").args(["rev-parse", ":q.cu"]).current_dir(trap.folder.path("clone")).output().unwrap();
    let object = String::from_utf8(object.stdout).unwrap();
    let (start, rest) = object.trim().split_at(2);
    std::fs::remove_file(trap.folder.path(&format!("clone/.git/objects/{start}/{rest}"))).unwrap();
    let said = says(&trap, &staged, 1, "is not in the repository; it was left out");
    assert!(said.contains("`q.cu`"), "{said}");
}

#[test]
fn what_is_not_merged_is_told() {
    let trap = repository("q.cu", "int a;\n");
    trap.git(&["checkout", "-q", "-b", "other"]);
    trap.write("q.cu", BAD);
    commit(&trap);
    trap.git(&["checkout", "-q", "-"]);
    trap.write("q.cu", "int b;\n");
    commit(&trap);
    let mut merge = Command::new("git");
    merge.args(["merge", "-q", "other"]).env("HOME", trap.path("home")).current_dir(trap.folder.path("clone"));
    assert!(!merge.output().unwrap().status.success());
    let said = says(&trap, &["lint", "--staged", "--format", "concise"], 1, "`q.cu` is not merged");
    assert_eq!(said.matches("not merged").count(), 1, "{said}");
}

#[test]
fn no_setting_of_a_repository_hides_uncommitted_changes() {
    let in_place = ["convert", ".", "--in-place"];
    let changed = || {
        let trap = repository("x.cu", CUDA);
        trap.write("x.cu", &format!("{CUDA}// mine\n"));
        trap
    };
    says(&changed(), &in_place, 2, "uncommitted changes");
    let trap = changed();
    trap.write("copy/x.cu", CUDA);
    trap.write(".git/info/exclude", "copy\n");
    trap.configure("core.worktree", &trap.path("clone/copy"));
    says(&trap, &in_place, 2, "does not hold that folder");
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        let trap = changed();
        trap.git(&["update-index", flag, "x.cu"]);
        says(&trap, &in_place, 2, "uncommitted changes");
    }
    let trap = repository("x.cu", CUDA);
    trap.write("own.cu", CUDA);
    trap.configure("status.showUntrackedFiles", "no");
    says(&trap, &in_place, 2, "uncommitted changes");
    assert_eq!(trap.folder.read("clone/own.cu"), CUDA);
    // What git need not look at because it is not there is no change.
    let trap = repository("x.cu", CUDA);
    trap.write("gone.cu", CUDA);
    commit(&trap);
    trap.git(&["update-index", "--skip-worktree", "gone.cu"]);
    std::fs::remove_file(trap.folder.path("clone/gone.cu")).unwrap();
    says(&trap, &in_place, 0, "converted");
}

#[test]
fn who_executes_a_file_becomes_nobody_else() {
    let mode = |trap: &Trap, path: &str| std::fs::metadata(trap.folder.path(path)).unwrap().mode() & 0o7777;
    let set = || {
        let trap = Trap::new();
        trap.write("tool", "#!/bin/sh\nid\n");
        for (path, mode) in [("tool", 0o6755), ("x.cu", 0o7750)] {
            let path = trap.folder.path(&format!("clone/{path}"));
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        trap
    };
    let trap = set();
    says(&trap, &["convert", ".", "-o", "out"], 0, "");
    assert_eq!((mode(&trap, "clone/out/tool"), mode(&trap, "clone/out/x.cu")), (0o755, 0o750));
    let trap = set();
    says(&trap, &["convert", ".", "--in-place", "--allow-dirty"], 0, "");
    assert_eq!(mode(&trap, "clone/x.cu"), 0o750);
}

/// Runs a validation that keeps its folder, if there is a compiler.
fn validate(trap: &Trap) -> Option<String> {
    let arguments = [".", "--keep", "build", "--arch", "gfx90a", "--executor", "none"];
    let mut command = validate_command(&arguments)?;
    command.current_dir(trap.folder.path("clone")).env("XDG_STATE_HOME", trap.path("state"));
    command.env("XDG_CACHE_HOME", trap.path("cache"));
    let output = command.output().unwrap();
    Some([output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat())
}

#[test]
fn a_folder_that_is_kept_leads_nowhere_else() {
    let program = "#include <cuda_runtime.h>\n__global__ void k(int*p){p[0]=1;}\nint main(){k<<<1,1>>>(0);return 0;}\n";
    let kernel = "[[validate.kernel]]\nname=\"k\"\nsource=\"x.cu\"\ngrid=1\nblock=1\n\
                  [[validate.kernel.argument]]\nname=\"p\"\ntype=\"int32\"\nlength=4\noutput=true\n";
    let trap = Trap::new();
    trap.write("x.cu", program);
    trap.write("hipshift.toml", kernel);
    let Some(first) = validate(&trap) else { return };
    assert!(!first.contains("error:"), "{first}");
    // From now on objects come from the cache.
    assert!(!validate(&trap).unwrap().contains("error:"), "the same folder once more");
    let before = tree(&trap.folder.path(OUTSIDE));
    for (name, to) in [
        ("source", "folder"),
        ("unit-0.o", "victim"),
        ("runtime", "folder"),
        ("program-0", "victim"),
        ("program-0-gfx90a", "folder"),
        ("source/hipshift-driver-k.hip", "victim"),
        ("source/sub", "folder"),
    ] {
        std::fs::remove_dir_all(trap.folder.path("clone/build")).unwrap();
        trap.link(&format!("build/{name}"), &trap.path(&format!("{OUTSIDE}/{to}")));
        let said = validate(&trap).unwrap();
        assert!(said.contains("is a symbolic link, and nothing is written through links"), "{name}: {said}");
        assert_eq!(tree(&trap.folder.path(OUTSIDE)), before, "{name}");
    }
    std::fs::remove_dir_all(trap.folder.path("clone/build")).unwrap();
    assert!(!validate(&trap).unwrap().contains("error:"), "a folder without links again");
    // A second name of a file is no link that could be seen.
    for name in ["unit-0.o", "unit-1.o", "program-0", "source/hipshift-driver-k.hip", "source/x.cu"] {
        let path = trap.folder.path(&format!("clone/build/{name}"));
        let _ = std::fs::remove_file(&path);
        std::fs::hard_link(trap.folder.path("outside/victim"), path).unwrap();
    }
    let said = validate(&trap).unwrap();
    assert_eq!(tree(&trap.folder.path(OUTSIDE)), before, "{said}");
}

#[test]
fn files_of_holes_are_left_out() {
    let trap = Trap::new();
    let hollow = |path: &str| {
        let file = std::fs::File::create(trap.folder.path(path)).unwrap();
        file.set_len(3 << 30).unwrap();
    };
    hollow("clone/data.bin");
    says(&trap, &["convert", ".", "-o", "out"], 1, "file of holes");
    assert!(!trap.folder.path("clone/out/data.bin").exists());
    assert!(trap.folder.path("clone/out/x.cu").exists());
    let other = Trap::new();
    symlink(trap.folder.path("clone/data.bin"), other.folder.path("clone/x.bin")).unwrap();
    says(&other, &["convert", ".", "-o", "out"], 1, "symbolic link");
}

#[test]
fn tracked_files_that_are_ignored_are_told() {
    let trap = Trap::new();
    trap.write(".gitignore", "sub/\nplain.cpp\nout\n");
    trap.write("plain.cpp", "int x;\n");
    trap.git(&["init", "-q"]);
    trap.git(&["add", "--all"]);
    for arguments in [&["lint", "."][..], &["convert", ".", "-o", "out"]] {
        assert!(!says(&trap, arguments, 0, "").contains("git tracks"));
    }
    trap.git(&["add", "--force", "sub/y.cu", "plain.cpp"]);
    for arguments in [&["lint", "."][..], &["convert", ".", "-o", "out"], &["diff", "."]] {
        let output = trap.run(arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("1 file that git tracks and `.gitignore` names were left out: `sub/y.cu`"), "{said}");
    }
}
