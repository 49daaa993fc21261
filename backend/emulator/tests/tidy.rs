//! Rules about the code of the emulator and of the library that HIP programs load: no file imports itself by way of
//! others, folders of the executor stand on those before them, and `mod.rs` files hold lists.

#[path = "../../../tests/common/imports.rs"]
mod imports;

use std::path::Path;

use imports::{components, imports, sources};

/// Folders whose files are looked at, each the root of a crate, from the folder of this crate on.
const ROOTS: &[&str] = &["src", "../amdhip64/src"];

/// The folders of the executor, lowest first: each may use those before it.
const EXECUTOR: &[&str] =
    &["number", "race", "state", "launch", "checks", "alu", "memory", "matrix", "code", "schedule"];

#[test]
fn files_do_not_import_each_other() {
    let mut loops = Vec::new();
    for root in ROOTS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(root);
        let sources = sources(&folder);
        assert!(!sources.is_empty(), "no sources in {root}");
        let graph = imports(&sources, false);
        for files in components(&graph).into_iter().filter(|files| files.len() > 1) {
            let edge = |from: &String| {
                let within: Vec<&str> = graph[from].intersection(&files).map(String::as_str).collect();
                format!("    {from} imports {}", within.join(", "))
            };
            let edges: Vec<String> = files.iter().map(edge).collect();
            loops.push(format!("{} files of {root} import each other:\n{}", files.len(), edges.join("\n")));
        }
    }
    assert!(loops.is_empty(), "\n{}", loops.join("\n"));
}

#[test]
fn folders_of_the_executor_stand_on_those_before_them() {
    let sources = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let folder = |file: &String| Some(file.strip_prefix("exec/")?.split_once('/')?.0.to_owned());
    let height = |folder: &String| {
        let found = EXECUTOR.iter().position(|known| known == folder);
        found.unwrap_or_else(|| panic!("no place is known for the folder `{folder}`"))
    };
    let mut wrong = Vec::new();
    for (file, imported) in imports(&sources, false) {
        let Some(own) = folder(&file) else { continue };
        let above = imported.iter().filter(|other| folder(other).is_some_and(|other| height(&other) > height(&own)));
        wrong.extend(above.map(|other| format!("{file} imports {other}")));
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn module_files_hold_a_list_of_their_modules_only() {
    const STARTS: &[&str] = &["//", "mod ", "use ", "#["];
    let mut wrong = Vec::new();
    for root in ROOTS {
        let sources = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(root));
        for (file, text) in sources.iter().filter(|(file, _)| file.ends_with("/mod.rs")) {
            let mut in_list = false;
            for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
                let seen = ["pub ", "pub(crate) ", "pub(super) "].iter().find_map(|seen| line.strip_prefix(seen));
                if !in_list && !STARTS.iter().any(|start| seen.unwrap_or(line).starts_with(start)) {
                    wrong.push(format!("{file}: {line}"));
                }
                let is_code = !line.starts_with("//");
                in_list = is_code && if in_list { !line.ends_with("};") } else { line.ends_with('{') };
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// What is found in a crate of these files.
fn found(files: &[(&str, &str)]) -> Vec<Vec<String>> {
    let sources = files.iter().map(|(file, text)| ((*file).to_owned(), (*text).to_owned())).collect();
    let loops = components(&imports(&sources, false)).into_iter().filter(|files| files.len() > 1);
    loops.map(|files| files.into_iter().collect()).collect()
}

#[test]
fn loops_are_found_however_paths_are_written() {
    let none: [[&str; 0]; 0] = [];
    let leaf = ("b.rs", "pub(crate) fn f() {}");
    assert_eq!(found(&[("a.rs", "use crate::b::f;"), leaf]), none);
    for back in [
        "use crate::a::A;",
        "pub(super) use super::a::A;",
        "use super::{\n    c::{self, C},\n    a::{A, B},\n};",
        "fn f(_: Option<crate::a::A>) {}",
        "fn f() { super::a::g(); }",
    ] {
        assert_eq!(found(&[("a.rs", "use crate::b::f;"), ("b.rs", back)]), [["a.rs", "b.rs"]], "{back}");
    }
    for harmless in [
        "// use crate::a::A;",
        "/// See [`crate::a::A`].\nfn f() {}",
        "#[cfg(test)]\nuse crate::a::A;",
        "fn f() {}\n\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}",
        "use std::a::A;",
    ] {
        assert_eq!(found(&[("a.rs", "use crate::b::f;"), ("b.rs", harmless)]), none, "{harmless}");
    }
}

#[test]
fn names_that_a_module_gives_on_are_imports_of_it() {
    let listed = ("room/mod.rs", "mod a;\nmod b;");
    assert_eq!(found(&[listed, ("room/a.rs", "use super::b::B;"), ("room/b.rs", "")]).len(), 0);
    let calls = ("room.rs", "mod a;\nfn f() { a::g(); }");
    assert_eq!(found(&[calls, ("room/a.rs", "use super::f;")]), [["room.rs", "room/a.rs"]]);
    assert_eq!(found(&[("lib.rs", "mod a;\npub use a::A;"), ("a.rs", "use crate::A;")]), [["a.rs", "lib.rs"]]);
    let facade = ("room/mod.rs", "mod a;\nmod b;\npub use a::A;\npub use b::B;");
    let files = [facade, ("room/a.rs", "use super::B;"), ("room/b.rs", "")];
    assert_eq!(found(&files), [["room/a.rs", "room/mod.rs"]]);
}
