//! Traps that a third attack found: what is trusted is meant where it lies, names of the compiler's messages and of a program are
//! read with care, and build files that nobody wrote are not followed without end.
#![cfg(unix)]

use std::process::{Command, Output, Stdio};

use crate::common::script::script;
use crate::common::trap::{CUDA, Trap, says};
use crate::common::validate_command;

const KERNEL: &str = "#include <cuda_runtime.h>\n__global__ void k(int* p, long long x) { int y = x; p[0] = y; }\n\
                      int main() { return 0; }\n";

/// Runs `validate` in the clone, for half a minute at most; nothing if there is no compiler.
fn validate(trap: &Trap, arguments: &[&str]) -> Option<(Option<i32>, String)> {
    let validation = validate_command(&[&["--arch", "gfx90a"], arguments].concat())?;
    let mut command = Command::new("timeout");
    command.arg("30").arg(validation.get_program()).args(validation.get_args());
    command.envs(validation.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.current_dir(trap.folder.path("clone")).stdin(Stdio::null());
    command.env("XDG_STATE_HOME", trap.path("state")).env("XDG_CACHE_HOME", trap.path("cache"));
    Some(told(&command.output().unwrap()))
}

fn told(output: &Output) -> (Option<i32>, String) {
    let text = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat();
    (output.status.code(), text)
}

#[test]
fn a_link_to_a_configuration_that_is_trusted_names_what_lies_beside_that() {
    let trap = Trap::new();
    trap.write("hipshift.toml", "[validate]\ntoolchain = \"tools\"\n");
    says(&trap, &["trust", "."], 0, "trusted as it is now");
    trap.write("vendor/evil/a.cu", KERNEL);
    trap.link("vendor/evil/hipshift.toml", "../../hipshift.toml");
    trap.write("vendor/evil/tools/hip-7.2/usr/include/hip/hip_runtime.h", "");
    let mark = trap.folder.path("outside/ran");
    std::fs::create_dir_all(trap.folder.path("clone/vendor/evil/tools/bin")).unwrap();
    let compiler = trap.folder.path("clone/vendor/evil/tools/bin/clang++-22");
    script(&compiler, &format!("touch '{}'; echo clang version 22.1\n", mark.display()));
    let (_, said) = told(&trap.run(&["validate", "vendor/evil", "--stage", "syntax", "--executor", "none"]));
    assert!(!mark.exists(), "{said}");
    // Where it is no link, it is another file, which nobody trusts.
    std::fs::remove_file(trap.folder.path("clone/vendor/evil/hipshift.toml")).unwrap();
    trap.write("vendor/evil/hipshift.toml", "[validate]\ntoolchain = \"tools\"\n");
    says(&trap, &["validate", "vendor/evil", "--stage", "syntax", "--executor", "none"], 2, "hipshift trust");
    assert!(!mark.exists());
}

#[test]
fn options_that_are_not_known_to_be_harmless_need_trust() {
    for option in [
        "-foptimization-record-file=.profile",
        "-fdriver-only",
        "-fno-integrated-as",
        "-frandomize-layout-seed-file=seed",
        "-fprebuilt-module-path=.",
        "-multi-lib-config=m.yaml",
        "-mlink-builtin-bitcode",
        "-fprofile-use=a",
    ] {
        let trap = Trap::new();
        trap.write("hipshift.toml", &format!("[validate]\nflags = [\"{option}\"]\n"));
        says(&trap, &["validate", ".", "--stage", "syntax", "--executor", "none"], 2, "hipshift trust");
    }
}

#[test]
fn what_is_included_by_an_option_is_text() {
    let trap = Trap::new();
    trap.write("x.cu", KERNEL);
    trap.write("hipshift.toml", "[validate]\nflags = [\"-include\", \"p.h\"]\n");
    trap.write("p.h", "#define GIVEN 1\n");
    trap.write("p.h.pch", "no text\n");
    trap.write("p.h.gch", "no text\n");
    let Some((code, said)) = validate(&trap, &["x.cu", "--stage", "syntax", "--executor", "none"]) else { return };
    assert_eq!(code, Some(0), "{said}");
}

#[test]
fn a_result_that_leads_outside_is_not_taken_for_ours() {
    let trap = Trap::new();
    says(&trap, &["convert", "sub", "-o", "out"], 0, "");
    std::fs::remove_file(trap.folder.path("clone/out/y.cu")).unwrap();
    trap.link("out/old.cu", &trap.path("outside/victim"));
    let manifest = trap.folder.read("clone/out/.hipshift/manifest.json").replace("\"y.cu\": {", "\"old.cu\": {");
    trap.write("out/.hipshift/manifest.json", &manifest);
    says(&trap, &["update", "-o", "out"], 2, "a link leads to");
    assert!(!trap.folder.path("clone/out/y.cu").exists());
}

#[test]
fn a_database_brings_no_text_from_outside() {
    let trap = Trap::new();
    let entry = |file: &str| format!("[{{\"directory\": \".\", \"file\": \"{file}\", \"command\": \"nvcc -c x.cu\"}}]");
    trap.write("compile_commands.json", &entry(&trap.path("outside/victim")));
    for arguments in [&["hipify", "-p", ".", "--o-dir", "o"][..], &["hipify", "-p", ".", "--examine"]] {
        says(&trap, arguments, 1, "outside of the project of the compilation database");
        assert!(!trap.folder.path("clone/o").exists());
    }
    trap.write("compile_commands.json", &entry("x.cu"));
    says(&trap, &["hipify", "-p", ".", "--o-dir", "o"], 0, "");
    assert!(trap.folder.read("clone/o/x.cu.hip").contains("hipFree"));
}

#[test]
fn names_in_messages_of_the_compiler_open_nothing_that_waits() {
    let trap = Trap::new();
    let pipe = trap.path("outside/pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for name in [pipe.as_str(), "/dev/zero"] {
        trap.write("x.cu", &KERNEL.replace("__global__", &format!("#line 1 \"{name}\"\n__global__")));
        let Some((code, said)) = validate(&trap, &["x.cu", "--stage", "syntax", "--no-cache", "--executor", "none"])
        else {
            return;
        };
        assert_eq!(code, Some(0), "{said}");
        trap.write("x.cu", &format!("#pragma message(\"x\\n. {name}\\n\")\n{KERNEL}"));
        let (code, said) = validate(&trap, &["x.cu", "--stage", "device", "--executor", "none"]).unwrap();
        assert_eq!(code, Some(0), "{said}");
    }
}

#[test]
fn a_program_replaces_no_list_of_findings() {
    for act in ["mkfifo(list.c_str(), 0600)", "symlink(\"/dev/zero\", list.c_str())"] {
        let trap = Trap::new();
        let text = format!(
            "#include <sys/stat.h>\n#include <unistd.h>\n#include <string>\n#include <cuda_runtime.h>\n\
             int main() {{ char b[4096]; std::string list = std::string(getcwd(b, 4096)) + \".findings\"; {act}; return 0; }}\n"
        );
        trap.write("x.cu", &text);
        let Some((code, said)) = validate(&trap, &["x.cu", "--executor", "emulator"]) else { return };
        assert!(matches!(code, Some(0..=2)), "{code:?} {said}");
    }
}

#[test]
fn a_program_may_run_for_a_day() {
    let trap = Trap::new();
    for (seconds, code) in [("9223372036854775807", 2), ("86401", 2), ("86400", 0)] {
        trap.write("hipshift.toml", &format!("[[validate.program]]\nname = \"x\"\ntimeout = {seconds}\n"));
        says(&trap, &["lint", "sub"], code, if code == 2 { "at most 86400 seconds" } else { "" });
    }
}

#[test]
fn what_trust_shows_has_one_line() {
    let trap = Trap::new();
    trap.write(
        "hipshift.toml",
        "[validate]\nflags = [\"-fplugin=a.so`\\n  nothing else\"]\ntoolchain = \"x\\n::error::forged\"\n",
    );
    for arguments in [&["validate", ".", "--stage", "syntax", "--executor", "none"][..], &["trust", "."]] {
        let (_, said) = told(&trap.run(arguments));
        assert!(!said.lines().any(|line| line.starts_with("::error::") || line == "  nothing else`"), "{said}");
    }
    trap.write("CMakeLists.txt", "add_executable(\"x\n::error::forged\" x.cu)\n");
    let said = says(&trap, &["project", "."], 0, "");
    assert!(!said.lines().any(|line| line.starts_with("::error::")), "{said}");
}

#[test]
fn what_is_staged_has_a_bound() {
    let trap = Trap::new();
    trap.git(&["init", "-q"]);
    trap.git(&["commit", "-q", "--allow-empty", "-m", "state"]);
    trap.write("long.cu", &"\n".repeat(65 << 20));
    trap.write("x.cu", CUDA);
    trap.git(&["add", "long.cu", "x.cu"]);
    std::fs::remove_file(trap.folder.path("clone/long.cu")).unwrap();
    let said = says(&trap, &["lint", "--staged", "."], 1, "which is too much to look at");
    assert!(said.contains("long.cu"), "{said}");
}

#[test]
fn a_repository_that_git_cannot_read_may_have_changes() {
    for (name, text) in [("", "gitdir: /nonexistent\n"), ("/config", "[core]\n\trepositoryformatversion = 99\n")] {
        let trap = Trap::new();
        if name.is_empty() {
            trap.write(".git", text);
        } else {
            trap.git(&["init", "-q"]);
            trap.write(".git/config", text);
        }
        says(&trap, &["convert", ".", "--in-place"], 2, "git rev-parse");
        assert_eq!(trap.folder.read("clone/x.cu"), CUDA);
        says(&trap, &["convert", ".", "--in-place", "--allow-dirty"], 0, "");
    }
}

#[test]
fn build_files_that_nobody_wrote_are_followed_to_an_end() {
    let head = "cmake_minimum_required(VERSION 3.20)\nproject(x LANGUAGES CXX CUDA)\n";
    let deep = 100_000;
    let loops = (0..10).map(|number| format!("foreach(i{number} RANGE 0 1000)\n")).collect::<Vec<_>>().concat();
    let texts = [
        format!("if({}{})\nendif()\n", "(".repeat(deep), ")".repeat(deep)),
        format!("if({}A)\nendif()\n", "NOT ".repeat(deep)),
        format!("set(A {}{})\n", "${".repeat(deep), "}".repeat(deep)),
        format!("{loops}list(APPEND L x.cu)\n{}", "endforeach()\n".repeat(10)),
    ];
    for text in texts {
        let trap = Trap::new();
        trap.write("CMakeLists.txt", &format!("{head}add_executable(x x.cu)\n{text}"));
        let (code, said) = told(&trap.run(&["project", "."]));
        assert!(matches!(code, Some(0 | 1)) && said.contains("program x"), "{code:?} {said}");
        assert!(said.lines().all(|line| line.len() < 1_000), "{said}");
    }
    let trap = Trap::new();
    let rule = |at: usize| format!("t{at}: t{}\n\tnvcc -o t{at} x.cu\n", at + 1);
    let rules = (0..3_000).map(rule).collect::<Vec<_>>().concat();
    trap.write("Makefile", &rules);
    says(&trap, &["project", "."], 1, "too long a chain to follow");
}
