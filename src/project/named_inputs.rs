//! Which folders beside a project the user has named as the sources of its results, known by the places of both.
//!
//! A manifest comes with a project, and what it calls a source is copied into the project by an update. Below the project that is
//! nobody else's; beside it there may be anything of the user.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};

use super::home::{Home, resolved};
use super::own_place::project_top;
use super::user_state::{make_private, refuse_foreign, user_state};
use crate::source::digest;

/// Whether an update of the results in `home` may read `input` without being told so.
pub fn may_read(home: &Home, input: &Utf8Path) -> io::Result<bool> {
    let input = resolved(input)?;
    if input.starts_with(project_top(home.root())) {
        return Ok(true);
    }
    refuse_foreign(&user_state()?)?;
    Ok(record_of(home, &input)?.is_file())
}

/// Remembers that the user has named `input` as the source of the results in `home`.
pub fn remember_input(home: &Home, input: &Utf8Path) -> io::Result<()> {
    let input = resolved(input)?;
    if input.starts_with(project_top(home.root())) {
        return Ok(());
    }
    let record = record_of(home, &input)?;
    make_private(record.parent().unwrap_or(&record))?;
    std::fs::write(record, format!("{input}\n"))
}

fn record_of(home: &Home, input: &Utf8Path) -> io::Result<Utf8PathBuf> {
    let names = format!("{}\0{input}", home.root());
    Ok(user_state()?.join("inputs").join(digest(names.as_bytes())))
}
