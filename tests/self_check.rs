//! `hipshift self-check` on a machine that has everything, and on machines that lack something.
#![cfg(unix)]

use crate::common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::script::script;
use crate::common::{json, runtime};

/// A machine without anything.
struct Machine {
    folder: tempfile::TempDir,
}

impl Machine {
    fn new() -> Machine {
        let machine = Machine { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(machine.path("path")).unwrap();
        machine
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
        command.env_clear().current_dir(self.folder.path()).arg("self-check").args(arguments);
        command.env("PATH", self.path("path")).env("HOME", self.path("home")).env("HIPSHIFT_ROOT", self.path("root"));
        command
    }

    /// A toolchain with such a compiler.
    fn toolchain(&self, compiler: &str) -> String {
        let folder = self.path("toolchain");
        let include = folder.join("hip-7.2/usr/include/hip");
        fs::create_dir_all(&include).unwrap();
        fs::write(include.join("hip_runtime.h"), "").unwrap();
        script(&folder.join("bin/clang++-22"), compiler);
        folder.display().to_string()
    }
}

/// Exit code, and name and state of each check.
fn states(output: &Output) -> (i32, Vec<(String, String)>) {
    let document = json(output);
    let word = |check: &serde_json::Value, key: &str| check[key].as_str().unwrap().to_owned();
    let checks = document["checks"].as_array().unwrap().iter();
    let code = output.status.code().unwrap();
    assert_eq!(document["works"], code == 0);
    (code, checks.map(|check| (word(check, "name"), word(check, "state"))).collect())
}

fn list(rows: &[(&str, &str)]) -> Vec<(String, String)> {
    rows.iter().map(|(name, state)| ((*name).to_owned(), (*state).to_owned())).collect()
}

#[test]
fn a_kernel_is_converted_compiled_and_run_on_both_widths_of_waves() {
    let Some(toolchain) = common::toolchain() else { return };
    let machine = Machine::new();
    let toolchain = fs::canonicalize(toolchain).unwrap();
    let check = |arguments: &[&str]| {
        let mut command = machine.command(&["--toolchain", toolchain.to_str().unwrap()]);
        // The linker of the host belongs to the machine.
        command.env("PATH", std::env::var("PATH").unwrap()).env("HIPSHIFT_RUNTIME", runtime());
        command.args(arguments).output().unwrap()
    };
    let (code, states) = states(&check(&["--format", "json"]));
    assert_eq!(code, 0, "{states:?}");
    let expected = [
        ("conversion", "ok"),
        ("git", "ok"),
        ("emulator", "ok"),
        ("compiler", "ok"),
        ("AMD GPU", "none"),
        ("gfx90a", "ok"),
        ("gfx1100", "ok"),
    ];
    assert_eq!(states, list(&expected));
    let output = check(&[]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("waves of 64 lanes: compiled, emulated, printed what CUDA prints"), "{text}");
    assert!(text.contains("a port can be converted and validated here"), "{text}");
    assert_eq!(output.stderr, b"");
}

#[test]
fn a_machine_without_a_compiler_hears_how_to_get_one() {
    let machine = Machine::new();
    let bare = |arguments: &[&str]| machine.command(arguments).env("HIPSHIFT_RUNTIME", "nothing").output().unwrap();
    let (code, states) = states(&bare(&["--format", "json"]));
    let expected =
        [("conversion", "ok"), ("git", "none"), ("emulator", "missing"), ("compiler", "missing"), ("AMD GPU", "none")];
    assert_eq!((code, states), (1, list(&expected)));
    let output = bare(&[]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    for advice in ["hipshift toolchain install", "apt-get install git", "cargo build --release", "run on the emulator"]
    {
        assert!(text.contains(advice), "{advice}: {text}");
    }
    assert!(text.contains("not all of it works here"), "{text}");
}

#[test]
fn a_compiler_that_does_not_work_is_a_failure() {
    let machine = Machine::new();
    let check = |compiler: &str| {
        let toolchain = machine.toolchain(compiler);
        let mut command = machine.command(&["--format", "json", "--toolchain", &toolchain]);
        let output = command.env("HIPSHIFT_RUNTIME", runtime()).output().unwrap();
        (states(&output), json(&output)["checks"].clone())
    };
    let ((code, states), _) = check("exit 1\n");
    assert_eq!((code, states.last().unwrap()), (1, &list(&[("AMD GPU", "none")])[0]));
    assert!(states.contains(&list(&[("compiler", "failed")])[0]), "{states:?}");
    // It says who it is, and refuses every program.
    let refuses =
        "[ \"$1\" = --version ] && { echo stand-in; exit; }\necho 'a.hip:1:1: error: not today' >&2\nexit 1\n";
    let ((code, states), checks) = check(refuses);
    assert_eq!((code, &states[5..]), (1, &list(&[("gfx90a", "failed"), ("gfx1100", "failed")])[..]));
    assert!(checks[5]["about"].as_str().unwrap().contains("not today"), "{checks:#}");
}

#[test]
fn it_leaves_nothing_behind() {
    let machine = Machine::new();
    let temporary = machine.path("temporary");
    fs::create_dir(&temporary).unwrap();
    let toolchain = machine.toolchain("exit 1\n");
    let mut command = machine.command(&["--toolchain", &toolchain]);
    command.env("TMPDIR", &temporary).env("HIPSHIFT_RUNTIME", runtime()).output().unwrap();
    assert!(is_empty(&temporary) && !machine.path("home").exists());
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).unwrap().next().is_none()
}
