//! Functions of make on texts and names of files (GNU make manual, "Functions for Transforming Text").

use camino::Utf8Path;

use super::variables::Variables;
use crate::project::model::bounded::{replaced, shaped};

/// What a function gives; nothing if there is none of this name.
pub(super) fn call(variables: &Variables<'_>, name: &str, arguments: &str, own: &[(String, String)]) -> Option<String> {
    let raw = split(arguments);
    let at = |number: usize| variables.expand(raw.get(number).copied().unwrap_or_default(), own);
    // The last argument of a function holds commas as they are.
    let whole = || variables.expand(arguments, own);
    let words = |text: &str, map: &dyn Fn(&str) -> String| {
        text.split_whitespace().map(map).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    };
    let value = match name {
        "subst" => variables.made(replaced(&at(2), &at(0), &at(1))),
        "patsubst" => variables.made(substitute(&at(0), &at(1), &at(2))),
        "strip" => words(&whole(), &str::to_owned),
        "filter" | "filter-out" => {
            let (patterns, text) = (at(0), at(1));
            variables.spend(patterns.split_whitespace().count().saturating_mul(text.len() / 64));
            variables.made(filter(&patterns, &text, name == "filter"))
        }
        "findstring" => Some(at(0)).filter(|part| at(1).contains(part.as_str())).unwrap_or_default(),
        "sort" => sorted(&whole()),
        "word" => nth(&at(1), at(0).trim().parse().unwrap_or(0)),
        "firstword" => nth(&whole(), 1),
        "lastword" => whole().split_whitespace().last().unwrap_or_default().to_owned(),
        "words" => whole().split_whitespace().count().to_string(),
        "wordlist" => wordlist(at(0).trim(), at(1).trim(), &at(2)),
        "dir" => words(&whole(), &|word| word.rfind('/').map_or("./".to_owned(), |end| word[..=end].to_owned())),
        "notdir" => words(&whole(), &|word| word.rsplit('/').next().unwrap_or(word).to_owned()),
        "suffix" => {
            words(&whole(), &|word| Utf8Path::new(word).extension().map(|end| format!(".{end}")).unwrap_or_default())
        }
        "basename" => words(&whole(), &|word| Utf8Path::new(word).with_extension("").into_string()),
        "addprefix" | "addsuffix" => {
            let (more, words) = (at(0), at(1));
            let is_prefix = name == "addprefix";
            let shape = |word: &str| if is_prefix { format!("{more}{word}") } else { format!("{word}{more}") };
            variables.made(shaped(&words, more.len(), shape))
        }
        "join" => join(&at(0), &at(1)),
        "wildcard" => wildcard(variables, &whole()),
        "realpath" | "abspath" => words(&whole(), &|word| {
            variables.tree.root.join(variables.tree.resolve(&variables.folder, word)).into_string()
        }),
        "foreach" => foreach(variables, &raw, own),
        "if" => at(if at(0).trim().is_empty() { 2 } else { 1 }),
        "or" => (0..raw.len()).map(&at).find(|value| !value.trim().is_empty()).unwrap_or_default(),
        "and" => {
            let all: Vec<String> = (0..raw.len()).map(&at).collect();
            let is_one_empty = all.iter().any(|value| value.trim().is_empty());
            all.into_iter().last().filter(|_| !is_one_empty).unwrap_or_default()
        }
        "call" => user_function(variables, &raw, own),
        "shell" => shell(variables, &whole()),
        "info" | "warning" | "error" => String::new(),
        "eval" | "file" | "guile" | "value" | "origin" | "flavor" => {
            let message = format!("`$({name} …)` of a makefile in `{}` is not read", shown(&variables.folder));
            variables.tree.note(None, message);
            String::new()
        }
        _ => return None,
    };
    Some(value)
}

/// Arguments between commas outside of references.
fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0_usize, 0, Vec::new());
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// What `%` stands for in a word that matches a pattern.
pub(super) fn stem<'w>(pattern: &str, word: &'w str) -> Option<&'w str> {
    match pattern.split_once('%') {
        Some((before, after)) => word.strip_prefix(before)?.strip_suffix(after),
        None => (pattern == word).then_some(""),
    }
}

/// `$(patsubst from,to,words)`; nothing if that is too long.
pub(super) fn substitute(from: &str, to: &str, words: &str) -> Option<String> {
    let new = |word: &str| match stem(from, word) {
        Some(stem) => to.replacen('%', stem, 1),
        None => word.to_owned(),
    };
    shaped(words, to.len(), new)
}

/// So many words are compared with patterns at most.
const MOST_COMPARED: usize = 1 << 20;

/// The words that one of the patterns matches, or the others; nothing if there are too many of both.
fn filter(patterns: &str, words: &str, keeps: bool) -> Option<String> {
    let patterns: Vec<&str> = patterns.split_whitespace().collect();
    let words: Vec<&str> = words.split_whitespace().collect();
    if patterns.len().saturating_mul(words.len()) > MOST_COMPARED {
        return None;
    }
    let matches = |word: &&&str| patterns.iter().any(|pattern| stem(pattern, word).is_some()) == keeps;
    Some(words.iter().filter(matches).copied().collect::<Vec<_>>().join(" "))
}

fn sorted(text: &str) -> String {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    words.sort_unstable();
    words.dedup();
    words.join(" ")
}

fn nth(text: &str, number: usize) -> String {
    let at = number.checked_sub(1);
    at.and_then(|at| text.split_whitespace().nth(at)).unwrap_or_default().to_owned()
}

fn wordlist(from: &str, to: &str, text: &str) -> String {
    let (from, to) = (from.parse::<usize>().unwrap_or(1).max(1), to.parse::<usize>().unwrap_or(0));
    let words = text.split_whitespace().skip(from - 1).take((to + 1).saturating_sub(from));
    words.collect::<Vec<_>>().join(" ")
}

fn join(first: &str, second: &str) -> String {
    let (first, second): (Vec<&str>, Vec<&str>) =
        (first.split_whitespace().collect(), second.split_whitespace().collect());
    let word = |at: usize| [first.get(at), second.get(at)].into_iter().flatten().copied().collect::<String>();
    (0..first.len().max(second.len())).map(word).collect::<Vec<_>>().join(" ")
}

/// The files that patterns find, as they would be written there.
fn wildcard(variables: &Variables<'_>, patterns: &str) -> String {
    let find = |pattern: &str| {
        let found = variables.tree.glob(&variables.folder, pattern, false);
        let folder = pattern.rfind('/').map_or("", |end| &pattern[..=end]);
        let is_plain = !folder.contains(['*', '?', '[']);
        let name = |path: &Utf8Path| match path.file_name() {
            Some(name) if is_plain => format!("{folder}{name}"),
            _ => variables.tree.root.join(path).into_string(),
        };
        found.iter().map(|path| name(path)).collect::<Vec<_>>()
    };
    patterns.split_whitespace().flat_map(find).collect::<Vec<_>>().join(" ")
}

fn foreach(variables: &Variables<'_>, raw: &[&str], own: &[(String, String)]) -> String {
    let [name, list, ..] = raw else { return String::new() };
    let body = raw[2..].join(",");
    let name = variables.expand(name, own);
    let with = |word: &str| {
        let mut inner = vec![(name.trim().to_owned(), word.to_owned())];
        inner.extend_from_slice(own);
        variables.expand(&body, &inner)
    };
    let list = variables.expand(list, own);
    list.split_whitespace().map(with).collect::<Vec<_>>().join(" ")
}

/// `$(call name,first,second)`
fn user_function(variables: &Variables<'_>, raw: &[&str], own: &[(String, String)]) -> String {
    let values = raw.iter().map(|argument| variables.expand(argument, own));
    let mut inner: Vec<(String, String)> = values.enumerate().map(|(at, value)| (at.to_string(), value)).collect();
    let name = inner.first().map(|(_, name)| name.trim().to_owned()).unwrap_or_default();
    inner.extend_from_slice(own);
    variables.value(&name, &inner)
}

/// What a command would print, as far as that is known without running it.
pub(super) fn shell(variables: &Variables<'_>, command: &str) -> String {
    let words: Vec<&str> = command.split_whitespace().map(|word| word.trim_matches(['"', '\''])).collect();
    match words.as_slice() {
        ["pwd"] => variables.tree.root.join(&variables.folder).into_string(),
        ["uname"] | ["uname", "-s"] => "Linux".to_owned(),
        ["uname", "-m" | "-p"] => "x86_64".to_owned(),
        ["ls", patterns @ ..] => wildcard(variables, &patterns.join(" ")),
        ["find", folder, rest @ ..] if is_plain_find(rest) => {
            let Some(pattern) = rest.windows(2).find(|pair| pair[0] == "-name").map(|pair| pair[1]) else {
                return unknown(variables, command);
            };
            let found = variables.tree.glob(&variables.folder, &format!("{folder}/{pattern}"), true);
            let shown = found.iter().map(|path| variables.tree.root.join(path).into_string());
            shown.collect::<Vec<_>>().join(" ")
        }
        _ => unknown(variables, command),
    }
}

fn is_plain_find(rest: &[&str]) -> bool {
    rest.chunks(2).all(|pair| matches!(pair, ["-name", _] | ["-type", "f"]))
}

fn unknown(variables: &Variables<'_>, command: &str) -> String {
    let folder = shown(&variables.folder);
    variables
        .tree
        .note(None, format!("a makefile in `{folder}` asks `{command}`, which is not run: taken for nothing"));
    String::new()
}

fn shown(folder: &Utf8Path) -> &str {
    if folder.as_str().is_empty() { "." } else { folder.as_str() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::project::model::tree::Tree;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let files: BTreeSet<camino::Utf8PathBuf> = ["src/a.cu", "src/sub/b.cu"].map(Into::into).into_iter().collect();
        let tree = Tree::new("/p".into(), files);
        let mut variables = Variables::new(&tree, "".into(), &[]);
        variables.assign("A", "=", "x.cu y.cpp $(B)");
        variables.assign("B", ":=", "z.cu");
        variables.assign("pair", "=", "$(1)-$(2)");
        assert_eq!(variables.expand(text, &[]), expected, "{text}");
    }

    #[test]
    fn functions_give_what_make_gives() {
        check("$(A:.cu=.o) $$x $(C)", "x.o y.cpp z.o $x ");
        check("$(patsubst %.cu,build/%.o,$(filter %.cu,$(A)))", "build/x.o build/z.o");
        check("$(filter-out x%,$(A)) $(notdir a/b.c d) $(dir a/b.c d)", "y.cpp z.cu b.c d a/ ./");
        check("$(addprefix -I,a b) $(addsuffix .o,$(basename a.b/c.d))", "-Ia -Ib a.b/c.o");
        check("$(foreach s,1 2,-arch=$(s),x) $(if ,a,b) $(if z,a,b)", "-arch=1,x -arch=2,x b a");
        check("$(call pair,a,$(B)) $(word 2,a b c) $(wordlist 2,3,a b c) $(sort b a b)", "a-z.cu b b c a b");
        check("$(wildcard src/*.cu) ${shell find src -name '*.cu'}", "src/a.cu /p/src/a.cu /p/src/sub/b.cu");
        check("$(subst ab,c,abab) $(strip  a   b ) $(words a b) $(join a b,.c .d)", "cc a b 2 a.c b.d");
        check("$(or ,b) $(and a,) $(shell uname) $(CC)", "b  Linux cc");
    }

    #[test]
    fn endless_references_end() {
        let tree = Tree::new("/p".into(), BTreeSet::new());
        let mut variables = Variables::new(&tree, "".into(), &[]);
        variables.assign("A", "=", "$(A) $(A)");
        variables.expand("$(A)", &[]);
        assert!(!tree.notes().1.is_empty());
    }
}
