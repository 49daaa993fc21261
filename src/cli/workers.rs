//! Threads for a run over many files, and how far it is.

use std::io::IsTerminal as _;

use anyhow::Context as _;

/// Runs `work` with so many threads, or one for each core.
pub(super) fn in_pool<T: Send>(threads: Option<usize>, work: impl FnOnce() -> T + Send) -> anyhow::Result<T> {
    let Some(threads) = threads else { return Ok(work()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().context("starting threads")?;
    Ok(pool.install(work))
}

/// Shown on a terminal only, on standard error.
pub(super) fn progress_bar(files: usize, quiet: bool) -> indicatif::ProgressBar {
    const LONG_RUN: usize = 200;
    if quiet || files < LONG_RUN || !std::io::stderr().is_terminal() {
        return indicatif::ProgressBar::hidden();
    }
    indicatif::ProgressBar::new(u64::try_from(files).unwrap_or(u64::MAX))
}
