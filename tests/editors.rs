//! The plugins of `editors/`, each in the real editor against the binary under test.

use crate::common;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::folder::Folder;
use crate::common::lsp::{Server, capabilities};
use serde_json::{Value, json};

/// The files that the plugins are tested with: a CUDA source and two HIP sources.
fn project() -> Folder {
    let folder = Folder::new(&[]);
    for file in common::files_below("fixtures/lint", &["cu", "hip"]) {
        folder.write(file.file_name().unwrap().to_str().unwrap(), &std::fs::read(&file).unwrap());
    }
    folder
}

fn plugin(path: &str) -> PathBuf {
    common::root().join("editors").join(path)
}

/// An editor in a folder, with a home of its own there; `None` with a note where it was not fetched.
fn editor(name: &str, folder: &Folder) -> Option<Command> {
    let mut command = Command::new("sh");
    command.arg(common::tool(name)?).current_dir(folder.path(""));
    std::fs::create_dir_all(folder.path(".home")).unwrap();
    for variable in ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"] {
        command.env(variable, folder.path(".home"));
    }
    command.env("HIPSHIFT_BIN", env!("CARGO_BIN_EXE_hipshift"));
    Some(command)
}

/// Runs a command that must succeed, and returns what it printed.
#[track_caller]
fn succeed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success(), "{command:?}: {}\n{text}", output.status);
    text
}

#[test]
fn neovim() {
    let folder = project();
    let Some(mut neovim) = editor("nvim", &folder) else { return };
    let script = plugin("nvim/test/run.lua");
    neovim.args(["--headless", "-u", "NONE", "-i", "NONE", "-c"]).arg(format!("luafile {}", script.display()));
    let text = succeed(&mut neovim);
    assert!(text.contains("passed: "), "{text}");
    assert_eq!(text.matches("ok ").count(), 8, "{text}");
}

#[test]
fn the_help_of_the_neovim_plugin_has_its_tags() {
    let folder = project();
    let Some(mut neovim) = editor("nvim", &folder) else { return };
    folder.write("doc/hipshift.txt", &std::fs::read(plugin("nvim/doc/hipshift.txt")).unwrap());
    neovim.args(["--headless", "-u", "NONE", "-i", "NONE", "-c", "helptags doc", "-c", "qall"]);
    succeed(&mut neovim);
    let tags = folder.read("doc/tags");
    let commands = std::fs::read_to_string(plugin("nvim/plugin/hipshift.lua")).unwrap();
    let commands: Vec<_> = commands.lines().filter_map(|line| line.strip_prefix("command('")).collect();
    assert_eq!(commands.len(), 5);
    for command in commands {
        let name = command.split('\'').next().unwrap();
        assert!(tags.contains(&format!(":{name}\t")), "no help for `:{name}` in:\n{tags}");
    }
}

#[test]
fn emacs() {
    let folder = project();
    folder.write("hipshift.toml", b"ext = \"hip\"\n");
    let Some(mut emacs) = editor("emacs", &folder) else { return };
    emacs.args(["-Q", "--batch", "-L"]).arg(plugin("emacs")).arg("-l").arg(plugin("emacs/hipshift-test.el"));
    let text = succeed(emacs.args(["-f", "ert-run-tests-batch-and-exit"]));
    assert!(text.contains("Ran 8 tests, 8 results as expected"), "{text}");
}

#[test]
fn the_emacs_package_compiles_without_warnings() {
    let folder = project();
    let Some(mut emacs) = editor("emacs", &folder) else { return };
    folder.write("hipshift.el", &std::fs::read(plugin("emacs/hipshift.el")).unwrap());
    emacs.args(["-Q", "--batch", "--eval", "(setq byte-compile-error-on-warn t)"]);
    succeed(emacs.args(["-f", "batch-byte-compile", "hipshift.el"]));
    assert!(folder.path("hipshift.elc").is_file());
}

fn helix() -> Value {
    let text = std::fs::read_to_string(plugin("helix/languages.toml")).unwrap();
    let table: toml::Table = toml::from_str(&text).unwrap();
    json!(table)
}

#[test]
fn helix_starts_the_server_with_settings_that_it_knows() {
    let entry = &helix()["language-server"]["hipshift"];
    assert_eq!((&entry["command"], &entry["args"]), (&json!("hipshift"), &json!(["lsp"])));
    let folder = project();
    let mut config = entry["config"].clone();
    config["targets"] = json!(["gfx1100"]);
    let mut server = Server::start_with(&[folder.0.path()], &capabilities(), &config);
    let status = server.request("hipshift/status", json!({}));
    assert_eq!(status["targets"], json!(["gfx1100"]), "{status}");
    assert_eq!(server.stop(), Some(0));
    // Of unknown settings the server says nothing, so they are looked up where they are described.
    let known = std::fs::read_to_string(common::root().join("docs/editors/server.md")).unwrap();
    for (key, value) in entry["config"].as_object().unwrap() {
        let keys = value
            .as_object()
            .map_or_else(|| vec![key.clone()], |inner| inner.keys().map(|name| format!("{key}.{name}")).collect());
        for key in keys {
            assert!(known.contains(&format!("| `{key}` |")), "`{key}` is no setting");
        }
    }
}

#[test]
fn helix_gets_a_language_for_every_source_and_its_colours() {
    let languages = helix()["language"].as_array().unwrap().clone();
    let ids: Vec<_> = languages.iter().map(|language| language["language-id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["cuda-cpp", "hip"]);
    assert_eq!(languages[0]["file-types"], json!(["cu", "cuh"]));
    assert_eq!(languages[1]["file-types"][0], json!("hip"));
    for language in &languages {
        assert_eq!((&language["language-servers"], &language["grammar"]), (&json!(["hipshift"]), &json!("cpp")));
        // Helix looks for queries by the name of the language, not by that of its grammar.
        let queries = plugin("helix/runtime/queries").join(language["name"].as_str().unwrap());
        assert_eq!(std::fs::read_to_string(queries.join("highlights.scm")).unwrap(), "; inherits: cpp\n");
    }
}

#[test]
fn vs_code() {
    let folder = plugin("vscode");
    let Some(npm) = common::tool("node/bin/npm") else { return };
    let node = npm.parent().map(Path::to_owned);
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(node.into_iter().chain(std::env::split_paths(&others))).unwrap();
    for arguments in [&["ci", "--no-audit", "--no-fund"][..], &["test"]] {
        let mut command = Command::new(&npm);
        command.args(arguments).current_dir(&folder).env("PATH", &path);
        succeed(command.env("HIPSHIFT_BIN", env!("CARGO_BIN_EXE_hipshift")));
    }
}
