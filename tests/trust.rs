//! Repositories that somebody sends: whatever is in one, nothing outside of it changes, and nothing of it runs.
#![cfg(unix)]

use crate::common;

use crate::common::trap::{CUDA, OUTSIDE, VICTIM, git_is_harmless, harmless};
use serde_json::json;

/// A run of the trap's own making, as a journal in the clone tells of it.
fn record(entries: &serde_json::Value) -> String {
    json!({ "schema": 1, "tool": "0.1.0", "command": "convert", "time": 1, "entries": entries, "made": [], "leaves": [] })
        .to_string()
}

const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

#[test]
fn a_journal_that_came_along_removes_nothing() {
    for path in ["../outside/victim", "ABSOLUTE"] {
        harmless(|trap| {
            let path = path.replace("ABSOLUTE", &trap.path("outside/victim"));
            trap.write(".hipshift/journal/next/notes", &format!("{path}\0"));
        });
    }
    harmless(|trap| {
        let entries = json!([{ "path": trap.path("outside/victim"), "old": null, "new": null }]);
        trap.write(".hipshift/journal/next/record.json", &record(&entries));
    });
}

#[test]
fn a_journal_that_came_along_replaces_nothing() {
    for path in ["../outside/victim", "ABSOLUTE"] {
        harmless(|trap| {
            let path = path.replace("ABSOLUTE", &trap.path("outside/victim"));
            trap.write("new", "");
            let new = json!({ "temporary": "new", "digest": EMPTY });
            let entries = json!([{ "path": path, "old": null, "new": new }]);
            trap.write(".hipshift/journal/next/record.json", &record(&entries));
        });
        harmless(|trap| {
            let path = path.replace("ABSOLUTE", &trap.path("outside/victim"));
            let entries = json!([{ "path": path, "old": EMPTY, "new": null }]);
            trap.write(".hipshift/journal/last/record.json", &record(&entries));
            trap.write(".hipshift/journal/last/old/0", "");
        });
    }
    harmless(|trap| {
        let entries = json!([{ "path": "../outside/victim", "old": EMPTY, "new": null }]);
        trap.write(".hipshift/journal/next/record.json", &record(&entries));
        trap.write(".hipshift/journal/next/back", "");
        trap.write(".hipshift/journal/next/old/0", "");
    });
}

#[test]
fn links_lead_no_result_out_of_the_project() {
    for (name, configuration) in [
        ("x.hip", "ext = \"hip\"\n"),
        ("x.hip.cpp", "ext = \"hip.cpp\"\n"),
        ("x.cu.hip", ""),
        ("x.cu.prehip", ""),
        ("out/x.cu", ""),
        ("out/sub/y.cu", ""),
        ("out.hip.cu", ""),
        ("headers/hipshift/cuda_runtime.h", ""),
        ("headers/cuda_runtime.h", ""),
        ("headers/hipshift_compat.h", ""),
        ("series/0001-x.cu.patch", ""),
        ("series/0002-x.cu.patch", ""),
        (".hipshift/manifest.json", ""),
        (".hipshift/decisions.toml", ""),
        (".hipshift/.gitignore", ""),
        (".hipshift/lock", ""),
        ("out/.hipshift/manifest.json", ""),
        (".gitignore", ""),
        ("hipshift.toml", ""),
    ] {
        let is_new = matches!(name, "x.hip" | "x.cu.hip" | "out/x.cu" | ".hipshift/manifest.json");
        for to in ["outside/victim", "outside/not-there"].into_iter().take(1 + usize::from(is_new)) {
            harmless(|trap| {
                if !configuration.is_empty() {
                    trap.write("hipshift.toml", configuration);
                }
                trap.link(name, &trap.path(to));
            });
        }
    }
}

#[test]
fn folders_that_are_links_are_not_entered() {
    for name in
        ["sub", ".hipshift", ".hipshift/base", ".hipshift/journal", "out/sub", "out/.hipshift", "headers/hipshift"]
    {
        harmless(|trap| {
            let _ = std::fs::remove_dir_all(trap.folder.path(&format!("clone/{name}")));
            trap.link(name, &trap.path("outside/folder"));
        });
    }
}

#[test]
fn sources_that_are_links_or_have_other_names_are_not_changed_elsewhere() {
    harmless(|trap| trap.link("sub/y.cu", "../../outside/victim.cu"));
    harmless(|trap| {
        let name = trap.folder.path("clone/sub/z.cu");
        std::fs::hard_link(trap.folder.path("outside/victim.cu"), name).unwrap();
    });
}

/// A manifest that knows one result.
fn manifest(root: &str, output: &str, file: &str, input: &str, digest: &str) -> String {
    json!({
        "schema": 1, "tool": "0.1.0", "tables": "", "in_place": false, "options": {}, "config": null,
        "roots": [{ "input": root, "output": output }],
        "files": { file: { "root": 0, "input": input, "input_sha256": EMPTY, "output_sha256": digest } },
    })
    .to_string()
}

#[test]
fn a_manifest_names_no_file_outside() {
    let victim = "VICTIM";
    for (root, output, file, input) in [
        ("sub", "out", "../outside/victim", "gone.cu"),
        ("sub", "out", victim, "gone.cu"),
        ("../sub", ".", "../../outside/victim", "gone.cu"),
        ("../outside", "../outside", "victim.cu", "victim.cu"),
        ("sub", "../outside", "../outside/y.cu", "y.cu"),
        ("sub", "FOLDER", "y.cu", "y.cu"),
        (".", "out", "out/x.cu", "../../outside/victim.cu"),
    ] {
        for state in ["", "out/"] {
            harmless(|trap| {
                let full = |path: &str| {
                    path.replace(victim, &trap.path("outside/victim")).replace("FOLDER", &trap.path("outside/folder"))
                };
                // The digest of what is there says that nobody edited it.
                let digest = common::folder::digest(VICTIM);
                let text = manifest(root, &full(output), &full(file), input, &digest);
                trap.write(&format!("{state}.hipshift/manifest.json"), &text);
            });
        }
    }
}

#[test]
fn a_digest_in_a_manifest_is_no_path() {
    for (state, root) in [("", "."), ("out/", "..")] {
        harmless(|trap| {
            // What comes behind the first two characters is the name of a file that is not needed any more.
            let digest = format!("zz{}", trap.path("outside/victim"));
            let text = manifest(root, ".", "x.cu", "x.cu", &digest);
            trap.write(&format!("{state}.hipshift/manifest.json"), &text);
        });
    }
    harmless(|trap| trap.write("out/.hipshift/manifest.json", &manifest("..", ".", "x.cu", "x.cu", "é")));
}

#[test]
fn decisions_name_no_file_outside() {
    for file in ["../outside/victim.cu", "VICTIM"] {
        harmless(|trap| {
            let file = file.replace("VICTIM", &trap.path("outside/victim.cu"));
            let decision = format!(
                "schema = 1\n[[decision]]\nfile = \"{file}\"\ndecision = \"edit\"\ntext = \"\"\n\
                 fixes = [{{ rule = \"A003\", at = \"cudaFree\", line = \"// mine: cudaFree\" }}]\n"
            );
            trap.write(".hipshift/decisions.toml", &decision);
        });
    }
}

#[test]
fn a_database_of_commands_names_no_file_outside() {
    harmless(|trap| {
        let outside = trap.path(OUTSIDE);
        trap.write(
            "compile_commands.json",
            &json!([{ "directory": outside, "file": "victim.cu", "command": "nvcc -c" }]).to_string(),
        );
    });
}

#[test]
fn git_starts_no_monitor_and_no_hook() {
    for value in ["PROGRAM", "PROGRAM #"] {
        git_is_harmless(|trap| {
            trap.repository();
            trap.configure("core.fsmonitor", &value.replace("PROGRAM", &trap.program()));
        });
    }
    for folder in [".git/hooks", "hooks"] {
        git_is_harmless(|trap| {
            trap.repository();
            for name in
                ["post-index-change", "fsmonitor-watchman", "reference-transaction", "pre-commit", "post-checkout"]
            {
                trap.link(&format!("{folder}/{name}"), &trap.program());
            }
            if folder == "hooks" {
                trap.configure("core.hooksPath", &trap.path("clone/hooks"));
            }
        });
    }
}

#[test]
fn git_runs_no_filter() {
    for (key, attributes) in [
        ("filter.evil.clean", ".gitattributes"),
        ("filter.evil.process", ".gitattributes"),
        ("filter.evil.smudge", ".gitattributes"),
        ("filter.evil.clean", ".git/info/attributes"),
        ("filter.evil.clean", "attributes"),
        ("filter.evil.clean", "sub/.gitattributes"),
    ] {
        for required in ["false", "true"] {
            git_is_harmless(|trap| {
                trap.repository();
                trap.write(attributes, "*.cu filter=evil\n");
                trap.configure("core.attributesFile", &trap.path("clone/attributes"));
                trap.configure(key, &trap.program());
                trap.configure("filter.evil.required", required);
            });
        }
    }
    // Names that are hard to write on a command line.
    for name in ["a=b", "a.b", "with blank"] {
        git_is_harmless(|trap| {
            trap.repository();
            trap.write(".gitattributes", &format!("*.cu filter={name}\n\"*.cu\" filter={name}\n"));
            trap.configure(&format!("filter.{name}.clean"), &trap.program());
        });
    }
}

/// A name that no text of ours can hold cannot be switched off, so that git is not asked at all.
#[test]
fn git_runs_no_filter_whose_name_is_no_text() {
    use std::io::Write as _;
    let append = |trap: &common::trap::Trap, path: &str, bytes: &[u8]| {
        let path = trap.path(&format!("clone/{path}"));
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        file.write_all(bytes).unwrap();
    };
    for (key, attributes) in
        [("clean", ".gitattributes"), ("process", ".git/info/attributes"), ("smudge", ".gitattributes")]
    {
        git_is_harmless(|trap| {
            trap.repository();
            append(trap, attributes, b"*.cu filter=\xff\n");
            append(trap, ".git/config", b"[filter \"\xff\"]\n");
            append(trap, ".git/config", format!("\t{key} = {}\n", trap.program()).as_bytes());
        });
    }
}

/// git takes a folder whose `.git` leads to the repository around it, and whose work tree is that one's, for a submodule.
#[test]
fn a_repository_that_is_its_own_submodule_is_asked_once() {
    let trap = common::trap::Trap::new();
    trap.git(&["init", "-q", "s"]);
    trap.write("s/f", "1");
    trap.git(&["-C", "s", "add", "f"]);
    trap.git(&["-C", "s", "commit", "-q", "-m", "s"]);
    trap.git(&["init", "-q"]);
    trap.git(&["add", "s", "x.cu", "sub"]);
    trap.git(&["commit", "-q", "-m", "state"]);
    std::fs::remove_dir_all(trap.path("clone/s")).unwrap();
    trap.write("s/.git", "gitdir: ../.git\n");
    trap.git(&["update-index", "--skip-worktree", "s"]);
    trap.git(&["update-index", "--assume-unchanged", "s"]);
    trap.configure("core.worktree", "..");
    for arguments in [["convert", ".", "--in-place"], ["lint", ".", "--fix"]] {
        let output = trap.run(&arguments);
        assert_ne!(output.status.code(), Some(124), "{arguments:?}: {output:?}");
    }
}

#[test]
fn git_runs_no_filter_of_an_included_configuration() {
    git_is_harmless(|trap| {
        trap.repository();
        trap.write(".gitattributes", "*.cu filter=evil\n");
        trap.write(
            "more",
            &format!("[filter \"evil\"]\nclean = {}\n[core]\nfsmonitor = {}\n", trap.program(), trap.program()),
        );
        trap.configure("include.path", "../more");
    });
    git_is_harmless(|trap| {
        trap.repository();
        trap.write(".gitattributes", "*.cu filter=evil\n");
        trap.configure("extensions.worktreeConfig", "true");
        trap.git(&["config", "--worktree", "filter.evil.clean", &trap.program()]);
    });
}

#[test]
fn git_shows_differences_by_itself() {
    for keys in [&["diff.external"][..], &["diff.evil.textconv"], &["diff.evil.command"], &["core.pager", "pager.diff"]]
    {
        git_is_harmless(|trap| {
            trap.repository();
            trap.write(".gitattributes", "*.cu diff=evil\n");
            for key in keys {
                trap.configure(key, &trap.program());
            }
        });
    }
}

#[test]
fn git_fetches_nothing() {
    for url in ["ext::PROGRAM", "ssh://host/x"] {
        git_is_harmless(|trap| {
            trap.repository();
            trap.configure("core.repositoryFormatVersion", "1");
            trap.configure("extensions.partialClone", "origin");
            trap.configure("remote.origin.promisor", "true");
            trap.configure("remote.origin.url", &url.replace("PROGRAM", &trap.program()));
            trap.configure("protocol.ext.allow", "always");
            trap.configure("core.sshCommand", &trap.program());
            trap.configure("credential.helper", &format!("!{}", trap.program()));
            // What is staged is missing, so that it would have to be fetched.
            let objects = trap.folder.path("clone/.git/objects");
            for entry in std::fs::read_dir(objects).unwrap().flatten().filter(|entry| entry.file_name().len() == 2) {
                for object in std::fs::read_dir(entry.path()).unwrap().flatten() {
                    let text = std::fs::metadata(object.path()).unwrap().len();
                    if text < 100 {
                        std::fs::remove_file(object.path()).unwrap();
                    }
                }
            }
        });
    }
}

#[test]
fn submodules_and_repositories_within_run_nothing() {
    git_is_harmless(|trap| {
        trap.git(&["init", "-q", "module"]);
        trap.write("module/m.cu", CUDA);
        let inside = |arguments: &[&str]| trap.git(&[&["-C", "module"], arguments].concat());
        inside(&["add", "--all"]);
        inside(&["commit", "-q", "-m", "module"]);
        trap.repository();
        inside(&["config", "core.fsmonitor", &trap.program()]);
        inside(&["config", "filter.evil.clean", &trap.program()]);
        trap.write("module/.gitattributes", "*.cu filter=evil\n");
        trap.write("module/m.cu", &CUDA.replace("(p)", "(q)"));
    });
    // A folder that git takes for a repository without a work tree; a clone can hold it.
    git_is_harmless(|trap| {
        trap.write("HEAD", "ref: refs/heads/main\n");
        trap.write("objects/x", "");
        trap.write("refs/x", "");
        trap.write("config", &format!("[core]\nbare = false\nworktree = .\nfsmonitor = {}\n", trap.program()));
    });
    git_is_harmless(|trap| {
        trap.git(&["init", "-q", "other"]);
        trap.git(&["-C", "other", "config", "core.fsmonitor", &trap.program()]);
        trap.write(".git", "gitdir: other/.git\n");
    });
}
