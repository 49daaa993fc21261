//! A folder for files that a target reads, one for each thread.

use std::path::Path;

thread_local! {
    static PLACE: tempfile::TempDir = tempfile::tempdir().expect("a folder for files");
}

/// Calls `look` with the folder, as an absolute path.
pub fn within(look: impl FnOnce(&Path)) {
    PLACE.with(|place| look(&place.path().canonicalize().expect("the folder is there")));
}
