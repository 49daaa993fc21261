//! `hipshift update`, and what `convert` keeps for it.

use std::io::Write as _;

use anyhow::{Context as _, bail};
use camino::{Utf8Path, Utf8PathBuf};

use super::args::{ShortFormatWord, Update as UpdateArguments};
use super::both_compilers::apply_emit;
use super::convert::{Found, Wanted, look_for_files};
use super::exit::Exit;
use super::helpers::helper_plan;
use super::kept_options::KeptOptions;
use super::left_out::{note_links, warn_left_out};
use super::output::{note, stdout_for};
use super::settings::{Helpers, Resolved, config_of, resolve_with};
use super::undo::{note_cut_off, open_staging};
use super::workers::{in_pool, progress_bar};
use crate::mapping::Table;
use crate::project::{
    Destination, HelperPlan, Home, Ledger, MANIFEST, Manifest, NamedRoot, Run, Selection, Status, Update, UpdateAction,
    Updated, cut_off, may_read, remember_input, survey,
};
use crate::report::{UpdateReport, write_update, write_update_json};

pub(super) fn run(arguments: &UpdateArguments) -> anyhow::Result<Exit> {
    let start = arguments.output.as_deref().unwrap_or(Utf8Path::new("."));
    // A first run that was cut off may have noted nothing yet, or all.
    if let (Some(home), false) = (cut_off(start), arguments.dry_run) {
        open_staging(home, &[])?;
    }
    let Some(home) = Home::keeping(start, MANIFEST).with_context(|| format!("looking for {start}"))? else {
        note_cut_off(start);
        bail!("no results of an earlier conversion are known in `{start}` or above; name their directory with `-o`");
    };
    // A run that was cut off is put in order before anything is read.
    let staging = if arguments.dry_run { None } else { Some(open_staging(home.clone(), &[])?) };
    note_cut_off(home.root());
    let mut before = Manifest::read(&home)?.with_context(|| format!("reading {}", home.state(MANIFEST)))?;
    let roots = roots(arguments, &home, &before)?;
    if arguments.sources.is_empty() {
        refuse_unnamed(arguments, &home, &roots)?;
    }
    for (known, root) in before.roots.iter_mut().zip(&roots) {
        known.input = home.relative(&root.input)?;
    }
    let (options, config) = options(arguments, &home, &before, &roots)?;
    let first = roots.first().context("the manifest names no sources")?;
    // The manifest's configuration is not one that the user named.
    remember(&home, &roots);
    let mut resolved = resolve_with((&first.input, config.clone()), &options.files, &options.target, &options.rules)?;
    apply_emit((options.emit, options.build_mode), &mut resolved.settings)?;
    if resolved.helpers.is_header_by_default() && !options.helper_header {
        resolved.helpers = Helpers::Inline;
    }
    let manifest = manifest(&home, &options, (config.as_deref(), before.in_place), &resolved.table)?;
    let ledger = Ledger::new(home.clone(), manifest, Some(before.clone()), &roots)?.renewing();
    let selection = Selection::new(&resolved.include, &resolved.exclude)?;
    let update = Update {
        home: &home,
        before: &before,
        ledger: &ledger,
        staging: staging.as_ref(),
        roots: &roots,
        selection: &selection,
    };
    let (updated, links, left_out) = perform(update, &roots, (&options, &resolved))?;
    refuse_unresolved(&updated)?;
    if let Some(staging) = staging {
        ledger.close(&updated.forgotten, &staging)?;
        staging.commit()?;
    }
    let report = UpdateReport { updated: &updated, dry_run: arguments.dry_run };
    let mut out = stdout_for(arguments.format == ShortFormatWord::Text);
    match arguments.format {
        ShortFormatWord::Text => write_update(&mut out, report)?,
        ShortFormatWord::Json => write_update_json(&mut out, report)?,
    }
    out.flush()?;
    note_links(&links, false);
    Ok(warn_left_out(&left_out, exit_of(&updated)))
}

/// What an update reads, and where the results are.
fn roots(arguments: &UpdateArguments, home: &Home, before: &Manifest) -> anyhow::Result<Vec<NamedRoot>> {
    let known = &before.roots;
    if arguments.sources.is_empty() && before.in_place {
        bail!("the CUDA sources were replaced by their results; name the new ones: `hipshift update SOURCE`");
    }
    if !arguments.sources.is_empty() && arguments.sources.len() != known.len() {
        let names: Vec<String> = known.iter().map(|root| format!("`{}`", home.shown(&root.input))).collect();
        bail!("name a source for each of {}, in this order, or none", names.join(", "));
    }
    let root = |(number, known): (usize, &crate::project::Root)| NamedRoot {
        input: arguments.sources.get(number).cloned().unwrap_or_else(|| home.shown(&known.input)),
        output: home.shown(&known.output),
    };
    Ok(known.iter().enumerate().map(root).collect())
}

/// A manifest may come with a project, and does not decide which files of the user beside it are read.
fn refuse_unnamed(arguments: &UpdateArguments, home: &Home, roots: &[NamedRoot]) -> anyhow::Result<()> {
    // Where it cannot be known what was named, nothing was.
    let is_unnamed = |root: &&NamedRoot| !may_read(home, &root.input).unwrap_or(false);
    let Some(unnamed) = roots.iter().find(is_unnamed) else { return Ok(()) };
    let output = arguments.output.as_ref().map(|output| format!("-o {output} ")).unwrap_or_default();
    let sources: Vec<&str> = roots.iter().map(|root| root.input.as_str()).collect();
    bail!(
        "{} names `{}` as sources, which lies outside of the project and was never converted to here on this machine; \
         if it shall be read, name it: `hipshift update {output}{}`",
        home.shown(&home.state(MANIFEST)),
        unnamed.input,
        sources.join(" ")
    )
}

/// The options of the last time, changed by those of this time, and the configuration file.
fn options(
    arguments: &UpdateArguments,
    home: &Home,
    before: &Manifest,
    roots: &[NamedRoot],
) -> anyhow::Result<(KeptOptions, Option<Utf8PathBuf>)> {
    let kept = KeptOptions::from_json(&before.options);
    let kept = kept.with_context(|| format!("reading the options in {}", home.state(MANIFEST)))?;
    let given = KeptOptions {
        sources_only: false,
        helper_header: false,
        emit: None,
        build_mode: None,
        files: arguments.selection.clone(),
        target: arguments.target.clone(),
        rules: arguments.rules.clone(),
    };
    let options = given.or(kept);
    let first = roots.first().map_or(Utf8Path::new("."), |root| root.input.as_path());
    let above = config_of(first, &options.rules);
    if options.rules.choice.config.is_some() {
        return Ok((options, above));
    }
    let Some(file) = before.config.as_ref().map(|config| home.shown(config)) else { return Ok((options, above)) };
    if file.is_file() {
        refuse_unnamed_config(home, &file, above.as_deref())?;
        return Ok((options, Some(file)));
    }
    // New sources may bring their own; what was converted with the old one would be another thing without it.
    let Some(above) = above.filter(|_| !arguments.sources.is_empty()) else {
        bail!(
            "the configuration `{file}` of the last time is gone, or no file; bring it back, or name another with `--config FILE`, \
             which may be empty"
        )
    };
    note(&format!("the configuration `{file}` of the last time is gone; `{above}` holds now"));
    Ok((options, Some(above)))
}

/// Like its sources, the configuration of a manifest is read if it lies in the project, or was used here before.
fn refuse_unnamed_config(home: &Home, file: &Utf8Path, found: Option<&Utf8Path>) -> anyhow::Result<()> {
    let is_found = || found.is_some_and(|found| found.canonicalize_utf8().ok() == file.canonicalize_utf8().ok());
    if may_read(home, file).unwrap_or(false) || is_found() {
        return Ok(());
    }
    bail!(
        "{} names `{file}` as configuration, which lies outside of the project and was never used for it on this \
         machine; if it shall be read, name it: `--config {file}`",
        home.shown(&home.state(MANIFEST))
    )
}

fn perform(
    update: Update<'_>,
    roots: &[NamedRoot],
    (options, resolved): (&KeptOptions, &Resolved),
) -> anyhow::Result<(Updated, Vec<Utf8PathBuf>, Vec<String>)> {
    let (mut sources, mut copies, mut all_links, mut all_left_out) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for root in roots {
        let destination = Destination::Directory(root.output.clone());
        let takes_all = !options.sources_only && !update.before.in_place;
        // The conversion has told of links.
        let wanted = Wanted { builds: resolved.converts_builds(), copies: takes_all, links: false };
        let found = look_for_files(std::slice::from_ref(&root.input), resolved, Some(&destination), wanted)?;
        let Found { sources: more, copies: more_copies, links, left_out, .. } = found;
        all_left_out.extend(left_out);
        sources.extend(more);
        copies.extend(more_copies);
        all_links.extend(links);
    }
    let destinations: Vec<_> = roots.iter().map(|root| Destination::Directory(root.output.clone())).collect();
    let named = roots.iter().map(|root| &root.input).zip(&destinations);
    let plan = helper_plan(resolved, named, [&mut sources, &mut copies])?;
    if sources.is_empty() {
        bail!(all_left_out.join("; "));
    }
    let updated = in_pool(options.files.threads, || {
        let survey = survey(&sources, (&resolved.table, &resolved.settings), resolved.decisions.as_ref());
        let progress = progress_bar(sources.len(), false);
        let run = Run { helpers: plan.as_ref().map(HelperPlan::header), ..resolved.run(&survey) };
        let updated = update.perform((&sources, &copies, plan.as_ref()), run, || progress.inc(1));
        progress.finish_and_clear();
        updated
    })??;
    Ok((updated, all_links, all_left_out))
}

fn refuse_unresolved(updated: &Updated) -> anyhow::Result<()> {
    let open = updated.files.iter().filter(|file| file.action == UpdateAction::Unresolved);
    let open: Vec<String> = open.map(|file| format!("`{}`", file.path)).collect();
    if !open.is_empty() {
        bail!("conflicts of an earlier update are still open in {}; resolve them first", open.join(", "));
    }
    Ok(())
}

fn exit_of(updated: &Updated) -> Exit {
    if updated.reports.iter().any(|report| report.status == Status::Failed) {
        return Exit::Trouble;
    }
    let is_left = |action: &UpdateAction| action.is_conflict() || matches!(action, UpdateAction::NotRead(_));
    let has_conflict = updated.files.iter().any(|file| is_left(&file.action));
    if has_conflict || updated.open_findings() > 0 { Exit::Findings } else { Exit::Clean }
}

/// What `convert` notes for a later update; nothing where the results of one are being converted again.
pub(super) fn start_ledger(
    home: &Home,
    options: &KeptOptions,
    roots: &[NamedRoot],
    (in_place, table): (bool, &Table),
) -> anyhow::Result<Option<Ledger>> {
    remember(home, roots);
    let before = Manifest::read(home)?;
    if in_place && before.as_ref().is_some_and(|before| !before.in_place) {
        return Ok(None);
    }
    let before = before.filter(|before| before.in_place == in_place);
    let first = roots.first().map_or(Utf8Path::new("."), |root| root.input.as_path());
    let config = config_of(first, &options.rules);
    if let Some(config) = &config {
        let _ = remember_input(home, config);
    }
    let manifest = manifest(home, options, (config.as_deref(), in_place), table)?;
    Ok(Some(Ledger::new(home.clone(), manifest, before, roots)?))
}

/// The user has named these, now or before. A later update asks once more where that cannot be noted.
fn remember(home: &Home, roots: &[NamedRoot]) {
    for root in roots {
        let _ = remember_input(home, &root.input);
    }
}

fn manifest(
    home: &Home,
    options: &KeptOptions,
    (config, in_place): (Option<&Utf8Path>, bool),
    table: &Table,
) -> anyhow::Result<Manifest> {
    let config = config.map(|config| home.relative(config)).transpose()?;
    Ok(Manifest::new(in_place, options.to_json(), config, table))
}
