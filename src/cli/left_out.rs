//! What a run leaves out, and how it is told.

use camino::Utf8PathBuf;

use super::exit::Exit;
use super::output::{note, warning};
use crate::report::one_line;

/// Says which links were passed over, if any, unless it is to be quiet.
pub(super) fn note_links(links: &[Utf8PathBuf], quiet: bool) {
    let Some(first) = links.first().filter(|_| !quiet) else { return };
    let more = if links.len() > 1 { format!(" and {} more", links.len() - 1) } else { String::new() };
    note(&format!("symbolic links are not followed: `{first}`{more}"));
}

/// Tells what could not be read; then there is something left for a person.
pub(super) fn warn_left_out(left_out: &[String], exit: Exit) -> Exit {
    for what in left_out {
        warning(&format!("{}; it was left out", one_line(what)));
    }
    if exit == Exit::Clean && !left_out.is_empty() { Exit::Findings } else { exit }
}

/// How a link is told that the result lacks.
pub(super) fn not_followed(path: &Utf8PathBuf) -> String {
    format!("`{path}` is a symbolic link, which is not followed")
}
