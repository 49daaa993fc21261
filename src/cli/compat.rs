//! `hipshift convert --emit compat-header`: a header for sources that stay as they are.

use anyhow::bail;
use camino::Utf8Path;

use super::args::{BuildWord, Convert, FormatWord};
use super::convert::{About, Found, Wanted, exit_of, find_files, write_report};
use super::decided::note_stale;
use super::exit::Exit;
use super::left_out::{note_links, warn_left_out};
use super::output::{note, styled_stdout_for};
use super::settings::Resolved;
use super::workers::in_pool;
use crate::engine::{HEADER, HeaderFile, HeaderPlan, header_files};
use crate::project::{Destination, needs_of, refuse_brought_links, report_beside_header, survey, write_headers};
use crate::report::plural;
use crate::settings::{BuildMode, ExtensionStyle};

pub(super) fn run(arguments: &Convert, resolved: &Resolved) -> anyhow::Result<Exit> {
    refuse(arguments, resolved)?;
    // Headers of an earlier run are no sources.
    let folder = arguments.output.as_deref();
    let destination = folder.map(|folder| Destination::Directory(folder.to_owned()));
    let Found { sources, links, left_out, .. } = find_files(
        &arguments.paths,
        resolved,
        destination.as_ref(),
        Wanted { builds: false, copies: false, links: false },
    )?;
    let (survey, plan, reports) = in_pool(arguments.selection.threads, || {
        let survey = survey(&sources, (&resolved.table, &resolved.settings), resolved.decisions.as_ref());
        let run = resolved.run(&survey);
        let plan = HeaderPlan::of(needs_of(&sources, run));
        let reports = report_beside_header(&sources, &plan, run);
        (survey, plan, reports)
    })?;
    let files = header_files(&plan, &resolved.table, &resolved.settings);
    if let Some(folder) = folder {
        refuse_brought_links(folder, &arguments.paths)?;
        write_headers(&files, folder)?;
    }
    let head = head(&plan, &files, folder, sources.len());
    let about =
        About { destination: "", head: Some(&head), survey: &survey, part: None, build_mode: BuildMode::Replace };
    let mut out = styled_stdout_for(arguments.report.format == FormatWord::Text);
    write_report(&mut out, &reports, &arguments.report, about)?;
    note_stale(&reports, resolved.decisions.as_ref());
    if !arguments.report.quiet {
        note_redefined(&plan);
        note_links(&links, false);
    }
    Ok(warn_left_out(&left_out, exit_of(&reports)))
}

/// Refuses what a header cannot say, and what would not leave the sources as they are.
fn refuse(arguments: &Convert, resolved: &Resolved) -> anyhow::Result<()> {
    if arguments.paths.iter().any(|path| path == "-") || arguments.in_place {
        bail!(
            "`--emit compat-header` leaves sources alone; name files or directories, and the folder for headers with `-o`"
        );
    }
    if arguments.part.shard.is_some() {
        bail!("a header is made of the findings of all files; leave out `--shard`");
    }
    if arguments.export_fixes.is_some() || arguments.sources_only {
        bail!("`--emit compat-header` writes headers only; `--export-fixes` and `--sources-only` go with `--emit hip`");
    }
    if arguments.build_mode == Some(BuildWord::Option) {
        bail!("`--emit compat-header` changes no build file; leave out `--build-mode option`");
    }
    if resolved.settings.extension != ExtensionStyle::Keep {
        bail!("`--emit compat-header` gives no file another name; add `--ext keep`");
    }
    match &arguments.output {
        Some(folder) if folder.is_file() => bail!("`{folder}` is a file; name a folder for the headers"),
        None if !arguments.dry_run => bail!("name the folder for the headers with `-o`, or add `--dry-run`"),
        _ => Ok(()),
    }
}

/// The first lines of the summary.
fn head(plan: &HeaderPlan, files: &[HeaderFile], folder: Option<&Utf8Path>, sources: usize) -> String {
    let names = plural(plan.planned().count(), "name");
    let headers = plural(files.len() - 1, "header");
    let (place, given) = match folder {
        Some(folder) => (format!("in {folder}"), folder.as_str()),
        None => ("(dry run, nothing written)".to_owned(), "FOLDER"),
    };
    let sources = plural(sources, "file");
    format!(
        "{HEADER} for {names} and {headers} of CUDA's {place}; {sources} read, none changed\n\
         compile for HIP with `-x hip -I {given} -include {HEADER}`\n"
    )
}

/// Names the macros of the project's own that take over from those of the header.
fn note_redefined(plan: &HeaderPlan) {
    let [first, rest @ ..] = plan.redefined.as_slice() else { return };
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
    note(&format!("the project has macros of these names itself, which count from their lines on: `{first}`{more}"));
}
