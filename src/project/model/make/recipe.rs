//! The commands that rules come to, from goal to goal, and the calls of make within them.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

use super::reader::Reader;
use super::rules::Way;
use crate::project::model::invocation::Invocation;
use crate::project::model::shell::{Shell, ShellCommand};
use crate::project::model::steps::Step;
use crate::project::model::tree::Tree;
use crate::project::model::types::Place;

/// Names that make looks for, in its order.
const NAMES: &[&str] = &["GNUmakefile", "makefile", "Makefile"];

/// Calls of make within calls of make end here.
const DEEPEST: usize = 12;

/// Goals that wait for each other; no makefile has such chains.
const MOST_WAITING: usize = 500;

/// The commands of a makefile and of those that it starts.
pub(in crate::project::model) fn make_steps(tree: &Tree<'_>, file: &Utf8Path) -> Vec<Step> {
    let mut walk = Walk { tree, steps: Vec::new(), called: BTreeSet::new() };
    let folder = file.parent().unwrap_or(Utf8Path::new(""));
    walk.make(folder, file, &[], 0);
    walk.steps
}

/// Variables of a command line.
type Given = Vec<(String, String)>;

struct Walk<'w> {
    tree: &'w Tree<'w>,
    steps: Vec<Step>,
    /// Which makefiles were started, with which variables.
    called: BTreeSet<(Utf8PathBuf, Utf8PathBuf, Given)>,
}

/// One call of make.
struct Call<'c> {
    reader: Reader<'c>,
    done: BTreeSet<String>,
    depth: usize,
    /// How many goals wait for each other.
    waiting: usize,
}

impl<'w> Walk<'w> {
    fn make(&mut self, folder: &Utf8Path, file: &Utf8Path, given: &[(String, String)], depth: usize) {
        let is_new = self.called.insert((folder.to_owned(), file.to_owned(), given.to_vec()));
        if !is_new || depth == DEEPEST {
            return;
        }
        let Some(reader) = Reader::read(self.tree, folder, file, given) else { return };
        let goals = reader.rules.goals();
        let mut call = Call { reader, done: BTreeSet::new(), depth, waiting: 0 };
        for goal in goals {
            self.goal(&mut call, &goal, &[]);
        }
        if call.reader.rules.is_exhausted() {
            let message =
                format!("the patterns of `{file}` lead to too many names: not all ways to make files are known");
            self.tree.note(None, message);
        }
    }

    /// Takes all steps for a goal, once; `own` are variables that targets have for what they are made from.
    fn goal(&mut self, call: &mut Call<'w>, goal: &str, own: &[(String, String)]) {
        if !call.done.insert(goal.to_owned()) {
            return;
        }
        let folder = call.reader.variables.folder.clone();
        let Some(way) = call.reader.rules.way(goal, (self.tree, &folder)) else { return };
        let own = own_variables(&call.reader, goal, own);
        if call.waiting == MOST_WAITING {
            self.tree.note(None, format!("what `{goal}` is made from is too long a chain to follow"));
            return;
        }
        call.waiting += 1;
        for prerequisite in &way.prerequisites {
            self.goal(call, prerequisite, &own);
        }
        call.waiting -= 1;
        let known = [automatic(goal, &way), own].concat();
        for (line, place) in &way.recipe {
            let text = call.reader.variables.expand(line, &known);
            self.commands(&text, &folder, place, call.depth);
        }
    }

    fn commands(&mut self, text: &str, folder: &Utf8Path, place: &Place, depth: usize) {
        for line in text.lines() {
            let line = line.trim_start_matches([' ', '\t', '@', '-', '+']);
            for command in Shell::new(self.tree, folder).run(line, place) {
                self.command(&command, place, depth);
            }
        }
    }

    fn command(&mut self, command: &ShellCommand, place: &Place, depth: usize) {
        let is_make = command.words.first().is_some_and(|word| matches!(word.as_str(), "make" | "gmake"));
        if is_make {
            self.sub_make(command, depth);
        } else if let Some(call) = Invocation::read(&command.words, &command.folder, self.tree) {
            self.steps.push(Step { call, place: place.clone() });
        }
    }

    /// `make -C folder -f file NAME=value`
    fn sub_make(&mut self, command: &ShellCommand, depth: usize) {
        let (mut folder, mut file, mut given) = (command.folder.clone(), None, Vec::new());
        let mut words = command.words[1..].iter();
        while let Some(word) = words.next() {
            if let Some(inside) = word.strip_prefix("-C").or_else(|| word.strip_prefix("--directory=")) {
                let inside = if inside.is_empty() { words.next().map_or("", String::as_str) } else { inside };
                folder = self.tree.resolve(&folder, inside);
            } else if word == "-f" {
                file = words.next().cloned();
            } else if let Some((name, value)) = word.split_once('=') {
                given.push((name.to_owned(), value.to_owned()));
            }
        }
        let file = match file {
            Some(file) => Some(self.tree.resolve(&folder, &file)),
            None => NAMES.iter().map(|name| folder.join(name)).find(|file| self.tree.has(file)),
        };
        match file {
            Some(file) => self.make(&folder, &file, &given, depth + 1),
            None => self.tree.note(None, format!("make is started in `{folder}`, where no makefile is")),
        }
    }
}

/// Variables that a goal has for itself and for what it is made from.
fn own_variables(reader: &Reader<'_>, goal: &str, inherited: &[(String, String)]) -> Vec<(String, String)> {
    let mut own = inherited.to_vec();
    for variable in reader.rules.own.iter().filter(|variable| variable.target == goal) {
        let value = reader.variables.expand(&variable.value, &own);
        let value = match variable.operator.as_str() {
            "+=" => format!("{} {value}", reader.variables.value(&variable.name, &own)),
            _ => value,
        };
        own.retain(|(name, _)| *name != variable.name);
        own.push((variable.name.clone(), value));
    }
    own
}

/// `$@`, `$<` and the like.
fn automatic(goal: &str, way: &Way) -> Vec<(String, String)> {
    let first = way.prerequisites.first().map_or("", String::as_str);
    let mut once: Vec<&str> = Vec::new();
    for name in &way.prerequisites {
        if !once.contains(&name.as_str()) {
            once.push(name);
        }
    }
    let stem =
        if way.stem.is_empty() { Utf8Path::new(goal).with_extension("").into_string() } else { way.stem.clone() };
    let all = way.prerequisites.join(" ");
    let base = [("@", goal.to_owned()), ("<", first.to_owned()), ("*", stem)];
    let mut known: Vec<(String, String)> = Vec::new();
    for (sign, value) in base {
        let path = Utf8Path::new(&value);
        let folder = path.parent().filter(|folder| !folder.as_str().is_empty()).map_or(".", Utf8Path::as_str);
        known.push((format!("{sign}D"), folder.to_owned()));
        known.push((format!("{sign}F"), path.file_name().unwrap_or_default().to_owned()));
        known.push((sign.to_owned(), value));
    }
    known.extend(
        [("^", once.join(" ")), ("?", once.join(" ")), ("+", all)].map(|(sign, value)| (sign.to_owned(), value)),
    );
    known
}
