//! More that a repository may hold: names that say two things, places that are no files, records that lead elsewhere, and what an
//! editor opens. Nothing outside changes, nothing of it runs, and no command waits for ever.
#![cfg(unix)]

use crate::common;

use std::process::Command;

use crate::common::trap::{CUDA, OUTSIDE, Trap, git_is_harmless, harmless, says};
use crate::common::tree::tree;
use serde_json::json;

fn pipe(trap: &Trap, name: &str) {
    trap.write(name, "");
    let path = trap.folder.path(&format!("clone/{name}"));
    std::fs::remove_file(&path).unwrap();
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn holes(trap: &Trap, name: &str) {
    trap.write(name, "");
    let file = std::fs::File::options().write(true).open(trap.folder.path(&format!("clone/{name}"))).unwrap();
    file.set_len(1 << 40).unwrap();
}

#[test]
fn results_may_be_pipes_already() {
    for name in
        ["x.hip", "x.cu.hip", "out", "out.hip", "out/x.cu", "series", "series/0001-x.cu.patch", "all.patch", "headers"]
    {
        harmless(|trap| pipe(trap, name));
    }
}

#[test]
fn sources_may_be_no_files() {
    harmless(|trap| pipe(trap, "y.cu"));
    harmless(|trap| trap.link("y.cu", "/dev/zero"));
    harmless(|trap| holes(trap, "y.cu"));
    harmless(|trap| {
        let socket = trap.folder.path("clone/s.cu");
        drop(std::os::unix::net::UnixListener::bind(socket).unwrap());
    });
}

#[test]
fn what_is_read_beside_sources_may_be_no_file() {
    for name in
        [".gitignore", "sub/.gitignore", "CMakeLists.txt", ".hipshift/.gitignore", "build/compile_commands.json"]
    {
        harmless(|trap| pipe(trap, name));
        harmless(|trap| holes(trap, name));
    }
}

#[test]
fn links_may_lead_in_circles() {
    harmless(|trap| {
        trap.link("round", ".");
        trap.link("sub/up", "..");
        trap.link("self.cu", "self.cu");
        trap.link("hipshift.toml", "hipshift.toml");
        trap.link(".hipshift", ".hipshift");
    });
}

#[test]
fn folders_may_be_deeper_than_paths_are_long() {
    let trap = Trap::new();
    let script = "for i in $(seq 280); do mkdir ddddddddddddddd && cd ddddddddddddddd || exit 1; done; \
                  echo 'void f(){cudaFree(0);}' > x.cu";
    let status = Command::new("bash").args(["-c", script]).current_dir(trap.folder.path("clone")).status();
    assert!(status.unwrap().success());
    for arguments in
        [&["lint", "."][..], &["convert", ".", "-o", "../out"], &["convert", ".", "--in-place", "--allow-dirty"]]
    {
        // What has no name that the system takes is left out, and told.
        says(&trap, arguments, 1, "it was left out");
    }
    assert!(trap.folder.read("clone/x.cu").contains("hipFree"));
}

/// What a file system that knows no case, or one form of a letter only, would take for one name.
const TWINS: &[(&str, &str)] =
    &[("t/x.cu", "t/X.cu"), ("t/x.cu", "t/x.CU"), ("t/\u{e9}.cu", "t/e\u{301}.cu"), ("t/a.cu", "T/a.cu")];

#[test]
fn names_that_other_systems_take_for_one_are_two_files() {
    for (one, other) in TWINS {
        harmless(|trap| {
            trap.write(one, CUDA);
            trap.write(other, CUDA);
        });
        let trap = Trap::new();
        let [first, second] = ["first", "second"].map(|word| format!("{CUDA}// {word}\n"));
        trap.write(one, &first);
        trap.write(other, &second);
        if trap.folder.read(&format!("clone/{one}")) != first {
            eprintln!("not tested: this file system takes {one} and {other} for one");
            continue;
        }
        let before = tree(&trap.folder.path("clone"));
        let arguments = ["convert", ".", "--in-place", "--allow-dirty", "--include", "*.cu", "--include", "*.CU"];
        says(&trap, &arguments, 0, "");
        for (name, word) in [(one, "first"), (other, "second")] {
            let text = trap.folder.read(&format!("clone/{name}"));
            assert!(text.contains("hipFree") && text.contains(word), "{name}: {text}");
        }
        says(&trap, &["undo"], 0, "");
        assert_eq!(tree(&trap.folder.path("clone")), before);
    }
}

#[test]
fn folders_that_are_gits_or_ours_elsewhere_are_plain_ones() {
    for folder in [".GIT", ".Hipshift", ".g\u{200c}it", ".git ", "GIT~1"] {
        git_is_harmless(|trap| {
            trap.write(&format!("{folder}/config"), &format!("[core]\nfsmonitor = {}\n", trap.program()));
            trap.write(&format!("{folder}/HEAD"), "ref: refs/heads/main\n");
            trap.link(&format!("{folder}/hooks/post-index-change"), &trap.program());
        });
    }
}

/// Names that say something to a program that takes them for options, patterns or lines of a patch.
const NAMES: &[&str] = &[
    "--output=..outside.cu",
    "-o.cu",
    ":(exclude)x.cu",
    ":!x.cu",
    "@options.cu",
    "a\n+++ b\n.cu",
    "a\tb.cu",
    "\"quoted\".cu",
    "$(touch ran).cu",
    "`touch ran`.cu",
    "a;touch ran;.cu",
    "back\\slash.cu",
    "..cu",
    " .cu",
];

#[test]
fn names_are_names_only() {
    for name in NAMES {
        git_is_harmless(|trap| {
            trap.write(&format!("./{name}"), CUDA);
            trap.repository();
            trap.write(&format!("./{name}"), &CUDA.replace("(p)", "(q)"));
        });
    }
    harmless(|trap| NAMES.iter().for_each(|name| trap.write(&format!("./{name}"), CUDA)));
}

#[test]
fn patches_of_odd_names_change_what_they_name() {
    for name in NAMES {
        let trap = Trap::new();
        trap.write(&format!("./{name}"), CUDA);
        trap.git(&["init", "-q"]);
        trap.git(&["add", "--all"]);
        trap.git(&["commit", "-q", "-m", "state"]);
        let before = tree(&trap.folder.path(OUTSIDE));
        says(&trap, &["diff", ".", "--include", "*", "--split-by", "file", "-o", "../series"], 1, "");
        let listed = tree(&trap.folder.path("series"));
        assert!(listed.keys().all(|patch| !patch.contains('/') && patch.is_ascii()), "{listed:?}");
        for patch in listed.keys() {
            trap.git(&["apply", "--unsafe-paths", &format!("../series/{patch}")]);
        }
        let text = trap.folder.read(&format!("clone/./{name}"));
        assert!(text.contains("hipFree"), "{name:?}: {text}");
        assert_eq!(tree(&trap.folder.path(OUTSIDE)), before, "{name:?}");
    }
}

#[test]
fn work_trees_of_another_repository_run_nothing_and_change_nothing_there() {
    git_is_harmless(|trap| {
        trap.git(&["init", "-q", "main"]);
        trap.write("main/m.cu", CUDA);
        let inside = |arguments: &[&str]| trap.git(&[&["-C", "main"], arguments].concat());
        inside(&["add", "--all"]);
        inside(&["commit", "-q", "-m", "main"]);
        inside(&["worktree", "add", "-q", "../tree"]);
        inside(&["config", "extensions.worktreeConfig", "true"]);
        inside(&["config", "core.fsmonitor", &trap.program()]);
        trap.git(&["-C", "tree", "config", "--worktree", "filter.evil.clean", &trap.program()]);
        trap.write("tree/.gitattributes", "*.cu filter=evil\n");
        trap.write("tree/m.cu", &CUDA.replace("(p)", "(q)"));
        std::fs::rename(trap.folder.path("clone/tree/.git"), trap.folder.path("clone/.git")).unwrap();
    });
    // A `.git` that leads to a repository of the user, whose index and objects are not for this project to change.
    let trap = Trap::new();
    trap.git(&["init", "-q", "../outside/own"]);
    trap.folder.write("outside/own/x.cu", b"mine\n");
    trap.git(&["-C", "../outside/own", "add", "--all"]);
    trap.git(&["-C", "../outside/own", "commit", "-q", "-m", "own"]);
    trap.write(".git", &format!("gitdir: {}\n", trap.path("outside/own/.git")));
    let state = || {
        let files =
            walkdir::WalkDir::new(trap.folder.path(OUTSIDE)).sort_by_file_name().into_iter().map(Result::unwrap);
        let files = files.filter(|entry| entry.file_type().is_file());
        files.map(|entry| (entry.path().to_owned(), std::fs::read(entry.path()).unwrap())).collect::<Vec<_>>()
    };
    let before = state();
    for arguments in [
        &["convert", ".", "--in-place"][..],
        &["lint", ".", "--fix"],
        &["lint", "--since", "HEAD"],
        &["lint", "--staged"],
        &["convert", ".", "--in-place", "--allow-dirty"],
    ] {
        trap.run(arguments);
        assert!(state() == before, "{arguments:?}");
    }
}

#[test]
fn records_of_a_project_open_nothing_that_waits() {
    let digest = common::folder::digest("text");
    let manifest = json!({
        "schema": 1, "tool": "0.1.0", "tables": "", "in_place": false, "options": {}, "config": null,
        "roots": [{ "input": "sub", "output": "out" }],
        "files": { "out/y.cu": { "root": 0, "input": "y.cu", "input_sha256": digest, "output_sha256": digest } },
    });
    let base = format!(".hipshift/base/{}/{}.gz", &digest[..2], &digest[2..]);
    for name in ["out/y.cu", base.as_str(), "sub/y.cu"] {
        for make in [pipe as fn(&Trap, &str), holes, |trap, name| trap.link(name, "/dev/zero")] {
            harmless(|trap| {
                for state in ["", "out/"] {
                    trap.write(&format!("{state}.hipshift/manifest.json"), &manifest.to_string());
                    trap.write("out/y.cu", "text");
                }
                make(trap, name);
            });
        }
    }
}

#[test]
fn baselines_open_and_write_nothing_that_they_name() {
    for file in ["../outside/victim.cu", "/etc/passwd", "sub/../../outside/victim.cu", "\u{0}", "pipe"] {
        let trap = Trap::new();
        pipe(&trap, "pipe");
        let finding = json!({ "rule": "A003", "line": "x", "count": 1 });
        let files = json!({ file: [finding.clone()] });
        for text in [json!({ "schema": 1, "files": files }), json!({ "schema": 1, "findings": [{ "file": file }] })] {
            trap.write("known.json", &text.to_string());
            let before = tree(&trap.folder.path(OUTSIDE));
            for arguments in
                [&["lint", ".", "--baseline", "known.json"][..], &["lint", ".", "--write-baseline", "known.json"]]
            {
                let output = trap.run(arguments);
                assert!(output.status.code().is_some_and(|code| code < 3), "{arguments:?}: {output:?}");
            }
            assert_eq!(tree(&trap.folder.path(OUTSIDE)), before);
        }
    }
}

#[test]
fn commands_of_a_build_lead_nowhere() {
    let outside = "OUTSIDE";
    for (directory, file) in [
        ("/", "OUTSIDE/victim.cu"),
        ("../outside", "victim.cu"),
        ("CLONE", "../outside/victim.cu"),
        ("CLONE/../outside", "victim.cu"),
        ("CLONE/pipe", "x.cu"),
        ("relative", "x.cu"),
        ("", ""),
    ] {
        harmless(|trap| {
            pipe(trap, "pipe");
            let full = |text: &str| text.replace(outside, &trap.path(OUTSIDE)).replace("CLONE", &trap.path("clone"));
            let entry = json!([{
                "directory": full(directory), "file": full(file), "output": full("OUTSIDE/made.o"),
                "arguments": ["nvcc", "-MF", full("OUTSIDE/made.d"), "-o", full("OUTSIDE/made"), "-keep-dir", full("OUTSIDE"), "-c", full(file)],
            }]);
            trap.write("compile_commands.json", &entry.to_string());
        });
    }
}

#[test]
fn configurations_above_a_project_run_nothing() {
    for line in ["toolchain = \"tools\"", "flags = [\"-fplugin=tools/x.so\"]"] {
        let trap = Trap::new();
        trap.folder.write("hipshift.toml", format!("[validate]\n{line}\n").as_bytes());
        says(&trap, &["validate", ".", "--stage", "syntax"], 2, "hipshift trust");
        // One below does not lend it trust.
        trap.write("hipshift.toml", &format!("[validate]\n{line}\n"));
        says(&trap, &["trust", ".."], 0, "");
        says(&trap, &["validate", ".", "--stage", "syntax"], 2, "hipshift trust");
    }
}

#[test]
fn an_editor_that_opens_a_project_starts_and_writes_nothing() {
    let trap = Trap::new();
    trap.link("tools/bin/clang++-22", &trap.program());
    trap.link("x.hip", &trap.path("outside/victim"));
    trap.link("linked.cu", &trap.path("outside/victim.cu"));
    pipe(&trap, "pipe.cu");
    trap.write(
        "hipshift.toml",
        &format!(
            "ext = \"hip\"\nmappings = [\"{}\"]\n[validate]\ntoolchain = \"tools\"\n",
            trap.path("outside/victim")
        ),
    );
    trap.write(".vscode/settings.json", &json!({ "hipshift.path": trap.program() }).to_string());
    trap.git(&["init", "-q"]);
    trap.configure("core.fsmonitor", &trap.program());
    let _ = std::fs::remove_file(trap.folder.path("outside/ran"));
    let (before, own) = (tree(&trap.folder.path(OUTSIDE)), tree(&trap.folder.path("clone/sub")));
    let clone = trap.folder.path("clone");
    let folders =
        [clone.as_path(), std::path::Path::new("/dev"), &trap.folder.path("clone/pipe.cu"), &trap.folder.path("gone")];
    let mut server = common::lsp::Server::start_with(&folders, &common::lsp::capabilities(), &json!({}));
    let uri = server.open_file(&clone.join("sub/y.cu"));
    server.findings(&uri, 1);
    for path in ["clone/x.cu", "clone/linked.cu", "outside/victim.cu", "clone/pipe.cu"] {
        let uri = common::lsp::uri(&trap.folder.path(path));
        for command in
            ["hipshift.previewConversion", "hipshift.preview", "hipshift.convertFile", "hipshift.counterpart"]
        {
            let id = server.ask("workspace/executeCommand", json!({ "command": command, "arguments": [uri] }));
            server.answer(id);
        }
        let id = server.ask("textDocument/diagnostic", json!({ "textDocument": { "uri": uri } }));
        server.answer(id);
    }
    assert_eq!(server.stop(), Some(0));
    assert_eq!((tree(&trap.folder.path(OUTSIDE)), tree(&trap.folder.path("clone/sub"))), (before, own));
}

#[test]
fn a_folder_that_is_mounted_is_a_part_of_the_tree_and_no_way_out_of_it() {
    let trap = Trap::new();
    trap.folder.write("mounted/m.cu", CUDA.as_bytes());
    trap.write("mount/x", "");
    let script = format!(
        "mount --bind '{}' '{}' && exec '{}' convert . --in-place --allow-dirty -q",
        trap.path("mounted"),
        trap.path("clone/mount"),
        env!("CARGO_BIN_EXE_hipshift")
    );
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "bash", "-c", &script]);
    command.current_dir(trap.folder.path("clone")).env("XDG_STATE_HOME", trap.path("state"));
    let Ok(output) = command.output() else { return };
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    if text.contains("unshare") || text.contains("mount:") {
        eprintln!("not tested: nothing can be mounted here: {text}");
        return;
    }
    // Who mounts a folder there has said what belongs to the tree. Files are replaced on their own file system.
    assert!(output.status.success(), "{text}");
    assert!(trap.folder.read("mounted/m.cu").contains("hipFree"));
    assert!(trap.folder.read("clone/x.cu").contains("hipFree"));
    assert_eq!(tree(&trap.folder.path("mounted")).len(), 1);
}

#[test]
fn unsafe_fixes_are_made_only_where_fixes_are() {
    let trap = Trap::new();
    let before = tree(&trap.folder.path("clone"));
    says(&trap, &["lint", ".", "--unsafe-fixes"], 0, "");
    assert_eq!(tree(&trap.folder.path("clone")), before);
    assert!(!trap.folder.path("clone/.hipshift").exists());
    trap.write("hipshift.toml", "unsafe-fixes = true\n");
    let before = tree(&trap.folder.path("clone"));
    says(&trap, &["lint", "."], 0, "");
    assert_eq!(tree(&trap.folder.path("clone")), before);
}

#[test]
fn an_error_is_told_once_with_what_to_do() {
    let trap = Trap::new();
    trap.write("bad.toml", "ext = [\n");
    trap.write("odd.toml", "exta = 1\n");
    trap.write("long.toml", &format!("ext = \"{}\n", "x".repeat(100_000)));
    trap.write("bad/.hipshift/decisions.toml", "schema = 99\n");
    trap.write("bad/x.cu", CUDA);
    trap.write("file/x", "");
    for (arguments, message, advice) in [
        (&["lint", ".", "--config", "bad.toml"][..], "bad.toml", "expected"),
        (&["lint", ".", "--config", "odd.toml"], "odd.toml", "exta"),
        (&["lint", ".", "--config", "long.toml"], "long.toml", "invalid"),
        (&["lint", "bad"], "decisions.toml", "this hipshift reads 1"),
        (&["convert", ".", "-o", "file/x/y"], "file/x", "directory"),
        (&["update", "-o", "gone"], "gone", "name their directory with `-o`"),
        (&["undo", "gone"], "gone", ""),
        (&["lint", ".", "--baseline", "gone"], "gone", "No such file"),
    ] {
        let said = says(&trap, arguments, 2, message);
        assert!(said.contains(advice), "{arguments:?}: {said}");
        for part in ["No such file", "Not a directory", "IO error"] {
            assert!(said.matches(part).count() < 2, "{arguments:?}: {said}");
        }
        // What it quotes may have lines that fill a screen.
        assert!(said.len() < 4000, "{arguments:?}: {} bytes", said.len());
        // The first line of an error is the error; what follows shows a place.
        assert_eq!(said.matches("error: ").count(), 1, "{arguments:?}: {said}");
    }
}

#[test]
fn manifests_write_and_remove_nothing_of_gits_or_of_ours() {
    let (none, some) = ("0".repeat(64), json!({}));
    let base = |input: &str| json!({ "root": 0, "input": input, "input_sha256": none, "output_sha256": none });
    let outputs = [".git", "./.git", ".git/hooks", "sub/.git", ".GIT", "git~1", ".hipshift", "sub/.hipshift/base"];
    let roots = outputs.map(|output| (json!([{ "input": "src", "output": output }]), some.clone()));
    let files = [".git/HEAD", "sub/.git/config", ".hipshift/decisions.toml", "beside.cu"]
        .map(|path| (json!([{ "input": "src", "output": "out" }]), json!({ path: base("x.cu") })));
    for (roots, files) in roots.into_iter().chain(files) {
        let trap = Trap::new();
        trap.write("src/hooks/post-checkout", "#!/bin/sh\n");
        trap.write("src/x.cu", CUDA);
        for name in [".git/HEAD", "sub/.git/config", ".hipshift/decisions.toml", "beside.cu"] {
            trap.write(name, "");
        }
        let manifest = json!({
            "schema": 1, "tool": "0.1.0", "tables": "", "in_place": false, "options": {}, "config": null,
            "roots": roots, "files": files,
        });
        trap.write(".hipshift/manifest.json", &manifest.to_string());
        let before = tree(&trap.folder.path("clone"));
        says(&trap, &["update"], 2, "is no manifest of this hipshift");
        assert_eq!(tree(&trap.folder.path("clone")), before, "{manifest}");
    }
}
