//! Targets from the sources alone: a program for each `main`, with the files that lie beside it and below.

use camino::{Utf8Path, Utf8PathBuf};

use super::includes::Sources;
use super::tree::Tree;
use super::types::{ModelTarget, TargetKind};

/// The programs of a project without build files.
pub(super) fn source_targets(sources: &Sources, tree: &Tree<'_>) -> Vec<ModelTarget> {
    let folders = sources.folders(tree);
    let included = sources.included(&folders, tree);
    let own: Vec<(&Utf8PathBuf, bool)> =
        sources.units.iter().filter(|(path, _)| !included.contains(*path)).map(|(path, main)| (path, *main)).collect();
    let mains: Vec<&Utf8PathBuf> = own.iter().filter(|(_, has_main)| *has_main).map(|(path, _)| *path).collect();
    let target = |main: &Utf8PathBuf| {
        let mut target = ModelTarget::new(program_name(main, &mains), TargetKind::Program, None);
        target.add_source(main, &[]);
        let folder = main.parent().unwrap_or(Utf8Path::new(""));
        let parts = own.iter().filter(|(path, has_main)| !has_main && (mains.len() == 1 || path.starts_with(folder)));
        parts.for_each(|(path, _)| target.add_source(path, &[]));
        target.include.clone_from(&folders);
        target
    };
    mains.iter().map(|main| target(main)).collect()
}

/// The name of a file without extension, or its path where that is the name of several.
fn program_name(main: &Utf8Path, mains: &[&Utf8PathBuf]) -> String {
    let stem = main.file_stem().unwrap_or("program");
    let is_one = mains.iter().filter(|other| other.file_stem() == Some(stem)).count() == 1;
    if is_one { stem.to_owned() } else { main.with_extension("").into_string() }
}
