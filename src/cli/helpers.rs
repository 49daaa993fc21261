//! `--helpers`, for the commands that write results or show what would be written.

use anyhow::bail;
use camino::Utf8PathBuf;

use super::args::Convert;
use super::output::note;
use super::settings::{Helpers, Resolved};
use crate::project::{Destination, FileReport, HelperPlan, Ledger, Source, Staging};

/// Where the header of a run over `roots` goes, if there is one. One file that goes to one file has no folder for it; other
/// files that are named alone have it beside them only if that was asked for. Headers of earlier runs are taken out of `files`.
pub(super) fn helper_plan<'r>(
    resolved: &Resolved,
    roots: impl IntoIterator<Item = (&'r Utf8PathBuf, &'r Destination)>,
    files: [&mut Vec<Source>; 2],
) -> anyhow::Result<Option<HelperPlan>> {
    let Helpers::Header { name, is_asked } = &resolved.helpers else { return Ok(None) };
    let has_folder = |(root, destination): &(&Utf8PathBuf, &Destination)| {
        !matches!(destination, Destination::File(_)) && (*is_asked || root.is_dir())
    };
    let roots: Vec<_> = roots.into_iter().filter(has_folder).collect();
    if roots.is_empty() {
        return Ok(None);
    }
    let mut plan = HelperPlan::new(name, roots);
    for files in files {
        plan.claim(files)?;
    }
    Ok(Some(plan))
}

/// The same for `convert`, where there may be no destination.
pub(super) fn helper_plan_of(
    arguments: &Convert,
    destination: Option<&Destination>,
    resolved: &Resolved,
    files: [&mut Vec<Source>; 2],
) -> anyhow::Result<Option<HelperPlan>> {
    if arguments.export_fixes.is_some() {
        if matches!(resolved.helpers, Helpers::Header { is_asked: true, .. }) {
            bail!("`--export-fixes` exports edits of files that are there; add `--helpers inline`");
        }
        return Ok(None);
    }
    let destination = destination.unwrap_or(&Destination::InPlace);
    helper_plan(resolved, arguments.paths.iter().map(|path| (path, destination)), files)
}

/// The same for a run that leaves files where they are: `lint --fix` and `review`.
pub(super) fn helper_plan_in_place(paths: &[Utf8PathBuf], resolved: &Resolved) -> anyhow::Result<Option<HelperPlan>> {
    helper_plan(resolved, paths.iter().map(|path| (path, &Destination::InPlace)), [&mut Vec::new(), &mut Vec::new()])
}

/// Writes the headers that the results need, and tells of them.
pub(super) fn stage_helpers(
    plan: Option<&HelperPlan>,
    reports: &[FileReport],
    (staging, ledger): (&Staging, Option<&Ledger>),
    quiet: bool,
) -> anyhow::Result<()> {
    let Some(plan) = plan else { return Ok(()) };
    for header in plan.stage(reports, staging, ledger)? {
        if !quiet {
            note(&format!("definitions for warps of 32 lanes are in {header}"));
        }
    }
    Ok(())
}
