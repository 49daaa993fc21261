//! The files of a review, with all fixes that can be applied to them.

use std::sync::{Mutex, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;

use super::super::settings::Resolved;
use super::super::workers::{in_pool, progress_bar};
use crate::analysis::HelperHeader;
use crate::diagnostic::{Decision, Verdict};
use crate::project::{Converted, Decisions, FileReport, Observer, ReviewFile, Run, Source, convert_files, survey};

/// What can be decided about, in the order of the sources, with a report on each.
pub(super) fn gather(
    sources: &[Source],
    resolved: &Resolved,
    (decisions, helpers, threads): (&Decisions, Option<&HelperHeader>, Option<usize>),
) -> anyhow::Result<(Vec<ReviewFile>, Vec<FileReport>)> {
    let kept: Mutex<FxHashMap<Utf8PathBuf, ReviewFile>> = Mutex::default();
    let lock = || kept.lock().unwrap_or_else(PoisonError::into_inner);
    let keep = |source: &Source, converted: Converted<'_>| {
        if let Some(file) = ReviewFile::of(source, converted) {
            lock().insert(source.path.clone(), file);
        }
    };
    let add = |source: &Source, converted: Converted<'_>| {
        if let Some(file) = lock().get_mut(&source.path).filter(|_| holds_rejections(decisions.of(&source.path))) {
            file.add(converted);
        }
    };
    let holds_any = |path: &Utf8Path| holds_rejections(decisions.of(path));
    let reports = in_pool(threads, || {
        let reports = observe(sources, resolved, (None, helpers), &keep)?;
        if sources.iter().any(|source| holds_any(&source.path)) {
            observe(sources, resolved, (Some(decisions), helpers), &add)?;
        }
        anyhow::Ok(reports)
    })??;
    let mut kept = kept.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok((sources.iter().filter_map(|source| kept.remove(&source.path)).collect(), reports))
}

fn holds_rejections(decisions: &[Decision]) -> bool {
    decisions.iter().any(|decision| decision.verdict == Verdict::Reject)
}

fn observe(
    sources: &[Source],
    resolved: &Resolved,
    (decisions, helpers): (Option<&Decisions>, Option<&HelperHeader>),
    observer: Observer<'_>,
) -> anyhow::Result<Vec<FileReport>> {
    let survey = survey(sources, (&resolved.table, &resolved.settings), decisions);
    let progress = progress_bar(sources.len(), false);
    let run = Run { decisions, helpers, observer: Some(observer), ..resolved.run(&survey) };
    let reports = convert_files(sources, run, || progress.inc(1))?;
    progress.finish_and_clear();
    Ok(reports)
}
