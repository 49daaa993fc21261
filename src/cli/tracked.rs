//! Files that git knows and `.gitignore` names all the same.

use camino::Utf8Path;

use super::output::note;
use crate::project::{Selection, Walked, tracked_and_ignored};
use crate::report::plural;

/// So many are named.
const NAMED: usize = 5;

/// Says which files a walk has not come to although they are part of the repository.
pub(super) fn note_ignored(root: &Utf8Path, walked: &Walked, selection: &Selection) {
    if !walked.ignores {
        return;
    }
    let files = tracked_and_ignored(root, selection);
    if files.is_empty() {
        return;
    }
    let names: Vec<String> = files.iter().take(NAMED).map(|path| format!("`{path}`")).collect();
    let more = if files.len() > NAMED { ", …" } else { "" };
    let count = plural(files.len(), "file");
    note(&format!("{count} that git tracks and `.gitignore` names were left out: {}{more}", names.join(", ")));
}
