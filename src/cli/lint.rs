//! `hipshift lint`

use std::collections::HashSet;
use std::io::Write;

use anyhow::{Context as _, bail};
use camino::{Utf8Path, Utf8PathBuf};

use super::convert::{no_sources, refuse_dirty_trees};
use super::decided::{note_stale, note_unlisted};
use super::exit::Exit;
use super::helpers::{helper_plan_in_place, stage_helpers};
use super::left_out::{note_links, warn_left_out};
use super::lint_args::{FailOnWord, Lint, LintFormatWord};
use super::output::{note, stderr, styled_stdout_for};
use super::settings::{Resolved, resolve};
use super::shard::part_of_files;
use super::tracked::note_ignored;
use super::undo::{home_of, note_cut_off, open_staging};
use super::workers::{in_pool, progress_bar};
use crate::diagnostic::Severity;
use crate::project::{
    Baseline, Changes, Doors, FileReport, HelperPlan, LintRun, LintSource, Linted, Looked, Selection, ShardFiles,
    StagedFiles, Staging, Status, WaveDecision, lint_files, lint_text, read_stdin, staged, survey_of, tracked, walk,
};
use crate::report::{self, Part};
use crate::settings::ExtensionStyle;
use crate::source::SourceFile;
use crate::syntax::Document;

pub(super) fn run(arguments: &Lint) -> anyhow::Result<Exit> {
    let Some(first) = arguments.paths.first() else { bail!("name a file or directory") };
    if arguments.estimate && !matches!(arguments.format, LintFormatWord::Text | LintFormatWord::Json) {
        bail!("`--estimate` is written as text or JSON");
    }
    let mut resolved = resolve(first, &arguments.selection, &arguments.target, &arguments.rules)?;
    if arguments.target.ext.is_some() {
        bail!("`lint` leaves files their names; `--ext` is an option of `convert`");
    }
    resolved.settings.extension = ExtensionStyle::Keep;
    let share = share(arguments)?;
    let scope = &arguments.scope;
    let baseline = scope.baseline.as_deref().map(Baseline::read).transpose()?;
    let changes = scope.since.as_deref().map(|reference| Changes::since(reference, &arguments.paths, scope.staged));
    let changes = changes.transpose()?;
    let run = LintRun {
        baseline: baseline.as_ref(),
        decisions: resolved.decisions.as_ref(),
        changes: changes.as_ref(),
        fix: arguments.fix,
        share: share.as_ref(),
        ..LintRun::new(&resolved.table, &resolved.settings)
    };
    if arguments.paths.iter().any(|path| path == "-") {
        return lint_stdin(arguments, run);
    }
    let LintedAll { reports, wave, left_out, part } = lint_all(arguments, &resolved, run)?;
    if let Some(file) = &scope.write_baseline {
        return write_baseline((file, &arguments.paths), &reports);
    }
    let mut out = styled_stdout_for(is_for_people(arguments.format));
    write_report(&mut out, &reports, (wave.as_ref(), part.as_ref()), arguments)?;
    out.flush()?;
    if lacks_unlisted(arguments.format) {
        note_unlisted(&reports);
    }
    note_stale(&reports, resolved.decisions.as_ref());
    Ok(warn_left_out(&left_out, exit_of(&reports, arguments.fail_on)))
}

/// The files that are linted here, if not all are.
fn share(arguments: &Lint) -> anyhow::Result<Option<ShardFiles>> {
    if arguments.part.shard.is_some() {
        if arguments.fix {
            bail!("other shards must find the files as they are; `--fix` and `--shard` do not go together");
        }
        if arguments.estimate || arguments.scope.write_baseline.is_some() {
            bail!("an estimate and a baseline are about the whole; leave out `--shard`");
        }
    }
    Ok(arguments.part.share(&arguments.paths))
}

/// What a run found.
struct LintedAll {
    reports: Vec<FileReport>,
    /// How many lanes warps have.
    wave: Option<WaveDecision>,
    /// What could not be read, and why.
    left_out: Vec<String>,
    /// Which part of a run it is.
    part: Option<Part>,
}

fn lint_all(arguments: &Lint, resolved: &Resolved, run: LintRun<'_>) -> anyhow::Result<LintedAll> {
    let selection = Selection::new(&resolved.include, &resolved.exclude)?;
    let staging = if run.fix {
        open_staging(home_of(&arguments.paths, resolved.decisions.as_ref())?, &arguments.paths)?
    } else {
        Staging::default()
    };
    arguments.paths.iter().for_each(|path| note_cut_off(path));
    if run.fix && !arguments.allow_dirty {
        refuse_dirty_trees(&arguments.paths)?;
    }
    let Sources { files: sources, links, left_out } = if arguments.scope.staged {
        staged_sources(&arguments.paths, (&selection, resolved.build_files))?
    } else {
        find_sources(&arguments.paths, &selection, resolved.build_files)?
    };
    let helpers = if run.fix { helper_plan_in_place(&arguments.paths, resolved)? } else { None };
    let run = LintRun { helpers: helpers.as_ref().map(HelperPlan::header), ..run };
    let is_staged = arguments.scope.staged;
    let wanted = (&selection, resolved.build_files);
    let around = if is_staged { unstaged(&arguments.paths, wanted, &sources)? } else { Vec::new() };
    let part = part_of_files(&arguments.part, run.share, (&sources, |source| &source.path));
    let (reports, survey) = in_pool(arguments.selection.threads, || {
        let files = part.as_ref().map_or(sources.len(), |part| part.positions.len());
        let progress = progress_bar(files, false);
        let around = around.iter().map(|path| Looked { path, bytes: None });
        let looked: Vec<Looked<'_>> = sources.iter().map(Looked::from).chain(around).collect();
        let survey = survey_of(&looked, (run.table, run.settings), run.decisions);
        let reports = lint_files(&sources, (&survey, run), &staging, || progress.inc(1));
        progress.finish_and_clear();
        (reports, survey)
    })?;
    let reports = reports?;
    if let Some(carried) = run.decisions.and_then(|decisions| decisions.carried(&reports)) {
        carried.stage(&staging)?;
    }
    stage_helpers(helpers.as_ref(), &reports, (&staging, None), false)?;
    staging.commit()?;
    note_links(&links, false);
    Ok(LintedAll { reports, wave: survey.wave, left_out, part })
}

fn lint_stdin(arguments: &Lint, run: LintRun<'_>) -> anyhow::Result<Exit> {
    let scope = &arguments.scope;
    if arguments.paths.len() > 1
        || arguments.part.shard.is_some()
        || scope.staged
        || scope.since.is_some()
        || scope.write_baseline.is_some()
    {
        bail!("`-` stands alone: it reads standard input, which git does not know");
    }
    let bytes = read_stdin()?;
    let file = SourceFile::decode(Utf8Path::new("<stdin>"), bytes.clone()).context("reading standard input")?;
    let wave = Some(WaveDecision::alone(&Document::new(file.clone()), (run.table, run.settings)));
    let Linted { report, fixed } = lint_text(file, run);
    let reports = [report];
    if run.fix {
        let mut out = std::io::stdout().lock();
        out.write_all(fixed.as_deref().unwrap_or(&bytes))?;
        out.flush()?;
        write_report(&mut stderr(), &reports, (wave.as_ref(), None), arguments)?;
    } else {
        let mut out = styled_stdout_for(is_for_people(arguments.format));
        write_report(&mut out, &reports, (wave.as_ref(), None), arguments)?;
        out.flush()?;
    }
    Ok(exit_of(&reports, arguments.fail_on))
}

/// What a walk found.
#[derive(Default)]
pub(super) struct Sources {
    /// The files to lint.
    pub(super) files: Vec<LintSource>,
    /// The links that were passed over.
    links: Vec<Utf8PathBuf>,
    /// What could not be read, and why.
    left_out: Vec<String>,
}

pub(super) fn find_sources(paths: &[Utf8PathBuf], selection: &Selection, with_builds: bool) -> anyhow::Result<Sources> {
    let (mut files, mut links, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
    let mut has_files = false;
    for root in paths {
        let mut walked = walk(root, selection)?;
        note_ignored(root, &walked, selection);
        left_out.append(&mut walked.left_out);
        if walked.sources.is_empty() {
            left_out.push(no_sources(root));
        }
        links.append(&mut walked.links);
        // Who names no path is shown none.
        let shown = |path: Utf8PathBuf| match path.strip_prefix("./") {
            Ok(inside) if root == "." => inside.to_owned(),
            _ => path,
        };
        let builds = if with_builds { walked.builds } else { Vec::new() };
        has_files |= !walked.others.is_empty();
        files.extend(walked.sources.into_iter().chain(builds).map(shown));
    }
    if files.is_empty() && !has_files {
        bail!(left_out.join("; "));
    }
    files.sort();
    files.dedup();
    let sources = files.into_iter().map(|path| LintSource { path, bytes: None }).collect();
    Ok(Sources { files: sources, links, left_out })
}

fn staged_sources(paths: &[Utf8PathBuf], wanted: (&Selection, bool)) -> anyhow::Result<Sources> {
    let StagedFiles { mut files, left_out } = staged(paths, wanted)?;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let files = files.into_iter().map(|file| LintSource { path: file.path, bytes: Some(file.bytes) }).collect();
    Ok(Sources { files, left_out, ..Sources::default() })
}

/// The files of the repository that are not staged: what the project counts on is decided by all.
fn unstaged(
    paths: &[Utf8PathBuf],
    wanted: (&Selection, bool),
    staged: &[LintSource],
) -> anyhow::Result<Vec<Utf8PathBuf>> {
    let staged: HashSet<&Utf8Path> = staged.iter().map(|source| source.path.as_path()).collect();
    let mut files = tracked(paths, wanted)?;
    files.retain(|path| !staged.contains(path.as_path()));
    Ok(files)
}

fn write_baseline((file, inputs): (&Utf8Path, &[Utf8PathBuf]), reports: &[FileReport]) -> anyhow::Result<Exit> {
    let staging = Staging::to(Doors::output(file, inputs)?);
    let baseline = Baseline::of(reports, file);
    staging.write(file, baseline.to_json().as_bytes(), file)?;
    staging.commit()?;
    note(&format!("{} written to {file}", report::plural(baseline.len(), "finding")));
    Ok(exit_of(reports, FailOnWord::Never))
}

fn write_report(
    out: &mut dyn Write,
    reports: &[FileReport],
    (wave, part): (Option<&WaveDecision>, Option<&Part>),
    arguments: &Lint,
) -> std::io::Result<()> {
    if arguments.estimate {
        return match arguments.format {
            LintFormatWord::Json => report::write_estimate_json(out, reports),
            _ => report::write_estimate(out, reports),
        };
    }
    match arguments.format {
        LintFormatWord::Text => report::write_lint_text(out, reports, wave),
        LintFormatWord::Concise => {
            report::write_concise(out, reports)?;
            report::write_lint_summary(out, reports, wave)
        }
        LintFormatWord::Json => report::write_json(out, reports, (wave, part)),
        LintFormatWord::Jsonl => report::write_jsonl(out, reports),
        LintFormatWord::Sarif => report::write_sarif(out, reports, (wave, part)),
        LintFormatWord::Github => report::write_github(out, reports),
        LintFormatWord::Gitlab => report::write_gitlab(out, reports),
        LintFormatWord::Junit => report::write_junit(out, reports, (wave, part)),
        LintFormatWord::Html => report::write_html(out, reports, wave),
    }
}

/// Whether a format has no place for what it does not list.
fn lacks_unlisted(format: LintFormatWord) -> bool {
    use LintFormatWord::{Github, Gitlab, Jsonl, Junit};
    matches!(format, Jsonl | Github | Gitlab | Junit)
}

fn is_for_people(format: LintFormatWord) -> bool {
    matches!(format, LintFormatWord::Text | LintFormatWord::Concise | LintFormatWord::Html)
}

fn exit_of(reports: &[FileReport], fail_on: FailOnWord) -> Exit {
    if reports.iter().any(|report| report.status == Status::Failed) {
        return Exit::Trouble;
    }
    let least = match fail_on {
        FailOnWord::Error => Severity::Error,
        FailOnWord::Warning => Severity::Warning,
        FailOnWord::Info => Severity::Info,
        FailOnWord::Never => return Exit::Clean,
    };
    if least <= Severity::Warning && reports.iter().any(FileReport::awaits_review) {
        return Exit::Findings;
    }
    let mut open = reports.iter().flat_map(|report| &report.findings).filter(|finding| !finding.applied);
    if open.any(|finding| finding.diagnostic.severity >= least) { Exit::Findings } else { Exit::Clean }
}
