//! Variables of make, and what references to them become.

use std::cell::Cell;
use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

use super::functions;
use crate::mapping::is_cuda_folder;
use crate::project::model::lists::CUDA_FOLDER;
use crate::project::model::tree::Tree;

/// The value of a variable.
#[derive(Debug, Clone)]
struct Variable {
    value: String,
    /// Whether its value is expanded each time.
    is_recursive: bool,
}

/// The variables of a call of make, with what functions look at.
pub(super) struct Variables<'v> {
    pub(super) tree: &'v Tree<'v>,
    /// The folder that make is started in.
    pub(super) folder: Utf8PathBuf,
    values: BTreeMap<String, Variable>,
    /// Variables of the command line, which the files do not change.
    fixed: Vec<String>,
    depth: Cell<usize>,
    /// How many bytes of text may still be made.
    left: Cell<usize>,
}

/// A longer chain of references leads nowhere.
const DEEPEST: usize = 60;
/// No longer texts are made, neither one nor all together.
const MOST: usize = 1 << 25;
const LONGEST: usize = 1 << 20;
/// What each reference counts for, however short it comes out.
const EACH: usize = 256;

/// What make knows by itself.
const KNOWN: &[(&str, &str)] = &[
    ("CC", "cc"),
    ("CXX", "g++"),
    ("CPP", "cc -E"),
    ("AR", "ar"),
    ("ARFLAGS", "-rv"),
    ("LD", "ld"),
    ("RM", "rm -f"),
    ("MAKE", "make"),
    ("COMPILE.c", "$(CC) $(CFLAGS) $(CPPFLAGS) -c"),
    ("COMPILE.cc", "$(CXX) $(CXXFLAGS) $(CPPFLAGS) -c"),
    ("COMPILE.cpp", "$(COMPILE.cc)"),
    ("LINK.o", "$(CC) $(LDFLAGS)"),
    ("LINK.c", "$(CC) $(CFLAGS) $(CPPFLAGS) $(LDFLAGS)"),
    ("LINK.cc", "$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(LDFLAGS)"),
    ("LINK.cpp", "$(LINK.cc)"),
    ("OUTPUT_OPTION", "-o $@"),
];

impl<'v> Variables<'v> {
    /// Those of make itself, and those of the command line.
    pub(super) fn new(tree: &'v Tree<'v>, folder: &Utf8Path, given: &[(String, String)]) -> Variables<'v> {
        let mut variables = Variables {
            tree,
            folder: folder.to_owned(),
            values: BTreeMap::new(),
            fixed: given.iter().map(|(name, _)| name.clone()).collect(),
            depth: Cell::new(0),
            left: Cell::new(MOST),
        };
        for (name, value) in KNOWN {
            variables.put(name, (*value).to_owned(), true);
        }
        variables.put("CURDIR", tree.root.join(folder).into_string(), false);
        for (name, value) in given {
            variables.put(name, value.clone(), false);
        }
        variables
    }

    fn put(&mut self, name: &str, value: String, is_recursive: bool) {
        self.values.insert(name.to_owned(), Variable { value, is_recursive });
    }

    /// Whether a variable has a value.
    pub(super) fn is_set(&self, name: &str) -> bool {
        self.values.get(name).is_some_and(|variable| !variable.value.is_empty())
    }

    /// `name operator value`
    pub(super) fn assign(&mut self, name: &str, operator: &str, value: &str) {
        let (known, is_own) = (self.values.get(name).cloned(), KNOWN.iter().any(|(own, _)| *own == name));
        if self.fixed.iter().any(|fixed| fixed == name) {
            return;
        }
        match (operator, known) {
            ("?=", Some(_)) if !is_own => {}
            ("+=", Some(known)) => {
                let more = if known.is_recursive { value.to_owned() } else { self.expand(value, &[]) };
                let sign = if known.value.is_empty() { "" } else { " " };
                if known.value.len() + more.len() < LONGEST {
                    self.put(name, format!("{}{sign}{more}", known.value), known.is_recursive);
                }
            }
            (":=" | "::=" | ":::=", _) => {
                let value = self.expand(value, &[]);
                self.put(name, value, false);
            }
            ("!=", _) => {
                let value = functions::shell(self, value);
                self.put(name, value, false);
            }
            _ => self.put(name, value.to_owned(), true),
        }
    }

    /// The value of a variable, with `own` ones first.
    pub(super) fn value(&self, name: &str, own: &[(String, String)]) -> String {
        if let Some((_, value)) = own.iter().find(|(own, _)| own == name) {
            return value.clone();
        }
        match self.values.get(name) {
            Some(variable) if variable.is_recursive => self.expand(&variable.value, own),
            Some(variable) => variable.value.clone(),
            None if is_cuda_folder(name) => CUDA_FOLDER.to_owned(),
            None => String::new(),
        }
    }

    /// A text with its references and functions expanded.
    pub(super) fn expand(&self, text: &str, own: &[(String, String)]) -> String {
        if self.depth.get() > DEEPEST || self.left.get() == 0 {
            self.too_long();
            return String::new();
        }
        self.depth.set(self.depth.get() + 1);
        let expanded = self.parts(text, own);
        self.left.set(self.left.get().saturating_sub(EACH + expanded.len()));
        self.depth.set(self.depth.get() - 1);
        expanded
    }

    /// Counts what a function takes as if it were text.
    pub(super) fn spend(&self, bytes: usize) {
        self.left.set(self.left.get().saturating_sub(bytes));
    }

    /// A text that a function gave; where it would have been too long, no more is followed.
    pub(super) fn made(&self, text: Option<String>) -> String {
        if text.is_none() {
            self.left.set(0);
            self.too_long();
        }
        text.unwrap_or_default()
    }

    fn too_long(&self) {
        self.tree.note(None, format!("references between variables of make in `{}` go on and on", self.folder));
    }

    fn parts(&self, text: &str, own: &[(String, String)]) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('$').filter(|_| out.len() < LONGEST) {
            out.push_str(&rest[..at]);
            let after = &rest[at + 1..];
            rest = match after.chars().next() {
                Some('$') => {
                    out.push('$');
                    &after[1..]
                }
                Some(open @ ('(' | '{')) => {
                    let len = closed(after, open);
                    let inside = after[1..len].strip_suffix([')', '}']).unwrap_or(&after[1..len]);
                    out.push_str(&self.reference(inside, own));
                    &after[len..]
                }
                Some(letter) => {
                    out.push_str(&self.value(letter.encode_utf8(&mut [0; 4]), own));
                    &after[letter.len_utf8()..]
                }
                None => after,
            };
        }
        out.push_str(rest);
        out
    }

    /// What stands within `$(…)`.
    fn reference(&self, inside: &str, own: &[(String, String)]) -> String {
        if let Some((name, arguments)) = inside.split_once([' ', '\t'])
            && let Some(value) = functions::call(self, name, arguments.trim_start(), own)
        {
            return value;
        }
        if let Some((name, (from, to))) =
            inside.split_once(':').and_then(|(name, rest)| Some((name, rest.split_once('=')?)))
        {
            let words = self.value(&self.expand(name, own), own);
            let (from, to) = (self.expand(from, own), self.expand(to, own));
            let pattern = |text: &str| if from.contains('%') { text.to_owned() } else { format!("%{text}") };
            return self.made(functions::substitute(&pattern(&from), &pattern(&to), &words));
        }
        self.value(&self.expand(inside, own), own)
    }
}

/// How many bytes `(…)` or `{…}` at the start has; all of them if it is not closed.
pub(super) fn closed(text: &str, open: char) -> usize {
    let close = if open == '(' { ')' } else { '}' };
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        if letter == open {
            depth += 1;
        } else if letter == close {
            depth -= 1;
            if depth == 0 {
                return at + 1;
            }
        }
    }
    text.len()
}
