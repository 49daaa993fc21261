//! What a project may decide and what not, what is told of the rest, and how a run ends that is stopped.
#![cfg(unix)]

use crate::common;

use std::process::Command;

use crate::common::trap::{CUDA, Trap, harmless, says};
use crate::common::tree::tree;
use serde_json::json;

/// The program as a compiler: what `validate` would start.
fn toolchain(trap: &Trap) {
    for name in ["clang++", "clang", "amdclang++", "hipcc", "clang++-22", "llvm/bin/clang++"] {
        trap.link(&format!("tools/bin/{name}"), &trap.program());
        trap.link(&format!("tools/{name}"), &trap.program());
    }
}

#[test]
fn a_configuration_chooses_no_compiler_and_no_powerful_option() {
    for line in [
        "toolchain = \"tools\"",
        "flags = [\"-fplugin=tools/x.so\"]",
        "flags = [\"@options\"]",
        "flags = [\"-Xclang\", \"-load\", \"-Xclang\", \"x.so\"]",
        "flags = [\"-Btools/bin\"]",
        "nvcc-flags = [\"-Xcompiler\", \"-mllvm=-load=x.so\"]",
        "nvcc-flags = [\"-include\", \"@options\"]",
        "define = [\"X\"]\ntoolchain = \"tools\"",
    ] {
        harmless(|trap| {
            toolchain(trap);
            trap.write("hipshift.toml", &format!("[validate]\n{line}\n"));
        });
        let trap = Trap::new();
        toolchain(&trap);
        trap.write("hipshift.toml", &format!("[validate]\n{line}\n"));
        says(&trap, &["validate", ".", "--stage", "syntax"], 2, "hipshift trust");
    }
}

#[test]
fn a_compiler_that_lies_in_the_project_is_not_found() {
    for folder in ["target/toolchain", "toolchain", "opt/rocm"] {
        harmless(|trap| {
            for name in ["bin/clang++-22", "bin/amdclang++", "bin/hipcc", "llvm/bin/clang++"] {
                trap.link(&format!("{folder}/{name}"), &trap.program());
            }
            for usr in ["hip-7.2/usr/", ""] {
                let include = format!("{folder}/{usr}include/hip");
                trap.write(&format!("{include}/hip_runtime.h"), "");
                let version = "#define HIP_VERSION_MAJOR 7\n#define HIP_VERSION_MINOR 2\n#define HIP_VERSION_PATCH 9\n";
                trap.write(&format!("{include}/hip_version.h"), version);
            }
        });
    }
}

#[test]
fn a_database_of_commands_loads_nothing() {
    for option in ["-include @options", "-Xcompiler -mllvm=-load=x.so", "--compiler-options=-mllvm=-load=x.so"] {
        let trap = Trap::new();
        let command = format!("nvcc {option} -c x.cu");
        let entry = json!([{ "directory": trap.path("clone"), "file": "x.cu", "command": command }]);
        trap.write("build/compile_commands.json", &entry.to_string());
        says(&trap, &["validate", ".", "--stage", "syntax"], 2, "hipshift trust");
    }
}

#[test]
fn trust_is_in_a_content_and_can_be_taken_back() {
    let trap = Trap::new();
    trap.folder.write("tables/own.csv", b"");
    trap.write("hipshift.toml", "mappings = [\"../tables/own.csv\"]\n");
    says(&trap, &["lint", "."], 2, "own.csv`, which decides");
    says(&trap, &["convert", ".", "--dry-run"], 2, "hipshift trust");
    let said = says(&trap, &["trust"], 0, "is trusted as it is now");
    assert!(said.contains("own.csv"), "{said}");
    let trusted = says(&trap, &["lint", "."], 0, "");
    assert!(!trusted.contains("trust"), "{trusted}");
    says(&trap, &["trust", "--revoke"], 0, "is trusted no more");
    says(&trap, &["lint", "."], 2, "hipshift trust");
    says(&trap, &["trust"], 0, "");
    trap.write("hipshift.toml", "mappings = [\"../tables/own.csv\"]\nunsafe-fixes = true\n");
    says(&trap, &["lint", "."], 2, "hipshift trust");
    // Who names a file has chosen it.
    let named = says(&trap, &["lint", ".", "--config", "hipshift.toml"], 0, "");
    assert!(!named.contains("trust"), "{named}");
    // A record of trust in the clone is none.
    trap.write(".hipshift/trust/x", "");
    says(&trap, &["lint", "."], 2, "hipshift trust");
    // A table of the project needs no trust.
    trap.write("own.csv", "");
    trap.write("hipshift.toml", "mappings = [\"own.csv\"]\n");
    let own = says(&trap, &["lint", "."], 0, "");
    assert!(!own.contains("trust"), "{own}");
}

#[test]
fn files_that_a_configuration_names_are_regular_and_bounded() {
    let pipe = |trap: &Trap, name: &str| {
        trap.write(name, "");
        let path = trap.folder.path(&format!("clone/{name}"));
        std::fs::remove_file(&path).unwrap();
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    let endless = |trap: &Trap, name: &str| trap.link(name, "/dev/zero");
    let large = |trap: &Trap, name: &str| {
        trap.write(name, "");
        let file = std::fs::File::options().write(true).open(trap.folder.path(&format!("clone/{name}"))).unwrap();
        file.set_len(1 << 40).unwrap();
    };
    for make in [pipe as fn(&Trap, &str), endless, large] {
        for name in [
            "table.csv",
            "compile_commands.json",
            "hipshift.toml",
            ".hipshift/decisions.toml",
            ".hipshift/manifest.json",
            ".hipshift",
        ] {
            harmless(|trap| {
                make(trap, name);
                if name == "table.csv" {
                    trap.write("hipshift.toml", "mappings = [\"table.csv\"]\n");
                }
            });
        }
        let trap = Trap::new();
        make(&trap, "known.json");
        says(&trap, &["lint", ".", "--baseline", "known.json"], 2, "known.json");
    }
}

#[test]
fn a_tree_is_read_as_far_as_it_goes() {
    use std::os::unix::ffi::OsStrExt as _;
    let trap = Trap::new();
    let odd = trap.folder.path("clone").join(std::ffi::OsStr::from_bytes(b"odd\xff.cu"));
    std::fs::write(odd, CUDA).unwrap();
    let deep = trap.folder.path("clone").join(std::ffi::OsStr::from_bytes(b"odd\xff"));
    std::fs::create_dir(&deep).unwrap();
    std::fs::write(deep.join("a.cu"), CUDA).unwrap();
    std::fs::create_dir(trap.folder.path("clone/empty")).unwrap();
    let closed = trap.folder.path("clone/closed");
    std::fs::create_dir(&closed).unwrap();
    common::tree::set_mode(&closed, 0);
    // The superuser can read all.
    let is_closed = std::fs::read_dir(&closed).is_err();
    let said = says(&trap, &["convert", "sub", "empty", ".", "-o", "out"], 1, "is not UTF-8; it was left out");
    assert!(said.contains("no C++ or CUDA file in `empty`"), "{said}");
    assert_eq!(said.matches("is not UTF-8").count(), 2, "{said}");
    assert!(!is_closed || said.contains("closed` cannot be read"), "{said}");
    assert!(trap.folder.read("clone/out/x.cu").contains("hipFree"));
    says(&trap, &["lint", "out", "empty", "."], 1, "it was left out");
    says(&trap, &["diff", "."], 1, "it was left out");
    says(&trap, &["lint", "empty"], 2, "no C++ or CUDA file");
    common::tree::set_mode(&closed, 0o755);
}

#[test]
fn an_error_is_told_once() {
    let trap = Trap::new();
    for arguments in [&["lint", "gone"][..], &["convert", "gone", "-o", "out"], &["lint", ".", "--config", "gone"]] {
        let said = says(&trap, arguments, 2, "gone");
        assert_eq!(said.matches("No such file").count(), 1, "{said}");
    }
}

#[test]
fn fixes_refuse_a_tree_with_changes() {
    let trap = Trap::new();
    trap.repository();
    says(&trap, &["lint", ".", "--fix"], 2, "uncommitted changes");
    assert_eq!(trap.folder.read("clone/sub/y.cu"), format!("{CUDA}// staged\n"));
    says(&trap, &["lint", ".", "--fix", "--allow-dirty"], 0, "fixed");
}

#[test]
fn changes_in_a_submodule_count() {
    let trap = Trap::new();
    trap.git(&["init", "-q", "module"]);
    trap.write("module/m.cu", CUDA);
    trap.git(&["-C", "module", "add", "--all"]);
    trap.git(&["-C", "module", "commit", "-q", "-m", "module"]);
    trap.git(&["init", "-q"]);
    trap.git(&["add", "--all"]);
    trap.git(&["commit", "-q", "-m", "state"]);
    says(&trap, &["lint", ".", "--fix"], 0, "fixed");
    trap.git(&["-C", "module", "checkout", "-q", "."]);
    trap.git(&["checkout", "-q", "."]);
    trap.write("module/m.cu", &format!("{CUDA}// changed\n"));
    says(&trap, &["lint", ".", "--fix"], 2, "uncommitted changes");
}

#[test]
fn a_folder_of_state_that_others_can_write_to_is_refused() {
    let trap = Trap::new();
    std::fs::create_dir_all(trap.folder.path("state/hipshift")).unwrap();
    common::tree::set_mode(&trap.folder.path("state/hipshift"), 0o777);
    says(&trap, &["convert", ".", "--in-place", "--allow-dirty"], 2, "only you can write to");
    says(&trap, &["undo"], 2, "only you can write to");
    assert_eq!(trap.folder.read("clone/x.cu"), CUDA);
}

#[test]
fn a_journal_belongs_to_its_place() {
    let trap = Trap::new();
    says(&trap, &["convert", ".", "--in-place", "--allow-dirty", "-q"], 0, "");
    // Another project at the same place would be another matter; the same one elsewhere has no journal.
    std::fs::rename(trap.folder.path("clone"), trap.folder.path("moved")).unwrap();
    trap.write("x.cu", CUDA);
    says(&trap, &["undo", "../moved"], 2, "no run is known");
    assert!(!trap.folder.path("clone/.hipshift").exists());
}

#[test]
fn an_interrupt_leaves_nothing_behind() {
    use std::io::{BufRead as _, BufReader};
    for (signal, arguments) in [
        ("INT", &["convert", ".", "--in-place", "--allow-dirty", "-j", "1", "-q"][..]),
        ("TERM", &["convert", ".", "-o", "out", "-j", "1", "-q"]),
        ("INT", &["hipify", "--inplace", "x.cu", "sub/y.cu"]),
    ] {
        for number in [1, 3, 8, 20] {
            let trap = Trap::new();
            let clone = trap.folder.path("clone");
            let before = tree(&clone);
            let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
            command.current_dir(&clone).args(arguments).env("XDG_STATE_HOME", trap.path("state"));
            command.env("HIPSHIFT_TEST_FAULT", format!("wait:{number}")).stderr(std::process::Stdio::piped());
            let mut child = command.spawn().unwrap();
            let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
            let waits = lines.by_ref().any(|line| line.unwrap() == "waiting");
            if waits {
                let id = child.id().to_string();
                assert!(Command::new("kill").args([&format!("-{signal}"), &id]).status().unwrap().success());
            }
            let status = child.wait().unwrap();
            if waits {
                let said: Vec<String> = lines.map(Result::unwrap).collect();
                assert_ne!(status.code(), Some(0), "{arguments:?} at {number}: {said:?}");
                assert_eq!(tree(&clone), before, "{arguments:?} at {number}: {said:?}");
            }
        }
    }
}

const TURNED: &str = "\u{202e}";

#[test]
fn hidden_characters_are_shown_in_every_format_for_people() {
    let trap = Trap::new();
    let name = format!("a{TURNED}b\u{200b}\u{1b}[2J.cu");
    trap.write(&name, &format!("{CUDA}// {TURNED} cudaFoo\nvoid g() {{ cudaFoo(\"{TURNED}\"); }}\n"));
    trap.write("hidden/hipshift.toml", &format!("\"{TURNED}\" = 1\n"));
    trap.write("hidden/x.cu", CUDA);
    let bad = "\u{200b}no\u{1b}[2Jrule";
    for arguments in [
        &["lint", "."][..],
        &["lint", ".", "--format", "concise"],
        &["lint", ".", "--format", "html"],
        &["lint", ".", "--estimate"],
        &["convert", ".", "--dry-run"],
        &["convert", ".", "--dry-run", "-v"],
        &["convert", ".", "-o", "out"],
        &["diff", ".", "--side-by-side"],
        &["diff", ".", "--word-diff"],
        &["update", "-o", "out"],
        &["undo", "out", "--dry-run"],
        &["lint", "hidden"],
        &["hipify", &name],
        &["map", bad],
        &["explain", bad],
        &["lint", ".", "--select", bad],
        &["convert", bad, "--dry-run"],
        &["review", bad],
        &["trust", bad],
    ] {
        let output = trap.run(arguments);
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        let hidden = text.chars().find(|c| matches!(c, '\u{202e}' | '\u{200b}' | '\u{1b}'));
        assert_eq!(hidden, None, "{arguments:?}: {text:?}");
        assert!(!text.is_empty(), "{arguments:?}");
    }
}

/// Files that write, and why they may.
const WRITERS: &[(&str, &str)] = &[
    ("src/project/door.rs", "the door itself"),
    ("src/project/write.rs", "chooses names of temporary files, and makes them through the door"),
    ("src/project/read.rs", "opens for reading, without waiting for a pipe"),
    ("src/project/user_state.rs", "the user's own folder"),
    ("src/project/trust.rs", "the user's own folder"),
    ("src/project/home.rs", "the user's own folder"),
    ("src/project/first_run.rs", "the user's own folder"),
    ("src/project/journal.rs", "the journal, in the user's own folder"),
    ("src/project/named_inputs.rs", "the user's own folder"),
    ("src/project/recover.rs", "the journal, in the user's own folder"),
    ("src/project/interrupt.rs", "removes folders of temporary files that this process made"),
    ("src/cli/self_check/program.rs", "the private folder that its own program is compiled in"),
    ("src/cli/validate/folder.rs", "the folder that `--keep` names"),
    ("src/cli/validate/prepare.rs", "the folder that a validation compiles in"),
    ("src/cli/validate/record.rs", "the script that `--script` names"),
    ("src/cli/review/editor.rs", "a temporary file for the editor"),
];

#[test]
fn files_of_projects_are_written_through_one_door() {
    let words = [
        "fs::write(",
        "write_anew(",
        "fs::rename(",
        "fs::remove_",
        "fs::copy(",
        "fs::hard_link(",
        "fs::create_dir",
        "fs::set_permissions(",
        "unix::fs::symlink",
        "File::create",
        "OpenOptions::new()",
        "File::options()",
        "DirBuilder::new()",
        "NamedTempFile::",
        "tempfile::Builder::new()",
        "rustix::fs::",
    ];
    // What compiles and fetches compilers has folders of its own, and no business in projects.
    let apart = ["src/validate/", "src/toolchain/", "src/core/"];
    for path in common::files_below("src", &["rs"]) {
        let shown = common::shown(&path);
        let text = std::fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        let found = words.iter().find(|word| code.contains(*word));
        let may = WRITERS.iter().any(|(known, _)| *known == shown) || apart.iter().any(|part| shown.starts_with(part));
        assert!(
            may || found.is_none(),
            "{shown} uses {found:?}: all writing below a project goes through `project/door.rs`"
        );
    }
}

#[test]
fn a_server_is_not_held_up_by_a_pipe() {
    let trap = Trap::new();
    assert!(Command::new("mkfifo").arg(trap.folder.path("clone/table.csv")).status().unwrap().success());
    trap.write("hipshift.toml", "mappings = [\"table.csv\"]\n");
    let mut server = common::lsp::Server::start(&trap.folder.path("clone"));
    let uri = server.open_file(&trap.folder.path("clone/x.cu"));
    // That there is an answer is what is asked for.
    server.findings(&uri, 1);
    assert_eq!(server.stop(), Some(0));
}
