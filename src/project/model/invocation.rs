//! A call of a compiler, linker or archiver, read from its words.

use camino::{Utf8Path, Utf8PathBuf};

use super::lists::{is_of_cuda, is_source};
use super::tree::Tree;
use super::types::add_new;
use crate::mapping::nvcc_option;

/// What a call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// Objects from sources.
    Compile,
    /// A program or a shared library.
    Link,
    /// A library of objects.
    Archive,
    /// Code for GPUs alone, or device code that is linked: no part of a program that is known here.
    Device,
}

/// A call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Invocation {
    pub(super) action: Action,
    /// Whether a shared library is linked.
    pub(super) shared: bool,
    /// Sources, objects and archives, resolved.
    pub(super) inputs: Vec<Utf8PathBuf>,
    pub(super) output: Option<Utf8PathBuf>,
    pub(super) include: Vec<Utf8PathBuf>,
    pub(super) definitions: Vec<String>,
    pub(super) flags: Vec<String>,
    /// What stands behind `-l`.
    pub(super) libraries: Vec<String>,
}

/// Compilers, by the begin of their names.
const COMPILERS: &[&str] =
    &["nvcc", "hipcc", "cc", "gcc", "g++", "c++", "clang", "mpic", "mpicc", "icc", "icpc", "icx", "icpx", "CC", "nvc"];

/// What stands in front of a compiler and starts it.
const LAUNCHERS: &[&str] = &["ccache", "sccache", "distcc", "env", "time", "nice", "sudo"];

/// The name of a tool in a word: without folder, release and platform.
fn tool(word: &str) -> &str {
    let name = word.rsplit('/').next().unwrap_or(word);
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    name.rsplit('-').next().unwrap_or(name)
}

fn is_compiler(word: &str) -> bool {
    let name = tool(word);
    COMPILERS.contains(&name) || name == "clang++" || name == "mpicxx" || name == "mpic++" || name == "nvc++"
}

/// The words of a call without launchers and variables in front; nothing if no compiler is called.
fn called(words: &[String]) -> Option<(&str, &[String])> {
    let is_front = |word: &&String| {
        let is_variable = word.split_once('=').is_some_and(|(name, _)| !name.is_empty() && !name.starts_with('-'));
        is_variable || LAUNCHERS.contains(&tool(word))
    };
    let at = words.iter().take_while(is_front).count();
    let (first, rest) = words.get(at..)?.split_first()?;
    Some((first.trim_start_matches(['@', '-', '+']), rest))
}

impl Invocation {
    /// Reads a command that is started in `folder`; nothing if it builds nothing.
    pub(super) fn read(words: &[String], folder: &Utf8Path, tree: &Tree<'_>) -> Option<Invocation> {
        let (first, rest) = called(words)?;
        let mut call = Invocation {
            action: Action::Link,
            shared: false,
            inputs: Vec::new(),
            output: None,
            include: Vec::new(),
            definitions: Vec::new(),
            flags: Vec::new(),
            libraries: Vec::new(),
        };
        if matches!(tool(first), "ar" | "ranlib" | "libtool") {
            call.archive(rest, folder, tree);
        } else if is_compiler(first) {
            Reader { call: &mut call, folder, tree }.all(rest);
        } else {
            return None;
        }
        Some(call)
    }

    fn archive(&mut self, words: &[String], folder: &Utf8Path, tree: &Tree<'_>) {
        self.action = Action::Archive;
        let mut names = words.iter().filter(|word| {
            let path = Utf8Path::new(word.as_str());
            !word.starts_with('-') && path.extension().is_some()
        });
        self.output = names.next().map(|name| tree.resolve(folder, name));
        self.inputs = names.map(|name| tree.resolve(folder, name)).collect();
    }
}

struct Reader<'r> {
    call: &'r mut Invocation,
    folder: &'r Utf8Path,
    tree: &'r Tree<'r>,
}

impl Reader<'_> {
    fn all(&mut self, words: &[String]) {
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            match word.as_bytes() {
                [b'-', _, ..] => self.option(word, &mut words),
                [b'>', ..] | [b'2', b'>', ..] => break,
                _ => self.input(word),
            }
        }
    }

    fn input(&mut self, word: &str) {
        let path = Utf8Path::new(word);
        let is_input = is_source(path) || path.extension().is_some_and(|end| matches!(end, "o" | "obj" | "a" | "so"));
        if is_input {
            self.call.inputs.push(self.tree.resolve(self.folder, word));
        }
    }

    fn option<'w>(&mut self, word: &'w str, rest: &mut (impl Iterator<Item = &'w str> + Clone)) {
        // The value stands in the same word or is the next.
        let mut value = |name: &str| -> String {
            let own = word.strip_prefix(name).unwrap_or_default();
            if own.is_empty() {
                rest.next().unwrap_or_default().to_owned()
            } else {
                own.trim_start_matches('=').to_owned()
            }
        };
        match word {
            "-c" | "--compile" => self.call.action = Action::Compile,
            // It also says that device code is linked later.
            "-dc" | "--device-c" => {
                self.call.action = Action::Compile;
                self.call.flags.push(word.to_owned());
            }
            "-dlink" | "--device-link" | "-ptx" | "--ptx" | "-cubin" | "--cubin" | "-fatbin" | "--fatbin" | "-E"
            | "-M" | "-MM" | "--version" | "-V" | "-S" => self.call.action = Action::Device,
            "-shared" | "--shared" => self.call.shared = true,
            "-lib" | "--lib" => self.call.action = Action::Archive,
            "-o" | "--output-file" => self.call.output = Some(self.tree.resolve(self.folder, &value(word))),
            "-isystem" => self.include(&value(word)),
            "-MF" | "-MT" | "-MQ" => drop(value(word)),
            _ if word.starts_with("-I") => self.include(&value("-I")),
            _ if word.starts_with("-D") => add_new(&mut self.call.definitions, [value("-D")]),
            _ if word.starts_with("-l") && word != "-lineinfo" => add_new(&mut self.call.libraries, [value("-l")]),
            _ if word.starts_with("-L") => drop(value("-L")),
            _ if word.starts_with("-Wl,") || word.starts_with("-M") => {}
            _ => self.flag(word, rest),
        }
    }

    fn include(&mut self, folder: &str) {
        let folder = self.tree.resolve(self.folder, folder);
        if !is_of_cuda(&folder) {
            add_new(&mut self.call.include, [folder]);
        }
    }

    fn flag<'w>(&mut self, word: &'w str, rest: &mut (impl Iterator<Item = &'w str> + Clone)) {
        self.call.flags.push(word.to_owned());
        if nvcc_option(word, rest.clone().next()).is_some_and(|found| found.takes_next) {
            self.call.flags.extend(rest.next().map(str::to_owned));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn read(line: &str) -> Option<Invocation> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Invocation::read(&words, "lib".into(), &Tree::new("/p".into(), BTreeSet::new()))
    }

    #[test]
    fn calls_are_told_from_other_commands() {
        for line in ["mkdir -p build", "", "echo nvcc", "rm -f a.o"] {
            assert_eq!(read(line), None, "{line}");
        }
        let call = read("ccache /usr/local/cuda/bin/nvcc -ccbin g++ -O2 -I.. -DN=4 -D X -c k.cu -o k.o").unwrap();
        assert_eq!((call.action, call.inputs.as_slice()), (Action::Compile, ["lib/k.cu".into()].as_slice()));
        assert_eq!(call.include, [""]);
        assert_eq!(
            (call.definitions, call.flags),
            (vec!["N=4".into(), "X".into()], vec!["-ccbin".into(), "g++".into(), "-O2".into()])
        );
        assert_eq!(call.output.unwrap(), "lib/k.o");
    }

    #[test]
    fn links_and_archives_name_what_they_are_made_of() {
        let call = read("@x86_64-linux-gnu-g++-12 -shared a.o ../b.a -L/x -lcudart -Wl,-z -o libq.so").unwrap();
        assert_eq!((call.action, call.shared), (Action::Link, true));
        assert_eq!(call.inputs, ["lib/a.o", "b.a"]);
        assert_eq!(call.libraries, ["cudart"]);
        let call = read("ar rcs libk.a k.o l.o").unwrap();
        assert_eq!((call.action, call.output.unwrap().as_str(), call.inputs.len()), (Action::Archive, "lib/libk.a", 2));
        assert_eq!(read("nvcc -ptx k.cu").unwrap().action, Action::Device);
    }
}
