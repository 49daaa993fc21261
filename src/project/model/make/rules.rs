//! Rules of makefiles, and which of them makes a file.

use std::cell::{Cell, OnceCell};
use std::collections::BTreeSet;

use camino::Utf8Path;
use rustc_hash::FxHashMap;

use super::functions::stem;
use crate::project::model::tree::Tree;
use crate::project::model::types::{Place, add_new};

/// A rule with its references expanded, apart from those of its recipe.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    pub(super) targets: Vec<String>,
    pub(super) prerequisites: Vec<String>,
    /// The lines of its recipe, as they are written.
    pub(super) recipe: Vec<(String, Place)>,
}

/// A variable that has another value for a target and what it is made from.
#[derive(Debug, Clone)]
pub(super) struct OwnVariable {
    pub(super) target: String,
    pub(super) name: String,
    pub(super) operator: String,
    pub(super) value: String,
}

/// All rules of a call of make.
#[derive(Debug, Default)]
pub(super) struct Rules {
    pub(super) list: Vec<Rule>,
    pub(super) own: Vec<OwnVariable>,
    /// Folders of `VPATH` and `vpath`.
    pub(super) search: Vec<String>,
    /// Made when the first way is asked for.
    index: OnceCell<Index>,
    /// How many names patterns have been tried with.
    tried: Cell<usize>,
}

/// Where to look for rules: their numbers.
#[derive(Debug, Default)]
struct Index {
    /// By the targets, without `./`.
    by_target: FxHashMap<String, Vec<usize>>,
    /// Those of patterns with a recipe.
    patterns: Vec<usize>,
}

impl Index {
    fn of(list: &[Rule]) -> Index {
        let mut index = Index::default();
        for (number, rule) in list.iter().enumerate() {
            let names: BTreeSet<&str> = rule.targets.iter().map(|name| plain(name)).collect();
            for name in &names {
                index.by_target.entry((*name).to_owned()).or_default().push(number);
            }
            if !rule.recipe.is_empty() && names.iter().any(|name| name.contains('%')) {
                index.patterns.push(number);
            }
        }
        index
    }
}

/// How a file is made.
#[derive(Debug, Clone)]
pub(super) struct Way {
    pub(super) prerequisites: Vec<String>,
    pub(super) recipe: Vec<(String, Place)>,
    /// What `%` stands for.
    pub(super) stem: String,
}

/// Rules of make itself: what is made from what, with the command.
const BUILT_IN: &[(&str, &str, &str)] = &[
    ("%.o", "%.c", "$(COMPILE.c) -o $@ $<"),
    ("%.o", "%.cpp", "$(COMPILE.cc) -o $@ $<"),
    ("%.o", "%.cc", "$(COMPILE.cc) -o $@ $<"),
    ("%", "%.o", "$(LINK.o) $^ $(LDLIBS) -o $@"),
    ("%", "%.c", "$(LINK.c) $^ $(LDLIBS) -o $@"),
    ("%", "%.cpp", "$(LINK.cc) $^ $(LDLIBS) -o $@"),
    ("%", "%.cc", "$(LINK.cc) $^ $(LDLIBS) -o $@"),
];

/// Objects are made from sources, and programs from objects: no longer chains are followed.
const LONGEST_CHAIN: usize = 4;

/// Patterns that lead to each other make names without end; no build has so many.
const MOST_TRIED: usize = 300_000;

impl Rules {
    /// The targets that rules name, in their order.
    pub(super) fn goals(&self) -> Vec<String> {
        let targets = self.list.iter().flat_map(|rule| &rule.targets);
        let goals = targets.filter(|target| !target.contains('%') && !is_special(target));
        let mut all = Vec::new();
        add_new(&mut all, goals.cloned());
        all
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::of(&self.list))
    }

    /// The rules that name a file.
    fn naming(&self, target: &str) -> &[usize] {
        self.index().by_target.get(plain(target)).map_or(&[], Vec::as_slice)
    }

    /// Whether patterns led to so many names that no more are tried.
    pub(super) fn is_exhausted(&self) -> bool {
        self.tried.get() >= MOST_TRIED
    }

    /// How a file is made: by the rules that name it, else by a pattern, else as make itself knows.
    pub(super) fn way(&self, target: &str, (tree, folder): (&Tree<'_>, &Utf8Path)) -> Option<Way> {
        let named = self.naming(target).iter().map(|&number| &self.list[number]);
        let (mut prerequisites, mut recipe, mut is_named) = (Vec::new(), Vec::new(), false);
        for rule in named {
            is_named = true;
            prerequisites.extend(rule.prerequisites.iter().cloned());
            if !rule.recipe.is_empty() {
                recipe.clone_from(&rule.recipe);
            }
        }
        if !recipe.is_empty() {
            return Some(Way { prerequisites, recipe, stem: String::new() });
        }
        if let Some(mut way) = self.by_pattern(target, (tree, folder), LONGEST_CHAIN) {
            // What patterns name comes first: `$<`.
            way.prerequisites.extend(prerequisites);
            return Some(way);
        }
        is_named.then_some(Way { prerequisites, recipe, stem: String::new() })
    }

    fn by_pattern(&self, target: &str, place: (&Tree<'_>, &Utf8Path), chain: usize) -> Option<Way> {
        let chain = chain.checked_sub(1)?;
        let fits = |rule: &Rule| {
            if self.is_exhausted() {
                return None;
            }
            self.tried.set(self.tried.get() + 1);
            let pattern = rule.targets.iter().find(|name| name.contains('%') && stem(name, target).is_some())?;
            let stem = stem(pattern, target)?;
            let prerequisites: Vec<String> =
                rule.prerequisites.iter().map(|name| name.replacen('%', stem, 1)).collect();
            let found = prerequisites.iter().map(|name| self.find(name, place, chain)).collect::<Option<Vec<_>>>()?;
            Some(Way { prerequisites: found, recipe: rule.recipe.clone(), stem: stem.to_owned() })
        };
        let mut patterns = self.index().patterns.iter().map(|&number| &self.list[number]);
        patterns.find_map(fits).or_else(|| self.built_in(target, place, chain))
    }

    fn built_in(&self, target: &str, place: (&Tree<'_>, &Utf8Path), chain: usize) -> Option<Way> {
        let fits = |(pattern, from, command): &(&str, &str, &str)| {
            let stem = stem(pattern, target)?;
            // Any name could be a program; files with an extension are none.
            let is_program = *pattern == "%";
            if is_program && Utf8Path::new(target).extension().is_some() {
                return None;
            }
            let source = self.find(&from.replacen('%', stem, 1), place, if is_program { chain } else { 0 })?;
            let line = ((*command).to_owned(), Place { file: place.1.join("Makefile"), line: 1 });
            Some(Way { prerequisites: vec![source], recipe: vec![line], stem: stem.to_owned() })
        };
        BUILT_IN.iter().find_map(fits)
    }

    /// Where a prerequisite of a pattern is, if it is there or can be made.
    fn find(&self, name: &str, place: (&Tree<'_>, &Utf8Path), chain: usize) -> Option<String> {
        let (tree, folder) = place;
        let is_there = |name: &str| {
            let path = tree.resolve(folder, name);
            tree.has(&path) || tree.has_folder(&path)
        };
        if is_there(name) || !self.naming(name).is_empty() {
            return Some(name.to_owned());
        }
        let mut places = self.search.iter().map(|folder| format!("{folder}/{name}"));
        let elsewhere = places.find(|name| is_there(name));
        elsewhere.or_else(|| self.by_pattern(name, place, chain).map(|_| name.to_owned()))
    }
}

/// `./a.o` is `a.o`.
fn plain(name: &str) -> &str {
    name.trim_start_matches("./")
}

/// `.PHONY` and the like.
fn is_special(target: &str) -> bool {
    target.strip_prefix('.').is_some_and(|name| name.starts_with(|c: char| c.is_ascii_uppercase()))
}
