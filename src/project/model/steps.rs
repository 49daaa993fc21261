//! Targets from the commands of a build: objects are followed from the sources to what they are linked into.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};

use super::invocation::{Action, Invocation};
use super::lists::is_source;
use super::tree::Tree;
use super::types::{LibraryUse, ModelSource, ModelTarget, Place, TargetKind, add_new};

/// A command of a build.
pub(super) struct Step {
    pub(super) call: Invocation,
    pub(super) place: Place,
}

/// The targets that the steps make.
pub(super) fn targets(steps: &[Step], tree: &Tree<'_>) -> Vec<ModelTarget> {
    let mut objects: BTreeMap<&Utf8Path, &Step> = BTreeMap::new();
    let mut compiled = Vec::new();
    for step in steps.iter().filter(|step| step.call.action == Action::Compile) {
        let outputs = outputs(&step.call);
        compiled.extend(outputs.into_iter().map(|output| (output, step)));
    }
    objects.extend(compiled.iter().map(|(output, step)| (output.as_path(), *step)));
    let mut found: Vec<(Utf8PathBuf, ModelTarget)> = Vec::new();
    let mut known = FxHashSet::default();
    let makers = steps.iter().filter(|step| matches!(step.call.action, Action::Link | Action::Archive));
    // Libraries first, so that programs can name them whatever the order is.
    let all: Vec<&Step> = makers.collect();
    let names: BTreeMap<Utf8PathBuf, String> = all.iter().filter_map(|step| named(&step.call)).collect();
    let libraries = library_names(&names);
    for step in all {
        let Some((output, name)) = named(&step.call) else { continue };
        if step.call.inputs.is_empty() || !known.insert(output.clone()) {
            continue;
        }
        let mut target = ModelTarget::new(name, kind(&step.call), Some(step.place.clone()));
        Collector { objects: &objects, names: &names, libraries: &libraries, tree, place: &step.place }
            .fill(&mut target, &step.call);
        found.push((output, target));
    }
    for step in steps.iter().filter(|step| step.call.action == Action::Device) {
        if step.call.inputs.iter().any(|input| is_source(input)) {
            tree.note(Some(step.place.clone()), "a step that makes code for GPUs alone belongs to no target");
        }
    }
    unique(found)
}

/// The objects that a call makes: the one it names, or one for each source.
fn outputs(call: &Invocation) -> Vec<Utf8PathBuf> {
    if let Some(output) = &call.output {
        return vec![output.clone()];
    }
    let objects = call.inputs.iter().filter_map(|input| input.file_name());
    objects.map(|name| Utf8Path::new(name).with_extension("o")).collect()
}

fn kind(call: &Invocation) -> TargetKind {
    if call.shared || call.action == Action::Archive { TargetKind::Library } else { TargetKind::Program }
}

/// What a call makes, and what it is called.
fn named(call: &Invocation) -> Option<(Utf8PathBuf, String)> {
    if !matches!(call.action, Action::Link | Action::Archive) {
        return None;
    }
    let output = call.output.clone().unwrap_or_else(|| "a.out".into());
    let file = output.file_name()?;
    let stem = if kind(call) == TargetKind::Library {
        let stem = file.split('.').next().unwrap_or(file);
        stem.strip_prefix("lib").unwrap_or(stem)
    } else {
        file
    };
    Some((output.clone(), stem.to_owned()))
}

/// What `-l` may call each library: `libx.y.so` is `x` or `x.y`. Of several the first is meant.
fn library_names(names: &BTreeMap<Utf8PathBuf, String>) -> FxHashMap<&str, &String> {
    let mut found = FxHashMap::default();
    for (path, own) in names {
        let Some(file) = path.file_name().and_then(|file| file.strip_prefix("lib")) else { continue };
        // Versions and extensions are few.
        for (dot, _) in file.match_indices('.').take(16) {
            found.entry(&file[..dot]).or_insert(own);
        }
    }
    found
}

struct Collector<'c> {
    objects: &'c BTreeMap<&'c Utf8Path, &'c Step>,
    names: &'c BTreeMap<Utf8PathBuf, String>,
    /// What `-l` calls the libraries among them.
    libraries: &'c FxHashMap<&'c str, &'c String>,
    tree: &'c Tree<'c>,
    place: &'c Place,
}

impl Collector<'_> {
    fn fill(&self, target: &mut ModelTarget, call: &Invocation) {
        let mut compiled: Vec<(&Utf8Path, &Invocation)> = Vec::new();
        for input in &call.inputs {
            if is_source(input) {
                compiled.push((input, call));
            } else if let Some(step) = self.objects.get(input.as_path()) {
                compiled.extend(step.call.inputs.iter().map(|source| (source.as_path(), &step.call)));
            } else if let Some(name) = self.names.get(input) {
                add_new(&mut target.libraries, [LibraryUse::Own(name.clone())]);
            } else {
                let message = format!("nothing tells what `{input}` of `{}` is made from", target.name);
                self.tree.note(Some(self.place.clone()), message);
            }
        }
        add_sources(target, &compiled);
        let libraries = call.libraries.iter().map(|name| self.library(name));
        add_new(&mut target.libraries, libraries);
    }

    /// `-lname` is one of the project's own if the build makes `libname.a` or `libname.so`.
    fn library(&self, name: &str) -> LibraryUse {
        match self.libraries.get(name) {
            Some(own) => LibraryUse::Own((*own).clone()),
            None => LibraryUse::Other(name.to_owned()),
        }
    }
}

/// Adds sources with the calls that compile them. A macro that not all of them get is an option of those that do.
fn add_sources(target: &mut ModelTarget, compiled: &[(&Utf8Path, &Invocation)]) {
    let mut calls: FxHashMap<&String, usize> = FxHashMap::default();
    for (_, call) in compiled {
        let names: FxHashSet<&String> = call.definitions.iter().collect();
        for name in names {
            *calls.entry(name).or_default() += 1;
        }
    }
    let is_common = |name: &&String| calls.get(name) == Some(&compiled.len());
    let mut sources: Vec<ModelSource> = Vec::new();
    let mut numbers: FxHashMap<&Utf8Path, usize> = FxHashMap::default();
    for (path, call) in compiled {
        let own = call.definitions.iter().filter(|name| !is_common(name)).map(|name| format!("-D{name}"));
        let flags = call.flags.iter().cloned().chain(own);
        let number = *numbers.entry(path).or_insert(sources.len());
        match sources.get_mut(number) {
            Some(source) => add_new(&mut source.flags, flags),
            None => sources.push(ModelSource { path: (*path).to_owned(), flags: flags.collect() }),
        }
    }
    target.sources.extend(sources);
    add_new(&mut target.include, compiled.iter().flat_map(|(_, call)| &call.include).cloned());
    let common = compiled.iter().flat_map(|(_, call)| call.definitions.iter().filter(is_common));
    add_new(&mut target.definitions, common.cloned());
}

/// Targets of one name in several folders are called by their paths.
fn unique(found: Vec<(Utf8PathBuf, ModelTarget)>) -> Vec<ModelTarget> {
    let mut counts: FxHashMap<String, usize> = FxHashMap::default();
    for (_, target) in &found {
        *counts.entry(target.name.clone()).or_default() += 1;
    }
    let rename = |(output, mut target): (Utf8PathBuf, ModelTarget)| {
        if counts.get(&target.name).is_some_and(|&count| count > 1) && target.kind == TargetKind::Program {
            target.name = output.into_string();
        }
        target
    };
    found.into_iter().map(rename).collect()
}
