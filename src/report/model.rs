//! What a project consists of.

use std::io::{self, Write};

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;

use super::visible::{line_start, one_line};
use super::words::plural;
use crate::project::{LibraryUse, ModelSource, ModelTarget, Place, ProjectModel};

/// The number of the JSON format.
const SCHEMA: u32 = 1;

/// Writes a block for each target, and then what belongs to none or could not be read.
pub fn write_model(out: &mut dyn Write, path: &Utf8Path, model: &ProjectModel) -> io::Result<()> {
    let count = plural(model.targets.len(), "target");
    let files = match model.read.as_slice() {
        [] => String::new(),
        read => format!(" ({})", joined(read)),
    };
    writeln!(out, "{}: {count}, from {}{files}", line_start(path.as_str()), model.origin.as_str())?;
    for target in &model.targets {
        write_target(out, target)?;
    }
    list(out, "compiled where they are included", &model.included)?;
    list(out, "in no target", &model.unused)?;
    if !model.unread.is_empty() {
        writeln!(out, "\nnot read:")?;
    }
    for unread in &model.unread {
        match &unread.place {
            Some(place) => writeln!(out, "  {}: {}", one_line(&place.to_string()), one_line(&unread.message))?,
            None => writeln!(out, "  {}", one_line(&unread.message))?,
        }
    }
    Ok(())
}

fn write_target(out: &mut dyn Write, target: &ModelTarget) -> io::Result<()> {
    let place = target.place.as_ref().map(|place| format!("  {place}")).unwrap_or_default();
    writeln!(out, "\n{} {}{place}", target.kind.as_str(), one_line(&target.name))?;
    for source in &target.sources {
        let flags = source.flags.join(" ");
        let flags = if flags.is_empty() { flags } else { format!("  {}", one_line(&flags)) };
        writeln!(out, "  source   {}{flags}", one_line(source.path.as_str()))?;
    }
    let folders: Vec<&str> = target.include.iter().map(|folder| shown(folder)).collect();
    line(out, "include", &folders)?;
    line(out, "define", &target.definitions)?;
    let libraries: Vec<&str> = target.libraries.iter().map(LibraryUse::name).collect();
    line(out, "link", &libraries)
}

fn line<T: AsRef<str>>(out: &mut dyn Write, name: &str, words: &[T]) -> io::Result<()> {
    if words.is_empty() {
        return Ok(());
    }
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    writeln!(out, "  {name:<8} {}", one_line(&words.join(" ")))
}

fn list(out: &mut dyn Write, head: &str, paths: &[Utf8PathBuf]) -> io::Result<()> {
    if paths.is_empty() { Ok(()) } else { writeln!(out, "\n{head}: {}", joined(paths)) }
}

fn joined(paths: &[Utf8PathBuf]) -> String {
    paths.iter().map(|path| one_line(shown(path))).collect::<Vec<_>>().join(", ")
}

/// The folder of the project itself has no name.
fn shown(path: &Utf8Path) -> &str {
    if path.as_str().is_empty() { "." } else { path.as_str() }
}

#[derive(Serialize)]
struct Report<'r> {
    schema: u32,
    tool: &'static str,
    version: &'static str,
    project: &'r str,
    origin: &'static str,
    read: &'r [Utf8PathBuf],
    targets: Vec<TargetOut<'r>>,
    included: &'r [Utf8PathBuf],
    unused: &'r [Utf8PathBuf],
    unread: Vec<UnreadOut<'r>>,
}

#[derive(Serialize)]
struct TargetOut<'r> {
    name: &'r str,
    kind: &'static str,
    #[serde(flatten)]
    place: Option<PlaceOut<'r>>,
    sources: Vec<SourceOut<'r>>,
    include: Vec<&'r str>,
    definitions: &'r [String],
    libraries: Vec<LibraryOut<'r>>,
}

#[derive(Serialize)]
struct PlaceOut<'r> {
    file: &'r str,
    line: usize,
}

#[derive(Serialize)]
struct SourceOut<'r> {
    path: &'r str,
    flags: &'r [String],
}

#[derive(Serialize)]
struct LibraryOut<'r> {
    name: &'r str,
    /// Whether it is a target of the project.
    own: bool,
}

#[derive(Serialize)]
struct UnreadOut<'r> {
    #[serde(flatten)]
    place: Option<PlaceOut<'r>>,
    message: &'r str,
}

/// Writes the same as JSON.
pub fn write_model_json(out: &mut dyn Write, path: &Utf8Path, model: &ProjectModel) -> io::Result<()> {
    let unread = model
        .unread
        .iter()
        .map(|unread| UnreadOut { place: unread.place.as_ref().map(place_out), message: &unread.message });
    let report = Report {
        schema: SCHEMA,
        tool: "hipshift",
        version: env!("CARGO_PKG_VERSION"),
        project: path.as_str(),
        origin: model.origin.as_str(),
        read: &model.read,
        targets: model.targets.iter().map(target_out).collect(),
        included: &model.included,
        unused: &model.unused,
        unread: unread.collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &report)?;
    writeln!(out)
}

fn target_out(target: &ModelTarget) -> TargetOut<'_> {
    TargetOut {
        name: &target.name,
        kind: target.kind.as_str(),
        place: target.place.as_ref().map(place_out),
        sources: target.sources.iter().map(source_out).collect(),
        include: target.include.iter().map(|folder| shown(folder)).collect(),
        definitions: &target.definitions,
        libraries: target.libraries.iter().map(library_out).collect(),
    }
}

fn source_out(source: &ModelSource) -> SourceOut<'_> {
    SourceOut { path: source.path.as_str(), flags: &source.flags }
}

fn library_out(library: &LibraryUse) -> LibraryOut<'_> {
    LibraryOut { name: library.name(), own: matches!(library, LibraryUse::Own(_)) }
}

fn place_out(place: &Place) -> PlaceOut<'_> {
    PlaceOut { file: place.file.as_str(), line: place.line }
}
