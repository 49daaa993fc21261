//! Traps that a seventh attack found: links where `toolchain install` writes, arrays of kernels outside of the project, results whose
//! sources cannot be read for a while, and programs that are none.
#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Command, Output};

use crate::common;
use crate::common::script::script;
use crate::common::trap::{CUDA, Trap, VICTIM, says};

fn pipe(trap: &Trap, name: &str) {
    let path = trap.folder.path("clone").join(name);
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn text(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes)).concat()
}

#[test]
fn a_toolchain_is_installed_through_no_link_that_came_along() {
    let trap = Trap::new();
    fs::create_dir(trap.folder.path("outside/tools")).unwrap();
    trap.link("tc", "../outside/tools");
    for command in [&["install"][..], &["remove", "--libraries", "rand"]] {
        for name in ["tc", "./tc/", "tc/below"] {
            let arguments = [&["toolchain"], command, &["--dir", name]].concat();
            says(&trap, &arguments, 2, "is a symbolic link to `../outside/tools` that may have come with the project");
        }
    }
    assert_eq!(fs::read_dir(trap.folder.path("outside/tools")).unwrap().count(), 0);
    // A list of packages does not make folders that an install writes to those of packages.
    for (link, folder) in [
        ("apt/experimental/source.sources", "apt"),
        ("apt/experimental/lists/partial/x", "apt"),
        ("bin/clang++-22.new", "bin"),
        ("llvm.debs/x.deb", "llvm.debs"),
        ("mine/link", "none"),
    ] {
        let trap = Trap::new();
        trap.link(&format!("tc/{link}"), &trap.path("outside/victim"));
        trap.write(&format!("tc/{folder}/packages.txt"), "x 1\n");
        for command in [&["install"][..], &["remove", "--libraries", "rand"]] {
            let arguments = [&["toolchain"], command, &["--dir", "tc"]].concat();
            says(&trap, &arguments, 2, "is a link, and nothing is written through one");
        }
        assert_eq!(fs::read_to_string(trap.folder.path("outside/victim")).unwrap(), VICTIM, "{link}");
    }
}

#[test]
fn own_files_in_the_folder_of_a_toolchain_stay() {
    let remove = ["toolchain", "remove", "--libraries", "rand", "--dir", "tc"];
    let trap = Trap::new();
    trap.write("tc/lock", "my own file\n");
    // What is no list of packages is no word for links: each of these waited, or took all memory.
    fs::create_dir_all(trap.folder.path("clone/tc/pipe")).unwrap();
    pipe(&trap, "tc/pipe/packages.txt");
    says(&trap, &remove, 0, "nothing of that is there");
    assert_eq!(fs::read_to_string(trap.folder.path("clone/tc/lock")).unwrap(), "my own file\n");
    for list in ["/dev/zero", "../../../outside/victim"] {
        trap.link("tc/hip-7.2/packages.txt", list);
        says(&trap, &remove, 2, "packages.txt is a link");
    }
    let trap = Trap::new();
    fs::create_dir(trap.folder.path("clone/tc")).unwrap();
    pipe(&trap, "tc/lock");
    says(&trap, &remove, 2, "it is no regular file");
}

/// A configuration with a kernel whose array has more to it.
fn kernel(trap: &Trap, source: &str, array: &str) {
    trap.write("k.cu", "__global__ void k(float *a) { *a = 1; }\n");
    trap.write(
        "hipshift.toml",
        &format!(
            "[[validate.kernel]]\nname = \"k\"\nsource = \"{source}\"\ngrid = 1\nblock = 1\n\
             argument = [{{ name = \"a\", type = \"float\", length = 4, output = true{array} }}]\n"
        ),
    );
}

#[test]
fn arrays_of_kernels_outside_of_the_project_need_trust() {
    let trap = Trap::new();
    trap.link("inside", "../outside/victim");
    for array in ["expected = \"../outside/victim\"", "file = \"../outside/victim\"", "expected = \"inside\""] {
        kernel(&trap, "k.cu", &format!(", {array}"));
        for command in [&["validate", ".", "--executor", "none"][..], &["validate", "record", ".", "--script", "-"]] {
            let said = says(&trap, command, 2, "of a kernel, which decides what is read");
            assert!(said.contains("hipshift trust") && !said.contains("cudaFree"), "{said}");
        }
    }
    says(&trap, &["trust"], 0, "the array `");
    says(&trap, &["validate", "record", ".", "--script", "-"], 0, "");
}

#[test]
fn kernels_that_a_run_leaves_out_are_told() {
    let trap = Trap::new();
    trap.write("main.cu", "int main() { return 0; }\n");
    let record = ["validate", "record", ".", "--script", "-"];
    let left_out = "speaks of `k`, and its source `k.cu` is not among the files of this run: it is not started";
    kernel(&trap, "k.cu", "");
    assert!(!says(&trap, &record, 0, "").contains("speaks of"));
    says(&trap, &[&record[..], &["--exclude", "k.cu"]].concat(), 0, left_out);
    says(&trap, &["validate", "record", "main.cu", "--script", "-"], 0, left_out);
    trap.link("d", "../outside/folder");
    kernel(&trap, "d/z.cu", "");
    says(&trap, &record, 0, "outside/folder/z.cu` is not among the files of this run");
    let Some(toolchain) = common::toolchain() else { return };
    kernel(&trap, "k.cu", "");
    let toolchain = fs::canonicalize(toolchain).unwrap();
    let validate = ["--executor", "none", "--toolchain", toolchain.to_str().unwrap()];
    for paths in [&["validate", ".", "--exclude", "k.cu"][..], &["validate", "main.cu"]] {
        // Whether the program is linked is not asked here.
        let said = text(&trap.run(&[paths, &validate[..]].concat()));
        assert!(said.contains(left_out), "{said}");
    }
}

#[test]
fn what_is_no_program_is_not_run() {
    let trap = Trap::new();
    pipe(&trap, "pipe");
    trap.link("zero", "/dev/zero");
    fs::File::create(trap.folder.path("clone/holes")).unwrap().set_len(20 << 30).unwrap();
    trap.write("empty", "");
    trap.write("text", "int main() {}\n");
    trap.write("part", "\u{7f}ELF\u{2}\u{1}");
    for (name, why) in [
        ("./pipe", "it is no regular file"),
        ("./zero", "it is no regular file"),
        ("./holes", "it is a file of holes"),
        ("./sub", "is a directory"),
        ("./empty", "it is empty"),
        ("./text", "neither in the format ELF nor a script"),
        ("./part", "a part of it is missing"),
        ("./gone", "No such file"),
    ] {
        let said = says(&trap, &["run", name], 2, &format!("`{name}` is no program: "));
        assert!(said.contains(why), "{said}");
    }
    says(&trap, &["run", "empty"], 2, "`empty` is not on PATH; `./empty` is the one of this folder");
    says(&trap, &["run", "gone"], 2, "`gone` is not on PATH");
    // What PATH has is started, unless this folder has that name, too.
    let run = |name: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
        command.env("HIPSHIFT_RUNTIME", common::runtime()).env("XDG_CACHE_HOME", common::root().join("target/cache"));
        let path = std::env::join_paths([trap.folder.path("bin"), "/bin".into()]).unwrap();
        command.args(["run", name, "one"]).env("PATH", path).current_dir(trap.folder.path("clone")).output().unwrap()
    };
    fs::create_dir(trap.folder.path("bin")).unwrap();
    script(&trap.folder.path("bin/tool"), "echo \"with $1\"; exit 7\n");
    let output = run("tool");
    assert_eq!((output.status.code(), text(&output)), (Some(7), "with one\n".to_owned()));
    fs::create_dir(trap.folder.path("clone/tool")).unwrap();
    let output = run("tool");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output).contains("`tool` is in this folder and on PATH; write `./tool` or `/"), "{}", text(&output));
}

/// A conversion of `clone` without what a trap brings along beside it, and an update that says something.
fn converted(sources: &[&str]) -> Trap {
    let trap = Trap::new();
    for (number, name) in sources.iter().enumerate() {
        trap.write(&format!("src/{name}"), &format!("{CUDA}int n{number};\n"));
    }
    says(&trap, &["convert", "src", "-o", "hip", "-q"], 0, "");
    trap
}

/// What happens to a source.
type Set<'s> = &'s dyn Fn(&Trap);

#[test]
fn results_whose_sources_cannot_be_read_stay() {
    let traps: [(Set<'_>, &str, &str); 5] = [
        (&|trap| pipe(trap, "src/a.cu"), "src/a.cu` is a pipe", "1 not read"),
        (&|trap| trap.link("src/a.cu", "b.cu"), "src/a.cu` is a symbolic link, which is not followed", "1 not read"),
        (&|trap| trap.link("src/a.cu", "gone"), "src/a.cu` is a symbolic link, which is not followed", "1 not read"),
        (
            &|trap| fs::write(trap.folder.path("clone/src").join(OsStr::from_bytes(b"\xff.cu")), CUDA).unwrap(),
            "whose name is not UTF-8",
            "1 not read",
        ),
        (&|_| {}, "removed       hip/a.cu", "1 removed"),
    ];
    for (set, reason, count) in traps {
        let trap = converted(&["a.cu", "b.cu", "d/c.cu"]);
        fs::remove_file(trap.folder.path("clone/src/a.cu")).unwrap();
        set(&trap);
        let stays = count != "1 removed";
        let said = says(&trap, &["update", "-o", "hip"], i32::from(stays), reason);
        assert!(said.contains(count), "{said}");
        assert_eq!(trap.folder.path("clone/hip/a.cu").exists(), stays, "{said}");
        // It is known further on.
        let known = fs::read_to_string(trap.folder.path("clone/hip/.hipshift/manifest.json")).unwrap();
        assert_eq!(known.contains("a.cu"), stays, "{known}");
    }
    // A folder behind a link, and what was left out on purpose.
    let trap = converted(&["a.cu", "d/c.cu"]);
    fs::rename(trap.folder.path("clone/src/d"), trap.folder.path("clone/d")).unwrap();
    trap.link("src/d", "../d");
    says(&trap, &["update", "-o", "hip"], 1, "src/d` is a symbolic link");
    assert!(trap.folder.path("clone/hip/d/c.cu").exists());
    says(&trap, &["update", "-o", "hip", "--exclude", "d"], 0, "1 removed");
}

#[test]
fn nothing_is_removed_where_a_source_could_not_be_read() {
    let trap = converted(&["a.cu", "b.cu"]);
    fs::remove_file(trap.folder.path("clone/src/a.cu")).unwrap();
    fs::File::create(trap.folder.path("clone/src/b.cu")).unwrap().set_len(20 << 30).unwrap();
    says(&trap, &["update", "-o", "hip"], 2, "");
    assert!(trap.folder.path("clone/hip/a.cu").exists() && trap.folder.path("clone/hip/b.cu").exists());
}

#[test]
fn an_update_does_not_forget_a_configuration_that_is_gone() {
    let trap = Trap::new();
    trap.write("src/a.cu", "__global__ void k() {}\nvoid f() { k<<<1, 1>>>(); }\n");
    trap.write("own.toml", "launch = \"chevron\"\n");
    says(&trap, &["convert", "src", "-o", "hip", "-q", "--config", "own.toml"], 0, "");
    fs::rename(trap.folder.path("clone/own.toml"), trap.folder.path("clone/away.toml")).unwrap();
    let gone = "the configuration `own.toml` of the last time is gone";
    let said = says(&trap, &["update", "-o", "hip"], 2, gone);
    assert!(said.contains("`--config FILE`"), "{said}");
    says(&trap, &["update", "-o", "hip", "--config", "away.toml"], 0, "1 unchanged");
    fs::remove_file(trap.folder.path("clone/away.toml")).unwrap();
    trap.write("new/a.cu", "__global__ void k() {}\nvoid f() { k<<<1, 1>>>(); }\n");
    says(&trap, &["update", "new", "-o", "hip"], 2, "the configuration `away.toml` of the last time is gone");
    // New sources bring their own.
    trap.write("new/hipshift.toml", "launch = \"ggl\"\n");
    says(&trap, &["update", "new", "-o", "hip"], 0, "new/hipshift.toml` holds now");
    assert!(fs::read_to_string(trap.folder.path("clone/hip/a.cu")).unwrap().contains("hipLaunchKernelGGL"));
}

#[test]
fn files_that_become_folders_and_folders_that_become_files_are_no_dead_end() {
    for (before, after) in [("a.cu", "a.cu/x.cu"), ("a.cu/x.cu", "a.cu")] {
        let trap = converted(&[before, "b.cu"]);
        let path = trap.folder.path("clone/src/a.cu");
        if path.is_dir() {
            fs::remove_dir_all(path).unwrap();
        } else {
            fs::remove_file(path).unwrap();
        }
        // The same text, which would be the same file under another name.
        trap.write(&format!("src/{after}"), &format!("{CUDA}int n0;\n"));
        for _ in 0..2 {
            says(&trap, &["update", "-o", "hip"], 2, "there; move it away, with what was edited in it");
        }
        fs::rename(trap.folder.path("clone/hip/a.cu"), trap.folder.path("clone/moved")).unwrap();
        says(&trap, &["update", "-o", "hip"], 0, "1 added");
        assert!(trap.folder.path(&format!("clone/hip/{after}")).is_file(), "{after}");
        says(&trap, &["update", "-o", "hip"], 0, "2 files: 2 unchanged");
    }
}

#[test]
fn names_take_one_line_in_all_tables() {
    let name = "z\n::stop-commands::x\n1 program, 2 results: 2 well";
    let trap = Trap::new();
    trap.write(&format!("p/{name}/a.cu"), &format!("{CUDA}int main() {{ return x; }}\n"));
    trap.write("p/CMakeLists.txt", &format!("project(p CUDA)\nadd_executable(\"{name}\" \"{name}/a.cu\")\n"));
    trap.write("hipshift.toml", "");
    let folder = format!("p/{name}");
    let mut commands = vec![
        vec!["map", name],
        vec!["init", "--dry-run", "p"],
        vec!["init", "--dry-run", &folder],
        vec!["project", &folder],
    ];
    let file = format!("{folder}/a.cu");
    commands.push(vec!["hipify", "--print-stats", "--no-output", &file]);
    commands.push(vec!["hipify", "--print-stats-csv", "--no-output", &file]);
    let toolchain = common::toolchain().map(|toolchain| fs::canonicalize(toolchain).unwrap());
    let toolchain = toolchain.map(|toolchain| toolchain.to_str().unwrap().to_owned());
    if let Some(toolchain) = &toolchain {
        commands.push(vec!["validate", "p", "--stage", "syntax", "--toolchain", toolchain]);
    }
    for command in commands {
        let said = text(&trap.run(&command));
        assert!(said.contains("\\n::stop-commands::x\\n1 program"), "{command:?}: {said}");
        assert!(!said.lines().any(|line| line.starts_with("::")), "{command:?}: {said}");
    }
    trap.write(&format!("p/{name}/hipshift.toml"), "");
    let trap_folder = trap.folder.path("clone").join(&folder);
    let output = Command::new(env!("CARGO_BIN_EXE_hipshift")).arg("doctor").current_dir(trap_folder).output().unwrap();
    let said = text(&output);
    assert!(said.contains("\\n::stop-commands::x") && !said.lines().any(|line| line.starts_with("::")), "{said}");
}
