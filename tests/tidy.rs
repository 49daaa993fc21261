//! Rules about the code itself: layers, sizes, module docs, messages, snapshots, words.

use crate::common;
#[path = "common/imports.rs"]
mod imports;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use hipshift::settings::Settings;

/// What each module may use. `report` and `cli` stand on everything below them.
const LAYERS: &[(&str, &[&str])] = &[
    ("source", &[]),
    ("build", &["source"]),
    ("syntax", &["source", "build"]),
    ("analysis", &["source", "syntax"]),
    ("mapping", &[]),
    ("diagnostic", &["source"]),
    ("settings", &["mapping", "diagnostic"]),
    ("rules", &["source", "build", "syntax", "analysis", "mapping", "diagnostic", "settings"]),
    ("engine", &["source", "build", "syntax", "analysis", "mapping", "diagnostic", "settings", "rules"]),
    ("private_folder", &[]),
    ("regular_file", &[]),
    (
        "project",
        &[
            "source",
            "build",
            "syntax",
            "analysis",
            "mapping",
            "diagnostic",
            "settings",
            "engine",
            "private_folder",
            "regular_file",
        ],
    ),
    ("toolchain", &["mapping", "private_folder", "regular_file"]),
    ("validate", &["source", "syntax", "analysis", "mapping", "diagnostic", "engine", "toolchain", "regular_file"]),
    (
        "report",
        &[
            "source",
            "syntax",
            "analysis",
            "mapping",
            "diagnostic",
            "settings",
            "engine",
            "project",
            "toolchain",
            "validate",
        ],
    ),
    (
        "lsp",
        &[
            "source",
            "syntax",
            "analysis",
            "mapping",
            "diagnostic",
            "settings",
            "rules",
            "engine",
            "project",
            "validate",
            "report",
        ],
    ),
    (
        "cli",
        &[
            "source",
            "syntax",
            "analysis",
            "mapping",
            "diagnostic",
            "settings",
            "rules",
            "engine",
            "project",
            "private_folder",
            "toolchain",
            "validate",
            "report",
            "lsp",
            "regular_file",
        ],
    ),
];

/// A longer file is allowed only when it is a list.
const LONGEST_FILE: usize = 500;

fn sources() -> Vec<(PathBuf, String)> {
    let files = common::files_below("src", &["rs"]);
    files.into_iter().map(|path| (path.clone(), fs::read_to_string(&path).unwrap())).collect()
}

/// A source without its test module, which stands last.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text)
}

/// The module that a file below `src` belongs to.
fn module_of(path: &Path) -> String {
    let inside = path.strip_prefix(common::root().join("src")).unwrap();
    let parts: Vec<&str> = inside.iter().map(|part| part.to_str().unwrap()).collect();
    let at = usize::from(matches!(
        parts.as_slice(),
        ["core", ..] | ["validate", "toolchain" | "private_folder.rs" | "regular_file.rs", ..]
    ));
    parts[at].trim_end_matches(".rs").to_owned()
}

/// The modules of this crate that a source names.
fn used_modules(text: &str) -> BTreeSet<String> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let mut used = BTreeSet::new();
    for line in code {
        for after in line.split("crate::").skip(1) {
            used.insert(after.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect());
        }
    }
    used.retain(|module: &String| !module.is_empty());
    used
}

#[test]
fn each_file_of_tests_is_run() {
    let read = |path: &str| fs::read_to_string(common::root().join(path)).unwrap();
    let (modules, manifest) = (read("tests/main.rs"), read("Cargo.toml"));
    let files = fs::read_dir(common::root().join("tests")).unwrap().map(|entry| entry.unwrap().path());
    let names = files.filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    let names: Vec<String> = names.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    let is_run = |name: &&String| {
        modules.contains(&format!("\nmod {name};")) || manifest.contains(&format!("\"tests/{name}.rs\""))
    };
    let forgotten: Vec<&String> = names.iter().filter(|name| !is_run(name)).collect();
    assert!(forgotten.is_empty() && names.len() > 70, "in no test program: {forgotten:?} of {}", names.len());
}

#[test]
fn modules_use_only_what_lies_below_them() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        let module = module_of(&path);
        if matches!(module.as_str(), "lib" | "main") {
            continue;
        }
        let layer = LAYERS.iter().find(|(name, _)| *name == module);
        let (_, allowed) = layer.unwrap_or_else(|| panic!("no layer is known for `{module}`"));
        let used = used_modules(without_tests(&text));
        let is_layer = |name: &str| LAYERS.iter().any(|(layer, _)| *layer == name);
        let above = used.iter().filter(|used| **used != module && is_layer(used) && !allowed.contains(&used.as_str()));
        wrong.extend(above.map(|used| format!("{} uses `{used}`", common::shown(&path))));
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The sources of all crates of the emulator.
fn backend_sources() -> Vec<(PathBuf, String)> {
    let files = common::files_below("backend", &["rs"]).into_iter();
    let sources = files.filter(|path| path.components().any(|part| part.as_os_str() == "src"));
    sources.map(|path| (path.clone(), fs::read_to_string(&path).unwrap())).collect()
}

#[test]
fn files_are_short_and_say_what_they_are_for() {
    for (path, text) in sources().into_iter().chain(backend_sources()) {
        let shown = common::shown(&path);
        assert!(text.starts_with("//! "), "{shown} does not start with `//!`");
        let lines = text.lines().count();
        assert!(lines <= LONGEST_FILE, "{shown} has {lines} lines");
    }
}

#[test]
fn nothing_panics_on_purpose() {
    let mut wrong = Vec::new();
    // Files and folders of tests beside what they test may panic, and so may what they compare with.
    let is_test = |path: &Path| {
        let shown = common::shown(path);
        shown.ends_with("_tests.rs") || shown.contains("_tests/") || shown.contains("/alu/references/")
    };
    let backend = backend_sources().into_iter().filter(|(path, _)| !is_test(path));
    for (path, text) in sources().into_iter().chain(backend) {
        for (line, number) in without_tests(&text).lines().zip(1..) {
            let code = line.split("//").next().unwrap_or(line);
            let panics = [".unwrap()", ".expect(", "panic!(", "unreachable!(", "todo!(", "unimplemented!("];
            if panics.iter().any(|word| code.contains(word)) {
                wrong.push(format!("{}:{number}: {}", common::shown(&path), line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn module_files_hold_a_list_of_their_modules_only() {
    const STARTS: &[&str] = &["//", "mod ", "pub mod ", "pub use ", "pub(crate) use ", "pub(super) use ", "use ", "#["];
    // The command line is started, and the rules are listed, where the module begins.
    const EXCEPT: &[&str] = &["src/cli/mod.rs", "src/core/engine/mod.rs"];
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        let shown = common::shown(&path);
        if !shown.ends_with("/mod.rs") || EXCEPT.contains(&shown.as_str()) {
            continue;
        }
        let mut in_list = false;
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            if !in_list && !STARTS.iter().any(|start| line.starts_with(start)) {
                wrong.push(format!("{shown}: {line}"));
            }
            let is_code = !line.starts_with("//");
            in_list = is_code && if in_list { !line.ends_with("};") } else { line.ends_with('{') };
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_snapshot_belongs_to_a_fixture() {
    let mut orphans = Vec::new();
    for path in common::files_below("tests/snapshots", &["snap"]) {
        let text = fs::read_to_string(&path).unwrap();
        let input = text.lines().find_map(|line| line.strip_prefix("input_file: "));
        if input.is_some_and(|input| !common::root().join(input).is_file()) {
            orphans.push(common::shown(&path));
        }
        let source = text.lines().find_map(|line| line.strip_prefix("source: "));
        if source.is_some_and(|source| !common::root().join(source).is_file()) {
            orphans.push(common::shown(&path));
        }
    }
    assert!(orphans.is_empty(), "snapshots of fixtures that are gone: {orphans:?}");
}

#[test]
fn every_fixture_of_a_rule_has_a_snapshot() {
    for path in common::files_below("fixtures/rules", &["cu"]) {
        let inside = path.strip_prefix(common::root().join("fixtures/rules")).unwrap();
        let name = inside.to_str().unwrap().replace('/', "__");
        let snapshot = common::root().join(format!("tests/snapshots/all__rules__fixtures@{name}.snap"));
        assert!(snapshot.is_file(), "no snapshot for {}", inside.display());
    }
}

#[test]
fn messages_are_lower_case_and_end_without_a_full_stop() {
    let mut wrong = BTreeSet::new();
    for path in common::files_below("fixtures", &["cu", "cuh", "h"]) {
        let document = common::read(&path);
        let outcome = common::convert(&document, &Settings::default());
        for finding in common::findings(&outcome) {
            let labels = finding.labels.iter().map(|label| &label.message);
            for text in std::iter::once(&finding.message).chain(&finding.notes).chain(labels) {
                if text.ends_with('.') || text.trim() != text || text.is_empty() {
                    wrong.insert(format!("{}: {text}", finding.rule.name));
                }
            }
            let starts_capital = finding.message.starts_with(|c: char| c.is_ascii_uppercase());
            let first_word = finding.message.split_whitespace().next().unwrap_or_default();
            let is_name = first_word.chars().filter(|c| c.is_ascii_uppercase() || c.is_ascii_digit()).count() > 1;
            if starts_capital && !is_name {
                wrong.insert(format!("{}: {}", finding.rule.name, finding.message));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Files under version control, or none where this is no work tree.
fn tracked() -> Vec<PathBuf> {
    let listed = Command::new("git").arg("ls-files").current_dir(common::root()).output();
    let Ok(listed) = listed else { return Vec::new() };
    let names = String::from_utf8(listed.stdout).unwrap();
    names.lines().map(|name| common::root().join(name)).filter(|path| path.is_file()).collect()
}

#[test]
fn no_file_tells_where_it_was_made() {
    // Put together here, so that this file does not hold them.
    let words = [
        ["/home", "/"],
        ["/root", "/"],
        ["/Users", "/"],
        ["/work", "/"],
        ["/tmp/", "wt-"],
        ["jfrog", "."],
        ["artifact", "ory"],
    ];
    let words = words.map(|parts| parts.concat());
    let mut wrong = Vec::new();
    for path in tracked() {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let found = words.iter().filter(|word| text.contains(word.as_str()));
        wrong.extend(found.map(|word| format!("{}: {word}", common::shown(&path))));
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn files_of_the_rewriter_do_not_import_each_other() {
    let sources = imports::sources(Path::new("src/core"));
    assert!(!sources.is_empty(), "no sources");
    let graph = imports::imports(&sources, true);
    let edges = |files: &BTreeSet<String>| {
        let edge = |from: &String| {
            let within: Vec<&str> = graph[from].intersection(files).map(String::as_str).collect();
            format!("    {from} imports {}\n", within.join(", "))
        };
        format!("{} files import each other:\n{}", files.len(), files.iter().map(edge).collect::<String>())
    };
    let loops = imports::components(&graph).into_iter().filter(|files| files.len() > 1);
    let loops: Vec<String> = loops.map(|files| edges(&files)).collect();
    assert!(loops.is_empty(), "\n{}", loops.join("\n"));
}

#[test]
fn loops_are_found_through_lists() {
    let found = |files: &[(&str, &str)]| -> Vec<Vec<String>> {
        let sources = files.iter().map(|(file, text)| ((*file).to_owned(), (*text).to_owned())).collect();
        let loops = imports::components(&imports::imports(&sources, true));
        loops.into_iter().filter(|files| files.len() > 1).map(|files| files.into_iter().collect()).collect()
    };
    let list = ("a/mod.rs", "mod b;\nmod c;\npub use b::f;\npub(crate) use c::{G, h};");
    let none: [Vec<String>; 0] = [];
    let (leaf, user) = (("a/b.rs", "pub fn f() {}"), ("a/c.rs", "use super::f;\npub(in crate::a) fn h() {}"));
    assert_eq!(found(&[list, leaf, user]), none);
    let back = ("a/b.rs", "pub fn f() { crate::a::h() }");
    assert_eq!(found(&[list, back, user]), [["a/b.rs", "a/c.rs"]]);
    assert_eq!(found(&[list, ("a/b.rs", "use crate::a::{self, G};"), user]), [["a/b.rs", "a/c.rs"]]);
}
