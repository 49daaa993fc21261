//! `hipshift validate record`, with a compiler for the host in place of nvcc.
#![cfg(unix)]

use crate::common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::common::script::script;

/// Prints its input, a variable and its arguments.
const ECHO: &str = r#"#include <cstdio>
#include <cstdlib>
int main(int count, char **words) {
    int number = 0;
    if (std::scanf("%d", &number) != 1) return 3;
    std::printf("%d %s", number * 2, std::getenv("NAME"));
    for (int i = 1; i < count; ++i) std::printf(" [%s]", words[i]);
    std::printf("\n");
}
"#;

const PRINTED: &str = "42 a b [it's] [x y]\n";

/// A project with one program of two files, one that fails, and one that does not compile.
fn project(folder: &Path) {
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("echo/main.cu", &format!("extern \"C\" int twice(int);\n{}", ECHO.replace("number * 2", "twice(number)")));
    // C is for nvcc, too.
    write("echo/twice.c", "int twice(int x) { int class = 2; return class * x; }\n");
    write("fails/main.cu", "int main() { return 4; }\n");
    write("refused/main.cu", "int main() { return nothing; }\n");
    write("input.txt", "21\n");
}

/// What stands in for nvcc, or `None` where there is no compiler at all.
fn nvcc(folder: &Path) -> Option<String> {
    let Some(compiler) = common::host_compiler() else {
        eprintln!("skipped: no C++ compiler found");
        return None;
    };
    // As nvcc does, it takes C for C.
    let text = format!(
        "for word; do shift; case $word in\n*.cu) set -- \"$@\" -x c++ \"$word\" -x none ;;\n\
         *.c) set -- \"$@\" -x c \"$word\" -x none ;;\n-std=*) ;;\n*) set -- \"$@\" \"$word\" ;;\nesac; done\n\
         exec '{}' \"$@\"\n",
        compiler.display()
    );
    let path = script(&folder.join("nvcc"), &text);
    Some(path.to_str().unwrap().to_owned())
}

fn record(folder: &Path, options: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
    command.current_dir(folder).args(["validate", "record"]).args(options);
    command.args(["--stdin", "input.txt", "--env", "NAME=a b", "--", "it's", "x y"]).output().unwrap()
}

#[test]
fn what_programs_print_is_kept_beside_them() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    project(folder);
    let Some(nvcc) = nvcc(folder) else { return };
    let output = record(folder, &["echo", "fails", "refused", "--nvcc", &nvcc]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("echo: recorded in echo/expected/cuda.txt\n"), "{text}");
    assert!(text.contains("fails: ended with code 4, not recorded\n"), "{text}");
    assert!(text.contains("refused: not compiled\n") && text.contains("nothing"), "{text}");
    assert_eq!(fs::read_to_string(folder.join("echo/expected/cuda.txt")).unwrap(), PRINTED);
    assert!(!folder.join("fails/expected").exists() && !folder.join("refused/expected").exists());
    let again = record(folder, &["echo", "--nvcc", &nvcc]);
    assert_eq!(again.status.code(), Some(0));
    assert_eq!(String::from_utf8(again.stdout).unwrap(), "echo: as in echo/expected/cuda.txt\n");
}

#[test]
fn the_script_records_the_same_without_hipshift() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    project(folder);
    let Some(nvcc) = nvcc(folder) else { return };
    let written = record(folder, &["echo", "fails", "refused", "--script", "record.sh"]);
    assert_eq!(written.status.code(), Some(0), "{}", String::from_utf8_lossy(&written.stderr));
    assert!(!folder.join("echo/expected").exists());
    let output = Command::new("bash").arg("record.sh").current_dir(folder).env("NVCC", nvcc).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("recorded: echo/expected/cuda.txt\n"), "{text}");
    assert!(text.contains("failed, not recorded: fails/expected/cuda.txt\n"), "{text}");
    assert!(text.contains("not compiled: refused/expected/cuda.txt\n"), "{text}");
    assert_eq!(fs::read_to_string(folder.join("echo/expected/cuda.txt")).unwrap(), PRINTED);
    assert!(!folder.join("fails/expected").exists());
}

#[test]
fn without_nvcc_the_script_is_named() {
    let scratch = tempfile::tempdir().unwrap();
    project(scratch.path());
    let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
    let output = command.current_dir(scratch.path()).env("PATH", "").args(["validate", "record", "echo"]).output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("`--script FILE`"));
}
