//! Which files of a crate import which, read from their text.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The files that a file names, by their paths below the root.
pub(crate) type Graph = BTreeMap<String, BTreeSet<String>>;

/// Parts of a path, from the root of the crate on.
type Module = Vec<String>;

/// Paths and texts of all files below a folder that are no tests.
pub(crate) fn sources(root: &Path) -> BTreeMap<String, String> {
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

/// Which files name which; to list modules (`mod`) is no import. Where `looks_through`, what a file gives on (`pub use`) is
/// imported from the one that defines it; else that file imports it, and whoever takes such a name imports that file.
pub(crate) fn imports(sources: &BTreeMap<String, String>, looks_through: bool) -> Graph {
    let modules: BTreeMap<Module, &String> = sources.keys().map(|file| (module(file), file)).collect();
    let lists: BTreeMap<&String, BTreeMap<String, String>> =
        sources.iter().map(|(file, text)| (file, given(&code(text)))).collect();
    let named = |(file, text): (&String, &String)| {
        let own = module(file);
        let paths = if looks_through && file.ends_with("mod.rs") { Vec::new() } else { paths(&code(text)) };
        let files = paths.iter().filter_map(|path| {
            let mut at = start(path, &own, &modules)?;
            for _ in 0..DEEPEST {
                let inner = at.clone();
                // What follows the last module is an item of it.
                while !modules.contains_key(&at) && at.pop().is_some() {}
                let found = modules.get(&at).copied()?;
                let item = inner.get(at.len()).filter(|_| looks_through).and_then(|item| lists[found].get(item));
                let Some(further) = item else { return Some(found) };
                let rest = inner[at.len() + 1..].to_vec();
                at = [start(further, &at, &modules)?, rest].concat();
            }
            None
        });
        (file.clone(), files.filter(|other| *other != file).cloned().collect())
    };
    sources.iter().map(named).collect()
}

/// How often a name is given on at most.
const DEEPEST: usize = 8;

/// The names that a file gives on, and the paths by which it knows them.
fn given(code: &str) -> BTreeMap<String, String> {
    let mut given = BTreeMap::new();
    let mut rest = code;
    while let Some((before, after)) = next_use(rest) {
        let Some((declaration, behind)) = after.split_once(';') else { break };
        let line = before.rsplit('\n').next().unwrap_or(before);
        let mut all = Vec::new();
        if line.trim().starts_with("pub") {
            expand("", declaration, &mut all);
        }
        given.extend(all.into_iter().filter_map(|path| Some((path.rsplit("::").next()?.to_owned(), path))));
        rest = behind;
    }
    given
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
        let line = line.split("//").next().unwrap_or(line);
        // `pub(in crate::a)` imports nothing.
        match line.split_once("pub(in ").and_then(|(before, after)| Some((before, after.split_once(')')?.1))) {
            Some((before, after)) => code.extend([before, "pub(crate)", after]),
            None => code.push_str(line),
        }
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
        let (declaration, behind) = after.split_once(';').unwrap();
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
        let group = group.trim_end().strip_suffix('}').unwrap();
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
pub(crate) fn components(graph: &Graph) -> Vec<BTreeSet<String>> {
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
