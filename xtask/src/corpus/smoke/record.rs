//! Keeps what came of a code object beside it, as long as emulator and launcher stay the same.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::super::files;
use super::launch::{Launched, launch_all};
use crate::repository_root;

/// A result, and what it was made with.
#[derive(Serialize, Deserialize)]
struct Record {
    key: String,
    launched: Launched,
}

/// What launches depend on beside the code objects: the sources of emulator and launcher.
pub(super) fn key() -> Result<String> {
    let root = repository_root();
    let mut key = String::new();
    for folder in ["backend/emulator/src", "xtask/src/corpus/smoke"] {
        let folder = root.join(folder);
        key += &files::Digest::of_files(&folder, &files::below(&folder)?)?.hash;
    }
    Ok(key)
}

/// Launches the kernels of the code object in a file, or says what came of it before.
pub(super) fn launched(object: &Path, target: &str, key: &str) -> Result<Launched> {
    let path = object.with_extension("launched.json");
    let kept = fs::read(&path).ok().and_then(|bytes| serde_json::from_slice::<Record>(&bytes).ok());
    if let Some(kept) = kept.filter(|kept| kept.key == key) {
        return Ok(kept.launched);
    }
    let bytes = fs::read(object).with_context(|| format!("reading `{}`", object.display()))?;
    let launched = launch_all(&bytes, target).with_context(|| format!("launching `{}`", object.display()))?;
    let record = Record { key: key.to_owned(), launched };
    fs::write(&path, serde_json::to_vec(&record)?).with_context(|| format!("writing `{}`", path.display()))?;
    Ok(record.launched)
}
