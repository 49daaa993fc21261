//! The files of a review, with all fixes that can be applied to them.

use std::sync::{Mutex, PoisonError};

use camino::Utf8PathBuf;
use rustc_hash::FxHashMap;

use super::super::settings::Resolved;
use super::super::workers::{in_pool, progress_bar};
use crate::project::{Converted, FileReport, ReviewFile, Run, Source, convert_files, survey};

/// Converts `sources`, decisions left aside, and keeps what can be decided about, in the order of the sources.
pub(super) fn gather(
    sources: &[Source],
    resolved: &Resolved,
    threads: Option<usize>,
) -> anyhow::Result<(Vec<ReviewFile>, Vec<FileReport>)> {
    let kept: Mutex<FxHashMap<Utf8PathBuf, ReviewFile>> = Mutex::default();
    let observe = |source: &Source, converted: Converted<'_>| {
        if let Some(file) = ReviewFile::of(source, converted) {
            kept.lock().unwrap_or_else(PoisonError::into_inner).insert(source.path.clone(), file);
        }
    };
    let reports = in_pool(threads, || {
        let survey = survey(sources, &resolved.table, &resolved.settings);
        let progress = progress_bar(sources.len(), false);
        let run = Run {
            table: &resolved.table,
            settings: &resolved.settings,
            survey: Some(&survey),
            staging: None,
            decisions: None,
            observer: Some(&observe),
        };
        let reports = convert_files(sources, run, || progress.inc(1));
        progress.finish_and_clear();
        reports
    })??;
    let mut kept = kept.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok((sources.iter().filter_map(|source| kept.remove(&source.path)).collect(), reports))
}
