//! Targets as they come out: what folders and libraries hand on is added, generator expressions are evaluated.

use std::cell::Cell;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;

use super::draft::{Draft, Handed, Usage};
use super::generator::Context;
use super::run::Run;
use super::scope::split;
use crate::project::model::lists::{is_of_cuda, is_source, language};
use crate::project::model::types::{LibraryUse, ModelSource, ModelTarget, TargetKind, add_new};

/// The targets that were described.
pub(super) fn finished(run: &Run<'_>) -> Vec<ModelTarget> {
    let left = Cell::new(MOST_HANDED_ON);
    run.drafts.iter().map(|draft| Finish { run, draft, left: &left }.target()).collect()
}

/// Libraries that use one another in a row hand on what grows with the square of their number; no project has so much.
const MOST_HANDED_ON: usize = 1_000_000;

struct Finish<'f> {
    run: &'f Run<'f>,
    draft: &'f Draft,
    /// How many settings libraries may still hand on, in all targets.
    left: &'f Cell<usize>,
}

impl Finish<'_> {
    fn target(&self) -> ModelTarget {
        let mut target = ModelTarget::new(&self.draft.name, self.draft.kind, Some(self.draft.place.clone()));
        let sources = self.sources(&mut target);
        let languages: Vec<&str> = sources.iter().filter_map(|path| language(path)).collect();
        let all = self.usages();
        let (mut include, mut definitions, mut options) = (Vec::new(), Vec::new(), Vec::new());
        for (usage, is_own) in &all {
            include.extend(self.values(&usage.include, *is_own, &languages));
            definitions.extend(self.values(&usage.definitions, *is_own, &languages));
            options.extend(usage.options.iter().filter(|word| wanted(word, *is_own)).cloned());
        }
        let from_options = take_definitions(self.values(&options, true, &languages));
        add_new(&mut definitions, from_options);
        let definitions = definitions.into_iter().map(|name| name.trim_start_matches("-D").to_owned());
        add_new(&mut target.definitions, definitions);
        let folders = include.iter().map(|folder| self.run.tree.resolve(self.folder(), folder));
        add_new(&mut target.include, folders.filter(|folder| !is_of_cuda(folder)));
        let sources = sources.into_iter().map(|path| ModelSource { flags: self.flags(&path, &options), path });
        target.sources.extend(sources);
        let libraries = self.libraries(&languages);
        add_new(&mut target.libraries, libraries);
        target
    }

    fn folder(&self) -> &Utf8Path {
        &self.run.directories[self.draft.directory].source
    }

    /// The sources that a compiler is started on; objects of other targets are libraries.
    fn sources(&self, target: &mut ModelTarget) -> Vec<Utf8PathBuf> {
        let (mut sources, mut libraries) = (Vec::new(), Vec::new());
        for word in &self.draft.sources {
            if let Some(name) = word.strip_prefix("$<TARGET_OBJECTS:").and_then(|rest| rest.strip_suffix('>')) {
                libraries.push(LibraryUse::Own(self.own_name(name).to_owned()));
                continue;
            }
            let Some(value) = Context { languages: &["CUDA", "CXX", "C"] }.evaluate(word) else {
                self.unknown("source", word);
                continue;
            };
            let paths = split(&value);
            let paths = paths.iter().map(|path| self.run.tree.resolve(Utf8Path::new(""), path));
            for path in paths.filter(|path| is_source(path)) {
                if self.run.tree.has(&path) {
                    sources.push(path);
                } else {
                    let why = if self.run.made.contains(&path) || path.starts_with("build") {
                        "the build makes it"
                    } else {
                        "it is not there"
                    };
                    let message = format!("`{path}` of `{}` is left out: {why}", self.draft.name);
                    self.run.tree.note(Some(self.draft.place.clone()), message);
                }
            }
        }
        add_new(&mut target.libraries, libraries);
        let mut all = Vec::new();
        add_new(&mut all, sources);
        all
    }

    /// What the target gets: from itself, from its folder, and from the libraries that it uses, with whether it is its own.
    fn usages(&self) -> Vec<(&Usage, bool)> {
        let directory = &self.run.directories[self.draft.directory].usage;
        let mut all = vec![(&self.draft.usage, true), (directory, true)];
        let mut known = FxHashSet::from_iter([self.draft.name.as_str()]);
        let mut next: Vec<&Draft> = self.uses(self.draft, true);
        while let Some(draft) = next.pop() {
            if !known.insert(&draft.name) {
                continue;
            }
            if !self.may_hand_on(&draft.usage) {
                let message = format!("what libraries hand on to `{}` is left out: there is too much", self.draft.name);
                self.run.tree.note(Some(self.draft.place.clone()), message);
                break;
            }
            all.push((&draft.usage, false));
            next.extend(self.uses(draft, false));
        }
        all
    }

    /// Whether there is still room for what a library hands on.
    fn may_hand_on(&self, usage: &Usage) -> bool {
        let count = 1 + usage.include.len() + usage.definitions.len() + usage.options.len() + usage.libraries.len();
        let left = self.left.get().checked_sub(count);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    /// The targets of the project that a target is linked with.
    fn uses(&self, draft: &Draft, is_own: bool) -> Vec<&Draft> {
        let folder = &self.run.directories[draft.directory].usage.libraries;
        let words = draft.usage.libraries.iter().chain(folder.iter().filter(|_| is_own));
        let names = words.filter(|word| wanted(word, is_own)).filter_map(|word| {
            let text = Context { languages: &["CUDA", "CXX"] }.evaluate(&word.text)?;
            self.own(&text)
        });
        names.collect()
    }

    fn own_name<'n>(&'n self, name: &'n str) -> &'n str {
        self.run.aliases.get(name).map_or(name, String::as_str)
    }

    fn own(&self, name: &str) -> Option<&Draft> {
        self.run.drafts.get(self.run.number_of(name)?)
    }

    fn values(&self, words: &[Handed], is_own: bool, languages: &[&str]) -> Vec<String> {
        let mut values = Vec::new();
        for word in words.iter().filter(|word| wanted(word, is_own)) {
            match (Context { languages }).evaluate(&word.text) {
                Some(value) => values.extend(split(&value)),
                None => self.unknown("setting", &word.text),
            }
        }
        values
    }

    fn unknown(&self, what: &str, text: &str) {
        let message = format!("the {what} `{text}` of `{}` is left out: only CMake knows it", self.draft.name);
        self.run.tree.note(Some(self.draft.place.clone()), message);
    }

    /// The options that one source is compiled with.
    fn flags(&self, source: &Utf8Path, options: &[Handed]) -> Vec<String> {
        let Some(language) = language(source) else { return Vec::new() };
        let of_folder = &self.run.directories[self.draft.directory].flags;
        let of_language =
            of_folder.iter().filter(|(of, _)| *of == language).flat_map(|(_, flags)| flags.split([' ', ';']));
        let mut flags: Vec<String> = of_language.filter(|flag| !flag.is_empty()).map(str::to_owned).collect();
        let mut own = self.values(options, true, &[language]);
        own = own.iter().flat_map(|flag| flag.trim_start_matches("SHELL:").split(' ')).map(str::to_owned).collect();
        own.retain(|flag| !flag.starts_with("-D") && !flag.is_empty());
        flags.extend(own);
        let prefix = if language == "C" { "c" } else { "c++" };
        let standard = self.draft.standards.iter().find(|(of, _)| *of == language);
        flags.extend(standard.map(|(_, standard)| format!("-std={prefix}{standard}")));
        if self.draft.is_separable && language == "CUDA" {
            flags.push("-rdc=true".to_owned());
        }
        flags
    }

    fn libraries(&self, languages: &[&str]) -> Vec<LibraryUse> {
        let folder = &self.run.directories[self.draft.directory].usage.libraries;
        let words: Vec<Handed> = self.draft.usage.libraries.iter().chain(folder).cloned().collect();
        // An interface is linked where it is used.
        let is_interface = self.draft.kind == TargetKind::Interface;
        let words: Vec<Handed> =
            words.into_iter().map(|word| Handed { own: word.own || is_interface, ..word }).collect();
        let name = |word: String| match self.own(&word) {
            Some(draft) => LibraryUse::Own(draft.name.clone()),
            None => LibraryUse::Other(word.trim_start_matches("-l").to_owned()),
        };
        let values = self.values(&words, true, languages).into_iter();
        values.filter(|word| !word.starts_with('-') || word.starts_with("-l")).map(name).collect()
    }
}

fn wanted(word: &Handed, is_own: bool) -> bool {
    if is_own { word.own } else { word.others }
}

/// Macros among options, as `add_definitions` takes them.
fn take_definitions(options: Vec<String>) -> Vec<String> {
    options.into_iter().filter(|option| option.starts_with("-D")).collect()
}
