//! Which files are read, and where the results go.

use anyhow::{Context as _, bail};
use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;
use serde::Deserialize;

use super::args::Arguments;
use super::options::{Flag, Key, Tool};
use crate::project::{Doors, Source, read_named, refuse_brought_links, work_tree_of};

/// Where results go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Output {
    /// Nowhere.
    Nothing,
    /// To `SOURCE.hip`.
    Beside,
    /// To `DIR/SOURCE.hip`.
    Directory(Utf8PathBuf),
    /// To one file; several results one behind the other.
    File(Utf8PathBuf),
    /// To the source.
    InPlace {
        /// Whether the original stays as `SOURCE.prehip`.
        backup: bool,
    },
    /// To standard output.
    Standard,
}

/// The files of a run.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) sources: Vec<Source>,
    /// Originals to keep: the file, and where.
    pub(super) backups: Vec<(Utf8PathBuf, Utf8PathBuf)>,
    pub(super) output: Output,
    /// Where anything may be written.
    pub(super) doors: Doors,
}

/// One entry of `compile_commands.json`, as far as it matters.
#[derive(Deserialize)]
struct CompileCommand {
    directory: Utf8PathBuf,
    file: Utf8PathBuf,
}

/// Decides about all files.
pub(super) fn plan(arguments: &Arguments) -> anyhow::Result<Plan> {
    let files = files(arguments)?;
    let output = output(arguments, files.len())?;
    if let Output::File(path) = &output {
        refuse_source(path, arguments)?;
    }
    let doors = doors(arguments, &output)?;
    let mut plan = Plan { sources: Vec::new(), backups: Vec::new(), output, doors };
    for file in files {
        plan.add(file, arguments.tool);
    }
    refuse_collisions(&plan.sources)?;
    Ok(plan)
}

impl Plan {
    fn add(&mut self, file: Utf8PathBuf, tool: Tool) {
        let output = match &self.output {
            Output::Nothing | Output::Standard => None,
            Output::File(_) if tool == Tool::Perl => None,
            Output::File(path) => Some(path.clone()),
            Output::Beside => Some(with_suffix(&file, "hip")),
            Output::Directory(directory) => {
                Some(directory.join(with_suffix(Utf8Path::new(file.file_name().unwrap_or("output")), "hip")))
            }
            Output::InPlace { backup } => {
                let (backup, output) = (*backup, file.clone());
                let path = if backup { self.keep_original(file, tool) } else { file };
                return self.sources.push(Source { path, output: Some(output) });
            }
        };
        self.sources.push(Source { path: file, output });
    }

    /// Keeps `file` as `FILE.prehip` unless there is one. What to read: hipify-perl starts from
    /// the original every time.
    fn keep_original(&mut self, file: Utf8PathBuf, tool: Tool) -> Utf8PathBuf {
        let original = with_suffix(&file, "prehip");
        match (original.exists(), tool) {
            (true, Tool::Perl) => return original,
            (true, Tool::Clang) => {}
            (false, _) => self.backups.push((file.clone(), original)),
        }
        file
    }
}

/// Refuses a source as the file for the result, which has a way of its own.
fn refuse_source(output: &Utf8Path, arguments: &Arguments) -> anyhow::Result<()> {
    let place = output.canonicalize_utf8().ok();
    let is_source = |source: &String| Utf8Path::new(source).canonicalize_utf8().ok() == place;
    if place.is_some() && arguments.sources.iter().any(is_source) {
        bail!("`{output}` is a source; `--inplace` converts it where it is");
    }
    Ok(())
}

/// What the user named: sources and outputs. A database names files, too, but not for the user: those of its project
/// are meant, which is the git work tree around it, and those below the current directory.
fn doors(arguments: &Arguments, output: &Output) -> std::io::Result<Doors> {
    let sources = Doors::named(arguments.sources.iter().map(Utf8Path::new));
    let sources = match arguments.value(Key::Database).map(Utf8Path::new) {
        Some(database) if arguments.sources.is_empty() => sources.and(Utf8Path::new(".")).and(&project_of(database)),
        _ => sources,
    };
    Ok(match output {
        Output::Directory(path) | Output::File(path) => {
            let inputs: Vec<Utf8PathBuf> = arguments.sources.iter().map(Utf8PathBuf::from).collect();
            refuse_brought_links(path, &inputs)?;
            sources.and(path)
        }
        Output::Nothing | Output::Beside | Output::InPlace { .. } | Output::Standard => sources,
    })
}

fn with_suffix(file: &Utf8Path, suffix: &str) -> Utf8PathBuf {
    format!("{file}.{suffix}").into()
}

fn output(arguments: &Arguments, files: usize) -> anyhow::Result<Output> {
    let (file, directory) = (arguments.value(Key::Output), arguments.value(Key::OutputDirectory));
    let elsewhere = file.is_some() || directory.is_some() || arguments.has(Flag::NoOutput);
    if arguments.has(Flag::InPlace) && elsewhere {
        bail!("`--inplace` excludes `-o`, `--o-dir` and `--no-output`");
    }
    if file.is_some() && files > 1 && arguments.tool == Tool::Clang {
        bail!("`-o` takes the result of one source, but there are {files}; `--o-dir` takes them all");
    }
    if arguments.has(Flag::Examine) || arguments.has(Flag::NoOutput) {
        return Ok(Output::Nothing);
    }
    Ok(match (file, directory) {
        _ if arguments.has(Flag::InPlace) => Output::InPlace { backup: !arguments.has(Flag::NoBackup) },
        (Some("-"), None) => Output::Standard,
        (Some(file), Some(directory)) => Output::File(Utf8Path::new(directory).join(file)),
        (Some(file), None) => Output::File(file.into()),
        (None, Some(directory)) => Output::Directory(directory.into()),
        (None, None) if arguments.tool == Tool::Perl => Output::Standard,
        (None, None) => Output::Beside,
    })
}

/// The sources that were named, else those of the compilation database; each once.
fn files(arguments: &Arguments) -> anyhow::Result<Vec<Utf8PathBuf>> {
    let mut files: Vec<Utf8PathBuf> = arguments.sources.iter().map(Utf8PathBuf::from).collect();
    if files.is_empty()
        && let Some(directory) = arguments.value(Key::Database)
    {
        files = database(Utf8Path::new(directory))?;
        refuse_foreign(&files, Utf8Path::new(directory))?;
    }
    if files.is_empty() {
        bail!("name at least one source; `--help` lists the options");
    }
    let mut seen = FxHashSet::default();
    files.retain(|file| seen.insert(file.clone()) && !is_excluded(file, arguments));
    Ok(files)
}

/// Refuses files that a database names outside of its project: their texts would come into the tree.
fn refuse_foreign(files: &[Utf8PathBuf], database: &Utf8Path) -> anyhow::Result<()> {
    let resolved = |path: &Utf8Path| path.canonicalize_utf8().unwrap_or_else(|_| path.to_owned());
    let inside = [project_of(database), resolved(Utf8Path::new("."))];
    match files.iter().find(|file| !inside.iter().any(|folder| resolved(file).starts_with(folder))) {
        Some(file) => bail!("`{file}` lies outside of the project of the compilation database; name it to convert it"),
        None => Ok(()),
    }
}

/// The git work tree around a folder, or the folder.
fn project_of(folder: &Utf8Path) -> Utf8PathBuf {
    let absolute = folder.canonicalize_utf8().unwrap_or_else(|_| folder.to_owned());
    work_tree_of(&absolute).map_or_else(|| absolute.clone(), Utf8Path::to_owned)
}

fn database(directory: &Utf8Path) -> anyhow::Result<Vec<Utf8PathBuf>> {
    let path = directory.join("compile_commands.json");
    let commands: Vec<CompileCommand> =
        serde_json::from_str(&read_named(&path).with_context(|| format!("reading {path}"))?)
            .with_context(|| format!("reading {path}"))?;
    Ok(commands.into_iter().map(|command| command.directory.join(command.file)).collect())
}

/// Lists of hipify-perl: directories by any part of the path, files by path or name.
fn is_excluded(file: &Utf8Path, arguments: &Arguments) -> bool {
    let parent = file.parent().unwrap_or(Utf8Path::new(""));
    let in_directory = |wanted: &str| {
        let wanted = wanted.trim_end_matches('/');
        parent.starts_with(wanted) || parent.components().any(|part| part.as_str() == wanted)
    };
    arguments.list(Key::ExcludeDirectories).any(in_directory)
        || arguments.list(Key::ExcludeFiles).any(|wanted| file == wanted || file.file_name() == Some(wanted))
}

fn refuse_collisions(sources: &[Source]) -> anyhow::Result<()> {
    let mut outputs = rustc_hash::FxHashMap::default();
    for source in sources {
        let Some(output) = &source.output else { continue };
        if let Some(first) = outputs.insert(output, &source.path) {
            bail!("`{first}` and `{}` would both be written to `{output}`", source.path);
        }
    }
    Ok(())
}
