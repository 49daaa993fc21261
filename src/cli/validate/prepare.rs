//! Converts the sources of a validation into a folder, and remembers where each text came from.

use std::sync::Mutex;

use camino::Utf8PathBuf;

use super::args::Validate;
use super::layout::Layout;
use super::options::Options;
use crate::cli::convert::{Found, find_files, stage_copies};
use crate::cli::settings::Resolved;
use crate::project::{Converted, Destination, Run, Source, Staging, convert_files, survey};
use crate::validate::{Origins, Unit, defines_main, is_unit};

/// Converted sources, ready for the compiler.
pub(super) struct Prepared {
    pub(super) units: Vec<Unit>,
    pub(super) origins: Origins,
    /// The folders of the converted trees.
    pub(super) roots: Vec<Utf8PathBuf>,
}

/// Converts all sources into `folder`, everything else beside them.
pub(super) fn prepare(
    arguments: &Validate,
    resolved: &Resolved,
    layout: &Layout,
    options: &mut Options,
) -> anyhow::Result<Prepared> {
    let (sources, copies) = find(arguments, resolved, layout)?;
    let staging = Staging::default();
    let survey = survey(&sources, &resolved.table, &resolved.settings);
    let (origins, units) = (Origins::default(), Mutex::new(Vec::new()));
    let look = |source: &Source, converted: Converted<'_>| {
        let Some(output) = &source.output else { return };
        if let Some((text, outcome)) = converted.conversion {
            origins.insert(output, text, outcome);
        }
        if is_unit(&source.path) {
            // The names of functions stay, so the result tells what the source does.
            let has_main = defines_main(&source.path, converted.bytes().into_owned());
            let unit = Unit { source: source.path.clone(), output: output.clone(), has_main, flags: Vec::new() };
            units.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(unit);
        }
    };
    let run = Run { staging: Some(&staging), observer: Some(&look), ..resolved.run(&survey) };
    convert_files(&sources, run, || {})?;
    stage_copies(&copies, &staging, None)?;
    staging.commit()?;
    let mut units = units.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    units.sort_by(|a, b| a.source.cmp(&b.source));
    for unit in &mut units {
        unit.flags = options.of_file(&unit.source, layout);
    }
    Ok(Prepared { units, origins, roots: layout.roots(&arguments.paths) })
}

/// The sources and the other files of all paths, each once, with their places in the folder of the run.
fn find(arguments: &Validate, resolved: &Resolved, layout: &Layout) -> anyhow::Result<(Vec<Source>, Vec<Source>)> {
    let (mut sources, mut copies) = (Vec::new(), Vec::new());
    for path in &arguments.paths {
        let destination = Destination::Directory(layout.folder_of(path));
        let found: Found = find_files(std::slice::from_ref(path), resolved, Some(&destination), true)?;
        sources.extend(found.sources);
        copies.extend(found.copies);
    }
    for files in [&mut sources, &mut copies] {
        // What an earlier run wrote is no source of this one.
        files.retain(|file| !layout.holds(&file.path));
        files.sort_by(|a, b| a.output.cmp(&b.output));
        files.dedup_by(|a, b| a.output == b.output);
    }
    Ok((sources, copies))
}
