//! Files that git knows and `.gitignore` names all the same.

use camino::Utf8Path;

use super::output::note;
use crate::project::{Selection, Walked, tracked_and_ignored};
use crate::report::{one_line, plural};

/// So many are named.
const NAMED: usize = 5;

/// Says which files a walk has not come to although they are part of the repository, or that it has left out some where
/// there is none.
pub(super) fn note_ignored(root: &Utf8Path, walked: &Walked, selection: &Selection) {
    let Some(first) = &walked.ignored else { return };
    let Ok(files) = tracked_and_ignored(root, selection) else {
        // No history tells which of them are part of the project.
        let first = one_line(first.as_str());
        note(&format!("`.gitignore` leaves out files, the first of them `{first}`"));
        return;
    };
    if files.is_empty() {
        return;
    }
    let names: Vec<String> = files.iter().take(NAMED).map(|path| format!("`{path}`")).collect();
    let more = if files.len() > NAMED { ", …" } else { "" };
    let count = plural(files.len(), "file");
    note(&format!("{count} that git tracks and `.gitignore` names were left out: {}{more}", names.join(", ")));
}
