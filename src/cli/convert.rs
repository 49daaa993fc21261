//! `hipshift convert`

use std::io::Write as _;

use anyhow::{Context as _, bail};
use camino::{Utf8Path, Utf8PathBuf};

use super::args::{Convert, EmitWord, FormatWord, ReportOptions};
use super::both_compilers::apply_emit;
use super::compat;
use super::decided::{note_stale, note_unlisted};
use super::exit::Exit;
use super::export_fixes::Export;
use super::helpers::{helper_plan_of, stage_helpers};
use super::kept_options::KeptOptions;
use super::left_out::{not_followed, note_links, warn_left_out};
use super::output::{stderr, styled_stdout_for};
use super::overwritten::Overwritten;
use super::settings::{Resolved, resolve};
use super::shard::part_of_files;
use super::tracked::note_ignored;
use super::undo::{home_of, note_cut_off, open_staging};
use super::update::start_ledger;
use super::workers::{in_pool, progress_bar};
use crate::analysis::{ProjectFacts, SwitchRole};
use crate::engine::{Input, Outcome, convert};
use crate::project::{
    Converted, Decisions, Destination, Doors, FileReport, HelperPlan, Home, Ledger, NamedRoot, Observer, Run,
    Selection, ShardFiles, Source, Staging, Status, Survey, Walked, WaveDecision, convert_files, headers_left_behind,
    is_dirty, place, read_stdin, refuse_brought_links, resolved as resolved_path, survey, text_after, walk,
};
use crate::report::{
    Part, SummaryOptions, Totals, Visible, one_line, write_csv, write_json, write_snippets, write_summary, write_wave,
};
use crate::settings::{BuildMode, Emit, ExtensionStyle, Settings};
use crate::source::SourceFile;
use crate::syntax::Document;

/// What a conversion says about a safe fix that is not applied.
const REFUSED: &str = "not done";

pub(super) fn run(arguments: &Convert) -> anyhow::Result<Exit> {
    let [first, ..] = arguments.paths.as_slice() else { bail!("name a file or directory") };
    let mut resolved = resolve(first, &arguments.selection, &arguments.target, &arguments.rules)?;
    if arguments.emit == Some(EmitWord::CompatHeader) {
        return compat::run(arguments, &resolved);
    }
    apply_emit((arguments.emit, arguments.build_mode), &mut resolved.settings)?;
    let share = share(arguments)?;
    if arguments.paths.iter().any(|path| path == "-") {
        return convert_stdin(arguments, &resolved);
    }
    let export = export(arguments, &resolved.settings)?;
    let add_to_export =
        export.as_ref().map(|export| |source: &Source, converted: Converted<'_>| export.add(source, converted));
    let destination = destination(arguments)?;
    let home = home(arguments, destination.as_ref(), resolved.decisions.as_ref())?;
    let staging = staging(arguments, home.as_ref())?;
    let wanted = wanted(arguments, destination.as_ref(), &resolved);
    let Found { mut sources, mut copies, links, mut left_out } =
        find_files(&arguments.paths, &resolved, destination.as_ref(), wanted)?;
    let helpers = helper_plan_of(arguments, destination.as_ref(), &resolved, [&mut sources, &mut copies])?;
    copies.retain(|copy| share.as_ref().is_none_or(|share| share.takes(&copy.path)));
    let part = part_of_files(&arguments.part, share.as_ref(), (&sources, |source| &source.path));
    let ledger = ledger(arguments, home.as_ref(), (&resolved, helpers.is_some()))?;
    let (survey, reports) = in_pool(arguments.selection.threads, || {
        let survey = survey(&sources, (&resolved.table, &resolved.settings), resolved.decisions.as_ref());
        let files = part.as_ref().map_or(sources.len(), |part| part.positions.len());
        let progress = progress_bar(files, arguments.report.quiet);
        let run = Run {
            staging: destination.is_some().then_some(&staging),
            observer: add_to_export.as_ref().map(|add| add as Observer<'_>),
            ledger: ledger.as_ref(),
            share: share.as_ref(),
            helpers: helpers.as_ref().map(HelperPlan::header),
            ..resolved.run(&survey)
        };
        let reports = convert_files(&sources, run, || progress.inc(1));
        progress.finish_and_clear();
        (survey, reports)
    })?;
    let reports = reports?;
    left_out.extend(export.as_ref().map(Export::write).transpose()?.unwrap_or_default());
    // Where nothing changes in place, the last run that did can still be undone.
    if destination.is_some() && (!arguments.in_place || reports.iter().any(changes_file)) {
        stage_copies(&copies, &staging, ledger.as_ref(), &mut left_out)?;
        stage_helpers(helpers.as_ref(), &reports, (&staging, ledger.as_ref()), arguments.report.quiet)?;
        stage_removals(&reports, destination.as_ref(), &staging)?;
        if let Some(carried) = resolved.decisions.as_ref().and_then(|decisions| decisions.carried(&reports)) {
            carried.stage(&staging)?;
        }
        let overwritten = Overwritten::of(ledger.as_ref(), destination.as_ref(), &staging);
        if let Some(ledger) = ledger {
            ledger.close(&[], &staging)?;
        }
        staging.commit()?;
        overwritten.tell(arguments.output.as_deref().unwrap_or(first));
    }
    tell(arguments, &reports, destination.as_ref(), (&survey, part.as_ref(), resolved.settings.build_mode))?;
    note_stale(&reports, resolved.decisions.as_ref());
    note_links(&links, arguments.report.quiet);
    Ok(warn_left_out(&left_out, exit_of(&reports)))
}

/// Where fixes go as edits of another tool, if they are wanted so.
fn export<'a>(arguments: &'a Convert, settings: &Settings) -> anyhow::Result<Option<Export<'a>>> {
    let target = arguments.export_fixes.as_deref();
    if target.is_some() && settings.emit == Emit::Guarded {
        bail!("`--export-fixes` exports the edits of `--emit hip`; export first, or write the files");
    }
    target.map(|target| Export::new(target, (&arguments.paths, settings))).transpose()
}

/// Which files the run is about.
fn wanted(arguments: &Convert, destination: Option<&Destination>, resolved: &Resolved) -> Wanted {
    let copies = matches!(destination, Some(Destination::Directory(_))) && !arguments.sources_only;
    Wanted { builds: resolved.converts_builds(), copies, links: copies }
}

/// The files that are converted here, if not all are.
fn share(arguments: &Convert) -> anyhow::Result<Option<ShardFiles>> {
    if arguments.in_place && arguments.part.shard.is_some() {
        bail!("other shards must find the files as they are; use `-o DIR` with `--shard`");
    }
    Ok(arguments.part.share(&arguments.paths))
}

/// What the report says besides findings.
#[derive(Clone, Copy)]
pub(super) struct About<'a> {
    /// Where the result went.
    pub(super) destination: &'a str,
    /// In place of what was converted and how.
    pub(super) head: Option<&'a str>,
    pub(super) survey: &'a Survey,
    /// Which part of a run it is about.
    pub(super) part: Option<&'a Part>,
    /// What became of files of CMake.
    pub(super) build_mode: BuildMode,
}

/// Writes the report to standard output, unless that has the edits.
fn tell(
    arguments: &Convert,
    reports: &[FileReport],
    destination: Option<&Destination>,
    (survey, part, build_mode): (&Survey, Option<&Part>, BuildMode),
) -> anyhow::Result<()> {
    let where_to = describe(destination, arguments.export_fixes.as_deref());
    let about = About { destination: &where_to, head: None, survey, part, build_mode };
    if arguments.export_fixes.as_deref().is_some_and(|target| target == "-") {
        return write_report(&mut Visible::styled(stderr()), reports, &arguments.report, about);
    }
    let mut out = styled_stdout_for(arguments.report.format == FormatWord::Text);
    write_report(&mut out, reports, &arguments.report, about)
}

fn convert_stdin(arguments: &Convert, resolved: &Resolved) -> anyhow::Result<Exit> {
    let is_part = arguments.part.shard.is_some();
    let writes = is_part || arguments.output.is_some() || arguments.in_place || arguments.export_fixes.is_some();
    if arguments.paths.len() > 1 || writes {
        bail!("`-` stands alone: it reads standard input and writes standard output");
    }
    let document = read_stdin_document()?;
    let outcome = convert_alone(&document, resolved, convert);
    let text = text_after(document.source(), &outcome.patch, (&resolved.settings, SwitchRole::default()))?;
    let mut out = std::io::stdout().lock();
    out.write_all(&document.file().encode(&text))?;
    out.flush()?;
    let reports = [FileReport::of(document.source(), document.launches().len(), outcome)];
    let wave = WaveDecision::alone(&document, (&resolved.table, &resolved.settings));
    if arguments.report.format != FormatWord::Json {
        note_unlisted(&reports);
    }
    let mut err = stderr();
    match arguments.report.format {
        FormatWord::Json => write_json(&mut err, &reports, (Some(&wave), None))?,
        FormatWord::Csv => write_csv(&mut err, &reports)?,
        FormatWord::Text if arguments.report.quiet => {}
        FormatWord::Text => {
            let mut err = Visible::styled(err);
            write_snippets(&mut err, &reports, REFUSED)?;
            write_wave(&mut err, &wave, Totals::of(&reports).rewrites_warps())?;
            err.flush()?;
        }
    }
    Ok(exit_of(&reports))
}

/// Standard input as a document.
pub(super) fn read_stdin_document() -> anyhow::Result<Document> {
    let file = SourceFile::decode("<stdin>".into(), read_stdin()?).context("reading standard input")?;
    Ok(Document::new(file))
}

/// Converts a document of no project.
pub(super) fn convert_alone(document: &Document, resolved: &Resolved, convert: fn(Input<'_>) -> Outcome) -> Outcome {
    let project = ProjectFacts::default();
    convert(Input { document, project: &project, table: &resolved.table, settings: &resolved.settings })
}

/// Where the result goes; `None` for a dry run.
fn destination(arguments: &Convert) -> anyhow::Result<Option<Destination>> {
    if arguments.dry_run {
        return Ok(None);
    }
    if arguments.in_place {
        return Ok(Some(Destination::InPlace));
    }
    if arguments.output.as_ref().is_some_and(|output| output.as_str().is_empty()) {
        bail!("the path behind `-o` is empty");
    }
    let Some(output) = &arguments.output else {
        if arguments.export_fixes.is_some() {
            return Ok(None);
        }
        bail!("say where the result goes: `-o PATH`, `--in-place`, or `--dry-run` for the report alone");
    };
    if output == "-" {
        bail!("`-o -` names no file (`-o ./-` does); `hipshift convert - < FILE` writes to standard output");
    }
    refuse_brought_links(output, &arguments.paths)?;
    let one_file = matches!(arguments.paths.as_slice(), [path] if path.is_file());
    let is_directory = output.is_dir() || output.as_str().ends_with('/');
    Ok(Some(if one_file && !is_directory {
        Destination::File(output.clone())
    } else if output.is_file() {
        bail!("`{output}` is a file, but there are several results; name a directory")
    } else {
        Destination::Directory(output.clone())
    }))
}

/// Where the journal of the run is kept, and what a later update needs; single files have neither.
fn home(
    arguments: &Convert,
    destination: Option<&Destination>,
    decisions: Option<&Decisions>,
) -> anyhow::Result<Option<Home>> {
    Ok(match destination {
        Some(Destination::InPlace) => Some(home_of(&arguments.paths, decisions)?),
        // No shard knows what the others write.
        Some(Destination::Directory(output)) if !arguments.no_manifest && arguments.part.shard.is_none() => {
            Some(Home::at(output).with_context(|| format!("looking for {output}"))?)
        }
        Some(Destination::Directory(_) | Destination::File(_)) | None => None,
    })
}

/// Where results are staged. What an interrupted run left is put in order before anything is read.
fn staging(arguments: &Convert, home: Option<&Home>) -> anyhow::Result<Staging> {
    let named = match &arguments.output {
        Some(output) => std::slice::from_ref(output),
        None => arguments.paths.as_slice(),
    };
    let staging = match home {
        Some(home) => open_staging(home.clone(), named)?,
        None => Staging::to(Doors::named(named.iter().map(Utf8PathBuf::as_path))),
    };
    arguments.paths.iter().for_each(|path| note_cut_off(path));
    if arguments.in_place && !arguments.allow_dirty {
        refuse_dirty_trees(&arguments.paths)?;
    }
    Ok(staging)
}

/// What is noted for a later update. Runs over single files leave that alone.
fn ledger(
    arguments: &Convert,
    home: Option<&Home>,
    (resolved, has_header): (&Resolved, bool),
) -> anyhow::Result<Option<Ledger>> {
    let Some(home) = home.filter(|_| !arguments.no_manifest) else { return Ok(None) };
    if arguments.paths.iter().all(|path| !path.is_dir()) {
        return Ok(None);
    }
    let options = KeptOptions::of(arguments, has_header && resolved.helpers.is_header_by_default());
    let root = |path: &Utf8PathBuf| {
        let own = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
        NamedRoot { input: path.clone(), output: arguments.output.clone().unwrap_or_else(|| own.to_owned()) }
    };
    let roots: Vec<NamedRoot> = arguments.paths.iter().map(root).collect();
    start_ledger(home, &options, &roots, (arguments.in_place, &resolved.table))
}

/// A fix that is not wanted can be taken back with git only where all else is committed.
pub(super) fn refuse_dirty_trees(paths: &[Utf8PathBuf]) -> anyhow::Result<()> {
    for path in paths {
        if is_dirty(path)? {
            bail!("the git work tree of `{path}` has uncommitted changes; commit them, or add `--allow-dirty`");
        }
    }
    Ok(())
}

/// What a walk found.
#[derive(Default)]
pub(super) struct Found {
    /// The files to convert.
    pub(super) sources: Vec<Source>,
    /// The files to copy.
    pub(super) copies: Vec<Source>,
    /// The links that were passed over.
    pub(super) links: Vec<Utf8PathBuf>,
    /// What could not be read, and why.
    pub(super) left_out: Vec<String>,
}

/// Which files are wanted beside sources.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    /// Build files, to be converted; else they are like all other files.
    pub(super) builds: bool,
    /// All other files.
    pub(super) copies: bool,
    /// Whether links that the result lacks are left for a person.
    pub(super) links: bool,
}

/// Says that a path holds nothing to work on.
pub(super) fn no_sources(root: &Utf8Path) -> String {
    format!("there is no C++ or CUDA file in `{root}`; `--include` names other patterns")
}

/// The files of all paths; fails if none of them holds a source.
pub(super) fn find_files(
    paths: &[Utf8PathBuf],
    resolved: &Resolved,
    destination: Option<&Destination>,
    wanted: Wanted,
) -> anyhow::Result<Found> {
    let mut found = look_for_files(paths, resolved, destination, wanted)?;
    let sources: Vec<&Utf8Path> = found.sources.iter().map(|source| source.path.as_path()).collect();
    found.left_out.extend(headers_left_behind(paths, &sources, &resolved.table));
    if found.sources.is_empty() {
        bail!(found.left_out.join("; "));
    }
    Ok(found)
}

/// The files of all paths, as far as these hold any.
pub(super) fn look_for_files(
    paths: &[Utf8PathBuf],
    resolved: &Resolved,
    destination: Option<&Destination>,
    wanted: Wanted,
) -> anyhow::Result<Found> {
    let selection = Selection::new(&resolved.include, &resolved.exclude)?;
    let (mut files, mut others, mut links, mut left_out) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for root in paths {
        let walked = walk(root, &selection)?;
        note_ignored(root, &walked, &selection);
        let Walked { mut sources, builds, others: mut rest, links: passed, left_out: mut more, .. } = walked;
        left_out.append(&mut more);
        let has_sources = !sources.is_empty();
        if wanted.builds { &mut sources } else { &mut rest }.extend(builds);
        // The result of an earlier run must not be taken for input.
        if let Some(Destination::Directory(output)) = destination {
            let (root_is, output_is) = (resolved_path(root)?, resolved_path(output)?);
            let is_output = |path: &Utf8PathBuf| {
                let inside = path.strip_prefix(root).unwrap_or(path);
                path != root && root_is.join(inside).starts_with(&output_is) && !root_is.starts_with(&output_is)
            };
            sources.retain(|path| !is_output(path));
            rest.retain(|path| !is_output(path));
        }
        if !has_sources {
            left_out.push(no_sources(root));
        }
        // Who takes the project along misses them there.
        match destination {
            Some(Destination::Directory(_)) if wanted.links => left_out.extend(passed.iter().map(not_followed)),
            _ => links.extend(passed),
        }
        files.extend(sources.into_iter().map(|path| (root.clone(), path)));
        others.extend(rest.into_iter().map(|path| (root.clone(), path)));
    }
    files.sort_by(|a, b| a.1.cmp(&b.1));
    files.dedup_by(|a, b| a.1 == b.1);
    if !wanted.copies {
        others.clear();
    }
    let extension = resolved.settings.extension;
    let sources = match destination {
        Some(destination) => {
            let outputs = place(&files, destination, extension)?;
            files.into_iter().zip(outputs).map(|((_, path), output)| Source { path, output: Some(output) }).collect()
        }
        None => files.into_iter().map(|(_, path)| Source { path, output: None }).collect(),
    };
    let copies = match destination {
        Some(destination) => {
            let outputs = place(&others, destination, ExtensionStyle::Keep)?;
            others.into_iter().zip(outputs).map(|((_, path), output)| Source { path, output: Some(output) }).collect()
        }
        None => Vec::new(),
    };
    Ok(Found { sources, copies, links, left_out })
}

/// Copies files; one that cannot be read is told in `left_out`.
pub(super) fn stage_copies(
    copies: &[Source],
    staging: &Staging,
    ledger: Option<&Ledger>,
    left_out: &mut Vec<String>,
) -> anyhow::Result<()> {
    for copy in copies {
        let Some(output) = &copy.output else { continue };
        let bytes = match crate::project::read(&copy.path) {
            Ok(bytes) => bytes,
            Err(error) => {
                left_out.push(error.to_string());
                continue;
            }
        };
        staging.write(output, &bytes, &copy.path)?;
        if let Some(ledger) = ledger {
            ledger.note((&copy.path, &bytes), (output, &bytes), staging)?;
        }
    }
    Ok(())
}

/// A file that got another name in place leaves its old name.
fn stage_removals(reports: &[FileReport], destination: Option<&Destination>, staging: &Staging) -> anyhow::Result<()> {
    if destination != Some(&Destination::InPlace) {
        return Ok(());
    }
    for report in reports.iter().filter(|report| report.status != Status::Failed) {
        if report.output.as_ref().is_some_and(|output| *output != report.path) {
            staging.remove(&report.path)?;
        }
    }
    Ok(())
}

fn changes_file(report: &FileReport) -> bool {
    let moves = report.output.as_ref().is_some_and(|output| *output != report.path);
    report.status == Status::Converted || (moves && report.status != Status::Failed)
}

fn describe(destination: Option<&Destination>, export: Option<&Utf8Path>) -> String {
    match (destination, export) {
        (None, None) => " (dry run, nothing written)".to_owned(),
        (None, Some(target)) if target == "-" => " as edits".to_owned(),
        (None, Some(target)) => format!(" as edits in {target}"),
        (Some(Destination::InPlace), _) => " in place".to_owned(),
        (Some(Destination::File(path) | Destination::Directory(path)), _) => format!(" to {path}"),
    }
}

pub(super) fn write_report(
    out: &mut dyn std::io::Write,
    reports: &[FileReport],
    options: &ReportOptions,
    About { destination, head, survey, part, build_mode }: About<'_>,
) -> anyhow::Result<()> {
    match options.format {
        FormatWord::Json => write_json(out, reports, (survey.wave.as_ref(), part))?,
        FormatWord::Csv => {
            write_csv(out, reports)?;
            note_unlisted(reports);
        }
        FormatWord::Text if options.quiet => {
            for error in reports.iter().filter_map(|report| report.error.as_ref()) {
                super::output::error(&one_line(error));
            }
        }
        FormatWord::Text => {
            if options.verbose {
                write_snippets(out, reports, REFUSED)?;
            }
            let places = if options.verbose { usize::MAX } else { 8 };
            let wave = survey.wave.as_ref();
            let summary = SummaryOptions { destination, head, wave, places, stats: options.stats, build_mode };
            write_summary(out, reports, summary)?;
        }
    }
    out.flush()?;
    Ok(())
}

pub(super) fn exit_of(reports: &[FileReport]) -> Exit {
    if reports.iter().any(|report| report.status == Status::Failed) {
        return Exit::Trouble;
    }
    if reports.iter().any(|report| report.open().next().is_some() || report.awaits_review()) {
        Exit::Findings
    } else {
        Exit::Clean
    }
}
