//! Targets from `compile_commands.json`: how each source is compiled, and for which target, as CMake names objects.

use camino::{Utf8Path, Utf8PathBuf};

use super::includes::Sources;
use super::invocation::Invocation;
use super::tree::Tree;
use super::types::{ModelTarget, TargetKind, add_new};
use crate::project::compile_commands::{CompileCommand, compile_commands};

/// Completes targets by what a database tells. Gives nothing if it cannot be read; that is noted.
pub(super) fn with_database(
    known: Vec<ModelTarget>,
    path: &Utf8Path,
    sources: &Sources,
    tree: &Tree<'_>,
) -> Result<Vec<ModelTarget>, Vec<ModelTarget>> {
    let commands = match compile_commands(path) {
        Ok(commands) => commands,
        Err(error) => {
            tree.note(None, error.to_string());
            return Err(known);
        }
    };
    let calls: Vec<(Option<String>, Utf8PathBuf, Invocation)> =
        commands.iter().filter_map(|command| read(command, tree)).collect();
    let mut targets = Vec::new();
    for (name, source, call) in &calls {
        let Some(name) = name else { continue };
        let at = targets.iter().position(|target: &ModelTarget| target.name == *name).unwrap_or_else(|| {
            targets.push(described(name, &known));
            targets.len() - 1
        });
        add(&mut targets[at], source, call);
    }
    if targets.is_empty() {
        return Ok(by_source(known, &calls));
    }
    for target in &mut targets {
        let has_main = target.sources.iter().any(|source| sources.has_main(&source.path));
        if has_main && known.iter().all(|known| known.name != target.name) {
            target.kind = TargetKind::Program;
        }
    }
    for target in known {
        if targets.iter().any(|built| built.name == target.name) {
            continue;
        }
        if target.kind == TargetKind::Interface {
            targets.push(target);
        } else {
            let message = format!("`{}` of the build files is not part of the build of `{path}`", target.name);
            tree.note(target.place, message);
        }
    }
    Ok(targets)
}

/// The target of a command, if CMake named its object, with source and call.
fn read(command: &CompileCommand, tree: &Tree<'_>) -> Option<(Option<String>, Utf8PathBuf, Invocation)> {
    let source = command.file.strip_prefix(tree.root).ok()?.to_owned();
    let words: Vec<String> = std::iter::once("cc".to_owned()).chain(command.words.iter().cloned()).collect();
    let call = Invocation::read(&words, &command.directory, tree)?;
    let output = call.output.as_ref().map(|output| output.as_str()).unwrap_or_default();
    let name = output.split_once("CMakeFiles/").and_then(|(_, rest)| Some(rest.split_once(".dir/")?.0.to_owned()));
    Some((name, source, call))
}

/// A target without sources; what it is linked with is known from the build files.
fn described(name: &str, known: &[ModelTarget]) -> ModelTarget {
    match known.iter().find(|target| target.name == name) {
        Some(known) => {
            ModelTarget { sources: Vec::new(), include: Vec::new(), definitions: Vec::new(), ..known.clone() }
        }
        None => ModelTarget::new(name, TargetKind::Library, None),
    }
}

fn add(target: &mut ModelTarget, source: &Utf8Path, call: &Invocation) {
    target.add_source(source, &call.flags);
    add_new(&mut target.include, call.include.iter().cloned());
    add_new(&mut target.definitions, call.definitions.iter().cloned());
}

/// Known targets whose sources are compiled as the database tells.
fn by_source(mut known: Vec<ModelTarget>, calls: &[(Option<String>, Utf8PathBuf, Invocation)]) -> Vec<ModelTarget> {
    for target in &mut known {
        for (_, source, call) in calls {
            if let Some(own) = target.sources.iter_mut().find(|own| own.path == *source) {
                own.flags.clone_from(&call.flags);
                add_new(&mut target.include, call.include.iter().cloned());
                add_new(&mut target.definitions, call.definitions.iter().cloned());
            }
        }
    }
    known
}
