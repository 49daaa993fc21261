//! What a port of a project will be: its targets and libraries, how much work there is, and what to do next.

use std::io::{self, Write};

use camino::Utf8Path;
use serde_json::{Value, json};

use super::estimate::{Estimate, write_estimate};
use super::visible::{line_start, one_line};
use super::words::plural;
use crate::project::{FileReport, PlannedLibrary, ProjectModel, TargetKind};

/// A plan for the port of a project.
#[derive(Debug, Clone, Copy)]
pub struct Plan<'p> {
    /// The folder of the project, as it was named.
    pub folder: &'p Utf8Path,
    /// What it consists of.
    pub model: &'p ProjectModel,
    /// The libraries of CUDA's that it links.
    pub libraries: &'p [PlannedLibrary],
    /// What linting found in its files.
    pub reports: &'p [FileReport],
    /// The configuration file, and its text.
    pub config: (&'p Utf8Path, &'p str),
    /// Whether that was written.
    pub written: bool,
}

/// Writes the plan as text.
pub fn write_plan(out: &mut dyn Write, plan: &Plan<'_>) -> io::Result<()> {
    let Plan { folder, model, libraries, reports, config: (path, text), written } = *plan;
    let (folder, path) = (one_line(folder.as_str()), one_line(path.as_str()));
    writeln!(
        out,
        "{}: {}, from {}",
        line_start(&folder),
        plural(model.targets.len(), "target"),
        model.origin.as_str()
    )?;
    for target in &model.targets {
        writeln!(
            out,
            "  {} {}, {}",
            target.kind.as_str(),
            one_line(&target.name),
            plural(target.sources.len(), "source")
        )?;
    }
    if !libraries.is_empty() {
        writeln!(out, "\nlibraries")?;
    }
    for PlannedLibrary { name, becomes, advice } in libraries {
        let name = one_line(name);
        match (becomes, advice) {
            (Some(becomes), _) => writeln!(out, "  {name} becomes {becomes}")?,
            (None, Some(advice)) => writeln!(out, "  {name} has no counterpart: {advice}")?,
            (None, None) => writeln!(out, "  {name} has no counterpart")?,
        }
    }
    if !model.unread.is_empty() {
        writeln!(
            out,
            "\n{} of the build not read; `hipshift project {folder}` lists them",
            plural(model.unread.len(), "part")
        )?;
    }
    writeln!(out)?;
    write_estimate(out, reports)?;
    if written {
        writeln!(out, "\n{} was written", line_start(&path))?;
    } else {
        writeln!(out, "\n{} would be (nothing was written):", line_start(&path))?;
        text.lines().try_for_each(|line| writeln!(out, "    {line}").map(drop))?;
    }
    let has_programs = model.targets.iter().any(|target| target.kind == TargetKind::Program);
    let or = if has_programs { format!("; or `hipshift validate {folder}`") } else { String::new() };
    writeln!(out, "next: `hipshift convert {folder} -o DIR`, then the project's own build in DIR{or}")
}

/// Writes the plan as JSON and a line end.
pub fn write_plan_json(out: &mut dyn Write, plan: &Plan<'_>) -> io::Result<()> {
    let Plan { folder, model, libraries, reports, config: (path, text), written } = *plan;
    let target = |target: &crate::project::ModelTarget| -> Value {
        json!({ "name": target.name, "kind": target.kind.as_str(), "sources": target.sources.len() })
    };
    let library = |library: &PlannedLibrary| -> Value {
        json!({ "name": library.name, "becomes": library.becomes, "advice": library.advice })
    };
    let estimate = Estimate::of(reports);
    let efforts: Vec<Value> = estimate
        .groups
        .iter()
        .map(|group| json!({ "effort": group.effort.as_str(), "findings": group.findings, "files": group.files }))
        .collect();
    let document = json!({
        "schema": super::json::SCHEMA,
        "tool": "hipshift",
        "version": env!("CARGO_PKG_VERSION"),
        "project": folder,
        "origin": model.origin.as_str(),
        "targets": model.targets.iter().map(target).collect::<Vec<_>>(),
        "libraries": libraries.iter().map(library).collect::<Vec<_>>(),
        "unread": model.unread.len(),
        "estimate": { "files": estimate.files, "with_cuda": estimate.with_cuda, "efforts": efforts },
        "config": { "path": path, "text": text, "written": written },
    });
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}
