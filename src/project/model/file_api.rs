//! Targets from the reply of CMake's file API ("cmake-file-api(7)", object kind "codemodel").

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::lists::is_source;
use super::tree::Tree;
use super::types::{LibraryUse, ModelTarget, TargetKind, add_new};
use crate::project::own_place::refuse_way_out;
use crate::project::read::read_named;

#[derive(Deserialize)]
struct Index {
    objects: Vec<IndexObject>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct IndexObject {
    kind: String,
    json_file: String,
}

#[derive(Deserialize)]
struct CodeModel {
    configurations: Vec<Configuration>,
}

#[derive(Deserialize)]
struct Configuration {
    targets: Vec<TargetFile>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetFile {
    json_file: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct Target {
    id: String,
    name: String,
    r#type: String,
    name_on_disk: String,
    sources: Vec<Source>,
    compile_groups: Vec<CompileGroup>,
    link: Link,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Source {
    path: Utf8PathBuf,
    compile_group_index: Option<usize>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct CompileGroup {
    includes: Vec<Include>,
    defines: Vec<Define>,
    compile_command_fragments: Vec<Fragment>,
}

#[derive(Deserialize)]
struct Include {
    path: String,
}

#[derive(Deserialize)]
struct Define {
    define: String,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Link {
    command_fragments: Vec<Fragment>,
}

#[derive(Deserialize)]
struct Fragment {
    fragment: String,
    #[serde(default)]
    role: String,
}

#[derive(Deserialize)]
struct Dependency {
    id: String,
}

/// The folder of a reply, where people and tools build: in `build` of the project, or in the project itself.
pub(super) fn find_reply(root: &Utf8Path) -> Option<Utf8PathBuf> {
    let folders = ["build/.cmake/api/v1/reply", ".cmake/api/v1/reply"];
    folders.iter().map(|folder| root.join(folder)).find(|folder| folder.is_dir())
}

/// The targets of a reply; nothing, with a note, if it cannot be read.
pub(super) fn file_api_targets(reply: &Utf8Path, tree: &Tree<'_>) -> Option<Vec<ModelTarget>> {
    match read_reply(reply, tree.root) {
        Ok(targets) if !targets.is_empty() => {
            let all = Known::of(&targets);
            Some(targets.iter().filter_map(|target| model(target, &all, tree)).collect())
        }
        Ok(_) => {
            tree.note(None, format!("the reply in `{reply}` has no targets"));
            None
        }
        Err(message) => {
            tree.note(None, format!("`{reply}`: {message}"));
            None
        }
    }
}

fn read_reply(reply: &Utf8Path, root: &Utf8Path) -> Result<Vec<Target>, String> {
    refuse_way_out(reply, root).map_err(|error| error.to_string())?;
    let names = reply.read_dir_utf8().map_err(|error| error.to_string())?;
    let names = names.filter_map(|entry| Some(entry.ok()?.file_name().to_owned()));
    // The newest one has the greatest name.
    let index = names.filter(|name| name.starts_with("index-")).max().ok_or("it has no index")?;
    let index: Index = json(reply, root, &index)?;
    let object = index.objects.iter().find(|object| object.kind == "codemodel").ok_or("it has no code model")?;
    let model: CodeModel = json(reply, root, &object.json_file)?;
    let files = model.configurations.into_iter().next().map(|first| first.targets).unwrap_or_default();
    // One target has one file.
    let mut names: Vec<&str> = files.iter().map(|file| file.json_file.as_str()).collect();
    let mut seen = FxHashSet::default();
    names.retain(|name| seen.insert(*name));
    let mut left = LONGEST_REPLY;
    let mut target = |name: &&str| {
        let size = reply.join(name).metadata().map_or(0, |metadata| metadata.len());
        left = left.checked_sub(size).ok_or("its targets are larger than 256 MiB")?;
        json(reply, root, name)
    };
    names.iter().map(&mut target).collect()
}

/// All targets of a reply together, in bytes.
const LONGEST_REPLY: u64 = 256 << 20;

fn json<T: DeserializeOwned>(reply: &Utf8Path, root: &Utf8Path, name: &str) -> Result<T, String> {
    // A name is one of this folder.
    if name.contains('/') {
        return Err(format!("`{name}` lies elsewhere"));
    }
    let path = reply.join(name);
    let text = refuse_way_out(&path, root).and_then(|()| read_named(&path));
    let text = text.map_err(|error| format!("{name}: {error}"))?;
    serde_json::from_str(&text).map_err(|error| format!("{name}: {error}"))
}

fn kind(word: &str) -> Option<TargetKind> {
    Some(match word {
        "EXECUTABLE" => TargetKind::Program,
        "STATIC_LIBRARY" | "SHARED_LIBRARY" | "MODULE_LIBRARY" | "OBJECT_LIBRARY" => TargetKind::Library,
        "INTERFACE_LIBRARY" => TargetKind::Interface,
        _ => return None,
    })
}

/// The targets of a reply by what others call them.
struct Known<'t> {
    by_id: FxHashMap<&'t str, &'t Target>,
    files: FxHashSet<&'t str>,
}

impl<'t> Known<'t> {
    fn of(targets: &'t [Target]) -> Known<'t> {
        let by_id = targets.iter().rev().map(|target| (target.id.as_str(), target)).collect();
        Known { by_id, files: targets.iter().map(|target| target.name_on_disk.as_str()).collect() }
    }
}

fn model(target: &Target, all: &Known<'_>, tree: &Tree<'_>) -> Option<ModelTarget> {
    let mut model = ModelTarget::new(&target.name, kind(&target.r#type)?, None);
    for source in &target.sources {
        let path = tree.resolve(Utf8Path::new(""), source.path.as_str());
        if !is_source(&path) {
            continue;
        }
        if !tree.has(&path) {
            tree.note(None, format!("`{path}` of `{}` is left out: the build makes it", target.name));
            continue;
        }
        let group = source.compile_group_index.and_then(|at| target.compile_groups.get(at));
        let fragments = group.map(|group| group.compile_command_fragments.as_slice()).unwrap_or_default();
        let words = fragments.iter().flat_map(|fragment| shlex::split(&fragment.fragment).unwrap_or_default());
        model.add_source(&path, &words.collect::<Vec<_>>());
        if let Some(group) = group {
            let folders = group.includes.iter().map(|include| tree.resolve(Utf8Path::new(""), &include.path));
            add_new(&mut model.include, folders);
            add_new(&mut model.definitions, group.defines.iter().map(|define| define.define.clone()));
        }
    }
    let own: Vec<&Target> =
        target.dependencies.iter().filter_map(|of| all.by_id.get(of.id.as_str()).copied()).collect();
    let is_library = |own: &&&Target| kind(&own.r#type).is_some_and(|kind| kind != TargetKind::Program);
    let names = own.iter().filter(is_library).map(|own| LibraryUse::Own(own.name.clone()));
    add_new(&mut model.libraries, names);
    let linked = target.link.command_fragments.iter().filter(|fragment| fragment.role == "libraries");
    let others = linked.filter_map(|fragment| library(&fragment.fragment, all)).map(LibraryUse::Other);
    add_new(&mut model.libraries, others);
    Some(model)
}

/// The name of a library that is none of the project's: `-lname`, or a path of a file.
fn library(fragment: &str, all: &Known<'_>) -> Option<String> {
    let fragment = fragment.trim().trim_matches('"');
    if let Some(name) = fragment.strip_prefix("-l") {
        return Some(name.to_owned());
    }
    let file = Utf8Path::new(fragment).file_name().filter(|_| !fragment.starts_with('-'))?;
    if all.files.contains(file) {
        return None;
    }
    let stem = file.split('.').next().unwrap_or(file);
    Some(stem.strip_prefix("lib").unwrap_or(stem).to_owned())
}
