//! Rules about the code of the emulator and of the library that HIP programs load: no file imports itself by way of
//! others, folders of the executor stand on those before them, and `mod.rs` files hold lists.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot go on fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Folders whose files are looked at, each the root of a crate, from the folder of this crate on.
const ROOTS: &[&str] = &["src", "../amdhip64/src"];

/// The folders of the executor, lowest first: each may use those before it.
const EXECUTOR: &[&str] =
    &["number", "race", "state", "launch", "checks", "alu", "memory", "matrix", "code", "schedule"];

/// The files that a file names, by their paths below the root.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// Parts of a path, from the root of the crate on.
type Module = Vec<String>;

#[test]
fn files_do_not_import_each_other() {
    let mut loops = Vec::new();
    for root in ROOTS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(root);
        let sources = sources(&folder);
        assert!(!sources.is_empty(), "no sources in {root}");
        let graph = imports(&sources);
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
    for (file, imported) in imports(&sources) {
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

/// Paths and texts of all files below a folder that are no tests.
fn sources(root: &Path) -> BTreeMap<String, String> {
    let mut sources = BTreeMap::new();
    let mut folders: Vec<PathBuf> = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let parts: Vec<_> =
                    path.strip_prefix(root).unwrap().iter().map(|part| part.to_str().unwrap()).collect();
                let shown = parts.join("/");
                // Tests import what they test, and what that is made of.
                let is_test = |part: &str| part.trim_end_matches(".rs").ends_with("_tests") || part == "references";
                if !parts.iter().any(|part| is_test(part)) {
                    sources.insert(shown, fs::read_to_string(&path).unwrap());
                }
            }
        }
    }
    sources
}

/// Which files name which. A file that gives names of others on (`pub use`) imports these, and whoever takes such a name
/// imports that file; to list modules (`mod`) is no import.
fn imports(sources: &BTreeMap<String, String>) -> Graph {
    let modules: BTreeMap<Module, &String> = sources.keys().map(|file| (module(file), file)).collect();
    let named = |(file, text): (&String, &String)| {
        let own = module(file);
        let paths = paths(&code(text));
        let files = paths.iter().filter_map(|path| {
            let mut at = start(path, &own, &modules)?;
            // What follows the last module is an item of it.
            while !modules.contains_key(&at) && at.pop().is_some() {}
            modules.get(&at).copied()
        });
        (file.clone(), files.filter(|other| *other != file).cloned().collect())
    };
    sources.iter().map(named).collect()
}

/// The module of a file. The root of the crate is the empty path.
fn module(file: &str) -> Module {
    let name = file.trim_end_matches(".rs");
    let name = name.strip_suffix("/mod").unwrap_or(name);
    if matches!(name, "lib" | "main") { Vec::new() } else { name.split('/').map(str::to_owned).collect() }
}

/// Where a path leads, from the root of the crate on; `None` for paths into other crates.
fn start(path: &str, own: &Module, modules: &BTreeMap<Module, &String>) -> Option<Module> {
    let mut parts = path.split("::").map(str::trim).peekable();
    let mut at = match *parts.peek()? {
        "crate" => Vec::new(),
        "self" | "super" => own.clone(),
        first => {
            // A child of the module that the path stands in.
            let child: Module = own.iter().cloned().chain([first.to_owned()]).collect();
            return modules.contains_key(&child).then(|| own.iter().cloned().chain(parts.map(str::to_owned)).collect());
        }
    };
    for part in parts {
        match part {
            "crate" | "self" => {}
            "super" => {
                at.pop();
            }
            part => at.push(part.to_owned()),
        }
    }
    Some(at)
}

/// A source without comments, texts and tests. Tests of a file stand at its end.
fn code(text: &str) -> String {
    let is_test = |line: &str| line.starts_with("#[cfg(") && line.contains("test");
    let lines: Vec<&str> = text.lines().collect();
    let tests = lines.windows(2).position(|pair| is_test(pair[0]) && pair[1].starts_with("mod tests {"));
    let kept = &lines[..tests.unwrap_or(lines.len())];
    let mut code = String::new();
    for (number, line) in kept.iter().enumerate() {
        // An import for tests alone.
        if number > 0 && is_test(kept[number - 1]) && line.starts_with("use ") {
            continue;
        }
        code.push_str(line.split("//").next().unwrap_or(line));
        code.push('\n');
    }
    code
}

/// All paths of a source: those of `use` declarations one by one, and those that stand elsewhere.
fn paths(code: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let mut rest = code;
    let mut others = String::new();
    while let Some((before, after)) = next_use(rest) {
        others.push_str(before);
        let (declaration, behind) = after.split_once(';').expect("a declaration ends");
        expand("", declaration, &mut paths);
        rest = behind;
    }
    others.push_str(rest);
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
    let words = others.split(|c| !is_part(c)).map(|word| word.trim_matches(':'));
    paths.extend(words.filter(|word| word.contains("::")).map(str::to_owned));
    paths
}

/// What stands before the next `use` declaration, and what behind the word.
fn next_use(code: &str) -> Option<(&str, &str)> {
    let mut from = 0;
    while let Some(found) = code[from..].find("use ") {
        let at = from + found;
        let line = &code[code[..at].rfind('\n').map_or(0, |end| end + 1)..at];
        // Nothing but how far the name is seen may stand before it.
        let before = line.trim();
        if before.is_empty() || before == "pub" || (before.starts_with("pub(") && before.ends_with(')')) {
            return Some((&code[..at], &code[at + "use ".len()..]));
        }
        from = at + "use ".len();
    }
    None
}

/// Takes a `use` tree apart: `a::{b, c::{d, self}}` are `a::b`, `a::c::d` and `a::c`.
fn expand(prefix: &str, tree: &str, paths: &mut Vec<String>) {
    let tree = tree.trim();
    if let Some((before, group)) = tree.split_once('{') {
        let group = group.trim_end().strip_suffix('}').expect("a group ends");
        let prefix = format!("{prefix}{}", before.trim());
        let mut depth = 0;
        let parts = group.split(|c| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            c == ',' && depth == 0
        });
        parts.for_each(|part| expand(&prefix, part, paths));
    } else if !tree.is_empty() {
        let name = tree.split(" as ").next().unwrap_or(tree);
        let path = if name == "self" { prefix.trim_end_matches(':').to_owned() } else { format!("{prefix}{name}") };
        paths.push(path);
    }
}

/// Strongly connected components: files that reach each other. These are few, so that reaching is simply tried.
fn components(graph: &Graph) -> Vec<BTreeSet<String>> {
    let reached: BTreeMap<&String, BTreeSet<&String>> = graph.keys().map(|file| (file, reach(graph, file))).collect();
    let mut components: Vec<BTreeSet<String>> = Vec::new();
    for file in graph.keys() {
        if components.iter().any(|component| component.contains(file)) {
            continue;
        }
        let back = reached[file].iter().filter(|other| reached[**other].contains(file));
        components.push(back.map(|other| (*other).clone()).chain([file.clone()]).collect());
    }
    components
}

/// All files that one imports, and that these import.
fn reach<'g>(graph: &'g Graph, file: &String) -> BTreeSet<&'g String> {
    let mut reached = BTreeSet::new();
    let mut ahead: Vec<&String> = graph[file].iter().collect();
    while let Some(next) = ahead.pop() {
        if reached.insert(next) {
            ahead.extend(&graph[next]);
        }
    }
    reached
}

/// What is found in a crate of these files.
fn found(files: &[(&str, &str)]) -> Vec<Vec<String>> {
    let sources = files.iter().map(|(file, text)| ((*file).to_owned(), (*text).to_owned())).collect();
    let loops = components(&imports(&sources)).into_iter().filter(|files| files.len() > 1);
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
