//! Targets from the commands of a build: objects are followed from the sources to what they are linked into.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

use super::invocation::{Action, Invocation};
use super::lists::is_source;
use super::tree::Tree;
use super::types::{LibraryUse, ModelTarget, Place, TargetKind, add_new};

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
    let makers = steps.iter().filter(|step| matches!(step.call.action, Action::Link | Action::Archive));
    // Libraries first, so that programs can name them whatever the order is.
    let all: Vec<&Step> = makers.collect();
    let names: BTreeMap<Utf8PathBuf, String> = all.iter().filter_map(|step| named(&step.call)).collect();
    for step in all {
        let Some((output, name)) = named(&step.call) else { continue };
        if step.call.inputs.is_empty() || found.iter().any(|(known, _)| *known == output) {
            continue;
        }
        let mut target = ModelTarget::new(name, kind(&step.call), Some(step.place.clone()));
        Collector { objects: &objects, names: &names, tree, place: &step.place }.fill(&mut target, &step.call);
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

struct Collector<'c> {
    objects: &'c BTreeMap<&'c Utf8Path, &'c Step>,
    names: &'c BTreeMap<Utf8PathBuf, String>,
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
        let is_it = |path: &Utf8PathBuf| {
            let file = path.file_name().and_then(|file| file.strip_prefix("lib")?.strip_prefix(name));
            file.is_some_and(|rest| rest.starts_with('.'))
        };
        match self.names.iter().find(|(path, _)| is_it(path)) {
            Some((_, own)) => LibraryUse::Own(own.clone()),
            None => LibraryUse::Other(name.to_owned()),
        }
    }
}

/// Adds sources with the calls that compile them. A macro that not all of them get is an option of those that do.
fn add_sources(target: &mut ModelTarget, compiled: &[(&Utf8Path, &Invocation)]) {
    let is_common = |name: &String| compiled.iter().all(|(_, call)| call.definitions.contains(name));
    for (source, call) in compiled {
        let (common, own): (Vec<String>, Vec<String>) = call.definitions.iter().cloned().partition(is_common);
        let own = own.into_iter().map(|name| format!("-D{name}"));
        target.add_source(source, &call.flags.iter().cloned().chain(own).collect::<Vec<_>>());
        add_new(&mut target.include, call.include.iter().cloned());
        add_new(&mut target.definitions, common);
    }
}

/// Targets of one name in several folders are called by their paths.
fn unique(found: Vec<(Utf8PathBuf, ModelTarget)>) -> Vec<ModelTarget> {
    let names: Vec<String> = found.iter().map(|(_, target)| target.name.clone()).collect();
    let rename = |(output, mut target): (Utf8PathBuf, ModelTarget)| {
        if names.iter().filter(|name| **name == target.name).count() > 1 && target.kind == TargetKind::Program {
            target.name = output.into_string();
        }
        target
    };
    found.into_iter().map(rename).collect()
}
