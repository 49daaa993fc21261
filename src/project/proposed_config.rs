//! What `hipshift.toml` of a project may say at first, from what is known of its build.

use camino::{Utf8Path, Utf8PathBuf};

use super::model::{LibraryUse, ModelOrigin, ModelTarget, ProjectModel};
use crate::mapping::build_library;
use crate::settings::Settings;

/// Libraries of which HIP and AMD each have one, and that are chosen by `[libraries]`.
pub(super) const CHOSEN: [&str; 4] = ["cublas", "cusparse", "curand", "cusolver"];

/// A library of CUDA's that a project links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedLibrary {
    /// As the project names it.
    pub name: String,
    /// What is linked in its place.
    pub becomes: Option<String>,
    /// What to do where nothing takes its place.
    pub advice: Option<String>,
}

/// The libraries of CUDA's that targets are linked with, sorted; the runtime, which HIP's stands in for, is none of them.
pub fn planned_libraries(model: &ProjectModel) -> Vec<PlannedLibrary> {
    let mut planned = Vec::new();
    for library in model.targets.iter().flat_map(|target| &target.libraries) {
        let LibraryUse::Other(name) = library else { continue };
        let Some(known) = build_library(cuda_name(name)) else { continue };
        let becomes = known.link.clone();
        if becomes.as_deref().is_none_or(|link| !link.is_empty() && link != "amdhip64") {
            planned.push(PlannedLibrary { name: name.clone(), becomes, advice: known.advice.clone() });
        }
    }
    planned.sort_by(|a, b| a.name.cmp(&b.name));
    planned.dedup();
    planned
}

/// The name behind `-l` of a library that may be named as an imported target.
fn cuda_name(name: &str) -> &str {
    name.strip_prefix("CUDA::").unwrap_or(name)
}

/// The text of a configuration for a project. `database` is the `compile_commands.json` that the model was read from.
pub fn proposed_config(model: &ProjectModel, settings: &Settings, database: Option<&Utf8Path>) -> String {
    let targets: String = model.targets.iter().map(line_of).collect();
    let arch = settings.targets.iter().map(|target| quoted(&target.name)).collect::<Vec<_>>().join(", ");
    let targets = if targets.is_empty() {
        "# No target of the build could be read.\n".to_owned()
    } else {
        format!("# Targets of the build, read from {}; `hipshift project` lists all of them:\n{targets}", from(model))
    };
    let head = format!(
        "# Made by `hipshift init`. All keys may be left out, and the command line wins.\n{targets}\n\
         rocm = {}\narch = [{arch}]\n",
        quoted(&settings.rocm.to_string())
    );
    let choice = |name: &str| format!("{name} = \"hip\"\n");
    let chosen = chosen(model).into_iter().map(choice).collect::<Vec<_>>().concat();
    let libraries = if chosen.is_empty() {
        String::new()
    } else {
        format!("\n# \"hip\": the portable names, \"roc\": AMD's own.\n[libraries]\n{chosen}")
    };
    let database = database.map(|path| format!("\n[validate]\ncompile-commands = {}\n", quoted(path.as_str())));
    [head, libraries, database.unwrap_or_default()].concat()
}

/// The libraries that can be chosen, in the order of the list.
fn chosen(model: &ProjectModel) -> Vec<&'static str> {
    let used = planned_libraries(model);
    let is_used =
        |name: &&str| used.iter().any(|library| cuda_name(&library.name).trim_end_matches("_static") == *name);
    CHOSEN.iter().copied().filter(|name| is_used(name)).collect()
}

fn from(model: &ProjectModel) -> String {
    match model.read.as_slice() {
        [] => model.origin.as_str().to_owned(),
        read => format!("{} ({})", model.origin.as_str(), shown(read.iter().map(|path| path.as_str()))),
    }
}

fn line_of(target: &ModelTarget) -> String {
    let sources = shown(target.sources.iter().map(|source| source.path.as_str()));
    let sources = if sources.is_empty() { "no sources".to_owned() } else { sources };
    format!("#   {} {}: {sources}\n", target.kind.as_str(), shown([target.name.as_str()].into_iter()))
}

/// Names of the project's files on one line, whatever they hold: nothing of them may become a line of its own.
fn shown<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let plain = |name: &'n str| {
        let is_plain = |letter: char| !letter.is_control() && !matches!(letter, '\u{2028}' | '\u{2029}');
        name.chars().map(|letter| if is_plain(letter) { letter } else { '?' }).collect::<String>()
    };
    names.map(plain).collect::<Vec<_>>().join(", ")
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// Where the `compile_commands.json` lies that a model was read from, as the configuration in `folder` names it.
pub fn database_of(model: &ProjectModel, folder: &Utf8Path, named: Option<&Utf8Path>) -> Option<Utf8PathBuf> {
    if model.origin != ModelOrigin::CompileCommands {
        return None;
    }
    let whole = |path: &Utf8Path| path.canonicalize_utf8().unwrap_or_else(|_| path.to_owned());
    let found = named.map(Utf8Path::to_owned).or_else(|| super::find_compile_commands(folder))?;
    let (found, folder) = (whole(&found), whole(folder));
    Some(found.strip_prefix(&folder).map_or_else(|_| found.clone(), Utf8Path::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::{Config, ModelSource, TargetKind};

    #[test]
    fn no_name_of_a_project_becomes_a_setting() {
        let odd = "x\n[validate]\r\nflags = [\"-fplugin=x.so\"]\u{85}\u{2028}#\"";
        let source = ModelSource { path: format!("{odd}.cu").into(), flags: Vec::new() };
        let target = ModelTarget {
            name: odd.to_owned(),
            kind: TargetKind::Program,
            sources: vec![source],
            include: Vec::new(),
            definitions: Vec::new(),
            libraries: vec![LibraryUse::Other("CUDA::cublas".to_owned()), LibraryUse::Other(odd.to_owned())],
            place: None,
        };
        let model = ProjectModel {
            origin: ModelOrigin::CompileCommands,
            read: vec![odd.into()],
            targets: vec![target],
            included: Vec::new(),
            unused: Vec::new(),
            unread: Vec::new(),
        };
        let text = proposed_config(&model, &Settings::default(), Some(odd.into()));
        let read: Config = toml::from_str(&text).unwrap();
        assert!(read.validate.flags.is_empty(), "{text}");
        assert_eq!(read.validate.compile_commands.unwrap(), odd);
        assert!(text.contains("\ncublas = \"hip\"\n"), "{text}");
        let table = toml::from_str::<toml::Table>(&text).unwrap();
        assert_eq!(table.keys().map(String::as_str).collect::<Vec<_>>(), ["arch", "libraries", "rocm", "validate"]);
    }
}
