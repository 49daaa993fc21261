//! Folders of caches and of temporary files that others have prepared: used where that does no harm, or refused.
#![cfg(unix)]

use crate::common;

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::{Command, Output};

use crate::common::folder::Folder;
use crate::common::tree::{set_mode, tree};

const CUDA: &str = "#include <cuda_runtime.h>\n__global__ void k(int *x) { *x = 1; }\n";

fn said(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat()
}

/// Ways in which others prepare a folder, and what is said of each.
type Trap = (&'static str, fn(&Folder), &'static str);

const TRAPS: &[Trap] = &[
    (
        "a link",
        |folder| symlink(folder.path("outside"), folder.path("cache/hipshift")).unwrap(),
        "only you can write to",
    ),
    (
        "open to all",
        |folder| {
            std::fs::create_dir(folder.path("cache/hipshift")).unwrap();
            set_mode(&folder.path("cache/hipshift"), 0o777);
        },
        "only you can write to",
    ),
    (
        "open to a group",
        |folder| {
            std::fs::create_dir(folder.path("cache/hipshift")).unwrap();
            set_mode(&folder.path("cache/hipshift"), 0o775);
        },
        "only you can write to",
    ),
    ("no folder", |folder| folder.write("cache/hipshift", b""), "only you can write to"),
    ("exchangeable", |folder| set_mode(&folder.path("cache"), 0o777), "all users can exchange"),
    ("exchangeable from above", |folder| set_mode(&folder.path("."), 0o777), "all users can exchange"),
];

fn set(trap: &Trap) -> Folder {
    let folder = Folder::new(&[("clone/x.cu", CUDA), ("outside/mine", "mine"), ("cache/other", "")]);
    (trap.1)(&folder);
    folder
}

/// A program that only says that it ran, and with what library.
fn program(folder: &Folder) {
    common::script::script(&folder.path("program"), "echo \"with $LD_LIBRARY_PATH\"\n");
}

#[test]
fn libraries_are_loaded_from_no_folder_that_others_can_write_to() {
    for trap in TRAPS {
        let folder = set(trap);
        program(&folder);
        let before = tree(&folder.path("outside"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
        command.env("HIPSHIFT_RUNTIME", common::runtime()).env("XDG_CACHE_HOME", folder.path("cache"));
        let output = command.arg("run").arg(folder.path("program")).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}: {}", trap.0, said(&output));
        assert!(said(&output).contains(trap.2), "{}: {}", trap.0, said(&output));
        assert_eq!(tree(&folder.path("outside")), before, "{}", trap.0);
    }
    // Where nobody else can write, it runs.
    let folder = Folder::new(&[("cache/other", "")]);
    program(&folder);
    let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
    command.env("HIPSHIFT_RUNTIME", common::runtime()).env("XDG_CACHE_HOME", folder.path("cache"));
    let output = command.arg("run").arg(folder.path("program")).output().unwrap();
    assert!(output.status.success() && said(&output).contains("/cache/hipshift/"), "{}", said(&output));
}

#[test]
fn nothing_is_compiled_into_a_cache_that_others_can_write_to() {
    for trap in TRAPS {
        let folder = set(trap);
        let before = tree(&folder.path("outside"));
        let Some(mut command) = common::validate_command(&[".", "--stage", "syntax", "--arch", "gfx90a"]) else {
            return;
        };
        command.env("XDG_CACHE_HOME", folder.path("cache")).current_dir(folder.path("clone"));
        let output = command.output().unwrap();
        let text = said(&output);
        assert_eq!(output.status.code(), Some(0), "{}: {text}", trap.0);
        assert!(text.contains("not kept for later runs") && text.contains(trap.2), "{}: {text}", trap.0);
        assert_eq!(text.matches(trap.2).count(), 1, "{}: {text}", trap.0);
        assert_eq!(tree(&folder.path("outside")), before, "{}", trap.0);
    }
}

#[test]
fn nothing_is_built_where_others_can_exchange_it() {
    let folder = Folder::new(&[("clone/x.cu", CUDA)]);
    for (name, message) in [("open", "all users can exchange"), ("gone", "No such file")] {
        let temporary = folder.path(name);
        if name == "open" {
            std::fs::create_dir(&temporary).unwrap();
            set_mode(&temporary, 0o777);
        }
        let Some(mut command) = common::validate_command(&[".", "--stage", "syntax", "--arch", "gfx90a"]) else {
            return;
        };
        let output = command.env("TMPDIR", &temporary).current_dir(folder.path("clone")).output().unwrap();
        let text = said(&output);
        assert_eq!(output.status.code(), Some(2), "{name}: {text}");
        assert!(text.contains(message) && text.contains(temporary.to_str().unwrap()), "{name}: {text}");
        assert!(text.contains("TMPDIR"), "{name}: {text}");
        assert!(name == "gone" || std::fs::read_dir(&temporary).unwrap().count() == 0);
    }
    // A link to a folder of one's own, and a folder like `/tmp`.
    std::fs::create_dir(folder.path("sticky")).unwrap();
    set_mode(&folder.path("sticky"), 0o1777);
    symlink(folder.path("sticky"), folder.path("link")).unwrap();
    for name in ["sticky", "link"] {
        let mut command = common::validate_command(&[".", "--stage", "syntax", "--arch", "gfx90a"]).unwrap();
        let output = command.env("TMPDIR", folder.path(name)).current_dir(folder.path("clone")).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{name}: {}", said(&output));
        assert_eq!(std::fs::read_dir(folder.path("sticky")).unwrap().count(), 0, "{name}");
    }
}

#[test]
fn a_cache_belongs_to_nobody_else() {
    let folder = Folder::new(&[("clone/x.cu", CUDA)]);
    let Some(mut command) = common::validate_command(&[".", "--stage", "syntax", "--arch", "gfx90a"]) else { return };
    let output =
        command.env("XDG_CACHE_HOME", folder.path("cache")).current_dir(folder.path("clone")).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let mode = folder.path("cache/hipshift").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    // The superuser can give it to somebody else.
    if std::os::unix::fs::chown(folder.path("cache/hipshift"), Some(12345), None).is_ok() {
        let mut command = common::validate_command(&[".", "--stage", "syntax", "--arch", "gfx90a"]).unwrap();
        let output =
            command.env("XDG_CACHE_HOME", folder.path("cache")).current_dir(folder.path("clone")).output().unwrap();
        assert!(said(&output).contains("only you can write to"), "{}", said(&output));
    }
}

/// The folder that `toolchain install` fills, and that it refuses where others can write to it.
#[test]
fn no_compiler_is_started_from_a_folder_that_others_can_write_to() {
    let folder = Folder::new(&[("data/hipshift/toolchain/hip-7.2/usr/include/hip/hip_runtime.h", ""), ("x.cu", CUDA)]);
    let toolchain = folder.path("data/hipshift/toolchain");
    std::fs::create_dir(toolchain.join("bin")).unwrap();
    let ran = folder.path("ran");
    common::script::script(&toolchain.join("bin/clang++-22"), &format!("echo 1 > '{}'\n", ran.display()));
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
        command.args(arguments).current_dir(folder.path(".")).env_remove("HIPSHIFT_TOOLCHAIN");
        command.env("XDG_DATA_HOME", folder.path("data")).env("HIPSHIFT_ROOT", folder.path("data"));
        said(&command.output().unwrap())
    };
    set_mode(&toolchain, 0o777);
    run(&["doctor"]);
    let refused = run(&["validate", "x.cu", "--stage", "syntax"]);
    assert!(refused.contains("not used: others can write to"), "{refused}");
    assert!(!ran.exists());
    set_mode(&toolchain, 0o755);
    run(&["doctor"]);
    assert!(ran.exists());
}

#[test]
fn no_program_is_built_where_its_library_would_not_be_found() {
    let folder = Folder::new(&[("clone/x.cu", CUDA), ("a:b/y", "")]);
    let run = |arguments: &[&str], temporary: &str| {
        let fixed = [&[".", "--stage", "syntax", "--arch", "gfx90a"], arguments].concat();
        let mut command = common::validate_command(&fixed)?;
        Some(command.env("TMPDIR", folder.path(temporary)).current_dir(folder.path("clone")).output().unwrap())
    };
    for (arguments, temporary) in [(&[][..], "a:b"), (&["--keep", "../a:b/kept"], ".")] {
        let Some(output) = run(arguments, temporary) else { return };
        let text = said(&output);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains("has `:` or `;` in its path"), "{text}");
    }
    assert_eq!(run(&[], ".").unwrap().status.code(), Some(0));
}
