//! `hipshift diff`

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, bail, ensure};
use camino::Utf8PathBuf;
use rustc_hash::{FxHashMap, FxHashSet};

use super::args::PlainFormatWord;
use super::convert::{Found, Wanted, convert_alone, find_files, read_stdin_document};
use super::decided::{note_stale, note_unlisted};
use super::diff_args::{Diff, SplitWord};
use super::exit::Exit;
use super::helpers::helper_plan;
use super::left_out::{note_links, warn_left_out};
use super::output::{error, stdout};
use super::pager::{Screen, pass_closed};
use super::series::{note_open, write_patch, write_series};
use super::settings::{Resolved, resolve};
use super::undo::note_cut_off;
use super::workers::{in_pool, progress_bar};
use crate::engine::convert;
use crate::project::{
    Base, Converted, Destination, FileDiff, FileReport, Generated, HelperPlan, Names, Run, Share, Source, SplitBy,
    Spool, Spooled, Status, convert_files, share_of_generated, shares, survey,
};
use crate::report::{
    DiffView, FileView, ViewOptions, Visible, diff_json, one_line, view, write_diff_json, write_findings,
};

pub(super) fn run(arguments: &Diff) -> anyhow::Result<Exit> {
    let Some(first) = arguments.paths.first() else { bail!("name a file or directory") };
    if arguments.split_by.is_some() && arguments.context == 0 {
        bail!("`git am` takes no patch without lines around its changes; ask for `--context 1` or more");
    }
    arguments.paths.iter().for_each(|path| note_cut_off(path));
    let form = Form::of(arguments)?;
    let resolved = resolve(first, &arguments.selection, &arguments.target, &arguments.rules)?;
    if arguments.paths.iter().any(|path| path == "-") {
        return diff_stdin(arguments, form, &resolved);
    }
    let Found { mut sources, links, left_out, .. } = find_files(
        &arguments.paths,
        &resolved,
        Some(&Destination::InPlace),
        Wanted { builds: resolved.build_files, copies: false, links: false },
    )?;
    if arguments.paths.len() > 1 {
        drop_doubles(&mut sources);
    }
    let in_place = Destination::InPlace;
    let roots = arguments.paths.iter().map(|path| (path, &in_place));
    let plan = helper_plan(&resolved, roots, [&mut sources, &mut Vec::new()])?;
    let mut collected = collect(&sources, (&resolved, plan.as_ref()), (arguments, form), Base::of(first)?)?;
    let generated = collected.add_helpers(plan.as_ref(), (form, arguments.context))?;
    // Those of this run alone: what is there already is converted like all other files.
    sources.extend(generated);
    let exit = collected.exit();
    note_stale(&collected.reports, resolved.decisions.as_ref());
    note_unlisted(&collected.reports);
    show(&sources, collected, arguments, form)?;
    note_links(&links, false);
    Ok(warn_left_out(&left_out, exit))
}

/// Shows what a conversion of standard input would change.
fn diff_stdin(arguments: &Diff, form: Form, resolved: &Resolved) -> anyhow::Result<Exit> {
    if arguments.paths.len() > 1 || matches!(form, Form::Patch | Form::Series(_)) {
        bail!("`-` stands alone: it reads standard input, which a patch cannot name");
    }
    let document = read_stdin_document()?;
    let path = document.file().path.clone();
    let outcome = convert_alone(&document, resolved, convert);
    let converted = Converted { known: None, conversion: Some((document.source(), &outcome)) };
    let names = Names { old: path.clone(), new: path.clone() };
    let spool = Spool::default();
    let part = keep(names, converted, (form, arguments.context), &spool)?;
    let kept = part.into_iter().map(|part| (path.clone(), part)).collect();
    let reports = vec![FileReport::of(document.source(), document.launches().len(), outcome)];
    let collected = Collected { reports, base: Base::of(".".into())?, kept, spool };
    let exit = collected.exit();
    note_unlisted(&collected.reports);
    show(&[Source { path, output: None }], collected, arguments, form)?;
    Ok(exit)
}

/// A patch must not change a file twice, however many paths lead to it.
pub(super) fn drop_doubles(sources: &mut Vec<Source>) {
    let mut seen = FxHashSet::default();
    // What cannot be found is told when it is read.
    sources.retain(|source| seen.insert(source.path.canonicalize_utf8().unwrap_or_else(|_| source.path.clone())));
}

/// What is written.
#[derive(Debug, Clone, Copy)]
enum Form {
    /// Differences and findings, for people.
    View(ViewOptions),
    /// Differences and findings, for programs.
    Json,
    /// Parts of one patch.
    Patch,
    /// Parts of a series.
    Series(SplitBy),
}

impl Form {
    fn of(arguments: &Diff) -> anyhow::Result<Form> {
        let form = match arguments.split_by {
            _ if arguments.patch.is_some() => Form::Patch,
            Some(SplitWord::Rule) => Form::Series(SplitBy::Rule),
            Some(SplitWord::File) => Form::Series(SplitBy::File),
            Some(SplitWord::Directory) => Form::Series(SplitBy::Directory),
            None => Form::View(view_options(arguments)),
        };
        if arguments.format == PlainFormatWord::Text {
            return Ok(form);
        }
        let is_plain = !arguments.side_by_side && !arguments.by_words && matches!(form, Form::View(_));
        ensure!(is_plain, "`--format json` is a form of its own; leave out the other one");
        Ok(Form::Json)
    }
}

fn view_options(arguments: &Diff) -> ViewOptions {
    let stdout = io::stdout();
    let colour = anstream::AutoStream::choice(&stdout) != anstream::ColorChoice::Never;
    let view = if arguments.side_by_side {
        DiffView::SideBySide(width())
    } else if arguments.by_words {
        DiffView::Words
    } else if colour || stdout.is_terminal() {
        DiffView::Unified
    } else {
        DiffView::Patch
    };
    ViewOptions { view, colour, context: arguments.context }
}

/// The columns of the terminal; else what the environment says; else 80.
fn width() -> usize {
    let told = || std::env::var("COLUMNS").ok()?.parse().ok();
    let terminal = terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
    terminal.or_else(told).unwrap_or(80)
}

/// What a run found, as far as it is needed to write it.
struct Collected {
    reports: Vec<FileReport>,
    base: Base,
    kept: FxHashMap<Utf8PathBuf, Kept>,
    spool: Spool,
}

/// What one file adds to the output.
enum Kept {
    View(FileView<Spooled>),
    Patch(Spooled),
    Json(Spooled),
    Series(Vec<(Share, Spooled)>),
    /// It changes, but not so that it could be written.
    Trouble(anyhow::Error),
}

impl Collected {
    fn exit(&self) -> Exit {
        if self.reports.iter().any(|report| report.status == Status::Failed) {
            return Exit::Trouble;
        }
        if self.kept.is_empty() { Exit::Clean } else { Exit::Findings }
    }
}

impl Collected {
    /// Adds the headers that the results need.
    fn add_helpers(&mut self, plan: Option<&HelperPlan>, how: (Form, usize)) -> anyhow::Result<Vec<Source>> {
        let needed = plan.map(|plan| plan.needed(&self.reports)).unwrap_or_default();
        let needed: Vec<Source> = needed.into_iter().cloned().collect();
        for source in &needed {
            let generated = Generated::helpers(&source.path)?;
            let names = generated.names(&self.base)?;
            let (form, context) = how;
            let part = if let Form::Series(split) = form {
                let share = share_of_generated(&names, generated.converted(), split, context);
                share.map(|share| keep_share(share, &self.spool)).transpose()?.map(|part| Kept::Series(vec![part]))
            } else {
                keep(names, generated.converted(), how, &self.spool)?
            };
            if let Some(part) = part {
                self.kept.insert(source.path.clone(), part);
                self.reports.retain(|report| report.path != source.path);
                self.reports.push(FileReport::new(source.path.clone(), Status::Converted, 0));
            }
        }
        Ok(needed)
    }
}

fn keep_share(mut share: Share, spool: &Spool) -> anyhow::Result<(Share, Spooled)> {
    let spooled = spool.push(&std::mem::take(&mut share.bytes)).context("writing a temporary file")?;
    Ok((share, spooled))
}

/// Converts the files and keeps what each adds to the output. Only one file per thread is in memory.
fn collect(
    sources: &[Source],
    (resolved, plan): (&Resolved, Option<&HelperPlan>),
    (arguments, form): (&Diff, Form),
    base: Base,
) -> anyhow::Result<Collected> {
    let (spool, kept) = (Spool::default(), Mutex::new(FxHashMap::default()));
    let observe = |source: &Source, converted: Converted<'_>| {
        if !may_change(source, converted) {
            return;
        }
        let names =
            if matches!(form, Form::View(_) | Form::Json) { base.shown_names(source) } else { base.names(source) };
        let names = names.map_err(anyhow::Error::from);
        let part = names.and_then(|names| keep(names, converted, (form, arguments.context), &spool));
        if let Some(part) = part.unwrap_or_else(|error| Some(Kept::Trouble(error))) {
            kept.lock().unwrap_or_else(PoisonError::into_inner).insert(source.path.clone(), part);
        }
    };
    let reports = in_pool(arguments.selection.threads, || {
        let survey = survey(sources, (&resolved.table, &resolved.settings), resolved.decisions.as_ref());
        let progress = progress_bar(sources.len(), false);
        let helpers = plan.map(HelperPlan::header);
        let run = Run { observer: Some(&observe), helpers, ..resolved.run(&survey) };
        let reports = convert_files(sources, run, || progress.inc(1));
        progress.finish_and_clear();
        reports
    })??;
    let kept = kept.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(Collected { reports, base, kept, spool })
}

fn may_change(source: &Source, converted: Converted<'_>) -> bool {
    let moves = source.output.as_ref().is_some_and(|output| *output != source.path);
    moves || converted.conversion.is_some_and(|(_, outcome)| !outcome.patch.is_empty())
}

/// What a file adds to the output; nothing if it does not change.
fn keep(
    names: Names,
    converted: Converted<'_>,
    (form, context): (Form, usize),
    spool: &Spool,
) -> anyhow::Result<Option<Kept>> {
    let push = |bytes: &[u8]| spool.push(bytes).context("writing a temporary file");
    if let Form::Series(split) = form {
        let shares = shares(&names, converted, split, context);
        let parts = shares.into_iter().map(|share| keep_share(share, spool));
        let parts = parts.collect::<anyhow::Result<Vec<_>>>()?;
        return Ok((!parts.is_empty()).then_some(Kept::Series(parts)));
    }
    let Some(diff) = FileDiff::of(names, converted) else { return Ok(None) };
    Ok(Some(match form {
        Form::View(options) => Kept::View(view(&diff, options, |part| push(&part))?),
        Form::Json => {
            let source = converted.conversion.map(|(source, _)| source);
            Kept::Json(push(&diff_json(&diff, source, context)?)?)
        }
        Form::Patch | Form::Series(_) => {
            let mut patch = Vec::new();
            diff.write_patch(context, &mut patch);
            Kept::Patch(push(&patch)?)
        }
    }))
}

fn show(sources: &[Source], mut collected: Collected, arguments: &Diff, form: Form) -> anyhow::Result<()> {
    for failed in collected.reports.iter().filter_map(|report| report.error.as_ref()) {
        error(&one_line(failed));
    }
    let (mut patch, mut series) = (Vec::new(), Vec::new());
    let (mut views, mut json) = (FxHashMap::default(), FxHashMap::default());
    for source in sources {
        match collected.kept.remove(&source.path) {
            Some(Kept::Trouble(error)) => return Err(error),
            Some(Kept::Patch(part)) => patch.push(part),
            Some(Kept::Series(parts)) => series.extend(parts),
            Some(Kept::Json(part)) => drop(json.insert(source.path.clone(), part)),
            Some(Kept::View(view)) => drop(views.insert(source.path.clone(), view)),
            None => {}
        }
    }
    match form {
        Form::View(options) => return Ok(show_views(&collected, &views, (options, arguments.no_pager))?),
        Form::Json => {
            let mut out = stdout();
            let fetch =
                |report: &FileReport| json.remove(&report.path).map(|part| collected.spool.read(part)).transpose();
            write_diff_json(&mut out, &collected.reports, fetch)?;
            return Ok(out.flush()?);
        }
        Form::Patch => {
            let to = arguments.patch.as_deref().unwrap_or("-".into());
            write_patch((to, &collected.base), &patch, &collected.spool)?;
        }
        Form::Series(_) => {
            let directory = arguments.output.as_deref().context("`--split-by` needs `-o DIR`")?;
            write_series(directory, series, &collected.spool, &collected.base)?;
        }
    }
    note_open(&collected.reports);
    Ok(())
}

fn show_views(
    collected: &Collected,
    views: &FxHashMap<Utf8PathBuf, FileView<Spooled>>,
    (options, no_pager): (ViewOptions, bool),
) -> io::Result<()> {
    let is_empty = views.is_empty() && collected.reports.iter().all(|report| report.findings.is_empty());
    let mut screen = Screen::open(!no_pager && !is_empty);
    let write = |out: &mut dyn io::Write| {
        collected.reports.iter().try_for_each(|report| match views.get(&report.path) {
            Some(view) => view.write(&mut *out, report, options, |part| collected.spool.read(part)),
            None => write_findings(&mut *out, report, options),
        })?;
        out.flush()
    };
    // A patch is read by programs as well.
    let is_patch = matches!(options.view, DiffView::Patch);
    pass_closed(if is_patch { write(&mut screen) } else { write(&mut Visible::styled(&mut screen)) })?;
    screen.close()
}
