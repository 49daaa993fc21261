//! Follows the commands of CMake: blocks, functions, folders.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use camino::{Utf8Path, Utf8PathBuf};

use rustc_hash::FxHashMap;

use super::condition::holds;
use super::draft::{Directory, Draft};
use super::known::{UNKNOWABLE, VARIABLES, WITHOUT_EFFECT};
use super::scope::Scopes;
use super::{lists, targets, texts};
use crate::build::{Command, commands, tokens};
use crate::project::model::tree::{Text, Tree};
use crate::project::model::types::Place;

/// A function or macro of the project.
struct Function {
    is_macro: bool,
    parameters: Vec<String>,
    body: Vec<Command>,
    text: Rc<Text>,
}

/// What is known while commands are followed.
pub(super) struct Run<'r> {
    pub(super) tree: &'r Tree<'r>,
    pub(super) scopes: Scopes,
    pub(super) directories: Vec<Directory>,
    pub(super) drafts: Vec<Draft>,
    /// The numbers of drafts by their names.
    numbers: FxHashMap<String, usize>,
    pub(super) aliases: BTreeMap<String, String>,
    /// Targets that come from elsewhere.
    pub(super) imported: BTreeSet<String>,
    /// Files that the build makes.
    pub(super) made: BTreeSet<Utf8PathBuf>,
    /// Numbers of the folders that are open.
    open: Vec<usize>,
    functions: BTreeMap<String, Rc<Function>>,
    returns: bool,
    depth: usize,
    /// How many blocks are open.
    nested: usize,
    left: usize,
}

/// A command with its arguments expanded.
pub(super) struct Call {
    pub(super) name: String,
    pub(super) arguments: Vec<String>,
    pub(super) place: Place,
}

impl Call {
    /// An argument; empty if there are not so many.
    pub(super) fn at(&self, number: usize) -> &str {
        self.arguments.get(number).map_or("", String::as_str)
    }

    /// Where a keyword stands.
    pub(super) fn find(&self, keyword: &str) -> Option<usize> {
        self.arguments.iter().position(|argument| argument == keyword)
    }
}

/// Calls within calls end here.
const DEEPEST: usize = 60;
/// Blocks within blocks end here.
const MOST_NESTED: usize = 500;
/// More commands than these are not followed.
const MOST: usize = 200_000;

impl<'r> Run<'r> {
    /// Nothing is read yet.
    pub(super) fn new(tree: &'r Tree<'r>) -> Run<'r> {
        let mut scopes = Scopes::default();
        scopes.push();
        for (name, value) in VARIABLES {
            scopes.set(name, Some((*value).to_owned()));
        }
        Run {
            tree,
            scopes,
            directories: Vec::new(),
            drafts: Vec::new(),
            numbers: FxHashMap::default(),
            aliases: BTreeMap::new(),
            imported: BTreeSet::new(),
            made: BTreeSet::new(),
            open: Vec::new(),
            functions: BTreeMap::new(),
            returns: false,
            depth: 0,
            nested: 0,
            left: MOST,
        }
    }

    /// The folder whose file is read.
    pub(super) fn folder(&self) -> &Utf8Path {
        self.directory().map_or(Utf8Path::new(""), |number| self.directories[number].source.as_path())
    }

    /// The number of the folder whose file is read.
    pub(super) fn directory(&self) -> Option<usize> {
        self.open.last().copied()
    }

    /// Whether there is such a target, of the project or not.
    pub(super) fn is_target(&self, name: &str) -> bool {
        let is_own = self.numbers.contains_key(name) || self.aliases.contains_key(name);
        // Packages of CUDA's have been found.
        is_own || self.imported.contains(name) || name.starts_with("CUDA::")
    }

    /// Adds a target that there is not.
    pub(super) fn add(&mut self, draft: Draft) {
        self.numbers.insert(draft.name.clone(), self.drafts.len());
        self.drafts.push(draft);
    }

    /// The number of the target of a name or of another name for it.
    pub(super) fn number_of(&self, name: &str) -> Option<usize> {
        self.numbers.get(self.aliases.get(name).map_or(name, String::as_str)).copied()
    }

    /// Whether there is a command of this name.
    pub(super) fn is_command(&self, name: &str) -> bool {
        self.functions.contains_key(&name.to_ascii_lowercase())
    }

    /// Follows the file of a folder, in a scope of its own.
    pub(super) fn enter(&mut self, folder: &Utf8Path) -> bool {
        let Some(text) = self.tree.text(&folder.join("CMakeLists.txt")) else { return false };
        let usage = self.directory().map(|number| self.directories[number].usage.clone()).unwrap_or_default();
        self.directories.push(Directory { source: folder.to_owned(), usage, flags: Vec::new() });
        self.open.push(self.directories.len() - 1);
        self.scopes.push();
        let (source, binary) = (self.tree.root.join(folder), self.tree.root.join("build").join(folder));
        self.scopes.set("CMAKE_CURRENT_SOURCE_DIR", Some(source.into_string()));
        self.scopes.set("CMAKE_CURRENT_BINARY_DIR", Some(binary.into_string()));
        self.file(text);
        self.close_folder();
        true
    }

    fn close_folder(&mut self) {
        let Some(number) = self.open.pop() else { return };
        let flags = [
            ("C", vec!["CMAKE_C_FLAGS"]),
            ("CXX", vec!["CMAKE_CXX_FLAGS"]),
            ("CUDA", vec!["CMAKE_CUDA_FLAGS", "CUDA_NVCC_FLAGS"]),
        ];
        for (language, names) in flags {
            let values = names.into_iter().filter_map(|name| self.scopes.get(name));
            self.directories[number].flags.extend(values.map(|value| (language, value)));
        }
        self.scopes.pop();
    }

    /// Follows a file in the scope that is open.
    pub(super) fn file(&mut self, text: Text) {
        if self.depth == DEEPEST {
            return;
        }
        self.depth += 1;
        let text = Rc::new(text);
        let all = commands(&text.text, &tokens(&text.text));
        let folder = text.path.parent().unwrap_or(Utf8Path::new(""));
        let outer = self.scopes.get("CMAKE_CURRENT_LIST_DIR");
        self.scopes.set("CMAKE_CURRENT_LIST_DIR", Some(self.tree.root.join(folder).into_string()));
        self.block(&text, &all);
        self.scopes.set("CMAKE_CURRENT_LIST_DIR", outer);
        self.returns = false;
        self.depth -= 1;
    }

    fn block(&mut self, text: &Rc<Text>, all: &[Command]) {
        match all.first() {
            Some(command) if self.nested == MOST_NESTED => self.too_many(text, command),
            _ => {
                self.nested += 1;
                self.commands(text, all);
                self.nested -= 1;
            }
        }
    }

    fn commands(&mut self, text: &Rc<Text>, all: &[Command]) {
        let mut at = 0;
        while let Some(command) = all.get(at).filter(|_| !self.returns) {
            let Some(left) = self.left.checked_sub(1) else {
                return self.too_many(text, command);
            };
            self.left = left;
            let name = text.text[command.name].to_ascii_lowercase();
            let end = at + 1 + body_len(&text.text, &name, &all[at + 1..]);
            at = match name.as_str() {
                "if" => {
                    self.branches(text, &all[at..end]);
                    end + 1
                }
                "foreach" => {
                    self.repeat(text, command, &all[at + 1..end]);
                    end + 1
                }
                "function" | "macro" => {
                    self.define(text, &all[at..end]);
                    end + 1
                }
                "while" => {
                    self.tree.note(Some(text.place(command.range.start())), "`while(…)` is not followed");
                    end + 1
                }
                _ => {
                    self.command(text, command, name);
                    at + 1
                }
            };
            if self.scopes.is_exhausted() {
                return self.too_many(text, command);
            }
        }
    }

    fn too_many(&self, text: &Rc<Text>, command: &Command) {
        self.tree.note(Some(text.place(command.range.start())), "there are too many commands to follow");
    }

    /// Follows the branch of an `if` whose condition holds.
    fn branches(&mut self, text: &Rc<Text>, all: &[Command]) {
        let mut starts = vec![0];
        let mut depth = 0_usize;
        for (at, command) in all.iter().enumerate().skip(1) {
            match text.text[command.name].to_ascii_lowercase().as_str() {
                "if" => depth += 1,
                "endif" => depth = depth.saturating_sub(1),
                "elseif" | "else" if depth == 0 => starts.push(at),
                _ => {}
            }
        }
        for (number, start) in starts.iter().enumerate() {
            let head = &all[*start];
            let is_else = text.text[head.name].eq_ignore_ascii_case("else");
            let value = if is_else { Some(true) } else { holds(self, &text.text, head) };
            if value.is_none() {
                let message =
                    format!("whether `{}` holds is not known: taken for true", one_line(&text.text[head.range]));
                self.tree.note(Some(text.place(head.range.start())), message);
            }
            if value.unwrap_or(true) {
                let end = starts.get(number + 1).copied().unwrap_or(all.len());
                return self.block(text, &all[start + 1..end]);
            }
        }
    }

    fn repeat(&mut self, text: &Rc<Text>, head: &Command, body: &[Command]) {
        let call = self.call(text, head, "foreach".to_owned());
        let Some((variable, rest)) = call.arguments.split_first() else { return };
        let values = lists::loop_values(self, rest);
        // A loop over much takes as long as many commands, even with nothing in it.
        let Some(left) = self.left.checked_sub(values.len()) else {
            self.left = 0;
            return self.too_many(text, head);
        };
        self.left = left;
        for value in values {
            self.scopes.set(variable, Some(value));
            self.block(text, body);
            if self.left == 0 || self.scopes.is_exhausted() {
                break;
            }
        }
        self.scopes.set(variable, None);
    }

    fn define(&mut self, text: &Rc<Text>, all: &[Command]) {
        let call = self.call(text, &all[0], String::new());
        let Some((name, parameters)) = call.arguments.split_first() else { return };
        let is_macro = text.text[all[0].name].eq_ignore_ascii_case("macro");
        let function =
            Function { is_macro, parameters: parameters.to_vec(), body: all[1..].to_vec(), text: Rc::clone(text) };
        self.functions.insert(name.to_ascii_lowercase(), Rc::new(function));
    }

    fn call(&self, text: &Rc<Text>, command: &Command, name: String) -> Call {
        let arguments =
            command.arguments.iter().flat_map(|argument| self.scopes.values(&text.text, argument)).collect();
        Call { name, arguments, place: text.place(command.range.start()) }
    }

    fn command(&mut self, text: &Rc<Text>, command: &Command, name: String) {
        let call = self.call(text, command, name);
        if let Some(function) = self.functions.get(&call.name).cloned() {
            return self.user(&function, &call);
        }
        let is_done = match call.name.as_str() {
            "return" => {
                self.returns = true;
                true
            }
            "add_subdirectory" | "subdirs" => self.subdirectory(&call),
            "include" => self.include(&call),
            "project" => self.project(&call),
            "find_package" => self.package(&call),
            _ => lists::run(self, &call) || texts::run(self, &call) || targets::run(self, &call),
        };
        if !is_done {
            self.other(&call);
        }
    }

    /// A command that does nothing here, or that nobody knows.
    fn other(&mut self, call: &Call) {
        if WITHOUT_EFFECT.contains(&call.name.as_str()) {
            return;
        }
        if call.name == "add_custom_command" {
            let outputs = call.arguments.iter().skip(1).take_while(|word| !is_keyword(word));
            let outputs: Vec<Utf8PathBuf> = outputs.map(|word| self.tree.resolve(self.folder(), word)).collect();
            self.made.extend(outputs);
        }
        let known = UNKNOWABLE.iter().find(|(name, _)| name.eq_ignore_ascii_case(&call.name));
        let message = match known {
            Some((name, does)) => format!("`{name}` {does}: what comes of it is not known"),
            None => format!("`{}` is no command that is known here: left out", call.name),
        };
        self.tree.note(Some(call.place.clone()), message);
    }

    /// Calls a function of the project.
    fn user(&mut self, function: &Rc<Function>, call: &Call) {
        if self.depth == DEEPEST {
            return;
        }
        self.depth += 1;
        if !function.is_macro {
            self.scopes.push();
        }
        let extra = call.arguments.get(function.parameters.len()..).unwrap_or_default();
        self.scopes.set("ARGN", Some(extra.join(";")));
        self.scopes.set("ARGV", Some(call.arguments.join(";")));
        self.scopes.set("ARGC", Some(call.arguments.len().to_string()));
        for (number, value) in call.arguments.iter().enumerate() {
            self.scopes.set(&format!("ARGV{number}"), Some(value.clone()));
        }
        for (number, parameter) in function.parameters.iter().enumerate() {
            self.scopes.set(parameter, Some(call.at(number).to_owned()));
        }
        self.block(&function.text, &function.body);
        if !function.is_macro {
            self.returns = false;
            self.scopes.pop();
        }
        self.depth -= 1;
    }

    fn subdirectory(&mut self, call: &Call) -> bool {
        let folder = self.tree.resolve(self.folder(), call.at(0));
        if self.depth < DEEPEST && !self.enter(&folder) {
            self.tree.note(Some(call.place.clone()), format!("there is no CMakeLists.txt in `{folder}`"));
        }
        true
    }

    fn include(&mut self, call: &Call) -> bool {
        let name = call.at(0);
        let own = self.tree.resolve(self.folder(), name);
        let modules = self.scopes.get("CMAKE_MODULE_PATH").unwrap_or_default();
        let module = |folder: &str| self.tree.resolve(Utf8Path::new(""), &format!("{folder}/{name}.cmake"));
        let modules = super::scope::split(&modules);
        let mut paths = std::iter::once(own).chain(modules.iter().map(|folder| module(folder)));
        let found = paths.find_map(|path| self.tree.text(&path));
        match found {
            Some(text) => self.file(text),
            // Modules of CMake itself describe no targets.
            None if Utf8Path::new(name).extension() == Some("cmake") && call.find("OPTIONAL").is_none() => {
                self.tree.note(Some(call.place.clone()), format!("`{name}` is not part of the project: not read"));
            }
            None => {}
        }
        true
    }

    fn project(&mut self, call: &Call) -> bool {
        let source = self.tree.root.join(self.folder()).into_string();
        let binary = self.scopes.get("CMAKE_CURRENT_BINARY_DIR");
        let name = call.at(0).to_owned();
        self.scopes.set(&format!("{name}_SOURCE_DIR"), Some(source.clone()));
        self.scopes.set(&format!("{name}_BINARY_DIR"), binary.clone());
        self.scopes.set("PROJECT_SOURCE_DIR", Some(source));
        self.scopes.set("PROJECT_BINARY_DIR", binary);
        if self.scopes.get("CMAKE_PROJECT_NAME").is_none() {
            self.scopes.set("CMAKE_PROJECT_NAME", Some(name.clone()));
        }
        self.scopes.set("PROJECT_NAME", Some(name));
        true
    }

    /// Packages are taken for found: the project was built where they are.
    fn package(&mut self, call: &Call) -> bool {
        let name = call.at(0);
        for name in [name.to_owned(), name.to_ascii_uppercase()] {
            self.scopes.set(&format!("{name}_FOUND"), Some("TRUE".to_owned()));
        }
        if call.find("REQUIRED").is_none() && call.find("QUIET").is_some() {
            self.tree.note(Some(call.place.clone()), format!("the package `{name}` is taken for found"));
        }
        true
    }
}

fn is_keyword(word: &str) -> bool {
    word.len() > 3 && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}

/// How many commands stand before the end of a block that `name` opens.
fn body_len(text: &str, name: &str, rest: &[Command]) -> usize {
    if !matches!(name, "if" | "foreach" | "while" | "function" | "macro") {
        return 0;
    }
    let (end, mut depth) = (format!("end{name}"), 1_usize);
    for (at, command) in rest.iter().enumerate() {
        let word = &text[command.name];
        if word.eq_ignore_ascii_case(name) {
            depth += 1;
        } else if word.eq_ignore_ascii_case(&end) {
            depth -= 1;
            if depth == 0 {
                return at;
            }
        }
    }
    rest.len()
}

/// Characters of a condition that a message shows.
const LONGEST_SHOWN: usize = 200;

fn one_line(text: &str) -> String {
    let mut words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.chars().count() > LONGEST_SHOWN {
        words = words.chars().take(LONGEST_SHOWN).chain(['…']).collect();
    }
    words
}
