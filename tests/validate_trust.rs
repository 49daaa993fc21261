//! What `validate` runs of a project, and when: it says so first, and some of its options run nothing.
#![cfg(unix)]

use crate::common;

use std::process::{Command, Output};

use crate::common::folder::Folder;
use crate::common::validate_command;

/// A project with a program that leaves a file beside it, and a kernel.
fn project() -> Folder {
    let folder = Folder::new(&[("clone/hipshift.toml", "")]);
    let mark = folder.path("ran");
    let text = format!(
        "#include <cstdio>\n#include <cuda_runtime.h>\n__global__ void k(int *x) {{ *x = 1; }}\n\
         int main() {{ std::FILE *f = std::fopen(\"{}\", \"w\"); return f == nullptr || std::fclose(f) != 0; }}\n",
        mark.display()
    );
    folder.write("clone/trap.cu", text.as_bytes());
    folder
}

/// Runs in the project, with a state of its own, and not for long.
fn run(folder: &Folder, arguments: &[&str]) -> Option<Output> {
    let asked = validate_command(arguments)?;
    let mut command = Command::new("timeout");
    command.arg("60").arg(asked.get_program()).args(asked.get_args());
    command.envs(asked.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.current_dir(folder.path("clone")).env("XDG_STATE_HOME", folder.path("state"));
    Some(command.output().unwrap())
}

fn said(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat()
}

#[test]
fn what_runs_is_said_before_it_runs_for_the_first_time() {
    let folder = project();
    let arguments = [".", "--executor", "emulator", "--arch", "gfx90a"];
    let Some(first) = run(&folder, &arguments) else { return };
    let text = said(&first);
    assert_eq!(first.status.code(), Some(0), "{text}");
    assert!(folder.path("ran").exists());
    let root = folder.path("clone").canonicalize().unwrap();
    let wanted = format!("this runs code of `{}` for the first time: `trap`, compiled by ", root.display());
    assert!(text.contains(&wanted) && text.contains("clang++-22, on hipshift's emulator"), "{text}");
    assert!(text.contains("`--executor none` and `--stage syntax` run nothing"), "{text}");
    let second = said(&run(&folder, &arguments).unwrap());
    assert!(!second.contains("for the first time"), "{second}");
    // Another project is another matter.
    std::fs::create_dir(folder.path("other")).unwrap();
    std::fs::rename(folder.path("clone/trap.cu"), folder.path("other/trap.cu")).unwrap();
    let other = said(&run(&folder, &["../other", "--executor", "emulator", "--arch", "gfx90a"]).unwrap());
    assert!(other.contains("for the first time"), "{other}");
}

#[test]
fn it_is_said_before_and_not_after() {
    let folder = project();
    let Some(mut command) = validate_command(&[".", "--executor", "emulator", "--arch", "gfx90a"]) else { return };
    // The program looks whether something has been said.
    let said = folder.path("said");
    command.current_dir(folder.path("clone")).env("XDG_STATE_HOME", folder.path("state"));
    command.stderr(std::fs::File::create(&said).unwrap());
    let text = folder.read("clone/trap.cu").replace("return f", &format!(
        "std::FILE *s = std::fopen(\"{}\", \"r\"); char line[4096] = \"\"; std::fgets(line, 4096, s); std::fputs(line, f); return f",
        said.display()
    ));
    folder.write("clone/trap.cu", text.as_bytes());
    assert!(command.status().unwrap().success(), "{}", folder.read("said"));
    assert!(folder.read("ran").contains("for the first time: `trap`"), "{}", folder.read("ran"));
}

#[test]
fn stages_before_the_last_and_no_executor_run_nothing() {
    for arguments in [
        &["--stage", "syntax"][..],
        &["--stage", "device"],
        &["--executor", "none"],
        &["--stage", "syntax", "--executor", "gpu"],
    ] {
        let folder = project();
        let arguments = [&[".", "--arch", "gfx90a"], arguments].concat();
        let Some(output) = run(&folder, &arguments) else { return };
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        assert!(!folder.path("ran").exists(), "{arguments:?}");
        assert!(!said(&output).contains("for the first time"), "{}", said(&output));
    }
}

/// Ways to be no file: a pipe that nobody writes to, a device without an end, holes that fill no disk and all memory.
fn make(folder: &Folder, name: &str, kind: &str) {
    folder.write(name, b"");
    let path = folder.path(name);
    match kind {
        "holes" => return std::fs::File::options().write(true).open(path).unwrap().set_len(1 << 40).unwrap(),
        _ => std::fs::remove_file(&path).unwrap(),
    }
    match kind {
        "pipe" => assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
        _ => std::os::unix::fs::symlink("/dev/zero", path).unwrap(),
    }
}

#[test]
fn data_of_kernels_is_read_from_regular_files_of_bounded_size() {
    let cases = ["in.npy", "out.npy", "expected/k.x.npy", "expected/cuda.txt"].map(|name| ("pipe", name));
    for (kind, name) in cases.into_iter().chain([("endless", "in.npy"), ("holes", "in.npy")]) {
        let folder = project();
        make(&folder, &format!("clone/{name}"), kind);
        let line = match name {
            "in.npy" => "file = 'in.npy'",
            "out.npy" => "length = 1\nexpected = 'out.npy'",
            _ => "length = 1",
        };
        let kernel = format!(
            "[[validate.kernel]]\nname = 'k'\nsource = 'trap.cu'\ngrid = 1\nblock = 1\n\
             [[validate.kernel.argument]]\nname = 'x'\ntype = 'int'\noutput = true\n{line}\n"
        );
        folder.write("clone/hipshift.toml", kernel.as_bytes());
        // A device lies outside of the project, so that the array needs trust.
        let config = folder.path("clone/hipshift.toml");
        let arguments = [".", "--executor", "emulator", "--arch", "gfx90a", "--config", config.to_str().unwrap()];
        let Some(output) = run(&folder, &arguments) else { return };
        let text = said(&output);
        let file = if kind == "endless" { "" } else { name.rsplit('/').next().unwrap() };
        // What one program should come to keeps no other from being run.
        let others_ran = !name.ends_with("in.npy");
        assert_eq!(output.status.code(), Some(if others_ran { 1 } else { 2 }), "{kind} {name}: {text}");
        assert_eq!(
            text.contains("1 well, 1 failed") && text.contains("no reference"),
            others_ran,
            "{kind} {name}: {text}"
        );
        let why = if kind == "holes" { "it has more than" } else { "no regular file" };
        assert!(text.contains(file) && text.contains(why), "{kind} {name}: {text}");
    }
}

#[test]
fn what_cannot_be_read_does_not_keep_the_rest_from_being_validated() {
    let folder = project();
    std::fs::create_dir(folder.path("clone/empty")).unwrap();
    make(&folder, "clone/sub/large.bin", "holes");
    folder.write("clone/sub/y.cu", b"#include <cuda_runtime.h>\n__global__ void y() {}\n");
    let Some(output) = run(&folder, &["empty", ".", "--stage", "syntax", "--arch", "gfx90a"]) else { return };
    let text = said(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("no C++ or CUDA file in `empty`"), "{text}");
    assert!(text.contains("large.bin: it has more than 4096 MiB; it was left out"), "{text}");
    assert!(text.contains("trap.cu") && text.contains("y.cu"), "{text}");
    let nothing = run(&folder, &["empty", "--stage", "syntax"]).unwrap();
    assert_eq!(nothing.status.code(), Some(2), "{}", said(&nothing));
}

#[test]
fn a_run_is_not_kept_in_a_folder_with_files_of_others() {
    let folder = project();
    let arguments = ["x.cu", "--stage", "syntax", "--arch", "gfx90a", "--keep"];
    let keep = |name: &'static str| run(&folder, &[&arguments[..], &[name]].concat());
    std::fs::create_dir(folder.path("clone/own")).unwrap();
    folder.write("clone/own/program-0", b"mine");
    let Some(output) = keep("own") else { return };
    assert!(output.status.code() == Some(2) && said(&output).contains("holds files that no kept run"), "{output:?}");
    assert_eq!(folder.read("clone/own/program-0"), "mine");
    for _ in 0..2 {
        let output = keep("new").unwrap();
        assert!(!said(&output).contains("holds files"), "{}", said(&output));
    }
}

#[test]
fn records_replace_links_and_enter_no_folder_behind_one() {
    let folder = project();
    let nvcc = folder.path("nvcc");
    common::script::script(
        &nvcc,
        "while [ \"$1\" != -o ]; do shift; done\nprintf '#!/bin/sh\\necho 42\\n' > \"$2\"\nchmod +x \"$2\"\n",
    );
    let record = |folder: &Folder| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
        command.current_dir(folder.path("clone")).env("XDG_STATE_HOME", folder.path("state"));
        said(&command.args(["validate", "record", ".", "--nvcc"]).arg(&nvcc).output().unwrap())
    };
    folder.write("victim", b"mine\n");
    std::fs::create_dir_all(folder.path("clone/expected")).unwrap();
    std::os::unix::fs::symlink(folder.path("victim"), folder.path("clone/expected/cuda.txt")).unwrap();
    let text = record(&folder);
    assert!(text.contains("this runs code of") && text.contains("`--script` writes what would run"), "{text}");
    assert_eq!((folder.read("victim").as_str(), folder.read("clone/expected/cuda.txt").as_str()), ("mine\n", "42\n"));
    std::fs::remove_dir_all(folder.path("clone/expected")).unwrap();
    std::fs::create_dir(folder.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink(folder.path("elsewhere"), folder.path("clone/expected")).unwrap();
    let text = record(&folder);
    assert!(text.contains("is a link, and nothing is written through one"), "{text}");
    assert_eq!(std::fs::read_dir(folder.path("elsewhere")).unwrap().count(), 0);
}

/// A project whose `rsp` holds options, in the words of clang's second stage, and a source that tells when they are read.
fn with_options_in_a_file(files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new(&[
        ("clone/hipshift.toml", ""),
        ("clone/rsp", "NAME -DOPTIONS_WERE_READ"),
        (
            "clone/x.cu",
            "#ifdef OPTIONS_WERE_READ\n#error options were read\n#endif\n__global__ void k() {}\nint main() {}\n",
        ),
    ]);
    for (name, text) in files {
        folder.write(&format!("clone/{name}"), text.as_bytes());
    }
    folder
}

#[test]
fn options_in_files_need_trust_whatever_option_leads_to_them() {
    const ASKED: &[&str] = &[".", "--stage", "syntax", "--executor", "none", "--arch", "gfx90a"];
    let typed = with_options_in_a_file(&[]);
    let Some(control) = run(&typed, &[ASKED, &["--flag=-D@rsp"]].concat()) else { return };
    assert!(said(&control).contains("options were read"), "{}", said(&control));
    let lines = [
        "define = ['@rsp']",
        "flags = ['-D@rsp']",
        "flags = ['-U@rsp']",
        "flags = ['-I@rsp']",
        "flags = ['-isystem@rsp']",
        "flags = ['-Xarch_host', '-D@rsp']",
        "flags = ['-march=@rsp']",
        "flags = ['@rsp']\nnvcc-flags = ['-include']",
        "nvcc-flags = ['-D@rsp']",
        "standard = '@rsp'",
        "include = ['@rsp']",
    ];
    let configured = lines.map(|line| ("hipshift.toml", format!("[validate]\n{line}\n")));
    let command = |option: &str| format!("[{{'directory': '.', 'file': 'x.cu', 'command': 'nvcc {option} -c x.cu'}}]");
    let listed = ["-D@rsp", "-U@rsp", "-include @rsp", "-I @rsp"]
        .map(|option| ("compile_commands.json", command(option).replace('\'', "\"")));
    let target = "project(p CUDA)\nadd_executable(x x.cu)\n";
    let built = [
        "target_compile_definitions(x PRIVATE @rsp)",
        "target_compile_options(x PRIVATE -include @rsp)",
        "target_compile_options(x PRIVATE -D@rsp)",
        "target_include_directories(x PRIVATE @rsp)",
    ]
    .map(|line| ("CMakeLists.txt", format!("{target}{line}\n")));
    let made = [("Makefile", "x: x.cu\n\tnvcc -U @rsp -include @rsp x.cu -o x\n".to_owned())];
    for (file, text) in configured.into_iter().chain(listed).chain(built).chain(made) {
        let folder = with_options_in_a_file(&[(file, &text)]);
        for arguments in [ASKED, &[".", "--executor", "none", "--arch", "gfx90a"]] {
            let output = said(&run(&folder, arguments).unwrap());
            assert!(!output.contains("options were read"), "{file}: {text}{output}");
        }
    }
}
