//! Converts the sources of a validation into a folder, and remembers where each text came from.

use std::sync::Mutex;

use anyhow::{Context as _, bail};
use camino::{Utf8Path, Utf8PathBuf};

use super::args::Validate;
use super::kernels::note_left_out;
use super::layout::Layout;
use super::options::Options;
use crate::cli::convert::{Found, Wanted, look_for_files, stage_copies};
use crate::cli::helpers::{helper_plan, stage_helpers};
use crate::cli::output::note;
use crate::cli::settings::Resolved;
use crate::project::{
    Converted, Destination, Doors, Following, HelperPlan, Included, Run, Selection, Source, Staging, convert_files,
    place, survey, walk,
};
use crate::validate::{Dialect, Given, Kernel, Origins, Program, Unit, defines_main, driver, is_unit, write_anew};

/// Converted sources, ready for the compiler.
pub(super) struct Prepared {
    pub(super) units: Vec<Unit>,
    pub(super) origins: Origins,
    /// Every source with its place in the folder of the run.
    pub(super) places: Vec<(Utf8PathBuf, Utf8PathBuf)>,
    /// The folders of the converted trees.
    pub(super) roots: Vec<Utf8PathBuf>,
    /// What could not be read, and why.
    pub(super) left_out: Vec<String>,
}

impl Prepared {
    /// Writes a program for each kernel whose file is among the sources, beside that file.
    pub(super) fn drivers(
        &mut self,
        kernels: Vec<Kernel>,
        layout: &Layout,
        options: &mut Options,
    ) -> anyhow::Result<Vec<Program>> {
        let mut programs = Vec::new();
        for kernel in kernels {
            let is_it = |path: &Utf8PathBuf| path.canonicalize_utf8().is_ok_and(|path| path == kernel.source);
            let Some((source, output)) = self.places.iter().find(|(path, _)| is_it(path)) else {
                note_left_out(&kernel);
                continue;
            };
            let name = output.file_name().unwrap_or_default();
            let path = output.with_file_name(format!("hipshift-driver-{}.hip", kernel.name));
            let text = driver(&kernel, Dialect::Hip, name.into());
            write_anew(path.as_std_path(), text.as_bytes()).with_context(|| format!("writing {path}"))?;
            let flags = options.of_file(source, layout);
            let kernel = Kernel { source: source.clone(), ..kernel };
            self.units.push(Unit { source: source.clone(), output: path, has_main: true, flags });
            programs.push(Program {
                name: kernel.name.clone(),
                units: vec![self.units.len() - 1],
                kernel: Some(kernel),
                libraries: Vec::new(),
                given: Given::default(),
            });
        }
        Ok(programs)
    }
}

/// What the sources of all paths include and nobody named, where `folders` are searched for headers.
pub(super) fn followed(
    arguments: &Validate,
    resolved: &Resolved,
    folders: &[Utf8PathBuf],
) -> anyhow::Result<Vec<Utf8PathBuf>> {
    let selection = Selection::new(&resolved.include, &resolved.exclude)?;
    let (mut sources, mut whole) = (Vec::new(), Vec::new());
    for path in &arguments.paths {
        sources.extend(walk(path, &selection)?.sources);
        whole.extend(path.canonicalize_utf8().ok().filter(|path| path.is_dir()));
    }
    let following = Following { folders, named: &arguments.paths, table: &resolved.table };
    let Included { files: mut found, unknown } = following.included(&sources);
    for (file, name) in unknown {
        note(&format!("`#include {name}` of {file} was not followed: what it names is not in that file"));
    }
    // What a folder that was named has is chosen by the configuration.
    found.retain(|file| !whole.iter().any(|folder| file.starts_with(folder)));
    Ok(found)
}

/// Converts all sources into `folder`, everything else beside them.
pub(super) fn prepare(
    arguments: &Validate,
    resolved: &Resolved,
    layout: &Layout,
    options: &mut Options,
) -> anyhow::Result<Prepared> {
    let Found { mut sources, mut copies, mut left_out, .. } = find(arguments, resolved, layout)?;
    let destinations: Vec<_> =
        arguments.paths.iter().map(|path| Destination::Directory(layout.folder_of(path))).collect();
    let helpers = helper_plan(resolved, arguments.paths.iter().zip(&destinations), [&mut sources, &mut copies])?;
    let staging = Staging::to(Doors::named([layout.tree()]));
    let survey = survey(&sources, (&resolved.table, &resolved.settings), resolved.decisions.as_ref());
    let (origins, units) = (Origins::default(), Mutex::new(Vec::new()));
    let look = |source: &Source, converted: Converted<'_>| {
        let Some(output) = &source.output else { return };
        match converted.conversion {
            Some((text, outcome)) => origins.insert(output, text, outcome),
            None => origins.insert_copy(output, &source.path),
        }
        if is_unit(&source.path) && !layout.is_followed(&source.path) {
            // The names of functions stay, so the result tells what the source does.
            let has_main = defines_main(&source.path, converted.bytes().into_owned());
            let unit = Unit { source: source.path.clone(), output: output.clone(), has_main, flags: Vec::new() };
            units.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(unit);
        }
    };
    let header = helpers.as_ref().map(HelperPlan::header);
    let run = Run { staging: Some(&staging), observer: Some(&look), helpers: header, ..resolved.run(&survey) };
    let reports = convert_files(&sources, run, || {})?;
    stage_helpers(helpers.as_ref(), &reports, (&staging, None), true)?;
    stage_copies(&copies, &staging, None, &mut left_out)?;
    for (output, copy) in copies.iter().filter_map(|copy| Some((copy.output.as_ref()?, copy))) {
        origins.insert_copy(output, &copy.path);
    }
    staging.commit()?;
    let mut units = units.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    units.sort_by(|a, b| a.source.cmp(&b.source));
    for unit in &mut units {
        unit.flags = options.of_file(&unit.source, layout);
    }
    let place = |source: Source| Some((source.path, source.output?));
    let places = sources.into_iter().filter_map(place).collect();
    Ok(Prepared { units, origins, places, roots: layout.roots(&arguments.paths), left_out })
}

/// The sources and the other files of all paths, each once, with their places in the folder of the run.
fn find(arguments: &Validate, resolved: &Resolved, layout: &Layout) -> anyhow::Result<Found> {
    let mut all = Found::default();
    for path in &arguments.paths {
        let destination = Destination::Directory(layout.folder_of(path));
        let wanted = Wanted { builds: false, copies: true, links: false };
        let found = look_for_files(std::slice::from_ref(path), resolved, Some(&destination), wanted)?;
        all.sources.extend(found.sources);
        all.copies.extend(found.copies);
        all.left_out.extend(found.left_out);
    }
    if all.sources.is_empty() {
        bail!(all.left_out.join("; "));
    }
    let here = Utf8Path::new(".").canonicalize_utf8()?;
    for file in layout.followed() {
        let destination = Destination::Directory(layout.folder_of(file));
        // Messages name it as a person here would.
        let path = file.strip_prefix(&here).unwrap_or(file).to_owned();
        let outputs = place(&[(path.clone(), path.clone())], &destination, resolved.settings.extension)?;
        all.sources.extend(outputs.into_iter().map(|output| Source { path: path.clone(), output: Some(output) }));
    }
    for files in [&mut all.sources, &mut all.copies] {
        // What an earlier run wrote is no source of this one.
        files.retain(|file| !layout.holds(&file.path));
        files.sort_by(|a, b| a.output.cmp(&b.output));
        files.dedup_by(|a, b| a.output == b.output);
    }
    Ok(all)
}
