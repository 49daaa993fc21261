//! Of which projects code ran on this machine before, so that what a validation runs is told the first time.

use std::io;

use camino::Utf8PathBuf;

use super::home::Home;
use super::user_state::{make_private, refuse_foreign, user_state};
use crate::source::digest;

/// Whether code of the project ran before.
pub fn ran_before(project: &Home) -> io::Result<bool> {
    refuse_foreign(&user_state()?)?;
    Ok(record_of(project)?.is_file())
}

/// Remembers that it has been told what runs.
pub fn remember_run(project: &Home) -> io::Result<()> {
    let record = record_of(project)?;
    make_private(record.parent().unwrap_or(&record))?;
    std::fs::write(record, format!("{}\n", project.root()))
}

fn record_of(project: &Home) -> io::Result<Utf8PathBuf> {
    Ok(user_state()?.join("ran").join(digest(project.root().as_str().as_bytes())))
}
